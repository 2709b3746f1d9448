"""``D`` in the library: rollouts out of sight and back. Nothing is deleted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
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
        screen, working = self.screen, self.screen.working

        def hidden(found: tuple[str, ...] | None) -> None:
            ids = found or ()
            words = f"Hidden: {len(ids):,}."
            if ids:
                working.done.append(lambda screen: Hiding(screen).take_back(ids, hide=False))
                words += " hidden:yes lists them; u takes it back."
            if screen.is_attached and not self._lists_hidden:
                screen.model.leave_out(set(keys))
            self._was_done(words)

        working.run("Hiding", lambda _: self._with_library(self._put_away, keys), hidden)

    def _put_away(self, library: Any, ids: Sequence[str]) -> tuple[str, ...]:
        return hide_rollouts(
            library, ids, self.screen.rollstep.controller.engine.author, time.time()
        )

    def _with_library(
        self, work: Callable[[Any, Sequence[str]], tuple[str, ...]], keys: list[int]
    ) -> Future[tuple[str, ...] | None]:
        controller = self.screen.rollstep.controller
        return controller.with_library(lambda library: work(library, library.ids_of(keys)))

    def _was_done(self, words: str) -> None:
        working = self.screen.working
        if (here := working.screen) is not None:
            here.count_hidden()
        working.say_done(words)

    def _show(self, keys: list[int]) -> None:
        working = self.screen.working

        def shown(found: tuple[str, ...] | None) -> None:
            ids = found or ()
            words = f"Brought back: {len(ids):,}."
            if ids:
                working.done.append(lambda screen: Hiding(screen).take_back(ids, hide=True))
                words += " u takes it back."
            self._was_done(words)

        working.run("Bringing back", lambda _: self._with_library(show_rollouts, keys), shown)

    def take_back(self, ids: tuple[str, ...], *, hide: bool) -> None:
        """Do the one or the other with these again, and list anew."""
        working = self.screen.working
        words = "Hidden again" if hide else "Brought back"

        def done(found: tuple[str, ...] | None) -> None:
            self._was_done(f"{words}: {len(found or ()):,}.")
            if (here := working.screen) is not None:
                here.list_anew()

        def work(library: Any) -> tuple[str, ...]:
            return self._put_away(library, ids) if hide else show_rollouts(library, ids)

        controller = self.screen.rollstep.controller
        working.run(
            "Taking it back",
            lambda _: controller.with_library(work),
            done,
            undoes=lambda screen: Hiding(screen).take_back(ids, hide=hide),
        )
