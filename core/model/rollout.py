"""A rollout is an append-only tree of frozen steps; everything else follows from a path in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from .messages import Stop, TargetReply, ToolCall, ToolResult, UserMessage
from .project import Project
from .steps import Step


class RolloutHeader(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a rollout besides its steps. ``source`` names the file (or sample) it came
    from and ``record`` the row in it, counted from 0. For an import ``format`` is the format that
    it was read as, and ``extra`` what its record held that nothing here does: a JSON object.
    """

    id: str
    title: str
    created_at: float = 0.0
    seed: int = 0
    source: str = ""
    record: int | None = None
    format: str = ""
    extra: str = ""


class Branch(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named leaf. A hidden one is kept and can be shown again."""

    leaf_id: str
    name: str = ""
    hidden: bool = False


class Turn(msgspec.Struct, frozen=True):
    """An evaluator message and what followed it. ``index`` counts from 0; ``complete`` when its
    last step is a target reply that calls no tool. Steps before the first evaluator message of an
    import belong to the first turn.
    """

    index: int
    steps: tuple[Step, ...]
    complete: bool


class Trajectory(msgspec.Struct, frozen=True):
    """One path from the root; what is exported."""

    steps: tuple[Step, ...]

    def turns(self) -> tuple[Turn, ...]:
        """The path cut at its evaluator messages; a stop belongs to no turn."""
        groups: list[list[Step]] = []
        spoken = False
        for step in self.steps:
            if isinstance(step.payload, Stop):
                continue
            message = isinstance(step.payload, UserMessage)
            if not groups or (message and spoken):
                groups.append([])
            spoken = spoken or message
            groups[-1].append(step)
        return tuple(
            Turn(index, tuple(group), _closes_turn(group[-1])) for index, group in enumerate(groups)
        )

    def open_calls(self) -> tuple[ToolCall, ...]:
        """Calls of the last target reply that no result in the path answers yet, in call order."""
        answered: list[str] = []
        for step in reversed(self.steps):
            if isinstance(step.payload, ToolResult):
                answered.append(step.payload.call_id)
            elif isinstance(step.payload, TargetReply):
                return tuple(c for c in step.payload.tool_calls if c.id not in answered)
            else:
                break
        return ()

    @property
    def stop(self) -> Stop | None:
        """The stop that ends the path, if it has ended."""
        last = self.steps[-1].payload if self.steps else None
        return last if isinstance(last, Stop) else None


def _closes_turn(step: Step) -> bool:
    return isinstance(step.payload, TargetReply) and not step.payload.tool_calls


class Rollout:
    """The tree. It only grows: ``add`` and ``add_all`` are the ways in.

    Steps taken back by undo are still here; they are ``hidden`` and the walks below pass over them.
    """

    def __init__(self, header: RolloutHeader, projects: Iterable[Project]) -> None:
        self.header = header
        self.projects: list[Project] = list(projects)
        self.steps: dict[str, Step] = {}
        self.hidden: set[str] = set()
        self._children: dict[str | None, str | list[str]] = {}
        """The only child stands there by itself: of thousands of steps, nearly each has just one.
        """
        self._leaves: dict[str, None] | None = None
        self._leaves_hidden: frozenset[str] = frozenset()
        self._originals: dict[str, str] = {}
        """What was found, so that each step of a long row of copies is walked once."""
        self._sought: set[str] = set()
        """The steps that were missing where that ended."""

    @property
    def project(self) -> Project:
        """The newest revision of the project."""
        return self.projects[-1]

    def project_of(self, step: Step) -> Project:
        """The revision that the step was made from; the newest where that one is not here."""
        return self.projects[min(step.revision, len(self.projects) - 1)]

    def original(self, step: Step) -> Step:
        """The step that this one was copied from, however often, as far back as that is here; the
        step itself where it is no copy.
        """
        known, walked, root = self._originals, [], step
        while root.id not in known:
            walked.append(root.id)
            known[root.id] = root.id  # a file that somebody else made may name steps in a circle
            before = self.steps.get(root.copied_from or "")
            if before is None:
                if root.copied_from is not None:
                    self._sought.add(root.copied_from)
                break
            root = before
        found = known[root.id]
        known.update(dict.fromkeys(walked, found))
        return step if found == step.id else self.steps[found]

    def add(self, step: Step) -> None:
        """Put a step into the tree. Its parent must be there already; its id must be new."""
        if step.id in self.steps:
            raise ValueError(f"step {step.id} is in the rollout already")
        if step.parent_id is not None and step.parent_id not in self.steps:
            raise ValueError(f"step {step.id} follows {step.parent_id}, which is not here")
        self.steps[step.id] = step
        if step.id in self._sought:
            self._forget_originals()
        self._put_under(step)
        if self._leaves is not None and step.id not in self.hidden:
            if step.parent_id is not None:
                self._leaves.pop(step.parent_id, None)
            self._leaves[step.id] = None

    def add_all(self, steps: Iterable[Step]) -> None:
        """Put many steps into the tree, each after its parent; quicker than one at a time."""
        known = self.steps
        children = self._children
        self._leaves = None
        self._forget_originals()
        for step in steps:
            step_id, parent_id = step.id, step.parent_id
            if step_id in known or (parent_id is not None and parent_id not in known):
                self.add(step)  # which says what is wrong
            known[step_id] = step
            if parent_id in children:
                self._put_under(step)
            else:
                children[parent_id] = step_id

    def _forget_originals(self) -> None:
        self._originals.clear()
        self._sought.clear()

    def _put_under(self, step: Step) -> None:
        """Put a step under its parent, after the siblings that are there."""
        siblings = self._children.get(step.parent_id)
        if siblings is None:
            self._children[step.parent_id] = step.id
            return
        if isinstance(siblings, str):
            siblings = self._children[step.parent_id] = [siblings]
        siblings.append(step.id)
        if step.take:
            self._into_order(siblings, step)

    def _into_order(self, siblings: list[str], step: Step) -> None:
        """Takes that were asked for at once come in any order, and stand in their own."""
        place = len(siblings) - 1
        while place and self.steps[siblings[place - 1]].take > step.take:
            place -= 1
        siblings.insert(place, siblings.pop())

    def set_seq(self, step_id: str, seq: int) -> None:
        """Give a step the number that the library gave it on saving."""
        step = self.steps[step_id]
        if step.seq != seq:
            self.steps[step_id] = msgspec.structs.replace(step, seq=seq)

    def seqs_without_gap(self) -> int:
        """The highest number up to which every saved step is here."""
        seqs = {step.seq for step in self.steps.values()}
        return next((seq for seq in range(1, len(seqs) + 1) if seq not in seqs), len(seqs) + 1) - 1

    def children(self, step_id: str | None) -> list[str]:
        """Ids of the visible steps that follow, oldest first (takes in their order); None asks for
        the roots.
        """
        ids = self._children.get(step_id, [])
        if isinstance(ids, str):
            ids = [ids]
        return [i for i in ids if i not in self.hidden] if self.hidden else list(ids)

    def takes(self, step_id: str) -> list[str]:
        """The visible alternatives at this step's place, itself among them, oldest first."""
        return self.children(self.steps[step_id].parent_id)

    def path(self, leaf_id: str | None) -> tuple[Step, ...]:
        """The steps from the root to ``leaf_id``; empty for None."""
        steps: list[Step] = []
        current = leaf_id
        while current is not None:
            step = self.steps[current]
            steps.append(step)
            current = step.parent_id
        steps.reverse()
        return tuple(steps)

    def trajectory(self, leaf_id: str | None) -> Trajectory:
        """The trajectory that ends at ``leaf_id``."""
        return Trajectory(self.path(leaf_id))

    def newest_leaf(self, step_id: str | None) -> str | None:
        """The leaf reached from here by taking the newest visible child each time."""
        current = step_id
        while children := self.children(current):
            current = children[-1]
        return current

    def leaves(self) -> list[str]:
        """Ids of all visible leaves, in the order in which they were made."""
        # The screen asks at every key, and a look at each of 10,000 steps takes longer than the
        # whole repaint.
        if self._leaves is None or self._leaves_hidden != self.hidden:
            found = (i for i in self.steps if i not in self._children)
            if self.hidden:
                found = (i for i in self.steps if i not in self.hidden and not self.children(i))
            self._leaves = dict.fromkeys(found)
            self._leaves_hidden = frozenset(self.hidden)
        return list(self._leaves)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps.values())

    def __len__(self) -> int:
        return len(self.steps)
