"""Two paths beside each other, full screen: what differs is marked, and reached by key."""

from __future__ import annotations

from typing import ClassVar, Literal

from rollstep.core.rules.compare import Comparison
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen

from ..comparing.head import CompareHead, hint
from ..comparing.subjects import Subject
from ..comparing.view import CompareView, SideName
from ..palette import Palette
from ..rows import Row, row
from ..widgets.rows_pane import RowsPane
from ..wrap import fit
from .own_keys import HELP, OwnKeys

_KEYS = (
    " n N difference   [ ] stretch   j k row   h l side   Enter go there   z whole texts   d others"
    "   Esc back   ? keys",
    " n N differ  [ ] stretch  j k row  h l side  Enter go  z whole  d others  Esc  ?",
    " n N differ  h l side  Enter go  d others  Esc  ?",
)

Answer = tuple[Literal["go"], SideName, str] | Literal["others"]
"""Where to go (the side, and the step's id), or that something else is to be compared."""


class CompareScreen(OwnKeys, Screen[Answer | None], inherit_bindings=False):
    """Shows a comparison as soon as there is one; dismisses with where to go."""

    AUTO_FOCUS = ""
    KEYS_TITLE = "COMPARE: two branches, row by row"
    DEFAULT_CSS = "CompareScreen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Next row", show=False),
        Binding("k,up", "move(-1)", "Row before", show=False),
        Binding("n", "difference(1)", "Next difference", show=False),
        Binding("N", "difference(-1)", "Difference before", show=False),
        Binding("right_square_bracket", "block(1)", "Next stretch that differs", show=False),
        Binding("left_square_bracket", "block(-1)", "Stretch before", show=False),
        Binding("h,left", "side('left')", "The step on the left", show=False),
        Binding("l,right", "side('right')", "The step on the right", show=False),
        Binding("space,pagedown", "page(1)", "Read on", show=False),
        Binding("backspace,pageup", "page(-1)", "Read back", show=False),
        Binding("g,home", "end(-1)", "First row", show=False),
        Binding("G,end", "end(1)", "Last row", show=False),
        Binding("z", "whole", "Whole texts", show=False),
        Binding("enter", "go", "Go there", show=False),
        Binding("d", "others", "Compare with something else", show=False),
        Binding("escape,q", "leave", "Back", show=False),
        Binding("ctrl+c", "screen.copy_text", "Copy the selected text", show=False),
        HELP,
        Binding("ctrl+q", "app.quit", "Quit", show=False),
    ]

    def __init__(self, palette: Palette, waiting: str) -> None:
        """``waiting`` is said until ``show`` is called."""
        super().__init__()
        self.palette = palette
        self.waiting = waiting
        self.view: CompareView | None = None
        self.subjects: dict[SideName, Subject] = {}
        self._head: CompareHead | None = None

    def compose(self) -> ComposeResult:
        """The sides' names, the rows, the keys."""
        self.top = RowsPane(self.palette, id="compare-top", selectable=False)
        self.body = RowsPane(self.palette, id="compare-body")
        self.keys = RowsPane(self.palette, id="compare-keys", selectable=False)
        yield from (self.top, self.body, self.keys)

    def show(self, comparison: Comparison, left: Subject, right: Subject) -> None:
        """Show this from now on."""
        self.view = CompareView(comparison)
        self.subjects = {"left": left, "right": right}
        self._head = CompareHead(comparison, left, right)
        self.paint()

    def on_mount(self) -> None:
        """Say what is waited for, or show it."""
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew."""
        self.paint()

    def set_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        for pane in (self.top, self.body, self.keys):
            pane.set_palette(palette)

    def paint(self) -> None:
        """Draw what is seen."""
        if not self.is_attached or not self.children:
            return
        width, height = self.app.size
        head = [row((f" {fit(self.waiting, width - 2)}", "bar:busy"), fill="bar")]
        rows: list[Row] = []
        words = ("", "text")
        view = self.view
        if view is not None and self._head is not None:
            head = self._head.rows(view, width)
            view.resize(width, height - len(head) - 2)
            rows, words = view.rows(), hint(view)
        self.top.place(Region(0, 0, width, len(head)))
        self.body.place(Region(0, len(head), width, max(height - len(head) - 2, 1)))
        self.keys.place(Region(0, height - 2, width, 2))
        self.top.set_rows(head)
        self.body.set_rows(rows)
        line = row((f" {fit(words[0], width - 2)}", words[1]))
        keys = next((text for text in _KEYS if len(text) <= width), _KEYS[-1])
        self.keys.set_rows([line, row((fit(keys, width), "bar:dim"), fill="bar")])

    # keys

    def action_move(self, delta: int) -> None:
        """The next row."""
        if self.view is not None and self.view.move(delta):
            self.paint()

    def action_difference(self, delta: int) -> None:
        """The next step that differs."""
        if self.view is not None and self.view.to_difference(delta):
            self.paint()

    def action_block(self, delta: int) -> None:
        """Where the next stretch that differs begins."""
        if self.view is not None and self.view.to_block(delta):
            self.paint()

    def action_side(self, side: SideName) -> None:
        """The step on this side is meant."""
        if self.view is not None and self.view.to_side(side):
            self.paint()

    def action_page(self, pages: int) -> None:
        """One screenful on, whatever the cursor."""
        if self.view is not None and self.view.scroll(pages * max(self.view.height - 2, 1)):
            self._scrolled()

    def action_end(self, side: int) -> None:
        """To an end."""
        self.action_move(side * 10**9)

    def action_whole(self) -> None:
        """Whole texts, or the first lines around a difference."""
        if self.view is not None:
            self.view.toggle_whole()
            self.paint()

    def action_go(self) -> None:
        """To the step in the debugger."""
        step = self.view.step if self.view is not None else None
        if self.view is not None and step is not None:
            self.dismiss(("go", self.view.place.side, step.id))

    def action_others(self) -> None:
        """Choose something else to compare with."""
        self.dismiss("others")

    def action_leave(self) -> None:
        """Back to the debugger."""
        self.dismiss(None)

    # mouse

    def on_rows_pane_pressed(self, event: RowsPane.Pressed) -> None:
        """A click puts the cursor on a row, and means the side that was clicked."""
        view = self.view
        if view is None or event.pane is not self.body:
            return
        place = view.place_at(event.x, event.y)
        if place is not None:
            view.to_side(place.side)
            view.move(place.row - view.cursor)
            self.paint()

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls."""
        if self.view is not None and self.view.scroll(event.lines):
            self._scrolled()

    def _scrolled(self) -> None:
        assert self.view is not None
        self.clear_selection()
        self.body.set_rows(self.view.rows())
