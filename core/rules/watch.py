"""A path that is being played, under the eyes of its breakpoints.

What they look at is read off the fold that the play keeps anyway. These are the facts that
``PathFacts`` finds at any step of a path; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model.marks import Score
from ..model.messages import Payload, TargetReply, ToolResult, UserMessage, parts_text
from ..model.project import Project
from ..model.steps import Step
from .breakpoints import BreakpointSet, label_of, words_of
from .hits import Fired, Hits
from .query.step_facts import Facts
from .stepper import Ask
from .views import PathState


class Watch(Facts):
    """The last step of the path, as breakpoints look at it. Hits are counted, and those that are
    not to be ignored stop the run.
    """

    __slots__ = (
        "_asked",
        "_asked_before",
        "_counts_repeats",
        "_hits",
        "_of_type",
        "_said_before",
        "_times",
        "breaks",
        "cost",
        "leaf_id",
        "place",
        "project",
        "repeated",
        "scores",
        "tokens",
        "turn",
    )

    project: Project
    turn: int
    place: int
    cost: float
    tokens: int
    repeated: int
    scores: tuple[Score, ...]

    def __init__(
        self,
        breaks: BreakpointSet,
        project: Project,
        hits: Hits,
        path: Iterable[Step] = (),
        scores: Sequence[Score] = (),
    ) -> None:
        super().__init__(None, None, None)  # type: ignore[arg-type]  # all that it knows is its own
        self.breaks = breaks
        self.project = project
        self.scores = tuple(scores)
        self.leaf_id: str | None = None
        self.repeated = 0
        self._hits = hits
        self._of_type = breaks.of_type
        self._counts_repeats = breaks.counts_repeats
        self._asked: UserMessage | None = None
        self._asked_before: UserMessage | None = None
        self._said_before = ""
        self._times = 0
        for step in path:
            self.leaf_id = step.id
            self._text = None
            self.said = step.payload
            self._count(step.payload)

    def after(self, step: Step, state: PathState) -> Sequence[Fired]:
        """The path goes on with this step, up to which ``state`` is its fold: who stops the run."""
        # All in one: this is asked of every step of every batch, where each call weighs.
        self.leaf_id = step.id
        payload = step.payload
        kind = type(payload)
        tests, with_calls = self._of_type[kind]
        if tests is not with_calls and payload.tool_calls:  # type: ignore[union-attr]
            tests = with_calls
        self.step = step
        self.said = payload
        self._text = self._folded = self._result = None
        if kind is UserMessage:
            self._asked = payload  # type: ignore[assignment]
            self.repeated = 0
        elif self._counts_repeats:
            self._count(payload)
        if not tests:
            return ()
        self.call = state.answered if kind is ToolResult else None
        position = state.position
        self.turn = position.turns or 1
        self.place = position.depth
        self.cost = state.cost
        self.tokens = state.tokens
        found: list[int] | None = None
        for place, test in tests:
            if test is None or test(self):
                found = [*(found or ()), place]
        return self._stopping(found, f"at step {position.depth}") if found else ()

    def before(self, asks: Iterable[Ask], state: PathState, last: Step | None) -> Sequence[Fired]:
        """Who stops the run before these are asked after ``last``, the end of the path."""
        found: set[int] = set()
        said = None if last is None else last.payload
        for ask in asks:
            facts = Facts(None, said, _Next(self, state, ask.turn_index), ask.call)
            tests = self.breaks.tests[f"before {ask.role}"]
            found.update(place for place, test in tests if test is None or test(facts))
        return self._stopping(sorted(found), f"before step {state.position.depth + 1}")

    def _count(self, payload: Payload) -> None:
        """Where a turn ends, hold its message and reply against those of the turn before."""
        if type(payload) is UserMessage:
            self._asked = payload
            self.repeated = 0
        elif type(payload) is TargetReply and not payload.tool_calls:
            said = self.text()
            again = said == self._said_before and _words(self._asked) == _words(self._asked_before)
            # Before the first exchange nothing was said, and an empty one counts from 1 as well.
            self.repeated = self._times = self._times + 1 if again else 1
            self._said_before = said
            self._asked_before = self._asked
        else:
            self.repeated = 0

    def _stopping(self, matched: Iterable[int], where: str) -> list[Fired]:
        fired: list[Fired] = []
        for place in matched:
            breakpoint = self.breaks.breakpoints[place]
            if self._hits.add(breakpoint) > breakpoint.ignore:
                words = f"{label_of(breakpoint, place + 1)} {where}: {words_of(breakpoint)}"
                fired.append(Fired(breakpoint, words))
        return fired


def _words(message: UserMessage | None) -> str:
    return "" if message is None else parts_text(message.parts)


class _Next:
    """The place behind the end of a path. What it cost is what it has cost so far."""

    __slots__ = ("cost", "place", "project", "repeated", "scores", "tokens", "turn")

    answered = None

    def __init__(self, watch: Watch, state: PathState, turn_index: int) -> None:
        self.project = watch.project
        self.scores = watch.scores
        self.repeated = watch.repeated
        self.cost = state.cost
        self.tokens = state.tokens
        self.place = state.position.depth + 1
        self.turn = turn_index + 1
