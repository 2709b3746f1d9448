"""What a model that invents tool results is sent, and how its answer is read.

It answers with JSON, which a code fence may surround. One that keeps a state answers with an object
that holds the result and the state after it. Where a tool declares what it returns, a result must
fit that; one that says that the tool failed, ``{"error": …}``, need not.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..model.messages import (
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
)
from ..model.project import LlmSimulator, Tool
from ..model.view import View
from ..rules.conditions import answered_call
from ..rules.json_values import MISSING, parse
from ..rules.schemas import result_problem
from .llm_messages import (
    Message,
    Request,
    built_in,
    message,
    prompt_text,
    told_calls,
    told_own_calls,
)
from .reading import members, unfenced


class Result(msgspec.Struct, frozen=True):
    """What a model's text says. ``state`` is the simulator's state after it, None where it keeps
    none; ``problem`` is why it cannot be used, or empty.
    """

    text: str
    is_error: bool = False
    state: str | None = None
    problem: str = ""


def simulator_request(view: View, call: ToolCall, spec: LlmSimulator) -> Request:
    """The rules of the simulation, and the conversation up to the call as one message. Raises
    RoleError.
    """
    variables = _variables(view, call, spec)
    prompt = prompt_text(view, spec.prompt, "simulator", variables)
    told = [line for payload in view.messages for line in _told(payload, view.messages)]
    asked = prompt_text(view, built_in("simulator_call"), "", {**variables, "conversation": told})
    # Of an answer that holds the state too, the result is told as it comes.
    spoken = "result" if spec.state is not None else ""
    return Request([message("system", prompt), message("user", asked)], spoken=spoken)


def repair_request(view: View, request: Request, came: str, problem: str) -> Request:
    """The same question once more, with the answer that could not be used, and why."""
    assert view.call is not None
    variables = {"problem": problem, "call": {"name": view.call.name}}
    asked = prompt_text(view, built_in("simulator_repair"), "", variables)
    more: list[Message] = [message("assistant", came), message("user", asked)]
    return Request([*request.messages, *more], spoken=request.spoken)


def state_before(view: View, spec: LlmSimulator) -> str | None:
    """The state that it is given: what the path holds, or the project's; None if it keeps none."""
    if spec.state is None:
        return None
    return spec.state if view.state is None else view.state


def read_result(text: str, view: View, spec: LlmSimulator) -> Result:
    """The simulator's text as a result."""
    assert view.call is not None
    tool = view.project.tool(view.call.name)
    bare, state = unfenced(text), state_before(view, spec)
    if state is not None:
        found = members(bare)
        if found is None or "result" not in found:
            wanted = '{"result": …, "state": …}'
            return Result(text, problem=f"it is not a JSON object of the form {wanted}")
        bare, state = found["result"], found.get("state", state)
        if not isinstance(parse(state), dict):
            return Result(text, problem="its state is not a JSON object")
    value = parse(bare)
    if state is not None and isinstance(value, str):
        bare = value
    is_error = fails_as_error(tool) and isinstance(value, dict) and "error" in value
    problem = "" if tool is None or is_error else _problem(tool, bare, value)
    return Result(bare, is_error, state, problem)


def fails_as_error(tool: Tool | None) -> bool:
    """Whether ``{"error": …}`` says that the tool failed: not where it is what it returns."""
    if tool is None or tool.returns is None:
        return True
    returns = parse(tool.returns)
    return not (isinstance(returns, dict) and "error" in (returns.get("properties") or ()))


def _problem(tool: Tool, text: str, value: Any) -> str:
    if tool.returns is None:
        return ""
    problem = result_problem(tool, text)
    if not problem:
        return ""
    if value is MISSING:
        return f"the result of {tool.name} is not JSON, as its returns demands"
    return f"the result of {tool.name} does not fit its returns: {problem.rstrip('.')}"


def _variables(view: View, call: ToolCall, spec: LlmSimulator) -> dict[str, Any]:
    tool = view.project.tool(call.name)
    examples = [
        {"tool": each.tool, "arguments": each.arguments, "respond": _shown(each.respond)}
        for each in spec.examples
        if each.tool == call.name
    ]
    return {
        "title": view.project.title,
        "world": spec.world,
        "tool": tool and _about(tool),
        "call": {"name": call.name, "arguments": call.arguments},
        "examples": examples,
        "keeps_state": spec.state is not None,
        "state": state_before(view, spec) or "",
        "fails_as_error": fails_as_error(tool),
    }


def _about(tool: Tool) -> dict[str, str]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "returns": tool.returns or "",
    }


def _shown(respond: str) -> str:
    """A string is given as it is, as in a rule table."""
    value = parse(respond)
    return value if isinstance(value, str) else respond


def _told(payload: Payload, payloads: tuple[Payload, ...]) -> list[str]:
    """One payload as lines. A result says which call it answers."""
    if isinstance(payload, ToolResult):
        call = answered_call(payload, payloads)
        what = f"{call.name}({call.arguments})" if call else "a tool"
        return [f"[{what} answered: {parts_text(payload.parts)}]"]
    if isinstance(payload, TargetReply):
        return list(told_calls(payload))
    if isinstance(payload, Stop):
        return []
    own = told_own_calls(payload) if isinstance(payload, UserMessage) else ()
    return [f"user: {parts_text((*payload.parts, *own))}"]
