"""The filters that were used before, for the library's filter line: those of every program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..widgets.earlier import Earlier

if TYPE_CHECKING:
    from .library import LibraryScreen


class FilterHistory:
    """What one library screen knows of them."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self._texts: tuple[str, ...] = ()

    def read(self) -> None:
        """Read which there are."""
        from rollstep.core.listing.filter_history import earlier_filters

        self.screen.ask(earlier_filters, self._know)

    def _know(self, texts: tuple[str, ...]) -> None:
        self._texts = texts

    def earlier(self) -> Earlier:
        """For a line that is opened now."""
        return Earlier(self._texts)

    def used(self, query: str) -> None:
        """Remember one that is used now."""
        if not query:
            return
        self._texts = (query, *(text for text in self._texts if text != query))

        def remember(library: Any) -> tuple[str, ...]:
            from rollstep.core.listing.filter_history import earlier_filters, remember_filter

            remember_filter(library, query)
            return earlier_filters(library)

        self.screen.ask(remember, self._know)
