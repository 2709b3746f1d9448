"""Small logs in Inspect's shape, written by hand."""

from __future__ import annotations

from typing import Any

LONG = "0123456789abcdef0123456789abcdef"

SPEC: dict[str, Any] = {
    "created": "2026-03-01T10:00:00+00:00",
    "task": "refunds",
    "dataset": {"name": "orders"},
    "model": "mock/model",
    "config": {},
}


def said(role: str, content: Any, name: str, **more: Any) -> dict[str, Any]:
    """A message, with its id."""
    return {"id": name, "role": role, "content": content, **more}


def called(name: str, **arguments: Any) -> list[dict[str, Any]]:
    """The tool calls of a reply that makes one."""
    return [{"id": "c1", "function": name, "arguments": arguments, "type": "function"}]


SYSTEM = said("system", "Be kind.", "m0")
ASK = said("user", f"attachment://{LONG}", "m1", source="input")
CALL = said("assistant", "", "m2", source="generate", tool_calls=called("get_order", n=4471))
RESULT = said("tool", "shipped", "m3", tool_call_id="c1", function="get_order")
REPLY = said("assistant", "It was shipped.", "m4", source="generate")
OTHER = said("user", "Are you sure?", "m5", source="operator")
DOUBT = said("assistant", "No.", "m6", source="generate")


def model_event(name: str, refs: Any, message: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The call of a model that gave a message."""
    return {
        "event": "model",
        "uuid": name,
        "timestamp": "2026-03-01T10:00:01+00:00",
        "model": "mock/model",
        "input": [],
        "input_refs": refs,
        "tools": [
            {"name": "get_order", "description": "Find it", "parameters": {"type": "object"}}
        ],
        "tool_choice": "auto",
        "config": {"temperature": 0.5, "max_tokens": None},
        "output": {
            "model": "mock/model-1",
            "choices": [{"message": message, "stop_reason": "max_tokens"}],
            "usage": {"input_tokens": 10, "output_tokens": 3, "total_cost": 0.5},
            "response_id": "r1",
            "time": 1.25,
        },
        **more,
    }


POOL = [SYSTEM, ASK, CALL, RESULT, REPLY, OTHER]
EVENTS: list[dict[str, Any]] = [
    {"event": "span_begin", "uuid": "e0", "id": "main", "name": "main", "span_id": "main"},
    model_event("e1", [[0, 2]], CALL, span_id="main"),
    {
        "event": "tool",
        "uuid": "e2",
        "id": "c1",
        "function": "get_order",
        "arguments": {},
        "result": "shipped",
        "timestamp": "2026-03-01T10:00:02+00:00",
        "span_id": "main",
    },
    model_event(
        "e3",
        [[0, 4]],
        REPLY,
        span_id="main",
        call={"request": {"model": "model"}, "call_refs": [[0, 1]], "call_key": "messages"},
    ),
    {"event": "anchor", "uuid": "e4", "anchor_id": "a1", "span_id": "main"},
    {
        "event": "span_begin",
        "uuid": "e5",
        "id": "b1",
        "name": "doubts",
        "type": "branch",
        "parent_id": "main",
        "span_id": "b1",
    },
    {"event": "branch", "uuid": "e6", "from_anchor": "a1", "span_id": "b1"},
    model_event("e7", [[0, 6]], DOUBT, span_id="b1"),
    {"event": "span_end", "uuid": "e8", "id": "b1", "span_id": "b1"},
]
TIMELINES: list[dict[str, Any]] = [
    {
        "name": "Default",
        "description": "",
        "root": {
            "type": "span",
            "id": "main",
            "name": "main",
            "content": [{"type": "event", "event": each} for each in ("e1", "e2", "e3", "e4")],
            "branches": [
                {
                    "type": "span",
                    "id": "b1",
                    "name": "doubts",
                    "branched_from": "a1",
                    "content": [{"type": "event", "event": "e7"}],
                }
            ],
        },
    }
]
SAMPLE: dict[str, Any] = {
    "id": 1,
    "epoch": 1,
    "input": f"attachment://{LONG}",
    "target": ["shipped", "sent"],
    "messages": [SYSTEM, ASK, CALL, RESULT, REPLY],
    "output": {"model": "mock/model-1", "choices": []},
    "scores": {
        "judge": {
            "value": "I",
            "answer": "shipped",
            "explanation": "It never said when [M1].",
            "metadata": {"grader": "mock/judge", "references": [{"cite": "[M1]", "id": "m4"}]},
        },
        "parts": {"value": {"kind": 1, "short": 0.5}},
    },
    "events": EVENTS,
    "timelines": TIMELINES,
    "attachments": {LONG: "Where is my order?"},
    "events_data": {"messages": POOL, "calls": [{"role": "user", "content": "as sent"}]},
    "started_at": "2026-03-01T10:00:00+00:00",
}
LOG: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": SPEC,
    "results": {"scores": []},
    "samples": [SAMPLE],
}
