"""``D`` in the library: rollouts out of sight and back. Nothing is deleted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rollstep.core.listing.hidden import hide_rollouts, show_rollouts, speaks_of_hidden
from rollstep.core.listing.rollout_list import parse_query

from .choose import ChooseRequest, ChooseScreen, Option, confirm

if TYPE_CHECKING:
    from .library import LibraryScreen

_TEXT = "Lists leave them out until hidden:yes asks for them. Nothing is deleted; u takes it back."


class Hiding:
    """What ``D`` does on one library screen."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen

    def ask(self, meant: str) -> None:
        """Hide what is meant, after a question; a hidden one comes back at once."""
        screen, model = self.screen, self.screen.model
        keys = model.meant()
        if not self._lists_hidden:
            self._choose(keys, confirm(f"Hide {meant}?", _TEXT, yes="Yes, hide"))
        elif len(keys) > 1:
            options = (
                Option("back", "bring back those that are hidden", key="b"),
                Option("yes", "hide those that are not", key="h"),
            )
            self._choose(keys, ChooseRequest(f"Hide {meant}, or bring them back?", options, _TEXT))
        elif (listed := model.current) is None:
            screen.flash("It is being read: once more.", "dim")
        elif listed.hidden:
            self._show(keys)
        else:
            self._choose(keys, confirm(f"Hide {meant}?", _TEXT, yes="Yes, hide"))

    @property
    def _lists_hidden(self) -> bool:
        found = self.screen.model.found
        return found is not None and speaks_of_hidden(parse_query(found.query))

    def _choose(self, keys: list[int], request: ChooseRequest) -> None:
        def chosen(answer: str | None) -> None:
            if answer is not None:
                self.screen.rollstep.guard.opened("the dialog")
            if answer == "yes":
                self._hide(keys)
            elif answer == "back":
                self._show(keys)

        self.screen.app.push_screen(ChooseScreen(request), chosen)

    def _hide(self, keys: list[int]) -> None:
        screen = self.screen

        def hidden(ids: tuple[str, ...]) -> None:
            if ids:
                screen.model.done.append(lambda screen: Hiding(screen).take_back(ids, hide=False))
            if not screen.is_attached:
                return
            if not self._lists_hidden:
                screen.model.leave_out(set(keys))
            screen.count_hidden()
            words = f"Hidden: {len(ids):,}. hidden:yes lists them; u takes it back."
            screen.was_done(words, ())

        screen.ask(lambda library: self._put_away(library, library.ids_of(keys)), hidden)

    def _put_away(self, library: Any, ids: Sequence[str]) -> tuple[str, ...]:
        return hide_rollouts(
            library, ids, self.screen.rollstep.controller.engine.author, time.time()
        )

    def _show(self, keys: list[int]) -> None:
        screen = self.screen

        def shown(ids: tuple[str, ...]) -> None:
            if ids:
                screen.model.done.append(lambda screen: Hiding(screen).take_back(ids, hide=True))
            screen.count_hidden()
            screen.was_done(f"Brought back: {len(ids):,}. u takes it back.", ())

        screen.ask(lambda library: show_rollouts(library, library.ids_of(keys)), shown)

    def take_back(self, ids: tuple[str, ...], *, hide: bool) -> None:
        """Do the one or the other with these again, and list anew."""
        screen = self.screen
        words = "Hidden again" if hide else "Brought back"

        def done(found: tuple[str, ...]) -> None:
            screen.was_done(f"{words}: {len(found):,}.", ())
            if screen.is_attached:
                screen.count_hidden()
                screen.list_anew()

        work = self._put_away if hide else show_rollouts
        screen.ask(lambda library: work(library, ids), done)
