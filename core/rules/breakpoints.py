"""Breakpoints: at which steps a run pauses, why, and how often each was hit.

They are compiled once into tests for each shape of step, so that a breakpoint on a tool costs
nothing at a message. A set of none that is switched on is no set at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from ..errors import UsageError
from ..model.debugging import Breakpoint
from ..model.marks import Score
from ..model.project import Project
from ..model.steps import Step
from .hits import Fired, Hits
from .query import QueryError, parse
from .query_types import And, Compare, Node, Ref, pattern, plain_pattern, quoted, to_text
from .run_facts import RunFacts, TestsOfType
from .step_fields import SHAPE_OF, SHAPES, STEPS, Facts, fields_named
from .step_query import compile_query
from .stepper import Ask
from .views import PathState

_LONGEST_WORDS = 200

_Tests = tuple[tuple[int, Callable[[Facts], bool] | None], ...]
"""For one shape: the places of the breakpoints that may hold, with their tests (None: it does)."""


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


def check_breakpoints(breakpoints: Sequence[Breakpoint]) -> None:
    """Raise UsageError for the first that cannot be asked."""
    for number, breakpoint in enumerate(breakpoints, 1):
        if words := problem(breakpoint):
            end = "" if words.endswith("?") else "."
            raise UsageError(f"{label_of(breakpoint, number)}: {words}{end}")


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


def label_of(breakpoint: Breakpoint, number: int) -> str:
    """What a breakpoint is called: its number in the list, from 1, and its name."""
    return f"breakpoint {number}{f' {quoted(breakpoint.name)}' if breakpoint.name else ''}"


class BreakpointSet:
    """Breakpoints, ready to be asked: for each shape of step the tests that are left of them."""

    def __init__(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        self.breakpoints = breakpoints
        self.tests: dict[str, _Tests] = dict.fromkeys(SHAPES, ())
        self._fields: frozenset[str] = frozenset()
        self.any_before = False
        for place, each in enumerate(breakpoints):
            if each.enabled:
                self.any_before = self.any_before or each.before
                self._add(place, each)
        self.of_type: TestsOfType = {
            kind: (self.tests[shape], self.tests[calling or shape])
            for kind, (shape, calling) in SHAPE_OF.items()
        }
        """The tests for steps of a payload type, without and with calls."""

    def _add(self, place: int, breakpoint: Breakpoint) -> None:
        node = query_of(breakpoint)
        query = None if node is None else compile_query(node)
        self._fields |= frozenset() if node is None else fields_named(node)
        for shape in SHAPES:
            if shape.startswith("before") is not breakpoint.before:
                continue
            test = True if query is None else query.tests[shape]
            if test is not False:
                self.tests[shape] += ((place, None if test is True else test),)

    def facts(
        self, project: Project, path: Iterable[Step] = (), scores: Sequence[Score] = ()
    ) -> RunFacts:
        """What these breakpoints look at, at the end of a path that is being played."""
        return RunFacts(project, path, scores, counts_repeats="repeated" in self._fields)


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


class Watch:
    """A path that is being played, under the eyes of its breakpoints: hits are counted, and those
    that are not to be ignored stop the run.
    """

    def __init__(self, breaks: BreakpointSet, facts: RunFacts, hits: Hits) -> None:
        self.breaks = breaks
        self.facts = facts
        self._hits = hits

    def after(self, step: Step, state: PathState) -> Sequence[Fired]:
        """The path goes on with this step, up to which ``state`` is its fold: who stops the run."""
        found = self.facts.look_at(step, state, self.breaks.of_type)
        return self._stopping(found, f"at step {state.position.depth}") if found else ()

    def before(self, asks: Iterable[Ask], state: PathState, last: Step | None) -> Sequence[Fired]:
        """Who stops the run before these are asked after ``last``, the end of the path."""
        found: set[int] = set()
        for ask in asks:
            facts = self.facts.before(ask, state, last)
            tests = self.breaks.tests[f"before {ask.role}"]
            found.update(place for place, test in tests if test is None or test(facts))
        return self._stopping(sorted(found), f"before step {state.position.depth + 1}")

    def _stopping(self, matched: Iterable[int], where: str) -> list[Fired]:
        fired: list[Fired] = []
        for place in matched:
            breakpoint = self.breaks.breakpoints[place]
            if self._hits.add(breakpoint) > breakpoint.ignore:
                words = f"{label_of(breakpoint, place + 1)} {where}: {words_of(breakpoint)}"
                fired.append(Fired(breakpoint, words))
        return fired
