"""Which rollouts the library's table lists: found beside all else, so that a filter that takes long
holds up neither a row nor a mark nor the next letter.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from rollstep.core.listing.rollout_list import Order, RolloutList, keys_of, parse_query
from rollstep.core.rules.query.compiling import ran_out_of_time

from ..asking import Asking

if TYPE_CHECKING:
    from .library import LibraryScreen


_TOO_SLOW = (
    "Its regular expression takes too long for some texts: these count as some that it fits."
)


class Listing:
    """The list of one library screen. What is shown stays until the next one is found."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self._asking = Asking(screen.rollstep, screen, screen.paint)
        model = screen.model
        self._shown = (model.listed_query, model.order)
        """The filter and the order of what is listed."""
        self._asked = self._shown
        """Those of what was looked for last."""

    @property
    def _wanted(self) -> tuple[str, Order]:
        return self.screen.model.query, self.screen.model.order

    @property
    def doing(self) -> str:
        """What takes long at the moment, in a word; empty for nothing."""
        if not self._asking.takes_long:
            return ""
        query, order = self._wanted
        if query and (query != self._shown[0] or self.screen.model.found is None):
            return "filtering …"
        return "sorting …" if order != self._shown[1] else "listing …"

    def anew(self) -> None:
        """List by the filter and the order as they are now; the cursor stays on its rollout."""
        query, order = wanted = self._asked = self._wanted
        screen, model = self.screen, self.screen.model

        def found(keys: array[int]) -> None:
            library = screen.rollstep.controller.engine.library
            if library is None or not screen.is_attached:
                return
            listed = RolloutList(library, keys, query)
            # Rows were looked at and selected while these were looked for.
            place = listed.place(model.key) if model.key is not None else None
            model.show(listed, place, model.chosen.difference(keys) if model.chosen else set())
            self._shown = wanted
            screen.was_listed()
            if ran_out_of_time(parse_query(query)):
                screen.flash(_TOO_SLOW)

        self._asking.ask(lambda library: keys_of(library, query, order), found)

    def filter_by(self, query: str) -> None:
        """List by another filter, or stay with the one that is shown."""
        self.screen.model.query = query
        if self.screen.model.found is not None and self._wanted == self._shown:
            self.stop()
            self.screen.paint()
        else:
            self.anew()

    def settle_on(self, query: str) -> None:
        """List anew by this filter, which is the shown one perhaps; one that is looked for already
        does not begin again.
        """
        self.screen.model.query = query
        if not self._asking.under_way or self._asked != self._wanted:
            self.anew()

    def give_up(self) -> bool:
        """Stay with what is listed, where another list is being made; whether one was."""
        model = self.screen.model
        if model.found is None or self._wanted == self._shown or not self._asking.stop():
            return False
        model.query, model.order = self._shown
        self.screen.paint()
        return True

    def stop(self) -> None:
        """Look for no other list any more."""
        self._asking.stop()
