"""Between neutral views and a provider's messages: the only place that knows the chat shape and
flips sides.

Nothing is dropped, merged or padded in silence: what stands here is what is sent, and the request
is stored with the step. In the evaluator's view the sides are swapped: its own messages are the
assistant's, the target's are the user's. It begins with one neutral line of ours, because several
providers want a user's message first, and so the evaluator's own opening stays its own.

The evaluator answers with its message, or with a line ``STOP: reason``, where the reason is one
word (``STOP`` alone is goal_reached) and any other text is kept as the stop's note.

The tool simulator answers with JSON, which a code fence may surround; where a tool declares what it
returns, anything else is a bad reply, elsewhere it is a result of plain text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..errors import RoleError
from ..model.messages import (
    GOAL_REACHED,
    STOP_REASONS,
    OtherPart,
    Part,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    user_message,
)
from ..model.project import LlmEvaluator, LlmSimulator, Project, Tool
from ..model.view import View
from ..rules.conditions import answered_tool
from ..rules.json_values import MISSING, parse

Message = dict[str, Any]

BEGIN = "(The conversation begins here. Write the user's next message.)"
"""The first line of the evaluator's view."""

_STOP = re.compile(r"^[ \t]*STOP(?::[ \t]*(.*?))?[ \t\r]*$", re.MULTILINE)
_FENCE = re.compile(r"\A\s*```[A-Za-z]*[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def target_messages(view: View) -> list[Message]:
    """The path as the target is sent it, its system text first if it has one."""
    system = view.project.target.system
    messages: list[Message] = [] if system is None else [_message("system", system)]
    for payload in view.messages:
        if not isinstance(payload, Stop):
            messages.append(_for_target(payload))
    return messages


def target_tools(project: Project) -> list[dict[str, Any]]:
    """The project's tools in the chat shape."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": json.loads(tool.parameters),
            },
        }
        for tool in project.tools
    ]


def evaluator_messages(view: View, spec: LlmEvaluator) -> list[Message]:
    """The path with the sides swapped; all that the target did in a turn is one message."""
    messages = [_message("system", _evaluator_system(view, spec)), _message("user", BEGIN)]
    said: list[str] = []
    for payload in view.messages:
        if isinstance(payload, UserMessage):
            if said:
                messages.append(_message("user", "\n".join(said)))
                said = []
            messages.append(_message("assistant", parts_text(payload.parts)))
        else:
            said += _as_told(payload, view.messages)
    if said:
        messages.append(_message("user", "\n".join(said)))
    return messages


def read_evaluator(text: str) -> UserMessage | Stop:
    """The evaluator's text as a message or a stop."""
    found = _STOP.search(text)
    if found is None:
        return user_message(text)
    reason, note = (found.group(1) or "").strip(), (text[: found.start()] + text[found.end() :])
    if not re.fullmatch(r"[\w.-]*", reason):
        reason, note = GOAL_REACHED, f"{reason}\n{note}"
    return Stop(reason or GOAL_REACHED, "evaluator", note.strip())


def simulator_messages(view: View, call: ToolCall, spec: LlmSimulator) -> list[Message]:
    """The rules of the simulation, and the conversation up to the call as one message."""
    told = [
        line for payload in view.messages for line in _as_told(payload, view.messages, "user: ")
    ]
    asked = f"Now answer this call of {call.name}: {call.arguments}"
    return [
        _message("system", _simulator_system(view.project, call, spec)),
        _message("user", "\n".join(["The conversation so far:", *told, "", asked])),
    ]


def read_result(text: str, tool: Tool | None) -> str:
    """The simulator's text as a result. Raises RoleError where JSON was demanded."""
    fenced = _FENCE.match(text)
    bare = fenced.group(1) if fenced else text
    if parse(bare) is MISSING and tool is not None and tool.returns is not None:
        raise RoleError(
            f"gave a result of {tool.name} that is not JSON, as its returns schema demands.",
            kind="bad_reply",
            partial=text,
        )
    return bare


def _for_target(payload: Payload) -> Message:
    if isinstance(payload, UserMessage):
        return _message("user", _content(payload.parts))
    if isinstance(payload, ToolResult):
        return {**_message("tool", _content(payload.parts)), "tool_call_id": payload.call_id}
    if isinstance(payload, SystemNote):
        return _message("system", _content(payload.parts))
    assert isinstance(payload, TargetReply)
    message = _message("assistant", _content(payload.parts))
    if payload.tool_calls:
        if not message["content"]:
            del message["content"]  # litellm would drop a null, so what is kept says what is sent
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in payload.tool_calls
        ]
    blocks = [json.loads(block.raw) for block in payload.reasoning if block.raw is not None]
    if blocks:
        message["thinking_blocks"] = blocks
    return message


def _content(parts: tuple[Part, ...]) -> str | list[dict[str, Any]]:
    if not any(isinstance(part, OtherPart) for part in parts):
        return parts_text(parts)
    return [
        json.loads(part.raw) if isinstance(part, OtherPart) else {"type": "text", "text": part.text}
        for part in parts
    ]


def _as_told(payload: Payload, messages: tuple[Payload, ...], user: str = "") -> list[str]:
    """One payload as lines of plain text, as far as the view holds it."""
    if isinstance(payload, ToolResult):
        tool = answered_tool(payload, messages) or "a tool"
        return [f"[{tool} answered: {parts_text(payload.parts)}]"]
    if isinstance(payload, TargetReply):
        text = parts_text(payload.parts)
        calls = [f"[called {call.name}({call.arguments})]" for call in payload.tool_calls]
        return [text, *calls] if text or not calls else calls
    if isinstance(payload, Stop):
        return []
    return [f"{user}{parts_text(payload.parts)}"]


def _evaluator_system(view: View, spec: LlmEvaluator) -> str:
    stop_when = spec.stop_when or "The goal is reached, or it is clear that it cannot be."
    pieces = [
        "You play the user in a conversation with an assistant. Stay in this role; never play the "
        "assistant, and never mention these instructions.",
        f"Your goal: {view.project.goal}" if view.project.goal else "",
        f"Who you are: {spec.persona}" if spec.persona else "",
        spec.instructions,
        f"Stop when: {stop_when}",
        "Answer with the user's next message and nothing else. To stop instead, answer with a "
        f"line that says STOP: and one of {', '.join(STOP_REASONS)}.",
        f"This is turn {view.turn_index + 1}; there are at most {view.max_turns}.",
    ]
    return "\n\n".join(piece for piece in pieces if piece)


def _simulator_system(project: Project, call: ToolCall, spec: LlmSimulator) -> str:
    tool = project.tool(call.name)
    pieces = [
        "You simulate the tools of an assistant. Answer with the result of the call, as JSON, and "
        "nothing else. Keep to what earlier results have said.",
        f"What is true: {spec.world}" if spec.world else "",
    ]
    if tool is None:
        pieces.append(f"The tool {call.name} is not declared; answer as it would if it were.")
    else:
        pieces += [
            f"The tool {tool.name}: {tool.description}",
            f"Its arguments (JSON Schema): {tool.parameters}",
            f"Its result (JSON Schema): {tool.returns}" if tool.returns else "",
        ]
    return "\n\n".join(piece for piece in pieces if piece)


def _message(role: str, content: str | list[dict[str, Any]]) -> Message:
    return {"role": role, "content": content}
