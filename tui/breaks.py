"""Breakpoints as the screen words them: what to offer at a step, and how one reads as a query."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
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

from .presenter import DebuggerModel
from .who import NAMES

_BARE = re.compile(r"[^\W\d][\w.-]*")
_RESERVED = frozenset({"and", "or", "not", "true", "false", "null"})
_CALLS = 2
"""Calls of one reply that have suggestions of their own."""
_ARGUMENTS = 4
_LONGEST = 200
"""Arguments and values longer than this make no good condition."""

_replace = msgspec.structs.replace


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
            Suggestion(f"every step of turn {turn}", Breakpoint(f"turn = {turn}")),
            *_failures(),
            _before_like(model, step),
        ]
    seen: set[Breakpoint] = set()
    return [
        each
        for each in offered
        if not (each.breakpoint in seen or seen.add(each.breakpoint))  # type: ignore[func-returns-value]
    ]


def _of_the_project(model: DebuggerModel) -> Iterator[Suggestion]:
    for tool in model.project.tools[:3]:
        yield _results(tool.name)
    yield Suggestion("every reply of the target", Breakpoint("kind = reply"))


def _like(model: DebuggerModel, step: Step) -> Iterator[Suggestion]:
    payload = step.payload
    if isinstance(payload, ToolResult):
        call = model.path.call.get(model.cursor)
        if call is not None:
            yield _results(call.name)
            yield _calls(call.name)
            yield from _with_arguments("result", call)
        else:
            yield Suggestion("every tool result", Breakpoint("kind = result"))
    elif isinstance(payload, TargetReply | UserMessage) and payload.tool_calls:
        calls = list({call.name: call for call in payload.tool_calls}.values())[:_CALLS]
        for call in calls:
            yield _calls(call.name)
        yield _results(calls[0].name)
        if len(calls) == 1:
            yield from _with_arguments("reply", calls[0])
    elif isinstance(payload, Stop):
        yield Suggestion("every stop", Breakpoint("stop"))
        yield Suggestion(
            f"stops for this reason, {payload.reason}", Breakpoint(f"stop = {word(payload.reason)}")
        )
    elif isinstance(payload, SystemNote):
        yield Suggestion("every system note", Breakpoint("kind = note"))
    elif isinstance(payload, TargetReply):
        yield Suggestion("every reply that calls no tool", Breakpoint("kind = reply and not tool"))


def _results(tool: str) -> Suggestion:
    return Suggestion(f"results of {tool}", Breakpoint(f"kind = result and tool = {word(tool)}"))


def _calls(tool: str) -> Suggestion:
    return Suggestion(
        f"replies that call {tool}", Breakpoint(f"kind = reply and tool = {word(tool)}")
    )


def _with_arguments(kind: str, call: ToolCall) -> Iterator[Suggestion]:
    tests = list(_argument_tests(call))
    if tests:
        query = " and ".join([f"kind = {kind}", f"tool = {word(call.name)}", *tests])
        yield Suggestion(f"{call.name} with these arguments", Breakpoint(query))


def _argument_tests(call: ToolCall) -> Iterator[str]:
    """The first few plain arguments of a call as tests."""
    if len(call.arguments) > 10_000:
        return
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return
    if not isinstance(arguments, dict):
        return
    plain = {
        name: value
        for name, value in arguments.items()
        if not isinstance(value, dict | list) and _BARE.fullmatch(name)
    }
    for name, value in list(plain.items())[:_ARGUMENTS]:
        text = json.dumps(value, ensure_ascii=False)
        if len(text) <= _LONGEST:
            yield f"args/{name} = {text}"


def _of_role(step: Step) -> Iterator[Suggestion]:
    whose = {
        "evaluator": "every step of the evaluator",
        "target": "every step of the target",
        "tool": "every tool result",
    }
    yield Suggestion(whose[step.role], Breakpoint(f"role = {step.role}"))


def _failures() -> Iterator[Suggestion]:
    yield Suggestion("results that are errors", Breakpoint("failure"))
    yield Suggestion("results or arguments against their schema", Breakpoint("invalid"))


def _before(role: Role) -> Suggestion:
    return Suggestion(
        f"before the {NAMES[role]} is asked", Breakpoint(f"role = {role}", before=True)
    )


def _before_like(model: DebuggerModel, step: Step) -> Suggestion:
    call = model.path.call.get(model.cursor)
    if call is None:
        return _before(step.role)
    query = f"role = tool and tool = {word(call.name)}"
    return Suggestion(f"before a call of {call.name} is answered", Breakpoint(query, before=True))


# how one reads


def query_of(breakpoint: Breakpoint) -> str:
    """All of a breakpoint's conditions as one query."""
    own = [f"{name} = {word(str(value))}" for name, value in _own(breakpoint)]
    if breakpoint.text is not None:
        own.append(f"text : {quoted(breakpoint.text)}")
    if breakpoint.regex is not None:
        own.append(f"text ~ {quoted(breakpoint.regex)}")
    when = breakpoint.when or ""
    if not own:
        return when
    if when:
        own.append(f"({when})" if re.search(r"\bor\b", when) else when)
    return " and ".join(own)


def _own(breakpoint: Breakpoint) -> Iterator[tuple[str, object]]:
    for name in ("role", "tool", "turn"):
        value = getattr(breakpoint, name)
        if value is not None:
            yield name, value


def word(text: str) -> str:
    """A text as a value of the query language: bare where it may be."""
    if (_BARE.fullmatch(text) and text.lower() not in _RESERVED) or text.isdigit():
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """A text in quotes."""
    return json.dumps(text, ensure_ascii=False)


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
