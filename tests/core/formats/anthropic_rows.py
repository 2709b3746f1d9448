"""Rows of Anthropic's shape, and trajectories for them."""

from __future__ import annotations

import json
from typing import Any

from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    TargetReply,
    ToolCall,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import HumanTarget

from .conftest import make_project, make_subject
from .round_trip import written
from .samples import GET_ORDER

NAME = "anthropic"
CALL = ToolCall("c1", "get_order", '{"order_id":  "4471", "n": 1.10}')
OTHER = ToolCall("c2", "get_order", "{}")
SIGNED = '{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}'


def row(subject: Subject) -> Any:
    return json.loads(written(subject, NAME))


def words(subject: Subject) -> str:
    return report(subject, FORMATS[NAME]).render()


def payloads(subject: Subject) -> list[Payload]:
    return [step.payload for step in subject.trajectory.steps]


def line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def with_tools(*more: Payload, **fields: Any) -> Subject:
    project = make_project(tools=(GET_ORDER,), target=HumanTarget(system="Be kind."))
    return make_subject(
        user_message("Both, please."),
        TargetReply(text_parts("Let me look."), (Reasoning("Hm.", "c2ln", SIGNED),), (CALL, OTHER)),
        tool_result("c2", ""),
        tool_result("c1", "no such order", is_error=True),
        target_reply("None."),
        *more,
        project=project,
        **fields,
    )
