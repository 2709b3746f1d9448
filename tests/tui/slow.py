"""A target that answers when the test lets it, in a project of three turns."""

from __future__ import annotations

import asyncio
from types import MappingProxyType

from rollstep.core.model.messages import target_reply
from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project
from rollstep.core.model.view import View
from rollstep.core.roles.protocols import Stream
from rollstep.core.roles.registry import Roles, build_roles

from ..core.projects_for_tests import refund
from .conftest import Driver

PROJECT = Project(
    "Slow",
    LlmTarget("openai/slow"),
    HeuristicEvaluator(followups=("And then?",), sentinels=()),
    opening="Hi",
    max_turns=3,
)


class Slow:
    """Waits for ``let`` with each answer; answers at once while ``quick``."""

    def __init__(self) -> None:
        self.asked = 0
        self.ended = 0
        self.quick = True
        self.one_by_one = False
        """It is an object in this process, which is asked one question at a time."""
        self._waiting: list[asyncio.Event] = []

    async def reply(self, view: View, stream: Stream) -> object:
        self.asked += 1
        number, event = self.asked, asyncio.Event()
        self._waiting.append(event)
        try:
            if not self.quick:
                stream(f"Half of {number} ")
                await event.wait()
            return target_reply(f"Answer {number}.")
        finally:
            self.ended += 1
            self._waiting.remove(event)

    def roles(self, project: Project) -> Roles:
        """This target, in the place of the model."""
        built = build_roles(refund(evaluator=project.evaluator))
        kinds = MappingProxyType({**built.kinds, "target": "object" if self.one_by_one else "llm"})
        names = MappingProxyType({**built.names, "target": "slow"})
        return Roles(built.evaluator, self, None, names, kinds)  # type: ignore[arg-type]

    async def let(self, driver: Driver, count: int = 1) -> None:
        """The oldest that wait may answer."""

        async def letting() -> None:
            for event in self._waiting[:count]:
                event.set()

        driver.app.controller.engine.submit(letting()).result(10)
