"""The app on a real engine with a throwaway library, for the tests of the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
from rollstep.core.casting import RolesFor
from rollstep.tui.controller import Controller
from rollstep.tui.rollstep_app import RollstepApp
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.key_guard import KeyGuard
from rollstep.tui.snapshot import Snapshot
from rollstep.tui.start import start_controller
from rollstep.tui.target import OpenTarget
from textual.pilot import Pilot

_LONG = 200
"""Steps of a path that only the tests of linting wait for."""

Opened = Callable[..., AbstractAsyncContextManager["Driver"]]


class Driver:
    """The running app, with what a test asks of it."""

    def __init__(self, app: RollstepApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> DebuggerScreen:
        screen = self.app.screen
        assert isinstance(screen, DebuggerScreen)
        return screen

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, each when the one before has been dealt with."""
        for key in keys:
            await self.pilot.press(key)
            await self.until(self._settled)
            self.lint()
            await self.pilot.pause()

    def _settled(self) -> bool:
        debugger = self.app.debugger
        waiting = self.app.controller._told or self.app.controller.busy
        if debugger is None:
            return not waiting
        return not (waiting or debugger._unpainted or debugger.model.lacks_price())

    def lint(self) -> None:
        """Know all flags of a path that is not long now; the app looks for them when nothing else
        has happened for a moment.
        """
        debugger = self.app.debugger
        if debugger is not None and 0 < debugger.model.lint.waiting <= _LONG:
            debugger.model.lint.work(seconds=60)
            debugger.repaint()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for a condition."""
        for _ in range(2000):
            if holds():
                return
            await self.pilot.pause(0.005)
        raise AssertionError("it never came to hold")

    async def press_until(self, key: str, holds: Callable[[], bool]) -> None:
        """Press a key again and again: a dialog's keys rest for a moment after it has opened."""
        for _ in range(2000):
            if holds():
                return
            await self.pilot.press(key)
            await self.pilot.pause(0.005)
        raise AssertionError("it never came to hold")

    def text(self) -> str:
        """The rows of the debugger that is under whatever is on top."""
        debugger = self.app.debugger
        assert debugger is not None
        return "\n".join(row.text for pane in debugger.all_panes for row in pane._rows)


@pytest.fixture
def engines() -> Iterator[list[Controller]]:
    """Engines to be stopped when the test is over."""
    running: list[Controller] = []
    yield running
    for controller in running:
        controller.stop()


@pytest.fixture
def opened(engines: list[Controller], tmp_path: Path) -> Opened:
    """``async with opened(sample="refund", size=(160, 45)) as driver``; keys never rest unless a
    guard is given. ``snapshot`` shows a rollout made by hand, without a session behind it;
    ``roles`` plays instead of the project's own.
    """

    @asynccontextmanager
    async def opening(
        target: OpenTarget | None = None,
        *,
        sample: str = "",
        snapshot: Snapshot | None = None,
        size: tuple[int, int] = (160, 45),
        guard: KeyGuard | None = None,
        library: Path | None = None,
        roles: RolesFor | None = None,
        beside: tuple[str, str | None] | None = None,
    ) -> AsyncIterator[Driver]:
        controller = start_controller(library)
        engines.append(controller)
        controller.started.result()
        if roles is not None:
            controller.engine._roles = roles
        if sample:
            target = OpenTarget(sample=sample)
        if target is not None:
            snapshot = controller.open(target).result()
        seconds = count()
        app = RollstepApp(
            controller,
            snapshot,
            config=tmp_path / "config",
            guard=guard or KeyGuard(lambda: float(next(seconds))),
        )
        app.beside = beside
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            await pilot.pause()
            driver.lint()
            await pilot.pause()
            yield driver

    return opening
