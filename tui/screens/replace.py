"""Each place where words are to be replaced, one after the other, with a yes or a no for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rollstep.core.model.messages import TargetReply
from rollstep.core.rules.replacing import breaks_json, text_at
from rollstep.core.rules.word_diff import word_diff
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..sanitize import one_line
from ..who import ANSWERS, LETTERS
from .edit_panels import diff_content
from .key_guard import KeyGuard

if TYPE_CHECKING:
    from rollstep.core.replacing import Place
    from rollstep.core.rules.replacing import Replacement

_AROUND = 600
"""Characters on either side of a hit that are shown."""
_KEYS = "y yes   n no   a yes to all the rest   k back   q enough   Esc change nothing"


class ReplaceScreen(Screen[tuple["Place", ...] | None]):
    """Dismisses with the places that got a yes, or None."""

    DEFAULT_CSS = """
    ReplaceScreen {
        #title, #at, #keys { height: 1; padding: 0 1; }
        #title, #keys { background: $surface; }
        #title { text-style: bold; }
        #at { color: $text-muted; }
        #said { height: 1; padding: 0 1; color: $warning; }
        VerticalScroll { padding: 1 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n", "answer(False)", "No"),
        Binding("a", "all", "All"),
        Binding("k,up", "back", "Back", show=False),
        Binding("q", "end", "End"),
        Binding("escape", "cancel", "Cancel"),
        Binding("space,pagedown", "read(1)", "Read on", show=False),
        Binding("backspace,pageup", "read(-1)", "Read back", show=False),
    ]

    def __init__(
        self, wanted: Replacement, places: Sequence[Place], *, whole: bool, guard: KeyGuard
    ) -> None:
        """``whole``: these are all places that there are."""
        super().__init__()
        self._wanted = wanted
        self._places = tuple(places)
        self._whole = whole
        self._guard = guard
        self._answers: list[bool] = []

    def compose(self) -> ComposeResult:
        """How far it is, where the hit is, the change, the keys."""
        yield Static(id="title")
        yield Static(id="at")
        with VerticalScroll(can_focus=True):
            yield Static(id="change")
        yield Static(id="said")
        yield Static(_KEYS, id="keys")

    def on_mount(self) -> None:
        """The first one."""
        self._guard.opened("the first hit is shown")
        self._show()

    def on_paste(self, event: events.Paste) -> None:
        """Keys that come with a paste answer nothing."""
        self._guard.pasted()

    def _show(self) -> None:
        at, count = len(self._answers), len(self._places)
        place = self._places[at]
        yes = sum(self._answers)
        more = "" if self._whole else " (and more after these)"
        words = f"Replace {self._wanted.find} by {self._wanted.put or 'nothing'}"
        self.query_one("#title", Static).update(
            Content(one_line(f"{at + 1} of {count:,}{more}   {yes:,} yes   {words}"))
        )
        letter, kind = LETTERS[place.step.role], what(place)
        where = f"{letter} {place.step.seq} {kind} in {place.title}   {place.rollout_id}"
        self.query_one("#at", Static).update(Content(one_line(where)))
        self.query_one("#change", Static).update(change(place))
        self.query_one(VerticalScroll).scroll_home(animate=False)
        breaks = breaks_json(place.step.payload, place.hit)
        self._say("With this the arguments are no JSON any more." if breaks else "")

    def _say(self, words: str) -> None:
        self.query_one("#said", Static).update(Content(words))

    def action_answer(self, yes: bool) -> None:
        """A yes or a no; then the next."""
        if self._rests("This key"):
            return
        self._answers.append(yes)
        if len(self._answers) == len(self._places):
            self.action_end()
        else:
            self._show()

    def action_all(self) -> None:
        """Yes to this one and all that follow."""
        if not self._rests("a"):
            self._answers += [True] * (len(self._places) - len(self._answers))
            self.action_end()

    def _rests(self, key: str) -> bool:
        if self._guard.closed:
            self._say(self._guard.words(key))
        return self._guard.closed

    def action_back(self) -> None:
        """Think again about the one before."""
        if self._answers:
            self._answers.pop()
            self._show()

    def action_end(self) -> None:
        """With what got a yes so far."""
        pairs = zip(self._places, self._answers, strict=False)
        self.dismiss(tuple(place for place, yes in pairs if yes))

    def action_cancel(self) -> None:
        """Nothing is changed."""
        self.dismiss(None)

    def action_read(self, by: int) -> None:
        """Read on in a long one."""
        area = self.query_one(VerticalScroll)
        area.scroll_relative(y=by * max(area.size.height - 1, 1), animate=False)


def what(place: Place) -> str:
    """In what it stands."""
    payload = place.step.payload
    if place.hit.in_call and isinstance(payload, TargetReply):
        return f"arguments of {payload.tool_calls[place.hit.part].name}"
    return ANSWERS[place.step.role]


def change(place: Place) -> Content:
    """The text around a hit, with the change as a word diff."""
    hit = place.hit
    text = text_at(place.step.payload, hit)
    before = text[max(hit.start - _AROUND, 0) : hit.start]
    after = text[hit.end : hit.end + _AROUND]
    content = diff_content(
        word_diff(before + text[hit.start : hit.end] + after, before + hit.put + after)
    )
    lead = "…" if hit.start > _AROUND else ""
    end = "…" if hit.end + _AROUND < len(text) else ""
    return Content.assemble(lead, content, end)
