"""The inspector's pages of what each role was sent: the stored request, or the one that would be
sent next, made by the same code. Tokens are estimates, and said to be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rollstep.core.errors import RollstepError
from rollstep.core.model.messages import (
    Payload,
    SystemNote,
    TargetReply,
    UserMessage,
    payload_text,
    reasoning_text,
)
from rollstep.core.model.steps import Role, Step
from rollstep.core.model.view import View
from rollstep.core.rules.views import view_for
from rollstep.core.workers.prices import CHARACTERS

from .document import Block
from .inspector import call_blocks, kind_words, pretty
from .presenter import DebuggerModel
from .requests import Stored, original
from .stepview import call_text
from .stops import turn_limit
from .who import NAMES, kind_of, who

Json = dict[str, Any]


def sent_blocks(model: DebuggerModel, role: Role, stored: Stored) -> Iterator[Block]:
    """What the role was sent for the step under the cursor, or would be after it. ``stored`` is
    the request that was sent, where there is one.
    """
    step = model.step
    assert step is not None
    own = step.role == role and not isinstance(step.payload, SystemNote)
    number = model.cursor + 1
    name = NAMES[role]
    if own and (stored.body is not None or stored.coming):
        copied = ", copied from the step that it was sent for" if stored.copied else ""
        how = "recorded request" if original(model, step).origin == "import" else "as stored"
        yield Block("heading", f"sent to the {name} for step {number}, {how}{copied}")
        if stored.body is None:
            yield Block("dim", "the stored request is being fetched …")
        else:
            yield from request_blocks(stored.body, original(model, step))
        return
    steps = model.path.steps[: model.cursor if own else model.cursor + 1]
    project = model.rollout.project_of(step) if own else model.project
    view = view_for(project, steps, role)
    when = f"for step {number}" if own else f"were it asked after step {number}"
    yield Block("heading", f"given to the {name} {when}")
    if own:
        yield _reconstructed(original(model, step), stored)
    if kind_of(project, role) == "llm":
        yield from _preview(view, asked=own)
    else:
        yield from _view(view, turn_limit(model, project))


def _reconstructed(step: Step, stored: Stored) -> Block:
    """Why no stored request is shown, and what is shown instead."""
    if stored.lost:
        return Block("warn", "reconstructed: this library does not hold the request that was sent")
    if step.origin == "import":
        return Block("warn", "reconstructed: the import holds no request")
    if step.origin == "human":
        words = "written by hand: nothing was sent; this is what would have been"
        return Block("dim", words)
    if step.origin == "model":
        return Block("dim", "reconstructed: the role told of no request; it was given this")
    return Block(
        "dim", f"no model was asked ({step.origin}): nothing was sent; it had this to go by"
    )


def _preview(view: View, *, asked: bool) -> Iterator[Block]:
    from rollstep.core.roles.llm_requests import preview

    try:
        body = preview(view)
    except RollstepError as error:
        yield Block("error", str(error))
        body = None
    if body is None:
        yield from _view(view, view.max_turns)
        return
    if not asked:
        yield Block("dim", "a preview by the code that asks; a headless run does not stream")
    yield from request_blocks(body)


def request_blocks(body: str, step: Step | None = None) -> Iterator[Block]:
    """A request with every field that it has: its parameters, each message, the tools."""
    request = _parsed(body)
    messages = request.get("messages")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        yield Block("text", pretty(body))
        return
    tools = request.get("tools")
    yield Block("dim", _counted(messages, tools, step))
    rest = {key: value for key, value in request.items() if key not in ("messages", "tools")}
    yield Block("text", _pretty(rest))
    for message in messages:
        yield from _message(message)
    if tools is not None:
        yield Block("heading", f"tools, {_about(_whole(tools))}")
        yield Block("text", _pretty(tools), 2)


def _message(message: Json) -> Iterator[Block]:
    yield Block("heading", f"{message.get('role', 'a message without a role')}, {_about(message)}")
    for key, value in message.items():
        if key == "role":
            continue
        if key == "content" and isinstance(value, str):
            yield Block("text" if value else "dim", value or "(empty)", 2)
        else:
            yield Block("dim", f"{key}:", 2)
            yield Block("text", value if isinstance(value, str) else _pretty(value), 2)


def _counted(messages: list[Json], tools: Any, step: Step | None) -> str:
    guess = _tokens(messages) + (_tokens(_whole(tools)) if tools is not None else 0)
    words = f"about {guess:,} tokens, at four characters each"
    call = step.call if step is not None else None
    if call is None or call.usage.estimated or not call.usage.prompt_tokens:
        return words
    both = ", in both requests" if call.note else ""
    cached = f", {call.usage.cached_tokens:,} of them cached" if call.usage.cached_tokens else ""
    return f"{words}; the provider counted {call.usage.prompt_tokens:,}{cached}{both}"


def _about(value: Any) -> str:
    count = _tokens(value)
    return f"about {count:,} token{'' if count == 1 else 's'}"


def _tokens(value: Any) -> int:
    """Of the texts in a value: its keys and marks are the same in every request."""
    return -(-_characters(value) // CHARACTERS)


def _whole(tools: Any) -> str:
    """Schemas are mostly keys, and those are the tools' own: all of it counts."""
    return json.dumps(tools, ensure_ascii=False, separators=(",", ":"))


def _characters(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(_characters(each) for key, each in value.items() if key not in ("role", "type"))
    if isinstance(value, list):
        return sum(map(_characters, value))
    return 1


def _parsed(body: str) -> Json:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


# roles that no model plays


def _view(view: View, limit: int | None) -> Iterator[Block]:
    project = view.project
    of = "" if limit is None else f"/{limit}"
    yield Block("dim", f"{who(project, view.role)}, turn {view.turn_index + 1}{of}")
    system = getattr(project.target, "system", None) if view.role == "target" else None
    if system:
        yield Block("heading", "system")
        yield Block("text", system)
    if view.role == "evaluator":
        for field in ("persona", "instructions", "stop_when"):
            if text := getattr(project.evaluator, field, ""):
                yield Block("heading", field.replace("_", " "))
                yield Block("text", text)
    if not view.messages:
        yield Block("dim", "(no message yet)")
    for message in view.messages:
        yield from _given(message)
    if view.call is not None:
        yield Block("heading", "the call to answer")
        yield from call_blocks(view.call)


def _given(message: Payload) -> Iterator[Block]:
    yield Block("heading", kind_words(message))
    if isinstance(message, TargetReply | UserMessage) and message.reasoning:
        yield Block("reasoning", reasoning_text(message.reasoning), 2)
    yield Block("text", payload_text(message), 2)
    if isinstance(message, TargetReply | UserMessage):
        for call in message.tool_calls:
            yield Block("call", f"> {call_text(call, 4000)}", 2)
