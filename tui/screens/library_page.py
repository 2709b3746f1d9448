"""The page beside the library's table: read when the cursor rests, scrolled, walked hit by hit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.geometry import Region
from textual.timer import Timer

from ..asking import Asking
from ..document import Document
from ..rows import Row, Span, row

if TYPE_CHECKING:
    from ..library.preview import Page
    from .library import LibraryScreen

_SECONDS = 0.08
"""The page is made when the cursor has rested so long."""


class PageReader:
    """What stands on the page of one library screen."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self.document = Document([])
        self._page: Page | None = None
        self._hit = -1
        self._made_of: tuple[int | None, str] | None = None
        self._stale = False
        self._timer: Timer | None = None
        # Ten thousand steps are read and looked through for half a second.
        self._asking = Asking(screen.rollstep, screen)

    @property
    def seq(self) -> int | None:
        """The number of the step with the hit that is pointed at."""
        page = self._page
        model = self.screen.model
        if page is None or self._made_of != (model.key, model.listed_query) or self._hit < 0:
            return None
        return page.hits[self._hit][1]

    def forget(self) -> None:
        """The rollout has changed: it is read again."""
        self._stale = True

    def paint(self, region: Region, *, beside: bool) -> None:
        """Draw what is seen of the page, and have another one made where that is needed."""
        screen = self.screen
        want = (screen.model.key, screen.model.listed_query)
        if want != self._made_of:
            self._hit = -1
        if want != self._made_of or self._stale:
            self._made_of, self._stale = want, False
            if self._timer is not None:
                self._timer.stop()
            self._timer = screen.set_timer(_SECONDS, self._make)
        lead: Span = ("│ ", "rule") if beside else (" ", "text")
        above = 0 if beside else 1
        self.document.resize(region.width - len(lead[0]) - 1, region.height - above)
        rows = [
            Row((lead, *line.spans), line.fill, line.gutter + len(lead[0]))
            for line in self.document.rows()
        ]
        if above:
            below = " ↓ more " if self.document.more_below() else ""
            rows.insert(0, row(("─" * (region.width - len(below)), "rule"), (below, "dim")))
        screen.page.set_rows(rows)

    def _make(self) -> None:
        from rollstep.core.listing.rollout_list import parse_query

        from ..library.preview import preview, words_of

        screen = self.screen
        listed, key, query = screen.model.current, screen.model.key, screen.model.listed_query
        if listed is None or key is None:
            self._page, self.document = None, Document([])
            self._stale = key is not None
            if key is None:
                screen.paint()
            return

        def make(library: Any) -> Page:
            saved = library.load(listed.summary.id)
            return preview(saved, listed.facts, words_of(parse_query(query)))

        def made(page: Page) -> None:
            if key == screen.model.key and screen.is_attached:
                self._page = page
                self._hit = min(self._hit, len(page.hits) - 1)
                self.document = page.document(self._hit)
                screen.paint()

        self._asking.ask(make, made)

    def stop(self) -> None:
        """Read for no page any more."""
        self._asking.stop()

    def scroll(self, screenfuls: int) -> None:
        """Read on, or back."""
        self.scroll_lines(screenfuls * max(self.document.height - 1, 1))

    def scroll_lines(self, lines: int) -> None:
        """The same by lines."""
        self.document.scroll(lines)
        self.screen.paint()

    def walk(self, by: int) -> str:
        """Point at the next hit, or the one before; what is to be said of it."""
        from rollstep.core.listing.rollout_list import parse_query

        from ..library.preview import words_of

        page, model = self._page, self.screen.model
        if not len(model):
            return "No rollout is listed."
        if page is None:
            return "It is being read."
        if not page.hits and words_of(parse_query(model.listed_query)):
            return "The filter's words stand in none of its steps in sight."
        if not page.hits:
            return 'The filter looks for no words in the steps of this one: / "refund" does.'
        at = self._hit + by if self._hit >= 0 or by > 0 else len(page.hits) - 1
        self._hit = at % len(page.hits)
        self.document = page.document(self._hit)
        self.screen.paint()
        return f"hit {self._hit + 1} of {len(page.hits)}"
