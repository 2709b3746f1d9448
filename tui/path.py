"""One branch of the rollout, laid out for showing: turns, bands, running totals.

Appending a step costs the same for a path of any length; everything is asked by index.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from rollstep.core.model.messages import Stop, TargetReply, ToolCall, ToolResult, UserMessage
from rollstep.core.model.steps import Step
from rollstep.core.rules.limits import in_dollars
from rollstep.core.rules.stepper import START, Position, advance_anyway

from .flags import Flags

BAND_STEPS = 24
"""A turn of more steps is cut into bands of so many, so that measuring one costs little."""


class Band:
    """A horizontal slice of the panes: steps ``first`` to before ``end`` of one turn.

    ``kind`` is ``turn`` (a rule above it), ``more`` (a long turn goes on) or ``stop``.
    """

    __slots__ = ("end", "first", "kind", "turn")

    def __init__(self, kind: str, turn: int, first: int, end: int) -> None:
        self.kind = kind
        self.turn = turn
        self.first = first
        self.end = end


class Path:
    """The steps from the root to a leaf, by index from 0."""

    def __init__(
        self, steps: Iterable[Step] = (), is_edit: Callable[[Step], bool] | None = None
    ) -> None:
        self._is_edit = is_edit or (lambda step: step.origin == "human")
        self.steps: list[Step] = []
        self.at: dict[str, int] = {}
        self.turn: list[int] = []
        self.bands: list[Band] = []
        self.band_starts: list[int] = []
        self.turn_starts: list[int] = []
        self.tokens: list[int] = [0]
        self.cost: list[float] = [0.0]
        self.estimated: list[int] = [0]
        """Calls whose tokens nobody counted, up to each step."""
        self.unpriced: list[int] = [0]
        """Calls whose price nobody knows."""
        self.edits = 0
        self.flags = Flags()
        self._calls: dict[str, ToolCall] = {}
        self.call: dict[int, ToolCall] = {}
        self._positions: dict[int, Position] = {-1: START}
        self._tail_band = False
        self._tail = 0
        self._messages = 0
        for step in steps:
            self.append(step)

    def __len__(self) -> int:
        return len(self.steps)

    def append(self, step: Step) -> None:
        """One more step at the end."""
        if self._tail:
            self.set_tail(0)
        index = len(self.steps)
        self.steps.append(step)
        self.at[step.id] = index
        payload = step.payload
        self._place(index, payload)
        self._count(index, step)
        if isinstance(payload, TargetReply):
            for call in payload.tool_calls:
                self._calls[call.id] = call
        elif isinstance(payload, ToolResult) and payload.call_id in self._calls:
            self.call[index] = self._calls[payload.call_id]

    def _place(self, index: int, payload: object) -> None:
        turn = len(self.turn_starts)
        begins = isinstance(payload, UserMessage) and self._messages > 0
        self._messages += isinstance(payload, UserMessage)
        if isinstance(payload, Stop):
            self._open_band("stop", turn, index)
        elif begins or not turn:  # what stands before the first message belongs to its turn
            turn += 1
            self.turn_starts.append(index)
            self._open_band("turn", turn, index)
        elif (band := self.bands[-1]).kind == "stop" or band.end - band.first >= BAND_STEPS:
            self._open_band("more", turn, index)
        self.bands[-1].end = index + 1
        self.turn.append(turn)

    def _open_band(self, kind: str, turn: int, index: int) -> None:
        self.bands.append(Band(kind, turn, index, index + 1))
        self.band_starts.append(index)

    def set_tail(self, count: int, *, new_turn: bool = False) -> None:
        """Make room for ``count`` things after the last step (a failure, an answer on its way);
        they stand in the last band, or in a new turn.
        """
        if self._tail_band:
            self.bands.pop()
            self.band_starts.pop()
            self._tail_band = False
        elif self.bands:
            self.bands[-1].end = len(self.steps)
        self._tail = count
        if not count:
            return
        new_turn = new_turn and self._messages > 0
        if new_turn or not self.bands or self.bands[-1].kind == "stop":
            self._open_band("turn", self.turns + 1, len(self.steps))
            self._tail_band = True
        self.bands[-1].end = len(self.steps) + count

    def _count(self, index: int, step: Step) -> None:
        tokens, cost, call = self.tokens[-1], self.cost[-1], step.call
        estimated, unpriced = self.estimated[-1], self.unpriced[-1]
        if call is not None and step.copied_from is None:
            tokens += call.usage.tokens
            cost += call.cost or 0.0
            estimated += call.usage.estimated
            unpriced += call.cost is None and tokens > self.tokens[-1]
        self.estimated.append(estimated)
        self.unpriced.append(unpriced)
        self.tokens.append(tokens)
        self.cost.append(cost)
        self.edits += step.origin == "human" and self._is_edit(step)
        self.flags.see(index, step)

    def about(self, index: int) -> str:
        """``~`` where tokens up to this step are estimates."""
        return "~" if self.estimated[index + 1] else ""

    def money(self, index: int) -> str:
        """Dollars up to this step: ``~`` before an estimate, ``?`` for what nobody knows."""
        cost, unknown = self.cost[index + 1], self.unpriced[index + 1]
        if unknown and not cost:
            return "$?"
        return f"{self.about(index)}{in_dollars(cost)}{'+?' if unknown else ''}"

    def replace(self, index: int, step: Step) -> None:
        """The same step with its final number."""
        self.steps[index] = step

    def band_of(self, index: int) -> int:
        """Which band holds this step."""
        return max(bisect_right(self.band_starts, index) - 1, 0)

    def position(self, index: int) -> Position:
        """The stepper's position after step ``index`` (-1: at the start), remembered."""
        known = self._positions
        start = index
        while start not in known and not isinstance(self.steps[start].payload, UserMessage):
            start -= 1
        if start not in known:
            # A message begins a turn afresh: of what came before, only two numbers matter.
            before = Position(depth=start, turns=self.turn[start] - 1, due="evaluator")
            known[start] = advance_anyway(before, self.steps[start].payload)
        position = known[start]
        for at in range(start + 1, index + 1):
            position = known[at] = advance_anyway(position, self.steps[at].payload)
        return position

    @property
    def flagged(self) -> dict[int, tuple[str, ...]]:
        """The steps that have flags which nobody has silenced, with the words of these."""
        return self.flags.heard

    @property
    def stop(self) -> Stop | None:
        """The stop that ends the path."""
        last = self.steps[-1].payload if self.steps else None
        return last if isinstance(last, Stop) else None

    @property
    def turns(self) -> int:
        """How many turns the path has."""
        return len(self.turn_starts)
