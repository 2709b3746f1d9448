"""The facts of a path that is being played: those of its last step, carried along from step to step
at next to no cost. They are the ones that ``PathFacts`` finds; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model.marks import Score
from ..model.messages import TargetReply, ToolCall, ToolResult, UserMessage, parts_text
from ..model.project import Project
from ..model.steps import Step
from .path_facts import NONE_ANSWERED, fold_answered
from .step_fields import Facts
from .stepper import Ask


class RunFacts(Facts):
    """The last step of a path as breakpoints look at it; it is its own ``Where``. Calls are paired
    with results, and repeated exchanges counted, only where a breakpoint asks for them.
    """

    __slots__ = (
        "_answers",
        "_asked",
        "_counts_repeats",
        "_messages",
        "_pairs_calls",
        "_said",
        "_times",
        "cost",
        "place",
        "project",
        "scores",
        "tokens",
        "turn",
    )

    def __init__(
        self,
        project: Project,
        path: Iterable[Step] = (),
        scores: Sequence[Score] = (),
        *,
        pairs_calls: bool = True,
        counts_repeats: bool = True,
    ) -> None:
        super().__init__(None, None, self)
        self.project = project
        self.scores = tuple(scores)
        self.turn = 1
        self.place = 0
        self.cost = 0.0
        self.tokens = 0
        self._messages = 0
        self._pairs_calls = pairs_calls
        self._counts_repeats = counts_repeats
        self._answers = NONE_ANSWERED
        self._asked: UserMessage | None = None
        self._said = ("", "")
        self._times = 0
        for step in path:
            self.take(step)

    @property
    def leaf_id(self) -> str | None:
        """The last step of the path; None before the first."""
        return self.step.id if self.place else None

    def take(self, step: Step) -> None:
        """The path goes on with this step."""
        payload = step.payload
        self.step = step
        self.said = payload
        self.call = self._text = self._folded = self._result = self._args_of = None
        self.place += 1
        kind = type(payload)
        if kind is UserMessage:
            self._asked = payload  # type: ignore[assignment]
            self._messages += 1
            self.turn = self._messages
        elif self._counts_repeats and kind is TargetReply and not payload.tool_calls:  # type: ignore[union-attr]
            self._count_repeats()
        if step.call is not None:
            usage = step.call.usage
            self.cost += step.call.cost or 0.0
            self.tokens += usage.prompt_tokens + usage.completion_tokens
        if self._pairs_calls:
            is_result = kind is ToolResult
            if is_result or self._answers[1] or getattr(payload, "tool_calls", ()):
                self._answers = fold_answered(self._answers, step)
                if is_result:
                    self.call = self._answers[0]

    def _count_repeats(self) -> None:
        """A turn ended: hold its message and reply against those of the turn before."""
        asked = self._asked
        now = ("" if asked is None else parts_text(asked.parts), self.text())
        self._times = self._times + 1 if now == self._said else 1
        self._said = now

    @property
    def repeated(self) -> int:
        """How often the exchange that ends here came in a row; 0 where none ends."""
        said = self.said
        ends = isinstance(said, TargetReply) and not said.tool_calls
        return self._times if ends else 0

    @property
    def answered(self) -> ToolCall | None:
        """The call that the result here answers."""
        return self._answers[0]

    def before(self, ask: Ask) -> Facts:
        """What is known before a role is asked at the end of the path."""
        return Facts(None, self.said, _Next(self, ask.turn_index), ask.call)


class _Next:
    """The place behind the end of a path. What it cost is what it has cost so far."""

    __slots__ = ("_path", "cost", "place", "project", "scores", "tokens", "turn")

    answered = None

    def __init__(self, path: RunFacts, turn_index: int) -> None:
        self._path = path
        self.project = path.project
        self.scores = path.scores
        self.cost = path.cost
        self.tokens = path.tokens
        self.place = path.place + 1
        self.turn = turn_index + 1

    @property
    def repeated(self) -> int:
        """How often the exchange that was just said came in a row."""
        return self._path.repeated
