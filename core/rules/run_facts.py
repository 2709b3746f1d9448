"""The facts of a path that is being played: those of its last step, read off the fold that the play
keeps anyway. They are the ones that ``PathFacts`` finds; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ..model.marks import Score
from ..model.messages import Payload, TargetReply, ToolResult, UserMessage, parts_text
from ..model.project import Project
from ..model.steps import Step
from .step_fields import Facts
from .stepper import Ask
from .views import PathState

Tests = tuple[tuple[int, Callable[[Facts], bool] | None], ...]
"""The places of what may hold at a step of some shape, with their tests (None: it does)."""

TestsOfType = Mapping[type[Payload], tuple[Tests, Tests]]
"""By payload type, the tests for a step without and with calls."""


class RunFacts(Facts):
    """The last step of a path as breakpoints look at it. What it is told of each step is kept
    small: this is done at every step of every batch. Equal exchanges are counted only where a
    breakpoint asks for that.
    """

    __slots__ = (
        "_asked",
        "_counts_repeats",
        "_said",
        "_times",
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
        project: Project,
        path: Iterable[Step] = (),
        scores: Sequence[Score] = (),
        *,
        counts_repeats: bool = True,
    ) -> None:
        super().__init__(None, None, None)  # type: ignore[arg-type]  # all that it knows is its own
        self.project = project
        self.scores = tuple(scores)
        self.leaf_id: str | None = None
        self.repeated = 0
        self._counts_repeats = counts_repeats
        self._asked: UserMessage | None = None
        self._said = ("", "")
        self._times = 0
        for step in path:
            self.leaf_id = step.id
            if counts_repeats:
                self._count(step.payload)

    def look_at(self, step: Step, state: PathState, of_type: TestsOfType) -> list[int] | None:
        """The path goes on with this step, up to which ``state`` is its fold: the places of the
        tests that hold there, None for none.
        """
        # All in one: this is asked of every step of every batch, where each call weighs.
        self.leaf_id = step.id
        payload = step.payload
        kind = type(payload)
        tests, with_calls = of_type[kind]
        if tests is not with_calls and payload.tool_calls:  # type: ignore[union-attr]
            tests = with_calls
        if self._counts_repeats:
            self._count(payload)
        if not tests:
            return None
        self.step = step
        self.said = payload
        self._text = self._folded = self._result = None
        self.call = state.answered if kind is ToolResult else None
        position = state.position
        self.turn = position.turns or 1
        self.place = position.depth
        self.cost = state.cost
        self.tokens = state.tokens
        found = None
        for place, test in tests:
            if test is None or test(self):
                found = [*(found or ()), place]
        return found

    def before(self, ask: Ask, state: PathState, last: Step | None) -> Facts:
        """What is known before a role is asked at the end of the path."""
        said = None if last is None else last.payload
        return Facts(None, said, _Next(self, state, ask.turn_index), ask.call)

    def _count(self, payload: Payload) -> None:
        """Where a turn ends, hold its message and reply against those of the turn before."""
        self.repeated = 0
        if isinstance(payload, UserMessage):
            self._asked = payload
        elif isinstance(payload, TargetReply) and not payload.tool_calls:
            asked = "" if self._asked is None else parts_text(self._asked.parts)
            now = (asked, parts_text(payload.parts))
            self.repeated = self._times = self._times + 1 if now == self._said else 1
            self._said = now


class _Next:
    """The place behind the end of a path. What it cost is what it has cost so far."""

    __slots__ = ("cost", "place", "project", "repeated", "scores", "tokens", "turn")

    answered = None

    def __init__(self, facts: RunFacts, state: PathState, turn_index: int) -> None:
        self.project = facts.project
        self.scores = facts.scores
        self.repeated = facts.repeated
        self.cost = state.cost
        self.tokens = state.tokens
        self.place = state.position.depth + 1
        self.turn = turn_index + 1
