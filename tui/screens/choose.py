"""A small dialog: choose one of a few rows, or confirm. For stop reasons, branches, deletes, and
the question whether a project's own code may run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..typed_filter import TypedFilter
from ..widgets.row_list import GAP, Column, ListRow, RowList
from .key_guard import KeyGuard

_LEAST, _MOST = 76, 200
"""The dialog's width; between the two it is as wide as its rows."""
_BESIDES = 6
"""Cells of a dialog's width that its list does not have: border, padding, scroll bar."""
_KEY = 3


@dataclass(frozen=True)
class Option:
    """One row: ``value`` is what is handed back, ``key`` a letter that chooses it at once."""

    value: str
    words: str
    detail: str = ""
    key: str = ""


@dataclass(frozen=True)
class ChooseRequest:
    """``title`` in a line, ``text`` for what must be known first. ``filterable`` lists are cut down
    by typing after ``/``.
    """

    title: str
    options: tuple[Option, ...]
    text: str = ""
    chosen: str = ""
    filterable: bool = False


def confirm(title: str, text: str = "", *, yes: str = "Yes", no: str = "No") -> ChooseRequest:
    """A question with ``y`` and ``n``; the cursor stands on no, so Enter alone does nothing bad."""
    options = (Option("no", no, key="n"), Option("yes", yes, key="y"))
    return ChooseRequest(title, options, text)


def trust_question(wants: tuple[str, ...]) -> ChooseRequest:
    """May a project do what it wants: run its own code, send a key somewhere?"""
    return confirm(
        "May this project do that?",
        f"This project {' and '.join(wants)}. Say yes only if you know where it comes from.",
        yes="Yes, until rollstep is closed",
        no="No",
    )


class ChooseScreen(ModalScreen[str | None]):
    """Dismisses with the chosen option's value, or None."""

    CSS_PATH = "choose.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "cancel", "Cancel"),
        Binding("slash", "filter", "Filter", show=False),
    ]

    def __init__(self, request: ChooseRequest) -> None:
        super().__init__()
        self.request = request
        self._guard = KeyGuard()
        self._filter = TypedFilter()
        self._width = _LEAST
        self._list = RowList(self._rows())

    def compose(self) -> ComposeResult:
        """Title, words, rows, keys."""
        with Vertical(id="dialog"):
            yield Static(Content(visible(self.request.title)), id="title")
            if self.request.text:
                yield Static(Content(visible(self.request.text)), id="text")
            yield self._list
            yield Static(id="keys")

    def on_mount(self) -> None:
        """Stand on what is chosen now; be as high as there are rows."""
        self._list.styles.height = max(len(self.request.options), 1)
        self._fit()
        self._list.go_to(self.request.chosen)
        self._list.focus()
        self._say_keys()
        self._guard.opened("the dialog opens")

    def on_resize(self, event: events.Resize) -> None:
        """As wide as there is room."""
        self._fit()
        self._list.show(self._rows())

    def _fit(self) -> None:
        """Grow to the rows, up to the screen."""
        needed = _BESIDES + 2 + sum(self._widths()) + 2 * GAP
        width = min(max(needed, _LEAST), _MOST, self.app.size.width)
        self.query_one("#dialog").styles.width = self._width = width

    def _widths(self) -> tuple[int, int, int]:
        options = self.request.options
        key = _KEY if any(option.key for option in options) else 0
        words = max((cell_len(one_line(option.words[:_MOST])) for option in options), default=0)
        detail = max((cell_len(one_line(option.detail[:_MOST])) for option in options), default=0)
        return key, words, detail

    def on_paste(self, event: events.Paste) -> None:
        """What follows a paste at once chooses nothing."""
        self._guard.pasted()

    def on_key(self, event: events.Key) -> None:
        """A row's own letter, or a letter of the filter."""
        if self._filter.take(event):
            self._refilter()
        elif not self._filter.typing:
            for option in self.request.options:
                if option.key and event.character == option.key:
                    event.stop()
                    self._choose(option.value, option.key)
                    return

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Chosen."""
        self._choose(str(event.row.key), "Enter")

    def _choose(self, value: str, key: str) -> None:
        if self._guard.closed:
            self.query_one("#keys", Static).update(Content(self._guard.words(key)))
        else:
            self.dismiss(value)

    def action_filter(self) -> None:
        """Cut the list down by typing."""
        if self.request.filterable:
            self._filter.typing = True
            self._say_keys()

    def action_cancel(self) -> None:
        """Nothing chosen."""
        if self._filter.used:
            self._filter.clear()
            self._refilter()
        else:
            self.dismiss(None)

    def _refilter(self) -> None:
        self._list.show(self._rows())
        self._say_keys()

    def _rows(self) -> list[ListRow]:
        key, words, detail = self._widths()
        room = self._width - _BESIDES - 2 - 2 * GAP - key
        columns = [Column(key, "strong")] if key else []
        columns.append(Column(min(words, max(room - detail, room // 2)) if detail else 0))
        if detail:
            columns.append(Column(look="muted", least=50))
        return [
            ListRow(
                ((option.key,) if key else ()) + (option.words, option.detail),
                option.value,
                tuple(columns),
            )
            for option in self.request.options
            if self._filter.lets_in(option.words, option.detail)
        ]

    def _say_keys(self) -> None:
        keys = "Enter choose   Esc cancel" + ("   / filter" if self.request.filterable else "")
        words = self._filter.words(keys, showing=" ")
        self.query_one("#keys", Static).update(Content(visible(words)))
