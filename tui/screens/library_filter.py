"""The filter of the library screen, while it is typed: a line of the query language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.rules.query.completion import completions
from rollstep.core.rules.query.parsing import QueryError, parse
from rollstep.core.rules.query.rollout_fields import ROLLOUTS
from textual.geometry import Offset
from textual.timer import Timer

from ..widgets.query_field import Looked, Offer, QueryField
from .library_history import FilterHistory

if TYPE_CHECKING:
    from rollstep.core.store.library import Library

    from .library import LibraryScreen

_TYPED_SECONDS = 0.15
"""What is typed is looked for when no key has come for so long."""
_HEIGHT = 8
_NEWEST = 300
"""Rollouts whose tags, tools and models are offered."""


class _Field(QueryField):
    """A query field that tells its filter line, and nobody else."""

    def __init__(self, line: FilterLine) -> None:
        super().__init__(id="library-filter")
        self._line = line

    def on_query_field_typed(self, event: QueryField.Typed) -> None:
        event.stop()
        self._line.typed(event.text, event.problem)

    def on_query_field_chosen(self, event: QueryField.Chosen) -> None:
        event.stop()
        self._line.chosen(event.text)

    def on_query_field_left(self, event: QueryField.Left) -> None:
        event.stop()
        self._line.left()


class FilterLine:
    """Opens over the foot of the screen; the table follows what is typed."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self._before = ""
        self._timer: Timer | None = None
        self._values: dict[str, tuple[str, ...]] = {}
        self.history = FilterHistory(screen)

    @property
    def _field(self) -> _Field | None:
        found = self.screen.query(_Field)
        return found.first() if found else None

    async def open(self) -> None:
        """Type a filter, from the one that holds now. Letters that come right behind the key wait
        until there is a field for them.
        """
        self._before = self.screen.model.query
        self.screen.ask(known_values, self._know)
        field = _Field(self)
        await self.screen.mount(field)
        self.place(*self.screen.app.size)
        field.earlier = self.history.earlier()
        field.ask("filter", self._before, self._look)

    def place(self, width: int, height: int) -> None:
        """Over the last lines of the screen."""
        if (field := self._field) is not None:
            field.styles.offset = Offset(0, max(height - _HEIGHT, 1))
            field.styles.width = width

    def typed(self, text: str, problem: str) -> None:
        """The text is another: look for it soon."""
        if self._timer is not None:
            self._timer.stop()
        if not problem or not text.strip():
            self._timer = self.screen.set_timer(_TYPED_SECONDS, lambda: self._apply(text))

    def chosen(self, text: str) -> None:
        """Enter: keep it."""
        if self._timer is not None:
            self._timer.stop()
        self._close()
        self.history.used(text.strip())
        self.screen.listing.settle_on(text.strip())

    def left(self) -> None:
        """Esc: as it was before."""
        if self._timer is not None:
            self._timer.stop()
        self.screen.listing.filter_by(self._before)
        self._close()

    def _close(self) -> None:
        if (field := self._field) is not None:
            field.remove()
        self.screen.table_pane.focus()
        self.screen.paint()

    def _apply(self, text: str) -> None:
        if (query := text.strip()) != self.screen.model.query:
            self.screen.listing.filter_by(query)

    def _know(self, values: dict[str, tuple[str, ...]]) -> None:
        self._values = values
        if (field := self._field) is not None:
            field.look_again()

    def _look(self, text: str, cursor: int) -> Looked:
        offers = tuple(
            Offer(each.replacement, each.words, each.start, each.end)
            for each in completions(text, cursor, ROLLOUTS, self._values)
        )
        try:
            if text.strip():
                parse(text, ROLLOUTS)
        except QueryError as error:
            unfinished = bool(offers) and error.column > offers[0].start
            return Looked(offers, str(error), unfinished)
        return Looked(offers)


def known_values(library: Library) -> dict[str, tuple[str, ...]]:
    """Words that occur in the library's newest rollouts, by field: what can be completed."""
    found: dict[str, dict[str, None]] = {}
    for row in library.listed(library.newest_keys(_NEWEST)).values():
        if row.facts is None:
            continue
        facts = row.facts
        several = (
            ("tag", facts.tags),
            ("by", facts.marked_by),
            ("tool", facts.tools),
            ("model", facts.models),
            ("stop", (row.summary.stop_reason,)),
            ("format", (facts.format,)),
        )
        for field, words in several:
            found.setdefault(field, {}).update(dict.fromkeys(word for word in words if word))
    return {field: tuple(words) for field, words in found.items()}
