"""The code of docs/own-roles.md runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
from rollstep.core.model.messages import Stop, payload_text
from rollstep.core.model.project import HumanSimulator, Project, Tool
from rollstep.core.roles.registry import with_objects
from rollstep.core.session import Session

from .making import PROJECT

PAGE = Path(__file__).parents[3] / "docs" / "own-roles.md"


async def test_the_pages_roles_play_a_rollout_to_its_end() -> None:
    code: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(block, code)

    def roles(project: Project) -> Any:
        return with_objects(
            code["my_roles"](project), evaluator=code["User"](), tool_simulator=code["Counter"]()
        )

    project = msgspec.structs.replace(
        PROJECT,
        opening="Hi",
        max_turns=2,
        tools=(Tool("count"),),
        tool_simulator=HumanSimulator(),
    )
    session = Session.start(project, roles=roles)
    payloads = [step.payload async for step in session.run()]
    await session.close()
    assert [payload_text(payload) for payload in payloads[:-1]] == [
        *("Hi", "Let me count.", "1", "Hi, that makes 1."),
        *("And then?", "Let me count.", "2", "Hi, that makes 2."),
    ]
    assert payloads[-1] == Stop("max_turns", "evaluator")
