"""One trajectory with something of everything, and rows of other people's files as subjects."""

from __future__ import annotations

import json
from pathlib import Path

from rollstep.core.formats.subject import Subject
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    UserMessage,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import Tool

from .conftest import make_project, make_subject

DATA = Path(__file__).parent / "data"

GET_ORDER = Tool(
    "get_order",
    "Find an order",
    '{"type": "object", "properties": {"order_id": {"type": "string"}}, "x-limit": 1.10}',
)
LIST_ORDERS = Tool("list_orders")


def everything() -> Subject:
    """Tool calls, an error, reasoning, edits, marks, scripts of the world, odd characters."""
    image = OtherPart("image", "image/png", 70, '{"type": "image"}')
    calls = (
        ToolCall("call_1", "get_order", '{"order_id":  "4471", "n": 1.10}'),
        ToolCall("call_2", "list_orders", "{}"),
    )
    return make_subject(
        UserMessage((Text("Grüße 日本語 👩‍🌾 [/bold] <b>"), image), (Reasoning("Play angry."),)),
        TargetReply(
            text_parts("Let me look.\n\n```\nfence\n```\n# not a heading"),
            (Reasoning("The order number is there.", "sig"),),
            calls,
        ),
        tool_result("call_2", ""),
        (
            tool_result("call_1", '{"error": "no such order"}', is_error=True),
            {"origin": "human", "author": "ana", "replaces": "x1", "reason": "what if `it` fails?"},
        ),
        SystemNote(text_parts("Policy changed.")),
        (target_reply("I cannot find it.\u2028Sorry."), {"copied_from": "x2"}),
        user_message(""),
        target_reply("Done."),
        Stop("goal_reached", "human", "good enough"),
        project=make_project(title="Refund *4471* [/x]", tools=(GET_ORDER, LIST_ORDERS)),
        marks=(
            Mark("s6", train=False, note="copied"),
            Mark("s8", train=True),
            Mark("s9", verdict="accept", rating=4, tags=("nice",)),
        ),
        later=2,
        branches=1,
    )


def from_openai_rows(name: str) -> list[Subject]:
    """The rows of a file in tests' data as subjects, one for each."""
    lines = (DATA / name).read_text(encoding="utf-8").split("\n")
    return [_subject(json.loads(line)) for line in lines if line]


def _subject(row: dict[str, list[dict[str, object]]]) -> Subject:
    payloads = [_payload(message) for message in row["messages"]]
    tools = (GET_ORDER, Tool("lookup_order"))
    return make_subject(*payloads, project=make_project(tools=tools))


def _payload(message: dict[str, object]) -> Payload:
    text = str(message["content"] or "")
    if message["role"] == "user":
        return user_message(text)
    if message["role"] == "tool":
        return tool_result(str(message["tool_call_id"]), text)
    calls = message.get("tool_calls", [])
    assert isinstance(calls, list)
    return target_reply(
        text,
        tuple(ToolCall(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls),
    )
