"""A line of the query language being typed: what may stand at the cursor, with what it means; Tab
puts it in. What is wrong is said with its column, as it is typed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import Static, TextArea
from textual.widgets.text_area import Edit, EditResult

from ..sanitize import one_line
from ..wrap import fit
from .earlier import Earlier
from .text_box import TextBox

_SHOWN = 6
"""Completions that are seen at once; Up and Down walk through all."""
_BESIDES = 5
_OUTDATED_SECONDS = 0.05
"""Of letters that come faster than they are dealt with, one in so many seconds is drawn."""


class Offer(NamedTuple):
    """A completion: the text to put in from ``start`` to ``end``, and what it means."""

    text: str
    help: str
    start: int
    end: int


class Looked(NamedTuple):
    """What there is to say of a text: ``offers`` are what could stand at the cursor; ``problem`` is
    why the whole cannot be used as it is. ``unfinished``: one of the offers may well mend that.
    """

    offers: tuple[Offer, ...] = ()
    problem: str = ""
    unfinished: bool = False


Look = Callable[[str, int], Looked]
"""Looks at a text with the cursor before this character; quick, since every key asks."""


def nothing(text: str, cursor: int) -> Looked:
    """For plain text: no completions, no problems."""
    return Looked()


class _Line(TextBox):
    """Tells of a change at once. A message would come after the letter has been painted, and what
    is said of it would be one more paint for each key. While it is ``outdated`` anyway it is not
    drawn.
    """

    outdated = False
    keeps_earlier = False
    """Whether Ctrl+P brings back what was typed before, and opens no palette."""
    _styled = False

    def __init__(self, edited: Callable[[], None]) -> None:
        super().__init__("", single_line=True)
        self._edited = edited

    def refresh(self, *regions: Region, **options: Any) -> Self:
        """Have it drawn, soon."""
        return self if self.outdated else super().refresh(*regions, **options)

    def notify_style_update(self) -> None:
        """The style sheet says something else of it now, or of what it stands in."""
        self._styled = False
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines. A text area works its colours out of the style sheet at each paint, and needs
        as long for that as for all the rest.
        """
        if not self._styled or not self.is_attached:
            self._styled = self.is_attached
            return super().render_lines(crop)
        return ScrollView.render_lines(self, crop)

    def edit(self, edit: Edit) -> EditResult:
        """Change the text."""
        result = super().edit(edit)
        self._edited()
        return result


class QueryField(Vertical):
    """Posts ``Typed`` as the text changes, ``Chosen`` on Enter where there is no problem, ``Left``
    on Esc. Whoever mounts it may ``tell`` what the text comes to.
    """

    DEFAULT_CSS = """
    QueryField {
        height: auto;
        .query-line { height: 1; }
        .query-label { width: auto; padding: 0 1; color: $primary; text-style: bold; }
        TextBox { width: 1fr; padding: 0; }
        .query-offers { height: 6; padding: 0 1; color: $text-muted; }
        .query-words { height: 1; padding: 0 1; color: $text-muted; }
        .query-words.-problem { color: $warning; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", show=False, priority=True),
        Binding("tab", "complete", "Complete", show=False, priority=True),
        Binding("down", "choose(1)", "Next completion", show=False, priority=True),
        Binding("up", "choose(-1)", "Completion before", show=False, priority=True),
        Binding("ctrl+p", "earlier(-1)", "What was typed before", show=False, priority=True),
        Binding("ctrl+n", "earlier(1)", "What was typed after it", show=False, priority=True),
    ]

    class Typed(Message):
        """The text is another; ``problem`` is empty where it can be used."""

        def __init__(self, text: str, problem: str) -> None:
            super().__init__()
            self.text = text
            self.problem = problem

    class Chosen(Message):
        """Enter: this text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """Esc."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._look: Look = nothing
        self._looked = Looked()
        self._looked_at: tuple[str, int] | None = None
        self._told: str | None = None
        """The text that ``Typed`` has told of."""
        self._chosen = 0
        self._said = ("", False)
        self._catching_up: Timer | None = None
        self.box = _Line(self._was_edited)
        self.earlier = Earlier()
        """What the arrows bring back; nothing, unless whoever mounts it knows of some."""
        self._label = Static("", classes="query-label")
        self._offers = Static("", classes="query-offers")
        self._words = Static("", classes="query-words")

    def compose(self) -> ComposeResult:
        """Label and text, completions, words."""
        with Horizontal(classes="query-line"):
            yield self._label
            yield self.box
        yield self._offers
        yield self._words

    @property
    def text(self) -> str:
        """What is typed."""
        return self.box.value

    def ask(self, label: str, text: str, look: Look = nothing) -> None:
        """Let a text be typed: an old one to go on from, or a new one."""
        self._look = look
        self.earlier.begin(text)
        self.box.keeps_earlier = bool(self.earlier)
        self._label.update(Content(f"{one_line(label)}:"))
        self.box.value = text
        self.box.move_cursor(self.box.document.end)
        self.box.focus()
        self.look_again()

    def tell(self, words: str) -> None:
        """Say what the text comes to, where nothing is wrong with it."""
        if not self._looked.problem:
            self._say(words)

    def look_again(self) -> None:
        """Look at the text as it is now."""
        text = self._told = self.text
        self._look_at(text)
        self._say("" if self._looked.unfinished else self._looked.problem)
        self.post_message(self.Typed(text, self._looked.problem))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """The text is another, whatever made it so."""
        event.stop()
        self._was_edited()

    def _was_edited(self) -> None:
        if not self.box.has_focus or self.text == self._told:
            return
        if not getattr(self.app, "keys_wait", False):
            self._catch_up()
        elif self._catching_up is None:
            self.box.outdated = True
            self._catching_up = self.set_timer(_OUTDATED_SECONDS, self._catch_up)

    def _catch_up(self) -> None:
        """Look at the text and draw it, where that was put off."""
        if self._catching_up is not None:
            self._catching_up.stop()
            self._catching_up = None
            self.box.outdated = False
            self.box.refresh()
        if self.text != self._told:
            self.look_again()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """The cursor moved: other things may stand there."""
        event.stop()
        self._was_edited()
        moved = self.text == self._told and self._looked_at != self._place(self.text)
        if moved and self.box.has_focus:
            self._look_at(self.text)

    def _place(self, text: str) -> tuple[str, int]:
        return text, min(self.box.cursor_location[1], len(text))

    def _look_at(self, text: str) -> None:
        self._looked_at = self._place(text)
        self._looked = self._look(*self._looked_at)
        self._chosen = 0
        self._show_offers()

    def on_text_box_submitted(self, event: TextBox.Submitted) -> None:
        """Enter."""
        event.stop()
        self._catch_up()
        if self._looked.problem:
            self._say(self._looked.problem)
        else:
            self.post_message(self.Chosen(self.text))

    def action_complete(self) -> None:
        """Put the chosen completion in."""
        self._catch_up()
        if not self._looked.offers:
            return
        offer, text = self._looked.offers[self._chosen], self.text
        rest = text[offer.end :]
        put = offer.text if rest[:1].isspace() else offer.text + " "
        self.box.put(text[: offer.start] + put + rest)
        self.box.move_cursor((0, offer.start + len(put)))

    def action_choose(self, by: int) -> None:
        """Another completion; or what was typed before, where the arrows are for that."""
        self._catch_up()
        choosing, offers = self._chosen > 0, bool(self._looked.offers)
        if self.earlier.takes(by, self.text, choosing=choosing, offers=offers):
            self.action_earlier(by)
        elif offers:
            self._chosen = (self._chosen + by) % len(self._looked.offers)
            self._show_offers()

    def action_earlier(self, by: int) -> None:
        """What was typed before, or after that."""
        self._catch_up()
        text = self.earlier.walk(by, self.text)
        if text is not None:
            self.box.put(text)
            self.box.move_cursor((0, len(text)))

    def action_leave(self) -> None:
        """Back to where the keys were."""
        self.post_message(self.Left())

    def _say(self, words: str) -> None:
        said = (one_line(words), bool(self._looked.problem))
        if said != self._said:
            self._said = said
            self._words.set_class(said[1], "-problem")
            self._words.update(Content(said[0]), layout=False)

    def _show_offers(self) -> None:
        offers = self._looked.offers
        first = max(min(self._chosen - _SHOWN + 1, len(offers) - _SHOWN), 0)
        shown = offers[first : first + _SHOWN]
        wide = max((len(offer.text) for offer in shown), default=0)
        room = max(self.size.width - _BESIDES, 10)
        lines = []
        for place, offer in enumerate(shown, first):
            sign = "▸ " if place == self._chosen else "  "
            text = fit(f"{sign}{one_line(offer.text):<{wide}}  {one_line(offer.help)}", room)
            lines.append((text, "bold $text") if place == self._chosen else (text, ""))
        content = Content("\n").join([Content.styled(text, style) for text, style in lines])
        self._offers.update(content, layout=False)
