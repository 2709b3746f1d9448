"""Breakpoints as the screen words them: what to offer at a step, and how one reads as a query."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import NamedTuple

import msgspec
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.messages import (
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
)
from rollstep.core.model.steps import Role, Step
from rollstep.core.rules import breakpoints as rules
from rollstep.core.rules.query.nodes import (
    And,
    Compare,
    Has,
    Node,
    Not,
    QueryError,
    Ref,
    Value,
    to_text,
)

from .presenter import DebuggerModel
from .who import NAMES

_CALLS = 2
"""Calls of one reply that have suggestions of their own."""
_ARGUMENTS = 4
_LONGEST = 200
"""Arguments longer than this make no good condition."""

_replace = msgspec.structs.replace
_RESULT = Compare(Ref("kind"), "=", "result")
_REPLY = Compare(Ref("kind"), "=", "reply")


class Suggestion(NamedTuple):
    """A breakpoint for steps like the one under the cursor, and what it is in words."""

    words: str
    breakpoint: Breakpoint


def suggestions(model: DebuggerModel) -> list[Suggestion]:
    """What to offer at the cursor's step, the likeliest first."""
    step = model.step
    if step is None:
        offered = [*_of_the_project(model), *_failures(), _before("target"), _before("evaluator")]
    else:
        turn = model.path.turn[model.cursor]
        offered = [
            *_like(model, step),
            *_of_role(step),
            _at(f"every step of turn {turn}", _is("turn", turn)),
            *_failures(),
            _before_like(model, step),
        ]
    seen: set[Breakpoint] = set()
    return [
        each
        for each in offered
        if not (each.breakpoint in seen or seen.add(each.breakpoint))  # type: ignore[func-returns-value]
    ]


def _at(words: str, *tests: Node, before: bool = False) -> Suggestion:
    """A suggestion where all of these must hold."""
    node = tests[0] if len(tests) == 1 else And(tests)
    return Suggestion(words, Breakpoint(to_text(node), before=before))


def _is(field: str, value: Value) -> Node:
    return Compare(Ref(field), "=", value)


def _of_the_project(model: DebuggerModel) -> Iterator[Suggestion]:
    for tool in model.project.tools[:_CALLS]:
        yield _results(tool.name)
    yield _at("every reply of the target", _REPLY)


def _like(model: DebuggerModel, step: Step) -> Iterator[Suggestion]:
    payload = step.payload
    if isinstance(payload, ToolResult):
        call = model.path.call.get(model.cursor)
        if call is None:
            yield _at("every tool result", _RESULT)
        else:
            yield _results(call.name)
            yield _calls(call.name)
            yield from _with_arguments(_RESULT, call)
    elif isinstance(payload, TargetReply | UserMessage) and payload.tool_calls:
        calls = list({call.name: call for call in payload.tool_calls}.values())[:_CALLS]
        yield from (_calls(call.name) for call in calls)
        yield _results(calls[0].name)
        if len(calls) == 1:
            yield from _with_arguments(_REPLY, calls[0])
    elif isinstance(payload, Stop):
        yield _at("every stop", Has(Ref("stop")))
        yield _at(f"stops for this reason, {payload.reason}", _is("stop", payload.reason))
    elif isinstance(payload, SystemNote):
        yield _at("every system note", _is("kind", "note"))
    elif isinstance(payload, TargetReply):
        yield _at("replies that call no tool", _REPLY, Not(Has(Ref("tool"))))


def _results(tool: str) -> Suggestion:
    return _at(f"results of {tool}", _RESULT, _is("tool", tool))


def _calls(tool: str) -> Suggestion:
    return _at(f"replies that call {tool}", _REPLY, _is("tool", tool))


def _with_arguments(kind: Node, call: ToolCall) -> Iterator[Suggestion]:
    tests = list(_argument_tests(call))[:_ARGUMENTS]
    if tests:
        yield _at(f"{call.name} with these arguments", kind, _is("tool", call.name), *tests)


def _argument_tests(call: ToolCall) -> Iterator[Node]:
    """The plain arguments of a call as tests."""
    if len(call.arguments) > 10_000:
        return
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return
    if not isinstance(arguments, dict):
        return
    for name, value in arguments.items():
        plain = isinstance(value, str | int | None) or (
            isinstance(value, float) and isfinite(value)
        )
        if plain and len(str(value)) <= _LONGEST:
            yield Compare(Ref("args", (name,)), "=", value)


def _of_role(step: Step) -> Iterator[Suggestion]:
    whose = "every tool result" if step.role == "tool" else f"every step of the {step.role}"
    yield _at(whose, _is("role", step.role))


def _failures() -> Iterator[Suggestion]:
    yield _at("results that are errors", Has(Ref("failure")))
    yield _at("results or arguments against their schema", Has(Ref("invalid")))


def _before(role: Role) -> Suggestion:
    return _at(f"before the {NAMES[role]} is asked", _is("role", role), before=True)


def _before_like(model: DebuggerModel, step: Step) -> Suggestion:
    call = model.path.call.get(model.cursor)
    if call is None:
        return _before(step.role)
    words = f"before a call of {call.name} is answered"
    return _at(words, _is("role", "tool"), _is("tool", call.name), before=True)


# how one reads


def query_of(breakpoint: Breakpoint) -> str:
    """All of a breakpoint's conditions as one query; its own words where they are the whole."""
    own = (breakpoint.role, breakpoint.tool, breakpoint.text, breakpoint.regex, breakpoint.turn)
    when = breakpoint.when or ""
    if all(value is None for value in own):
        return when
    try:
        node = rules.query_of(breakpoint)
    except QueryError:
        return when
    return to_text(node) if node is not None else ""


def reads(breakpoint: Breakpoint) -> str:
    """The condition as people read it."""
    if breakpoint.regex is not None and rules.problem(breakpoint):
        return f"regex {breakpoint.regex}"
    return query_of(breakpoint) or "any step"


def with_query(breakpoint: Breakpoint, query: str) -> Breakpoint:
    """The same breakpoint with this condition in place of all of its own."""
    return _replace(breakpoint, when=query, role=None, tool=None, text=None, regex=None, turn=None)


def place_of(breakpoints: Sequence[Breakpoint], wanted: Breakpoint) -> int | None:
    """Where one that stops at the same steps stands, whatever it is called."""
    query = query_of(wanted)
    for place, each in enumerate(breakpoints):
        if each.before == wanted.before and query_of(each) == query:
            return place
    return None


def toggled(breakpoints: Sequence[Breakpoint], wanted: Breakpoint) -> tuple[Breakpoint, ...]:
    """With this breakpoint, switched on; or without it, where it was there and on."""
    place = place_of(breakpoints, wanted)
    if place is None:
        return (*breakpoints, wanted)
    if not breakpoints[place].enabled:
        return changed(breakpoints, place, enabled=True)
    return without(breakpoints, place)


def changed(
    breakpoints: Sequence[Breakpoint], place: int, **changes: object
) -> tuple[Breakpoint, ...]:
    """With fields of one of them changed."""
    new = _replace(breakpoints[place], **changes)
    return (*breakpoints[:place], new, *breakpoints[place + 1 :])


def without(breakpoints: Sequence[Breakpoint], place: int) -> tuple[Breakpoint, ...]:
    """Without one of them."""
    return (*breakpoints[:place], *breakpoints[place + 1 :])


def enabled_count(breakpoints: Sequence[Breakpoint]) -> int:
    """How many of them can stop a run."""
    return sum(each.enabled for each in breakpoints)


def steps_words(found: Sequence[int], *, done: bool, before: bool = False) -> str:
    """At how many steps of the branch a condition holds, and which; ``found`` counts from 0."""
    if not found:
        return "holds at no step of this branch" if done else "looking …"
    steps = "1 step" if len(found) == 1 else f"{len(found):,} steps"
    shown = ", ".join(f"{index + 1:,}" for index in found[:8])
    more = ", …" if len(found) > 8 else ""
    sofar = "" if done else " so far"
    verb = "holds before" if before else "holds at"
    return f"{verb} {steps} of this branch{sofar}: {shown}{more}"
