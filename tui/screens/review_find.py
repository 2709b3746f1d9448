"""Finding text in the rollout at hand of the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..find import Find
from ..sanitize import one_line

if TYPE_CHECKING:
    from .review import ReviewScreen

_BETWEEN = 0.01
"""Seconds from one slice of a search to the next: keys find the loop free."""


class Finding:
    """The search of one queue's screen."""

    def __init__(self, screen: ReviewScreen) -> None:
        self.screen = screen
        self._search: Find | None = None

    def open(self) -> None:
        """Ask what to find."""
        from ..widgets.find_bar import FindBar

        screen = self.screen
        bars = screen.query(FindBar)
        if bars:
            bars.first().open()
            return
        bar = FindBar(id="find")
        bar.styles.position = "absolute"
        bar.styles.offset = (0, screen.app.size.height - 2)
        screen.mount(bar)
        screen.call_after_refresh(bar.open)

    def typed(self, text: str) -> None:
        """Search for this from now on."""
        if self.screen.column is not None:
            steps = self.screen.column.path.steps
            self._search = Find(steps, text, self.screen.cursor) if text else None
            self._go_on(self._search)

    def words(self) -> str:
        """What is looked for, and which hit this is; empty for nothing."""
        search = self._search
        if search is None:
            return ""
        at = search.words(self.screen.cursor)
        return f"/{one_line(search.query)}  {at}; n N walk them, Esc ends"

    def end(self) -> None:
        """Nothing is looked for any more."""
        self._search = None
        if self.screen.column is not None:
            self.screen.column.query, self.screen.column.hits = "", set()

    def hit(self, by: int) -> None:
        """To the next hit."""
        if self._search is None:
            self.screen.flash("Nothing is looked for: / finds.", "dim")
        else:
            self._to(self._search.next(self.screen.cursor, by))

    def _go_on(self, search: Find | None) -> None:
        """One slice of the search; the next when the screen had its turn."""
        screen, column = self.screen, self.screen.column
        if search is not self._search or column is None or not screen.is_attached:
            return
        nothing_yet = search is not None and not search.hits
        more = search.work() if search is not None else False
        column.query = search.query if search is not None else ""
        column.hits = search.found if search is not None else set()
        if search is not None and nothing_yet and search.hits:
            self._to(search.next(screen.cursor - 1))
        screen.paint()
        for bar in screen.query("FindBar"):
            bar.tell(len(column.hits))  # type: ignore[attr-defined]
        if more:
            screen.set_timer(_BETWEEN, lambda: self._go_on(search))

    def _to(self, place: int | None) -> None:
        column = self.screen.column
        if place is not None and column is not None:
            column.model.jump(place)
            self.screen.follow(-1)
