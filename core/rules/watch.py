"""A path that is being played, under the eyes of its breakpoints.

What they look at is read off the fold that the play keeps anyway. These are the facts that
``PathFacts`` finds at any step of a path; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model.marks import Score
from ..model.messages import Part, Payload, Stop, TargetReply, Text, payload_text
from ..model.project import Project
from ..model.steps import Step
from .breakpoints import BreakpointSet, label_of, searched_too_long, words_of
from .hits import Fired, Hits
from .query.compiling import SEARCHED
from .query.step_facts import Facts
from .stepper import Ask
from .views import PathState


class Watch(Facts):
    """The last step of the path, as breakpoints look at it. Hits are counted, and those that are
    not to be ignored stop the run.
    """

    __slots__ = (
        "_hits",
        "_last_said",
        "_plans",
        "_state",
        "breaks",
        "cost",
        "place",
        "project",
        "scores",
        "tokens",
        "turn",
    )

    project: Project
    turn: int
    place: int
    cost: float
    tokens: int
    scores: tuple[Score, ...]

    def __init__(
        self,
        breaks: BreakpointSet,
        project: Project,
        hits: Hits,
        scores: Sequence[Score] = (),
        *,
        at_start: bool = True,
    ) -> None:
        super().__init__(None, None, None)  # type: ignore[arg-type]  # all that it knows is its own
        self.breaks = breaks
        self.project = project
        self.scores = tuple(scores)
        self._hits = hits
        self._plans = breaks.after
        self._last_said = "" if at_start else None
        """What the last reply that ended a turn said; None where that was not looked at."""

    def after(self, step: Step, state: PathState) -> Sequence[Fired]:
        """The path goes on with this step, up to which ``state`` is its fold: who stops the run."""
        # All in one, and in plain loops: this is asked of every step of every batch, where each
        # call weighs, and a comprehension is one.
        payload = step.payload
        kind = type(payload)
        plan, with_calls = self._plans[kind]
        if plan is not with_calls and payload.tool_calls:  # type: ignore[union-attr]
            plan = with_calls
        if plan is None:
            return ()
        contains, matches, tests, all_tests, depth, turn, place, cost, tokens, on_repeat = plan
        found: list[int] | None = None
        text = folded = None
        again = False
        if contains or matches or on_repeat:
            parts: tuple[Part, ...] = () if kind is Stop else payload.parts  # type: ignore[union-attr]
            one = parts[0] if len(parts) == 1 else None
            text = one.text if type(one) is Text else payload_text(payload)
            if on_repeat:
                again = text == self._last_said or self._last_said is None
                self._last_said = text
            if contains:
                folded = text.casefold()
                for at, wanted in contains:
                    if wanted in folded:
                        found = [*(found or ()), at]
            for at, search in matches:
                if search(text, 0, SEARCHED):
                    found = [*(found or ()), at]
        here = state.position.depth
        if all_tests is not tests and (
            again
            or (here >= depth and (state.position.turns >= turn or here >= place))
            or state.cost >= cost
            or state.tokens >= tokens
        ):
            tests = all_tests
        if tests:
            self._look_at(step, state, text, folded)
            for at, test in tests:
                if test is None or test(self):
                    found = [*(found or ()), at]
        return self._stopping(sorted(found), f"at step {here}") if found else ()

    def _look_at(self, step: Step, state: PathState, text: str | None, folded: str | None) -> None:
        self.step = step
        self.said = step.payload
        self.call = state.answered if step.role == "tool" else None
        self.turn = state.position.turns or 1
        self.place = state.position.depth
        self.cost = state.cost
        self.tokens = state.tokens
        self._state = state
        self._text = text
        self._folded = folded
        self._result = None

    @property
    def repeated(self) -> int:
        """How often the exchange that ends here came in a row; 0 where none ends."""
        return _repeated(self.said, self._state)

    def before(self, asks: Iterable[Ask], state: PathState, last: Step | None) -> Sequence[Fired]:
        """Who stops the run before these are asked after ``last``, the end of the path."""
        found: set[int] = set()
        said = None if last is None else last.payload
        for ask in asks:
            plan = self.breaks.before[ask.role]
            if plan is not None:
                facts = Facts(None, said, _Next(self, state, ask.turn_index, said), ask.call)
                found.update(at for at, test in plan.all if test is None or test(facts))
        return self._stopping(sorted(found), f"before step {state.position.depth + 1}")

    def _stopping(self, matched: Iterable[int], where: str) -> list[Fired]:
        fired: list[Fired] = []
        for place in matched:
            breakpoint = self.breaks.breakpoints[place]
            if self._hits.add(breakpoint) > breakpoint.ignore:
                words = f"{label_of(breakpoint, place + 1)} {where}: {words_of(breakpoint)}"
                if searched_too_long(breakpoint):
                    words += " (a regular expression of it takes too long for this text)"
                fired.append(Fired(breakpoint, words))
        return fired


class _Next:
    """The place behind the end of a path. What it cost is what it has cost so far."""

    __slots__ = ("_said", "_state", "cost", "place", "project", "scores", "tokens", "turn")

    answered = None

    def __init__(
        self, watch: Watch, state: PathState, turn_index: int, said: Payload | None
    ) -> None:
        self.project = watch.project
        self.scores = watch.scores
        self.cost = state.cost
        self.tokens = state.tokens
        self.place = state.position.depth + 1
        self.turn = turn_index + 1
        self._said = said
        self._state = state

    @property
    def repeated(self) -> int:
        """How often the exchange that was just said came in a row."""
        return _repeated(self._said, self._state)


def _repeated(said: Payload | None, state: PathState) -> int:
    """How often the exchange that ends with what was said, at the end of the path, came in a row; 0
    where none ends.
    """
    ends = isinstance(said, TargetReply) and not said.tool_calls
    return state.repeats_here() if ends else 0
