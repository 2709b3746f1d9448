"""Breakpoints: at which steps a run pauses, why, and how often each was hit.

They are compiled once into tests for each shape of step, so that a breakpoint on a tool costs
nothing at a message. A set of none that is switched on is no set at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import cast

from ..errors import UsageError
from ..model.debugging import Breakpoint
from ..model.messages import Payload
from ..model.steps import ROLES
from .hits import HOLDS
from .plans import Plan, plan_for
from .query.compiling import ran_out_of_time
from .query.nodes import And, Compare, Node, Ref, pattern, plain_pattern, quoted, to_text
from .query.parsing import QueryError, parse
from .query.step_facts import SHAPE_OF, SHAPES
from .query.step_fields import STEPS
from .query.step_query import compiled_for

_LONGEST_WORDS = 200


def query_of(breakpoint: Breakpoint) -> Node | None:
    """All that must hold as one query; None where it holds at every step. Raises QueryError."""
    parts: list[Node] = []
    for name in ("role", "tool", "turn"):
        value = getattr(breakpoint, name)
        if value is not None:
            parts.append(Compare(Ref(name), "=", value))
    if breakpoint.text is not None:
        parts.append(Compare(Ref("text"), ":", breakpoint.text))
    if breakpoint.regex is not None:
        parts.append(Compare(Ref("text"), "~", _regex(breakpoint.regex)))
    if breakpoint.when is not None:
        parts.append(parse(breakpoint.when, STEPS))
    if len(parts) > 1:
        return And(tuple(parts))
    return parts[0] if parts else None


def _regex(regex: str) -> str:
    try:
        pattern(plain_pattern(regex))
    except ValueError as error:
        raise QueryError(f"regex: {error}", 1) from error
    return plain_pattern(regex)


def problem(breakpoint: Breakpoint) -> str:
    """What is wrong with a breakpoint's condition, in words; "" when it can be asked."""
    try:
        query_of(breakpoint)
    except QueryError as error:
        return error.reason if error.reason.startswith("regex: ") else f"when: {error}"
    return ""


def check_breakpoints(breakpoints: Sequence[Breakpoint], known: Iterable[Breakpoint] = ()) -> None:
    """Raise UsageError for the first that is switched on and cannot be asked. Those that are known
    already (a library of an older version may hold such) do not keep a human from changing others.
    """
    passed = set(known)
    for number, breakpoint in enumerate(breakpoints, 1):
        if not breakpoint.enabled or breakpoint in passed:
            continue
        if words := problem(breakpoint):
            end = "" if words.endswith("?") else "."
            mend = "Mend it, switch it off, or remove it."
            raise UsageError(f"{label_of(breakpoint, number)}: {words}{end} {mend}")


def words_of(breakpoint: Breakpoint) -> str:
    """The condition as a query, in one line that is not too long. Never raises."""
    try:
        node = query_of(breakpoint)
    except QueryError:
        text = breakpoint.when or breakpoint.regex or ""
    else:
        text = "any step" if node is None else to_text(node)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_WORDS else f"{text[: _LONGEST_WORDS - 1]}…"


def searched_too_long(breakpoint: Breakpoint) -> bool:
    """Whether a regular expression of it ran out of time, so that it stops runs at long texts."""
    return ran_out_of_time(query_of(breakpoint))


def never_holds(breakpoint: Breakpoint) -> bool:
    """Whether it asks for what no step has, or for what is not known yet before one is made; also
    True for one that cannot be asked at all.
    """
    try:
        query = query_of(breakpoint)
    except QueryError:
        return True
    if query is None:
        return False
    shapes = (shape for shape in SHAPES if shape.startswith("before") == breakpoint.before)
    return all(compiled_for(query, shape) is False for shape in shapes)


def label_of(breakpoint: Breakpoint, number: int) -> str:
    """What a breakpoint is called: its number in the list, from 1, and its name."""
    return f"{HOLDS}{number}{f' {quoted(breakpoint.name)}' if breakpoint.name else ''}"


class BreakpointSet:
    """Breakpoints, ready to be asked: a plan for each shape of step."""

    def __init__(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        self.breakpoints = breakpoints
        on = [(place, each) for place, each in enumerate(breakpoints) if each.enabled]
        after = [(place, query_of(each)) for place, each in on if not each.before]
        before = [(place, query_of(each)) for place, each in on if each.before]
        self.any_before = bool(before)
        self.before = {role: plan_for(f"before {role}", before) for role in ROLES}
        self.after: dict[type[Payload], tuple[Plan | None, Plan | None]] = {}
        """The plans for steps of a payload type, without and with calls; where a type has none, one
        plan for both."""
        for kind, (shape, with_calls) in SHAPE_OF.items():
            plan = _bare(plan_for(shape, after))
            calling = _bare(plan_for(with_calls, after)) if with_calls else plan
            self.after[kind] = (plan, calling)


def _bare(plan: Plan | None) -> Plan | None:
    """The plan as a tuple and nothing more: Python unpacks that in a fraction of the time."""
    return None if plan is None else cast("Plan", tuple(plan))


@lru_cache(maxsize=64)
def _compiled(breakpoints: tuple[Breakpoint, ...]) -> BreakpointSet | None:
    check_breakpoints(breakpoints)
    return BreakpointSet(breakpoints) if any(each.enabled for each in breakpoints) else None


_last: tuple[tuple[Breakpoint, ...], BreakpointSet | None] = ((), None)
"""The rows of a batch share one tuple; to find it by its hash takes longer than a step."""


def compile_breakpoints(breakpoints: tuple[Breakpoint, ...]) -> BreakpointSet | None:
    """The breakpoints that are switched on, ready to be asked; None where none is. Raises
    UsageError for one that cannot be asked.
    """
    global _last
    if not breakpoints:
        return None
    last = _last
    if last[0] is not breakpoints:
        last = _last = (breakpoints, _compiled(breakpoints))
    return last[1]
