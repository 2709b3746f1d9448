"""Breakpoints: what to stop at, offered for the step under the cursor, and all that are set."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

from rollstep.core.model.debugging import Breakpoint
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from .. import breaks
from ..inspector import kind_words
from ..query_look import looker, problem
from ..sanitize import one_line, visible
from ..stepview import call_text
from ..typed_filter import TypedFilter
from ..widgets.query_field import Looked, QueryField, nothing
from ..widgets.row_list import RowList
from ..wrap import fit
from .breakpoint_rows import BREAK, DIGITS, OFFER, RUN, RUN_DIGIT, BreakRows, Key
from .breakpoint_types import BreaksRequest, BreaksResult
from .key_guard import KeyGuard

_MOST = 132
_BESIDES = 8
"""Cells of the dialog's width that a row does not have: border, padding, scroll bar, cursor."""
_LINES, _TYPING = 9, 6
"""Lines of the dialog besides its list, and those of the line to type in."""
_ROW_KEYS = {
    BREAK: "Enter edit  Space on, off  a any condition  c run to it  Esc",
    RUN: "Enter run to it, close  1-9 set  a any condition  Esc",
    OFFER: "Enter set, close  1-9 Space on, off  a any condition  c run to it  Esc",
}
_BREAK_KEYS = "e query  n name  i skip hits  o once  B before  - remove  u undo  / filter"
"""What is for those that are set stands there always: it shows what can be done with one."""
_TYPING_KEYS = "Enter takes it  Tab completes  ↑ ↓ choose  Esc back to the list"
_LONGEST_IGNORE = 6


class _Typing(NamedTuple):
    """What is being typed: a new condition (``place`` is -1), or a field of a breakpoint."""

    what: str
    place: int = -1


class BreakpointsScreen(ModalScreen[BreaksResult | None]):
    """Stays open while breakpoints are changed; each change takes effect at once. Dismisses with
    what is left to do, or None.
    """

    CSS_PATH = "breakpoints.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", "Close")]

    def __init__(self, request: BreaksRequest) -> None:
        super().__init__()
        self.request = request
        self.rows = BreakRows(request.model, request.ahead)
        self._filter = TypedFilter()
        self._guard = KeyGuard()
        self._waiting = 0
        self._made = 0
        self._counting = False
        self._typing: _Typing | None = None
        self._unfinished = ""
        self._words = ""
        self._width = _MOST
        self._list = RowList()
        self._field = QueryField()
        self._keys: dict[str, Callable[[], None]] = {
            "space": self._switch,
            "e": lambda: self._edit("query"),
            "n": lambda: self._edit("name"),
            "i": lambda: self._edit("ignore"),
            "o": lambda: self._flip("once"),
            "B": lambda: self._flip("before"),
            "minus": self._remove,
            "delete": self._remove,
            "u": self._undo,
            "a": self._add,
            "c": self._run,
            "slash": self._begin_filter,
        }

    # what is on it

    def compose(self) -> ComposeResult:
        """Title, list, more about the row under the cursor, the line to type in, keys."""
        with Vertical(id="dialog"):
            yield Static(id="title")
            yield self._list
            yield Static(id="about")
            yield self._field
            yield Static(id="keys")

    def on_mount(self) -> None:
        """The first suggestion under the cursor."""
        self._fit()
        self._refill()
        self._list.focus()
        if self.request.to_run:
            self._add()

    def on_resize(self, event: events.Resize) -> None:
        """As wide and as high as there is room."""
        self._fit()
        self._refill()

    def _fit(self) -> None:
        width, height = self.app.size
        self._width = min(width, _MOST)
        self.query_one("#dialog").styles.width = self._width
        besides = _LINES + (_TYPING if self._typing is not None else 0)
        self._list.styles.max_height = max(height - besides, 3)
        title = fit(one_line(self._title()), self._width - _BESIDES + 2)
        self.query_one("#title", Static).update(Content(title))

    def _title(self) -> str:
        model = self.request.model
        if model.step is None:
            return "Breakpoints: where runs pause"
        call = model.path.call.get(model.cursor)
        about = f", {call_text(call, 60)}" if call is not None else ""
        what = kind_words(model.step.payload)
        return f"Breakpoints, here at step {model.cursor + 1:,}: {what}{about}"

    def _refill(self) -> None:
        """Show what stands now, and go on counting behind whatever waits."""
        self._list.show(self.rows.rows(self._width - _BESIDES, self._filter.lets_in))
        self._list.styles.height = max(len(self._list.rows), 1)
        self._say()
        if not self._counting:
            self._counting = True
            self.call_later(self._count)

    def _count(self) -> None:
        self._counting = False
        if not self.is_attached:
            return
        typed = self._as_typed()
        wanted = [*([typed] if typed is not None else []), *self.rows.shown]
        if self.rows.counts.work(wanted):
            self._refill()
        else:
            self._list.show(self.rows.rows(self._width - _BESIDES, self._filter.lets_in))
            self._say()
        if typed is not None:
            self._field.tell(self.rows.where(typed))

    # words

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Say more of the row under the cursor."""
        self._say()

    def _tell(self, words: str) -> None:
        """Say what was done, until the next key."""
        self._words = words
        self._say()

    def _say(self) -> None:
        about = self._words or (self.rows.about(self._here) if self._here is not None else "")
        self.query_one("#about", Static).update(Content(visible(about)))
        here = self._here
        keys = f"{_ROW_KEYS[here[0] if here is not None else OFFER]}\n{_BREAK_KEYS}"
        if self._typing is not None:
            keys = _TYPING_KEYS
        elif self._filter.used:
            keys = self._filter.words("Esc all")
        self.query_one("#keys", Static).update(Content(visible(keys)))

    @property
    def _here(self) -> Key | None:
        """The row under the cursor."""
        row = self._list.current
        if row is None or row.key is None:
            return None
        assert isinstance(row.key, tuple)
        return row.key

    # keys

    def on_paste(self, event: events.Paste) -> None:
        """What follows a paste at once may be its tail, and sets nothing."""
        self._guard.pasted()

    def on_text_box_pasted(self) -> None:
        """The same, where it went into the line."""
        self._guard.pasted()

    def on_key(self, event: events.Key) -> None:
        """One letter for each thing to do; digits switch suggestions."""
        if self._typing is not None:
            return
        if self._guard.pasting:
            event.stop()
            event.prevent_default()
            self._tell(self._guard.words(event.character or event.key))
            return
        if self._filter.take(event):
            self._refill()
            return
        do, character = self._keys.get(event.key), event.character
        self._words = ""
        if do is not None:
            do()
        elif character and character in DIGITS:
            self._set_offer(int(character) - 1)
        elif character == RUN_DIGIT:
            self._run_on((RUN, 0))
        else:
            return
        event.stop()
        event.prevent_default()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter: set a suggestion and be done; or edit a breakpoint's query."""
        here = self._here
        if here is None:
            return
        if here[0] == BREAK:
            self._edit("query")
        elif here[0] == RUN:
            self._run()
        else:
            self.dismiss(BreaksResult(self._set_offer(here[1])))

    def action_close(self) -> None:
        """Out of the filter; then close."""
        if self._filter.used:
            self._filter.clear()
            self._refill()
        else:
            self.dismiss(None)

    def _begin_filter(self) -> None:
        self._filter.typing = True
        self._say()

    # changing

    def _change(self, breakpoints: tuple[Breakpoint, ...], words: str = "") -> None:
        """Show it at once, and set it; what the session says in the end is what stays."""
        if breakpoints != self.rows.breakpoints:
            self.rows.breakpoints = breakpoints
            self._waiting += 1
            self._made += 1
            self.request.change(breakpoints, self._changed)
        self._words = words
        self._refill()

    def _changed(self) -> None:
        self._waiting -= 1
        self.news()

    def news(self) -> None:
        """The rollout has changed: a run goes on under the dialog, or a change took effect."""
        if not self._waiting and self.is_attached:
            model = self.request.model
            self.rows.breakpoints, self.rows.hits = model.breakpoints, model.hits
            self._refill()

    def _set_offer(self, place: int) -> str:
        """Set a suggestion, or take it back where it is set; what was done, in words."""
        if place >= len(self.rows.offers):
            return ""
        words, breakpoint = self.rows.offers[place]
        new = breaks.toggled(self.rows.breakpoints, breakpoint)
        at = breaks.place_of(new, breakpoint)
        said = f"Removed the breakpoint: {words}."
        if at is not None:
            said = f"Breakpoint {at + 1}: {words}. c runs to it, the same keys remove it."
        self._change(new, said)
        return said

    def _place(self) -> int | None:
        """The number of the breakpoint under the cursor; without one, what to do is said."""
        here = self._here
        if here is not None and here[0] == BREAK and here[1] < len(self.rows.breakpoints):
            return here[1]
        self._tell("That is for a breakpoint that is set: j goes down to those.")
        return None

    def _switch(self) -> None:
        here = self._here
        if here is not None and here[0] == OFFER:
            self._set_offer(here[1])
        else:
            self._flip("enabled")

    def _flip(self, field: str) -> None:
        place = self._place()
        if place is not None:
            value = not getattr(self.rows.breakpoints[place], field)
            self._change(breaks.changed(self.rows.breakpoints, place, **{field: value}))

    def _remove(self) -> None:
        place = self._place()
        if place is not None:
            self._change(breaks.without(self.rows.breakpoints, place), "Removed; u brings it back.")

    def _undo(self) -> None:
        if not self._made:
            self._tell("Nothing was changed here yet.")
        elif words := self.request.undo():
            self._tell(words)
        else:
            self._made -= 1

    def _run(self) -> None:
        """Run on to what the cursor stands on, once."""
        self._run_on(self._here or (RUN, 0))

    def _run_on(self, key: Key) -> None:
        if key[0] == RUN and self.request.ahead:
            self.dismiss(BreaksResult(run_here=True))
        elif (chosen := self.rows.chosen(key)) is not None:
            self.dismiss(BreaksResult(run_to=chosen))

    # typing

    def _add(self) -> None:
        """Type any condition."""
        label = "run on, once, to" if self.request.to_run else "stop at"
        self._open(_Typing("query"), label, self._unfinished)

    def _edit(self, what: str) -> None:
        place = self._place()
        if place is None:
            return
        each = self.rows.breakpoints[place]
        texts = {
            "query": ("stop at", breaks.query_of(each)),
            "name": ("name", each.name),
            "ignore": ("hits to let go by first", str(each.ignore or "")),
        }
        self._open(_Typing(what, place), *texts[what])

    def _open(self, typing: _Typing, label: str, text: str) -> None:
        self._typing = typing
        self._field.add_class("-open")
        self.query_one("#about").display = False
        self._fit()
        look = {"name": nothing, "ignore": _look_at_number}.get(typing.what)
        self._field.ask(label, text, look or looker(self.request.model))
        self._say()

    def on_query_field_typed(self, event: QueryField.Typed) -> None:
        """Say at which steps it would hold."""
        if self._typing == _Typing("query"):
            self._unfinished = event.text
        if self._as_typed() is not None:
            self._refill()

    def _as_typed(self) -> Breakpoint | None:
        """The breakpoint that is being typed, where it can be read."""
        text = self._field.text.strip()
        if self._typing is None or self._typing.what != "query" or not text or problem(text):
            return None
        place = self._typing.place
        if 0 <= place < len(self.rows.breakpoints):
            return breaks.with_query(self.rows.breakpoints[place], text)
        return Breakpoint(text)

    def on_query_field_left(self, event: QueryField.Left) -> None:
        """Back to the list."""
        self._close_field()

    def _close_field(self) -> None:
        self._typing = None
        self._field.remove_class("-open")
        self.query_one("#about").display = True
        self._fit()
        self._list.focus()
        self._say()

    def on_query_field_chosen(self, event: QueryField.Chosen) -> None:
        """Take what was typed."""
        typing, typed, text = self._typing, self._as_typed(), event.text.strip()
        self._close_field()
        if typing is None:
            return
        if typing.what == "query":
            self._take_query(typing.place, typed)
        else:
            value = text if typing.what == "name" else int(text or 0)
            new = breaks.changed(self.rows.breakpoints, typing.place, **{typing.what: value})
            self._change(new)

    def _take_query(self, place: int, typed: Breakpoint | None) -> None:
        if typed is None:
            return
        if self.request.to_run:
            self.dismiss(BreaksResult(run_to=typed))
            return
        breakpoints = self.rows.breakpoints
        if place >= 0:
            self._change((*breakpoints[:place], typed, *breakpoints[place + 1 :]))
            return
        self._unfinished = ""
        self._change((*breakpoints, typed))
        self._list.go_to((BREAK, len(breakpoints)))


def _look_at_number(text: str, cursor: int) -> Looked:
    """A number of hits, or nothing for none."""
    text = text.strip()
    fits = not text or (text.isascii() and text.isdigit() and len(text) <= _LONGEST_IGNORE)
    return Looked(problem="" if fits else "a whole number, such as 3")
