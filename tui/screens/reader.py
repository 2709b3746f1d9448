"""One step full screen: every page of the inspector, with the whole width to read in."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen

from ..bars import status
from ..document import Document
from ..inspector import TABS, document
from ..palette import Palette
from ..presenter import DebuggerModel
from ..requests import Requests
from ..rows import Row, Span, row
from ..widgets.rows_pane import RowsPane
from .own_keys import HELP, OwnKeys

_KEYS = " j k scroll   Space read   g G ends   [ ] step   i page   y copy   Esc back   ? keys"


class ReaderScreen(OwnKeys, Screen[None], inherit_bindings=False):
    """Reads the step under the cursor; ``[`` and ``]`` go to the steps beside it."""

    AUTO_FOCUS = ""
    KEYS_TITLE = "READING: one step, full screen"
    DEFAULT_CSS = "ReaderScreen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", "Scroll", show=False),
        Binding("k,up", "scroll(-1)", "Scroll back", show=False),
        Binding("space,pagedown", "page(1)", "Read on", show=False),
        Binding("backspace,pageup", "page(-1)", "Read back", show=False),
        Binding("g,home", "end(False)", "Top", show=False),
        Binding("G,end", "end(True)", "End", show=False),
        Binding("right_square_bracket,l,right", "step(1)", "Next step", show=False),
        Binding("left_square_bracket,h,left", "step(-1)", "Step before", show=False),
        Binding("i,tab", "page_of_inspector", "Next page", show=False),
        Binding("y", "copy", "Copy", show=False),
        Binding("escape,q,enter", "leave", "Back", show=False),
        Binding("ctrl+c", "screen.copy_text", "Copy the selected text", show=False),
        HELP,
        Binding("ctrl+q", "app.quit", "Quit", show=False),
    ]

    def __init__(
        self, model: DebuggerModel, palette: Palette, tab: int, requests: Requests
    ) -> None:
        super().__init__()
        self.requests = requests
        self.model = model
        self.palette = palette
        self.tab = tab
        self.document = Document([])

    def compose(self) -> ComposeResult:
        """A title, the text, the keys."""
        self.title_pane = RowsPane(self.palette, id="reader-title", selectable=False)
        self.body = RowsPane(self.palette, id="reader-body")
        self.keys = RowsPane(self.palette, id="reader-keys", selectable=False)
        yield from (self.title_pane, self.body, self.keys)

    def on_mount(self) -> None:
        """Read the step."""
        self.read()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew."""
        self.paint()

    def set_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        for pane in (self.title_pane, self.body, self.keys):
            pane.set_palette(palette)

    def read(self) -> None:
        """Make the page of the step under the cursor."""
        tab = TABS[self.tab]
        stored = self.requests.of(self.model, tab.role, self._arrived)
        self.document = document(self.model, tab, stored, reading=True)
        self.paint()

    def _arrived(self) -> None:
        if self.is_attached:
            self.read()

    def paint(self) -> None:
        """Draw what is seen."""
        width, height = self.app.size
        self.title_pane.place(Region(0, 0, width, 2))
        self.body.place(Region(0, 2, width, height - 3))
        self.keys.place(Region(0, height - 1, width, 1))
        margin = 2 if width < 120 else 4
        self.document.resize(width - 2 * margin, height - 3)
        lead = (" " * margin, "text")
        self.title_pane.set_rows([self._title(), status(self.model, width)])
        self.body.set_rows(
            [
                Row((lead, *line.spans), line.fill, line.gutter + margin)
                for line in self.document.rows()
            ]
        )
        below = "   ↓ more" if self.document.more_below() else ""
        self.keys.set_rows([row((_KEYS + below, "bar:dim"), fill="bar")])

    def _title(self) -> Row:
        spans: list[Span] = [(" ", "bar")]
        for index, tab in enumerate(TABS):
            chosen = index == self.tab
            text = f"[{tab.label}]" if chosen else f" {tab.label} "
            spans.append((text, "bar:title" if chosen else "bar"))
        return row(*spans, fill="bar")

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.document.scroll(lines)
        self.paint()

    def action_page(self, pages: int) -> None:
        """Scroll by screenfuls."""
        self.action_scroll(pages * (self.document.height - 2))

    def action_end(self, end: bool) -> None:
        """To an end."""
        self.document.to_end(end)
        self.paint()

    def action_step(self, delta: int) -> None:
        """The step beside."""
        if self.model.move(delta):
            self.read()

    def action_page_of_inspector(self) -> None:
        """The next page."""
        self.tab = (self.tab + 1) % len(TABS)
        self.read()

    def action_copy(self) -> None:
        """The selected text, or the whole step."""
        from ..inspector import plain
        from ..sanitize import visible

        step = self.model.step
        text = self.get_selected_text() or (plain(step.payload, as_is=True) if step else "")
        self.app.copy_to_clipboard(visible(text))

    def action_leave(self) -> None:
        """Back to the debugger, with the cursor where it was read."""
        self.dismiss(None)

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls."""
        self.action_scroll(event.lines)
