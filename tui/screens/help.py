"""The help: every key, from the action registry, and the words of the screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..sanitize import visible
from ..typed_filter import TypedFilter
from ..widgets.row_list import Column, ListRow, RowList
from .glossary import GLOSSARY, SIGNS

Section = tuple[str, list[tuple[str, str]]]
"""A heading, and keys with what they do."""

_COLUMNS = (Column(18, "strong"), Column())


class HelpScreen(Screen[None]):
    """Keys in the sections of the action registry, then signs and words; typing after ``/`` cuts
    the list down.
    """

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "close", "Close"),
        Binding("slash", "filter", "Filter"),
    ]

    def __init__(self, sections: Iterable[Section], *, title: str = "Keys and words") -> None:
        super().__init__()
        self._title = title
        self._sections = [*sections, ("SIGNS", list(SIGNS)), ("WORDS", list(GLOSSARY))]
        self._filter = TypedFilter()
        self._list = RowList(self._shown())

    def compose(self) -> ComposeResult:
        """Title, rows, keys."""
        yield Static(Content(visible(self._title)), id="title")
        yield self._list
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Keys move at once."""
        self._list.focus()
        self._say_keys()

    def on_key(self, event: events.Key) -> None:
        """Letters of the filter, while it is typed."""
        if self._filter.take(event):
            self._list.show(self._shown(), keep=False)
            self._say_keys()

    def action_filter(self) -> None:
        """Cut the list down by typing."""
        self._filter.typing = True
        self._say_keys()

    def action_close(self) -> None:
        """Back; out of the filter first."""
        if self._filter.used:
            self._filter.clear()
            self._list.show(self._shown(), keep=False)
            self._say_keys()
        else:
            self.dismiss(None)

    def _shown(self) -> list[ListRow]:
        rows: list[ListRow] = []
        for heading, pairs in self._sections:
            kept = [pair for pair in pairs if self._filter.lets_in(*pair)]
            if kept:
                rows += [ListRow(("",))] if rows else []
                rows.append(ListRow((heading,)))
                rows += [ListRow(pair, (heading, *pair), _COLUMNS) for pair in kept]
        return rows

    def _say_keys(self) -> None:
        words = self._filter.words("Esc close   / filter   j k move")
        self.query_one("#keys", Static).update(Content(visible(words)))
