"""``r`` in the library: words replaced over the selection, each hit with a yes of its own."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TYPE_CHECKING

from rollstep.core.engine import Engine
from rollstep.core.errors import UsageError
from rollstep.core.marking import Progress

from .library_work import left_of

if TYPE_CHECKING:
    from rollstep.core.replacing import Changed, Place, ReplacedMany
    from rollstep.core.rules.replacing import Replacement

    from .library import LibraryScreen
    from .replace_ask import ReplaceAsked


class Replacing:
    """The steps of one replacement, a dialog each."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self._title = ""

    def ask(self, meant: str) -> None:
        """What by what?"""
        self._title = f"Replace words in {meant}"
        self._ask(self.screen.model.meant())

    def _ask(self, keys: list[int], before: ReplaceAsked | None = None, problem: str = "") -> None:
        from .replace_ask import ReplaceAskScreen

        def asked(answer: ReplaceAsked | None) -> None:
            if answer is not None:
                self._find(keys, answer)

        self.screen.app.push_screen(ReplaceAskScreen(self._title, before, problem), asked)

    def _find(self, keys: list[int], asked: ReplaceAsked) -> None:
        engine = self.screen.rollstep.controller.engine

        def found(result: tuple[list[Place], bool]) -> None:
            places, whole = result
            if not places and whole and self.screen.is_current:
                self._ask(keys, asked, f"{asked.wanted.find} stands in none of these steps.")
            else:
                self._found(asked, places, whole)

        self.screen.working.run(
            "Looking",
            lambda progress: find(engine, keys, asked.wanted, progress),
            found,
            while_here=True,
        )

    def _found(self, asked: ReplaceAsked, places: list[Place], whole: bool) -> None:
        from .replace import ReplaceScreen

        screen = self.screen
        if not screen.is_attached:
            return
        if not places:
            where = "these steps" if whole else "those that were looked at"
            screen.flash(f"{asked.wanted.find} stands in none of {where}.", "dim")
            return
        screen.flash("", "dim")

        def answered(chosen: tuple[Place, ...] | None) -> None:
            if not chosen:
                screen.flash("Nothing was replaced.", "dim")
                return
            self._confirm(asked, chosen)

        guard = screen.rollstep.guard
        screen.app.push_screen(
            ReplaceScreen(asked.wanted, places, whole=whole, guard=guard), answered
        )

    def _confirm(self, asked: ReplaceAsked, chosen: tuple[Place, ...]) -> None:
        from .choose import ChooseScreen, confirm

        screen = self.screen
        rollouts = len({place.rollout_id for place in chosen})
        title = f"Replace in {_places(len(chosen))} of {_rollouts(rollouts)}?"
        text = "Each step becomes a take of yours, with what follows kept. u takes it back."

        def go(answer: str | None) -> None:
            if answer != "yes":
                screen.flash("Nothing was replaced.", "dim")
                return
            engine = screen.rollstep.controller.engine
            screen.working.run(
                "Replacing",
                lambda progress: replace(engine, chosen, asked.reason, progress),
                self._replaced,
            )

        request = confirm(title, text, yes="Yes, replace them", no="No, change nothing")
        screen.app.push_screen(ChooseScreen(request), go)

    def _replaced(self, found: ReplacedMany) -> None:
        working = self.screen.working
        count = sum(each.places for each in found.done)
        words = f"Replaced in {_places(count)} of {_rollouts(len(found.done))}."
        if changed := found.done:
            working.done.append(lambda screen: Replacing(screen).take_back(changed))
            words += " u takes it back."
        left = next((each for each in found.done if each.left), None)
        if left is not None:
            words += f"  {left.rollout_id}: {left.left}"
        working.say_done(words, found.failed)

    def take_back(self, changed: tuple[Changed, ...]) -> None:
        """Undo a replacement."""
        working = self.screen.working

        def taken_back(found: ReplacedMany) -> None:
            if left := left_of(changed, found.done, found.over):
                working.done.append(lambda screen: Replacing(screen).take_back(left))
            words = f"Replacement taken back in {len(found.done):,}."
            working.say_done(words, (*found.failed, *found.over))

        engine = self.screen.rollstep.controller.engine
        working.run(
            "Taking the replacement back",
            lambda progress: take_back(engine, changed, progress),
            taken_back,
            undoes=lambda screen: Replacing(screen).take_back(changed),
        )


def find(
    engine: Engine, keys: list[int], wanted: Replacement, progress: Progress
) -> Future[tuple[list[Place], bool]]:
    """Look for the words on a thread of its own: the engine goes on with what else is asked."""

    async def finding() -> tuple[list[Place], bool]:
        from rollstep.core.replacing import find_places

        library = engine.library
        if library is None:
            raise UsageError("There is no library.")
        ids = library.ids_of(keys)
        return await asyncio.to_thread(find_places, library, ids, wanted, progress=progress)

    return engine.submit(finding())


def replace(
    engine: Engine, places: tuple[Place, ...], reason: str, progress: Progress
) -> Future[ReplacedMany]:
    """Put the new words in, on the engine's thread."""

    async def replacing() -> ReplacedMany:
        from rollstep.core.replacing import replace_places

        if engine.library is None:
            raise UsageError("There is no library.")
        return await replace_places(
            engine.library,
            places,
            reason=reason,
            by=engine.author,
            open_session=engine.session,
            progress=progress,
        )

    return engine.submit(replacing())


def take_back(
    engine: Engine, changed: tuple[Changed, ...], progress: Progress
) -> Future[ReplacedMany]:
    """Undo a replacement in each of its rollouts, on the engine's thread."""

    async def taking_back() -> ReplacedMany:
        from rollstep.core.replacing import take_replacements_back

        if engine.library is None:
            raise UsageError("There is no library.")
        return await take_replacements_back(
            engine.library,
            changed,
            by=engine.author,
            open_session=engine.session,
            progress=progress,
        )

    return engine.submit(taking_back())


def _places(count: int) -> str:
    return f"{count:,} place{'s' if count != 1 else ''}"


def _rollouts(count: int) -> str:
    return f"{count:,} rollout{'s' if count != 1 else ''}"
