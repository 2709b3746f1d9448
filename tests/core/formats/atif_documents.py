"""Documents of ATIF, and trajectories for them."""

from __future__ import annotations

import json
from typing import Any

from rollstep.core.formats.reading.record import Imported
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    UserMessage,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import HumanTarget
from rollstep.core.model.steps import Call, Usage

from .conftest import make_project, make_subject
from .round_trip import read_all, rollout_of, written
from .samples import GET_ORDER

NAME = "atif"
CALL = ToolCall("c1", "get_order", '{"order_id": "4471", "n": 1.10}')


def document(subject: Subject) -> Any:
    return json.loads(written(subject, NAME), parse_constant=no_constant)


def no_constant(text: str) -> None:
    raise AssertionError(text)


def words(subject: Subject) -> str:
    return report(subject, FORMATS[NAME]).render()


def read_one(data: bytes) -> Imported:
    (imported,) = read_all(data, NAME)
    return imported


def as_subject(imported: Imported, leaf: str | None = None) -> Subject:
    tree = rollout_of(imported, NAME)
    end = leaf or imported.head
    return Subject(
        tree.trajectory(end),
        (imported.project,),
        "r1",
        marks=imported.marks,
        scores=imported.scores,
        branches=len(tree.leaves()) - 1,
        rollout=tree,
        named=imported.branches,
        format=NAME,
        extra=imported.extra,
    )


def encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def payloads(subject: Subject) -> list[Payload]:
    return [step.payload for step in subject.trajectory.steps]


def rich() -> Subject:
    used = Call(
        "openai/gpt-4.1-mini",
        '{"temperature": 0.3}',
        "digest",
        Usage(120, 14, cached_tokens=100),
        0.0003,
        1.25,
        response_id="chatcmpl-1",
    )
    thought = (Reasoning("Look."), Reasoning("Then act.", "sig", '{"a": 1}'))
    return make_subject(
        (user_message("Both, please."), {"created_at": 1750000000.5}),
        (TargetReply((), thought, (CALL, ToolCall("c2", "f", "[1]"))), {"call": used}),
        tool_result("c2", "paid"),
        tool_result("c1", "no such order", is_error=True),
        SystemNote(text_parts("Policy changed.")),
        UserMessage(text_parts("Hm."), (Reasoning("Angry."),), (ToolCall("u1", "wait", "{}"),)),
        tool_result("u1", "waited"),
        TargetReply(text_parts("No."), refusal="I must not.", finish_reason="length"),
        Stop("bored", "human", "enough"),
        project=make_project(
            tools=(GET_ORDER,), target=HumanTarget(system="Be kind."), metadata='{"a": 1.10}'
        ),
        marks=(
            Mark("s2", train=False),
            Mark("s9", verdict="accept", rating=4, tags=("nice",), by="ana"),
        ),
        scores=(Score("reward", 0.5, "why", "judge", ("s8",)), Score("style", "good")),
    )
