"""What a model that plays the user is sent, and how its answer is read.

The sides are swapped: its own messages are the assistant's, and all that the target did in a turn
is one message of the user's. Several providers want a user's message first, and none of them two of
one side in a row: so a conversation that it opens begins with a line of ours, and where the target
said nothing, a line says so. No message is merged with another of its own.

It answers through tools (``send_message``, ``end_conversation``), as a JSON object, or as text: its
message, or a line ``STOP: reason``, where the reason is one word (``STOP`` alone is goal_reached)
and any other text is kept as the stop's note.
"""

from __future__ import annotations

import re
from typing import Any

from ..errors import RoleError
from ..model.messages import (
    GOAL_REACHED,
    STOP_REASONS,
    Payload,
    Reasoning,
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    user_message,
)
from ..model.project import LlmEvaluator
from ..model.view import View
from ..rules.conditions import answered_tool
from ..rules.json_values import MISSING, parse
from ..workers.model_reply import split_thinking
from ..workers.model_request import ModelReply
from .forced_calls import answers_of
from .llm_messages import (
    Message,
    Request,
    function_tool,
    message,
    prompt_text,
    told_calls,
    told_own_calls,
)
from .reading import bad_reply, unfenced

BEGIN = "(The conversation begins here. Write the user's next message.)"
"""What stands before its own opening."""

NOTHING = "(The assistant said nothing.)"
"""What stands where the target said nothing that it could see."""

EMPTY = "(an empty message)"
"""What stands for a message of its own without a text, which no provider takes."""

SEND, END = "send_message", "end_conversation"

_STOP = re.compile(r"^[ \t]*STOP(?::[ \t]*(.*?))?[ \t\r]*$", re.MULTILINE)
_WORD = re.compile(r"[\w.-]+")
_TEXT = {"type": "string"}


def evaluator_request(view: View, spec: LlmEvaluator) -> Request:
    """The prompt, the path with the sides swapped, and how it is to answer. Raises RoleError."""
    reasons = list(stop_reasons(spec))
    prompt = prompt_text(view, spec.prompt, "evaluator", _variables(view, spec, reasons))
    messages = [message("system", prompt), *_swapped(view.messages)]
    answers = answers_of(spec)
    if answers == "json":
        as_json = {"response_format": _json_format(reasons)}
        return Request(messages, params=as_json, spoken="message")
    if answers == "text":
        return Request(messages)
    params = {"tool_choice": "required"} if answers == "tools" else {}
    return Request(messages, _tools(reasons), params, spoken="message")


def stop_reasons(spec: LlmEvaluator) -> tuple[str, ...]:
    """The reasons that it may stop with."""
    return tuple(dict.fromkeys((*STOP_REASONS, *spec.stop_reasons)))


def _variables(view: View, spec: LlmEvaluator, reasons: list[str]) -> dict[str, Any]:
    return {
        "title": view.project.title,
        "goal": view.project.goal,
        "persona": spec.persona,
        "instructions": spec.instructions,
        "stop_when": spec.stop_when,
        "examples": list(spec.examples),
        "stop_reasons": reasons,
        "answers": answers_of(spec),
        "sees_tools": spec.sees_tools,
        "turn": view.turn_index + 1,
        "max_turns": view.max_turns,
    }


def _swapped(payloads: tuple[Payload, ...]) -> list[Message]:
    messages: list[Message] = []
    said: list[str] | None = None
    for payload in payloads:
        if isinstance(payload, UserMessage):
            before = BEGIN if not messages else NOTHING
            messages.append(message("user", "\n".join(said or ()) or before))
            own = parts_text((*payload.parts, *told_own_calls(payload)))
            messages.append(message("assistant", own or EMPTY))
            said = None
        else:
            said = [*(said or ()), *_told(payload, payloads)]
    before = NOTHING if payloads else BEGIN
    messages.append(message("user", "\n".join(said or ()) or before))
    return messages


def _told(payload: Payload, payloads: tuple[Payload, ...]) -> list[str]:
    """What the target or a tool did, as far as the view holds it."""
    if isinstance(payload, ToolResult):
        tool = answered_tool(payload, payloads) or "a tool"
        return [f"[{tool} answered: {parts_text(payload.parts)}]"]
    return list(told_calls(payload)) if isinstance(payload, TargetReply) else []


def _tools(reasons: list[str]) -> list[dict[str, Any]]:
    reasoning = {**_TEXT, "description": "Your own thoughts. The assistant never sees them."}
    send = {"reasoning": reasoning, "message": {**_TEXT, "description": "What the user says."}}
    end = {
        "reasoning": reasoning,
        "reason": {**_TEXT, "enum": reasons},
        "note": {**_TEXT, "description": "Why, in a sentence."},
    }
    return [
        function_tool(SEND, "Say this to the assistant.", _object(send, ["message"])),
        function_tool(END, "Stop instead of saying more.", _object(end, ["reason"])),
    ]


def _json_format(reasons: list[str]) -> dict[str, Any]:
    fields = {
        "reasoning": _TEXT,
        "message": {"type": ["string", "null"]},
        "stop": {"type": ["string", "null"], "enum": [*reasons, None]},
    }
    schema = _object(fields, list(fields))
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    }


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


# reading its answer


def read_evaluator(reply: ModelReply, spec: LlmEvaluator) -> UserMessage | Stop:
    """Its message with its own reasoning, or its stop. Raises RoleError for what is neither."""
    answers = answers_of(spec)
    if reply.tool_calls and answers in ("auto", "tools"):
        return _by_tools(reply, spec)
    if not reply.text:
        instead = f"refused: {reply.refusal}" if reply.refusal else "called tools instead."
        raise RoleError(f"The model {spec.model} {instead}", kind="bad_reply")
    if answers == "tools":
        raise bad_reply(spec.model, f"called neither {SEND} nor {END}", reply.text)
    if answers == "json":
        return _by_json(reply, spec)
    said = read_text(split_thinking(reply.text, ended=True)[1])
    return said if isinstance(said, Stop) else _message(reply.text, reply)


def read_text(text: str) -> UserMessage | Stop:
    """Its text as a message or a stop."""
    found = _STOP.search(text)
    if found is None:
        return user_message(text)
    reason, note = (found.group(1) or "").strip(), (text[: found.start()] + text[found.end() :])
    if reason and not _WORD.fullmatch(reason):
        reason, note = GOAL_REACHED, f"{reason}\n{note}"
    return Stop(reason or GOAL_REACHED, "evaluator", note.strip())


def _by_tools(reply: ModelReply, spec: LlmEvaluator) -> UserMessage | Stop:
    sends = [_arguments(call, reply, spec) for call in reply.tool_calls if call.name == SEND]
    ends = [_arguments(call, reply, spec) for call in reply.tool_calls if call.name == END]
    others = [call.name for call in reply.tool_calls if call.name not in (SEND, END)]
    if others or len(sends) > 1 or len(ends) > 1:
        what = f"called {others[0]}" if others else "answered more than once"
        raise bad_reply(spec.model, f"{what}, where one message or stop is asked for", _came(reply))
    texts = [_text(each, "message", reply, spec) for each in sends]
    thoughts = [_text(each, "reasoning", reply, spec) for each in (*sends, *ends)]
    if not ends:
        if "message" not in sends[0]:
            raise bad_reply(spec.model, f"called {SEND} without a message", _came(reply))
        return _message(texts[0], reply, reply.text, *thoughts)
    notes = [*texts, _text(ends[0], "note", reply, spec)]
    reason = _text(ends[0], "reason", reply, spec).strip()
    return _stop(reason, notes, [reply.text, *thoughts])


def _by_json(reply: ModelReply, spec: LlmEvaluator) -> UserMessage | Stop:
    value = parse(unfenced(reply.text))
    if not isinstance(value, dict):
        raise bad_reply(spec.model, "answered with what is no JSON object", reply.text)
    text, thought = (_text(value, name, reply, spec) for name in ("message", "reasoning"))
    if value.get("stop") is not None:
        return _stop(_text(value, "stop", reply, spec).strip(), [text], [thought])
    if value.get("message") is None:
        raise bad_reply(spec.model, "answered with neither message nor stop", reply.text)
    return _message(text, reply, thought)


def _stop(reason: str, notes: list[str], thoughts: list[str]) -> Stop:
    """A stop with what was said beside it, or else thought, as its note."""
    if reason and not _WORD.fullmatch(reason):
        reason, notes = GOAL_REACHED, [reason, *notes]
    note = "\n".join(filter(None, notes)) or "\n".join(filter(None, thoughts))
    return Stop(reason or GOAL_REACHED, "evaluator", note.strip())


def _message(text: str, reply: ModelReply, *thoughts: str) -> UserMessage:
    """What it says, with what it thought beside it; some local servers leave thinking in texts."""
    thought, said = split_thinking(text, ended=True)
    own = tuple(Reasoning(each) for each in (*thoughts, thought) if each)
    return UserMessage(user_message(said).parts, (*reply.reasoning, *own))


def _arguments(call: ToolCall, reply: ModelReply, spec: LlmEvaluator) -> dict[str, Any]:
    value = parse(call.arguments or "{}")
    if value is MISSING or not isinstance(value, dict):
        words = f"called {call.name} with arguments that are no JSON object"
        raise bad_reply(spec.model, words, _came(reply))
    return value


def _text(value: dict[str, Any], name: str, reply: ModelReply, spec: LlmEvaluator) -> str:
    text = value.get(name)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise bad_reply(spec.model, f"gave a {name} that is no text", _came(reply))
    return text


def _came(reply: ModelReply) -> str:
    """What came, for the human to see."""
    calls = (f"{call.name}({call.arguments})" for call in reply.tool_calls)
    return "\n".join(filter(None, (reply.text, *calls)))
