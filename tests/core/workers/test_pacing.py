"""Limits that hold over all rollouts of a run, whoever asks; time is made up, and jumps."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any

from rollstep.core.config.keys import Limit
from rollstep.core.workers.pacing import Pacing


class Jumping(selectors.DefaultSelector):
    """Waits for nothing: the time for which a loop would sleep is over at once."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += timeout or 0.0
        return super().select(0)


class World:
    """A loop with a time of its own, and a pacing in it."""

    def __init__(self, **limits: Limit) -> None:
        self.time = Jumping()
        self.pacing = Pacing(
            {name.replace("__", "/"): limit for name, limit in limits.items()}, self.clock
        )
        self.began: list[tuple[float, str]] = []
        self.at_once = self.most_at_once = 0

    def clock(self) -> float:
        return self.time.now

    def run(self, *work: Coroutine[Any, Any, None]) -> None:
        loop = asyncio.SelectorEventLoop(self.time)
        loop.time = self.clock  # type: ignore[method-assign]

        async def all_of_it() -> None:
            await asyncio.gather(*work)

        try:
            loop.run_until_complete(all_of_it())
        finally:
            loop.close()

    async def call(
        self, role: str, model: str = "", seconds: float = 1.0, refused: bool = False
    ) -> None:
        async with self.pacing.turn(role, model) as turn:
            self.began.append((self.time.now, model or role))
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            await asyncio.sleep(seconds)
            self.at_once -= 1
            if refused:
                turn.failed("rate")


def test_calls_at_once_and_their_order() -> None:
    world = World(target=Limit(at_once=3))
    world.run(*(world.call("target", f"openai/{number}") for number in range(9)))
    assert world.most_at_once == 3
    assert [name for _, name in world.began] == [f"openai/{number}" for number in range(9)]
    assert [at for at, _ in world.began] == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_all_limits_that_fit_hold() -> None:
    world = World(
        openai=Limit(requests_per_minute=5),
        openai__mini=Limit(requests_per_minute=2),
        evaluator=Limit(at_once=1),
    )
    calls = [world.call("evaluator", "openai/mini", 0.0) for _ in range(3)]
    world.run(*calls, *(world.call("target", "openai/large", 0.0) for _ in range(3)))
    minis = [at for at, name in world.began if name == "openai/mini"]
    assert minis == [0, 0, 60]
    assert [at for at, name in world.began if name == "openai/large"] == [0, 0, 0]


def test_who_waits_at_one_limit_holds_nobody_up_at_another() -> None:
    world = World(openai=Limit(at_once=2), openai__mini=Limit(at_once=1))
    minis = [world.call("target", "openai/mini", 5.0) for _ in range(3)]
    world.run(*minis, world.call("target", "openai/large", 1.0))
    assert (0, "openai/large") in world.began


def test_those_that_no_limit_names_go_on() -> None:
    world = World(openai=Limit(at_once=1))
    world.run(
        *(world.call("target", "openai/a", 5.0) for _ in range(3)),
        *(world.call("target", "anthropic/b", 5.0) for _ in range(3)),
    )
    assert [at for at, name in world.began if name == "anthropic/b"] == [0, 0, 0]


def test_a_rate_answer_slows_down_its_provider_only() -> None:
    world = World()

    async def theirs() -> None:
        for _ in range(40):
            await world.call("target", "openai/a", 0.5)
        await world.call("target", "openai/a", 0.5, refused=True)
        for _ in range(10):
            await world.call("target", "openai/a", 0.5)

    async def others() -> None:
        for _ in range(60):
            await world.call("target", "anthropic/b", 0.5)

    world.run(theirs(), others())
    of_a = [at for at, name in world.began if name == "openai/a"]
    assert of_a[40] - of_a[30] == 5.0
    assert 8.5 < of_a[-1] - of_a[41] + 0.5 < 10.0, "one a second, and a little more each time"
    assert [at for at, name in world.began if name == "anthropic/b"][-1] == 29.5


def test_who_is_cancelled_while_it_waits_holds_nobody_up() -> None:
    world = World(target=Limit(at_once=1))

    async def impatient() -> None:
        try:
            async with asyncio.timeout(1.5):
                await world.call("target", "impatient")
        except TimeoutError:
            return

    world.run(world.call("target", "first", 2.0), impatient(), world.call("target", "last"))
    assert world.began == [(0, "first"), (2, "last")]


def test_a_failure_gives_its_place_back() -> None:
    world = World(target=Limit(at_once=1))

    async def fails() -> None:
        try:
            async with world.pacing.turn("target"):
                raise ValueError
        except ValueError:
            return

    world.run(fails(), world.call("target"))
    assert len(world.began) == 1


def test_a_pacing_that_is_closed_cancels_who_waits_and_lets_others_end() -> None:
    world = World(target=Limit(at_once=1))
    cancelled: list[str] = []

    async def waits(name: str, after: float = 0.0) -> None:
        await asyncio.sleep(after)
        try:
            await world.call("target", name)
        except asyncio.CancelledError:
            cancelled.append(name)

    async def closes() -> None:
        await asyncio.sleep(1.0)
        world.pacing.close()

    world.run(world.call("target", "first", 2.0), waits("second"), closes(), waits("third", 5.0))
    assert (world.began, cancelled) == ([(0, "first")], ["second", "third"])
    assert world.at_once == 0
