"""``D`` in the library: rollouts out of sight and back. Nothing is deleted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rollstep.core.listing.hidden import hide_rollouts, show_rollouts, speaks_of_hidden
from rollstep.core.listing.rollout_list import parse_query

from .choose import ChooseRequest, ChooseScreen, Option, confirm

if TYPE_CHECKING:
    from .library import LibraryScreen

_TEXT = "Lists leave them out until hidden:yes asks for them. Nothing is deleted; u takes it back."


class Hiding:
    """What ``D`` does on one library screen."""

    def __init__(self, screen: LibraryScreen, done: Callable[[Callable[[], None]], None]) -> None:
        """``done`` is told what takes back each thing that was done."""
        self.screen = screen
        self._done = done

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
        by = self.screen.rollstep.controller.engine.author
        now = time.time()

        def hide(library: Any) -> tuple[str, ...]:
            return hide_rollouts(library, library.ids_of(keys), by, now)

        def hidden(ids: tuple[str, ...]) -> None:
            if ids:
                self._done(lambda: self._again(show_rollouts, ids, "Brought back"))
            if not self.screen.is_attached:
                return
            if not self._lists_hidden:
                self.screen.model.leave_out(set(keys))
            self.screen.count_hidden()
            words = f"Hidden: {len(ids):,}. hidden:yes lists them; u takes it back."
            self.screen.was_done(words, ())

        self.screen.ask(hide, hidden)

    def _show(self, keys: list[int]) -> None:
        def shown(ids: tuple[str, ...]) -> None:
            by = self.screen.rollstep.controller.engine.author
            if ids:
                self._done(
                    lambda: self._again(
                        lambda library, which: hide_rollouts(library, which, by, time.time()),
                        ids,
                        "Hidden again",
                    )
                )
            self.screen.count_hidden()
            self.screen.was_done(f"Brought back: {len(ids):,}. u takes it back.", ())

        self.screen.ask(lambda library: show_rollouts(library, library.ids_of(keys)), shown)

    def _again(self, work: Callable[[Any, Any], Any], ids: tuple[str, ...], words: str) -> None:
        """Take one thing back, and list anew."""
        screen = self.screen

        def done(found: tuple[str, ...]) -> None:
            screen.was_done(f"{words}: {len(found):,}.", ())
            if screen.is_attached:
                screen.count_hidden()
                screen.list_anew()

        screen.ask(lambda library: work(library, ids), done)
