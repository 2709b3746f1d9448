"""Choosing a theme: each is seen on the screen behind while the cursor stands on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..sanitize import visible
from ..themes import Theme
from ..widgets.row_list import Column, ListRow, RowList

_COLUMNS = (Column(30), Column(look="muted"))


@dataclass(frozen=True)
class ThemeRequest:
    """``problems`` are files that are no themes, in words; ``show`` draws everything in a theme."""

    themes: tuple[Theme, ...]
    chosen: str
    show: Callable[[Theme], None]
    problems: tuple[str, ...] = ()


class ThemePicker(ModalScreen[Theme | None]):
    """Dismisses with the chosen theme, or None, and then the old one is shown again."""

    CSS_PATH = "theme_picker.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "cancel", "Cancel")]

    def __init__(self, request: ThemeRequest) -> None:
        super().__init__()
        self.request = request
        rows = [
            ListRow((theme.name, "dark" if theme.dark else "light"), theme.id, _COLUMNS)
            for theme in request.themes
        ]
        self._list = RowList(rows)
        self._by_id = {theme.id: theme for theme in request.themes}

    def compose(self) -> ComposeResult:
        """The themes, and what is wrong with the files that are none."""
        with Vertical(id="dialog"):
            yield Static(Content("Theme"), id="title")
            yield self._list
            if self.request.problems:
                words = "\n".join(f"! {problem}" for problem in self.request.problems)
                yield Static(Content(visible(words)), id="problems")
            yield Static(Content("j k look   Enter choose   Esc keep the old one"), id="keys")

    def on_mount(self) -> None:
        """Stand on the one that is on."""
        self._list.styles.height = len(self.request.themes)
        self._list.go_to(self.request.chosen)
        self._list.focus()

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Show it."""
        self.request.show(self._by_id[str(event.row.key)])

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Keep it."""
        self.dismiss(self._by_id[str(event.row.key)])

    def action_cancel(self) -> None:
        """Back to the old one."""
        if self.request.chosen in self._by_id:
            self.request.show(self._by_id[self.request.chosen])
        self.dismiss(None)
