"""Faults: tool results that go wrong on purpose. Pure: what is known of the call in, a result out.

``FAULTS`` names the built-in kinds; a project has its own beside them (``FaultRule.respond``).
Which rule of a project fires where is decided in ``drawing.py``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec

from ...errors import UsageError
from ...model.debugging import FaultRule
from ...model.messages import Payload, ToolCall, ToolResult, parts_text, text_parts
from ...model.project import Project, Tool
from ..conditions import answered_call
from ..json_values import includes, parse
from . import texts
from .misfit import misfit


class FaultPlace(msgspec.Struct, frozen=True):
    """The call that a fault would answer, and what is known there.

    ``previous`` is the newest result of the same tool in the path that was no error; ``instead`` is
    the result in whose place the fault is put, or beside which it stands, if there is one.
    """

    call: ToolCall
    tools: tuple[Tool, ...] = ()
    previous: ToolResult | None = None
    instead: ToolResult | None = None

    @property
    def tool(self) -> Tool | None:
        """The tool that is called, where it is declared."""
        return next((tool for tool in self.tools if tool.name == self.call.name), None)

    @property
    def returns(self) -> str | None:
        """The schema of its results, where it has one."""
        return self.tool.returns if self.tool is not None else None

    @property
    def known_text(self) -> str:
        """The text of a result that this tool gave, or nothing."""
        instead = self.instead
        known = instead if instead is not None and not instead.is_error else self.previous
        return parts_text(known.parts) if known is not None else ""


Make = Callable[[FaultPlace, random.Random], str]


class _Kind(msgspec.Struct, frozen=True):
    help: str
    make: Make
    is_error: bool = False


def _name(make: Callable[[str], str]) -> Make:
    """A text that needs the tool's name only."""
    return lambda place, rng: make(place.call.name)


def _truncated(place: FaultPlace, rng: random.Random) -> str:
    return texts.truncated(place.known_text, place.returns)


def _wrong_type(place: FaultPlace, rng: random.Random) -> str:
    return misfit(place.tool, place.known_text)


def _injection(place: FaultPlace, rng: random.Random) -> str:
    other = next((tool for tool in place.tools if tool.name != place.call.name), None)
    return texts.prompt_injection(place.known_text, place.returns, other)


_KINDS: dict[str, _Kind] = {
    "timeout": _Kind("The tool did not answer in time", _name(texts.timeout), True),
    "http_429": _Kind("HTTP 429 Too Many Requests, with retry-after", _name(texts.http_429), True),
    "http_500": _Kind("HTTP 500 Internal Server Error", lambda _, rng: texts.http_500(rng), True),
    "permission_denied": _Kind("The caller may not do this", _name(texts.permission_denied), True),
    "empty": _Kind("An empty result, and no error", lambda _, __: ""),
    "truncated_json": _Kind("JSON that breaks off in the middle", _truncated),
    "wrong_type": _Kind("A value that fails the tool's returns", _wrong_type),
    "stale_data": _Kind("The tool's previous result again", lambda _, __: ""),
    "very_long": _Kind("About 200,000 characters of data", lambda _, rng: texts.very_long(rng)),
    "prompt_injection": _Kind("Data that tells the target what to do (a test)", _injection),
}

FAULTS: dict[str, str] = {name: kind.help for name, kind in _KINDS.items()}
"""The built-in kinds, each with a line of help."""


class Offer(msgspec.Struct, frozen=True):
    """A fault that may be injected at a place, or ``why_not``. ``own`` is the project's rule."""

    name: str
    help: str
    why_not: str = ""
    own: FaultRule | None = None


def fault_place(
    project: Project,
    messages: Sequence[Payload],
    call: ToolCall,
    instead: ToolResult | None = None,
) -> FaultPlace:
    """What is known where this call is answered after these messages."""
    return FaultPlace(call, project.tools, _previous(messages, call.name), instead)


def offers(project: Project, place: FaultPlace) -> list[Offer]:
    """All faults that can be thought of for this call, the project's own first."""
    own = [
        Offer(
            rule.fault, _own_help(rule), "" if fits(rule, place.call) else _for_others(rule), rule
        )
        for rule in project.faults
        if rule.respond
    ]
    return [*own, *(Offer(name, kind.help, why_not(name, place)) for name, kind in _KINDS.items())]


def why_not(fault: str, place: FaultPlace) -> str:
    """Why a built-in kind makes no sense here; empty when it does."""
    if fault == "stale_data" and place.previous is None:
        return f"{place.call.name} has no earlier result in this path"
    return ""


def fault_result(
    fault: str, place: FaultPlace, rng: random.Random, own: FaultRule | None = None
) -> ToolResult:
    """The result that this fault puts in the place of the tool's answer: ``own``'s, else that of
    the built-in kind. Raises UsageError where the kind is unknown or makes no sense.
    """
    if own is not None and own.respond:
        return ToolResult(place.call.id, text_parts(texts.as_result(own.respond)), own.is_error)
    kind = _KINDS.get(fault)
    if kind is None:
        raise UsageError(f"{fault!r} is no fault. {nearest(fault, tuple(FAULTS))}")
    if problem := why_not(fault, place):
        raise UsageError(f"{fault} cannot be injected here: {problem}.")
    if fault == "stale_data" and place.previous is not None:
        return msgspec.structs.replace(place.previous, call_id=place.call.id)
    return ToolResult(place.call.id, text_parts(kind.make(place, rng)), kind.is_error)


def find_fault(fault: str, project: Project, call: ToolCall) -> FaultRule | None:
    """The project's own fault of this name for this call; None for a built-in kind.

    Raises UsageError for a name that is neither, or is for other calls.
    """
    own = [rule for rule in project.faults if rule.fault == fault and rule.respond]
    fitting = next((rule for rule in own if fits(rule, call)), None)
    if fitting is not None or fault in FAULTS:
        return fitting
    if own:
        raise UsageError(f"The fault {fault} is {_for_others(own[0])}.")
    names = (*(rule.fault for rule in project.faults if rule.respond), *FAULTS)
    raise UsageError(f"{fault!r} is no fault. {nearest(fault, names)}")


def fits(rule: FaultRule, call: ToolCall) -> bool:
    """Whether a rule's tool and arguments are the call's."""
    if rule.tool is not None and rule.tool != call.name:
        return False
    if rule.when is None:
        return True
    wanted = parse(rule.when)
    return isinstance(wanted, dict) and includes(parse(call.arguments), wanted)


def nearest(fault: str, names: Sequence[str]) -> str:
    """Which fault may have been meant, and which there are."""
    from difflib import get_close_matches

    close = get_close_matches(fault, names, 1)
    known = f"There are: {', '.join(dict.fromkeys(names))}."
    return f"Did you mean {close[0]}? {known}" if close else known


def _previous(messages: Sequence[Payload], tool: str) -> ToolResult | None:
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, ToolResult) and not message.is_error:
            call = answered_call(message, messages[:index])
            if call is not None and call.name == tool:
                return message
    return None


def _own_help(rule: FaultRule) -> str:
    return "The project's own" + (f", for {rule.tool}" if rule.tool is not None else "")


def _for_others(rule: FaultRule) -> str:
    if rule.when is None:
        return f"for {rule.tool} only"
    return f"only for calls{f' of {rule.tool}' if rule.tool else ''} with {rule.when}"
