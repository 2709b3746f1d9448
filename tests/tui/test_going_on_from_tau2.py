"""Going on from an edit in a simulation of tau2 ends where its user ended it: what the user says
with its stop token is the stop, and the target is not asked to answer it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.importing import import_files
from rollstep.core.model.messages import Stop, TargetReply, ToolResult, target_reply, tool_result
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.tui.playing import Playing, RoleChoice, played, recorded_path
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.snapshot import Snapshot

from .logs_for_tests import tau2_with_a_greeting

ROLES: tuple[tuple[Any, Playing], ...] = (
    ("evaluator", "recorded"),
    ("target", "recorded"),
    ("tool", "recorded"),
)


def session_of(folder: Path) -> Session:
    """The simulation, imported, with every role played by what is recorded."""
    with Library.open(folder / "l.sqlite") as library:
        (rollout,) = import_files([tau2_with_a_greeting(folder / "r.json")], library).rollout_ids
        session = Session.reopen(library.load(rollout))
    return session


async def with_roles(session: Session) -> None:
    saved = session.saved()
    model = DebuggerModel(Snapshot(saved.header, saved.projects, saved.steps, head=saved.head))
    roles = tuple(RoleChoice(role, playing) for role, playing in ROLES)
    await session.revise(played(model.project, recorded_path(model), roles))


@pytest.mark.parametrize("kind", [TargetReply, ToolResult])
async def test_an_edit_before_the_end_is_followed_by_the_users_stop(
    tmp_path: Path, kind: type
) -> None:
    session = session_of(tmp_path)
    await with_roles(session)
    path = session.rollout.path(session.head)
    step = next(step for step in reversed(path) if isinstance(step.payload, kind))
    if isinstance(step.payload, ToolResult):
        payload: Any = tool_result(step.payload.call_id, json.dumps({"status": "delivered"}))
    else:
        payload = target_reply("You get your money back.")
    await session.override(step.id, payload, "stay")
    async for _ in session.run():
        pass
    after = session.rollout.path(session.head)
    end = after[-1].payload
    assert isinstance(end, Stop)
    assert (end.reason, end.by, end.note) == ("user_stop", "evaluator", "OK then. ###STOP###")
    assert len(after) == len(path)
    assert sum(isinstance(each.payload, TargetReply) for each in after) == 3
