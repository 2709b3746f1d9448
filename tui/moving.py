"""Moving the cursor through a rollout: free, and changes nothing else. Imports no Textual."""

from __future__ import annotations

from typing import NamedTuple

from rollstep.core.model.rollout import Rollout
from rollstep.core.model.steps import ROLES, Step

from .path import Path


class TakeMove(NamedTuple):
    """Whether another take is shown now, and which, or why not."""

    moved: bool
    words: str


class Moving:
    """The cursor of a debugger's model, and the ways to move it."""

    rollout: Rollout
    path: Path
    cursor: int
    _jumps: list[str | None]
    _shown_next: dict[str | None, str]
    """Which step was shown last after each: the way back to a branch that was left."""

    @property
    def step(self) -> Step | None:
        """The step under the cursor; None before the first."""
        return self.path.steps[self.cursor] if 0 <= self.cursor < len(self.path) else None

    @property
    def step_id(self) -> str | None:
        """Its id."""
        step = self.step
        return step.id if step else None

    def takes(self, index: int) -> int:
        """How many alternatives there are at this place, itself among them."""
        return len(self.rollout.takes(self.path.steps[index].id))

    def place_with_takes(self) -> int:
        """The cursor's place or, where it has no other take, the nearest before it that has; -1
        where none has.
        """
        index = self.cursor
        while index >= 0 and self.takes(index) < 2:
            index -= 1
        return index

    def lane_of(self, item: int, wide: bool = False) -> int:
        """The lane of an item, as it is laid out or (``wide``) in three panes."""
        raise NotImplementedError

    def _show(self, leaf: str | None, cursor_on: str | None) -> None:
        raise NotImplementedError

    def move(self, delta: int) -> bool:
        """The cursor ``delta`` steps on; whether it moved."""
        lowest = -1 if not self.path.steps else 0
        target = min(max(self.cursor + delta, lowest), len(self.path) - 1)
        moved = target != self.cursor
        self.cursor = target
        return moved

    def jump(self, index: int) -> bool:
        """The cursor to ``index``, remembering where it was for ``back``."""
        self._remember()
        return self.move(index - self.cursor)

    def _remember(self) -> None:
        self._jumps.append(self.step_id)
        del self._jumps[:-50]

    def back(self) -> bool:
        """The cursor to where it was before the last jump."""
        while self._jumps:
            where = self._jumps.pop()
            if where is None or where in self.rollout.steps:
                here = self.step_id
                self.go_to(where)
                self._jumps = [*self._jumps, here]
                return True
        return False

    def go_to(self, step_id: str | None) -> None:
        """The cursor to a step, on whatever branch it is."""
        if step_id is None:
            self.cursor = 0 if self.path.steps else -1
        elif step_id in self.path.at:
            self.cursor = self.path.at[step_id]
        else:
            self._show(self.leaf_from(step_id), cursor_on=step_id)

    def leaf_from(self, step_id: str | None) -> str | None:
        """The end of the branch through a step: of the one that was shown last, else of the
        newest.
        """
        current = step_id
        while children := self.rollout.children(current):
            shown = self._shown_next.get(current)
            current = shown if shown in children else children[-1]
        return current

    def move_lane(self, delta: int) -> bool:
        """The cursor to the nearest step in the next lane that has one near."""
        step = self.step
        if step is None:
            return False
        lane = ROLES.index(step.role) + delta
        while 0 <= lane < len(ROLES):
            for distance in range(1, 40):
                for index in (self.cursor - distance, self.cursor + distance):
                    if 0 <= index < len(self.path) and self.lane_of(index, wide=True) == lane:
                        self.cursor = index
                        return True
            lane += delta
        return False

    def move_turn(self, delta: int) -> bool:
        """The cursor to the first step of the turn before or after."""
        if not self.path.turn_starts or self.cursor < 0:
            return False
        turn = self.path.turn[self.cursor] - 1
        if delta < 0 and self.cursor > self.path.turn_starts[turn]:
            return self.move(self.path.turn_starts[turn] - self.cursor)
        turn += delta
        if turn >= len(self.path.turn_starts):
            return self.move(len(self.path))
        return self.move(self.path.turn_starts[max(turn, 0)] - self.cursor)

    def move_flag(self, delta: int) -> bool:
        """The cursor to the nearest flagged step before or after it."""
        flagged = self.path.flagged
        found = (
            min((index for index in flagged if index > self.cursor), default=None)
            if delta > 0
            else max((index for index in flagged if index < self.cursor), default=None)
        )
        return found is not None and self.jump(found)

    def show_take(self, step_id: str) -> None:
        """Show the branch through a take, with the cursor on it, remembering where it was."""
        self._remember()
        self._show(self.leaf_from(step_id), cursor_on=step_id)

    def next_take(self, delta: int) -> TakeMove:
        """Show the branch through the next take at ``place_with_takes``."""
        index = self.place_with_takes()
        if index < 0:
            return TakeMove(False, "Neither this step nor one before it has another take.")
        step_id = self.path.steps[index].id
        takes = self.rollout.takes(step_id)
        place = takes.index(step_id) + delta if step_id in takes else -1
        if not 0 <= place < len(takes):
            side = "before" if delta < 0 else "after"
            here = f"take {place - delta + 1} of {len(takes)} of step {index + 1}"
            return TakeMove(False, f"No take {side} this: {here}.")
        self.show_take(takes[place])
        return TakeMove(True, f"take {place + 1} of {len(takes)} of step {index + 1}")
