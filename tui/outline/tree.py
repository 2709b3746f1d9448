"""The whole rollout as a tree of segments: runs of steps between forks, with what is worth going to
listed under each. Pure, and without recursion: a chain of 10,000 forks is as deep as it is long.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from rollstep.core.model.messages import Stop, UserMessage
from rollstep.core.model.steps import Attempt, Step
from rollstep.core.rules.lint.alone import cheap
from rollstep.core.rules.lint.findings import Finding

from ..presenter import DebuggerModel

ItemKind = Literal["draft", "edit", "flag", "failure", "break"]
MOST_FLAGS = MOST_BREAKS = 100
"""Flagged steps (and those where breakpoints hold) of a segment that are listed; all are counted.
"""


class Item(NamedTuple):
    """Something worth going to: what it is, at which step (None: before the first), and, for a
    flag, a failure, a draft or a breakpoint, what is to be said of it.
    """

    kind: ItemKind
    step_id: str | None
    place: int
    words: str = ""


class Counts:
    """How many drafts, edits, copies, flags and breakpoints there are in a segment."""

    __slots__ = ("breaks", "copies", "drafts", "edits", "flags")

    def __init__(self) -> None:
        self.drafts = self.edits = self.copies = self.flags = self.breaks = 0

    def marks(self) -> str:
        """The counts by their marks: ``*2 ~1 !4``."""
        pairs = zip(
            "…*~!#", (self.drafts, self.edits, self.copies, self.flags, self.breaks), strict=True
        )
        return " ".join(f"{mark}{count:,}" for mark, count in pairs if count)


class Segment:
    """A run of steps without a fork. The one at index 0 stands before the first step and has none.

    ``start`` is the place of its first step, from 0; ``turns`` are its first and last turn, from 1
    (0: none); ``size`` and ``leaves`` count its steps and those after it, and its branches.
    """

    __slots__ = (
        *("children", "counts", "hidden", "index", "items", "leaves", "messages", "parent"),
        *("size", "start", "steps", "stop", "turns"),
    )

    def __init__(self, index: int, parent: int, start: int, turn: int) -> None:
        self.index = index
        self.parent = parent
        self.start = start
        self.steps: list[Step] = []
        self.turns = (turn, turn)
        self.messages = 0
        """Evaluator messages up to its end: the turns that have begun."""
        self.stop: Stop | None = None
        self.children: list[int] = []
        self.size = 0
        self.leaves = 0
        self.hidden = False
        self.counts = Counts()
        self.items: list[Item] = []

    @property
    def length(self) -> int:
        """How many steps it has."""
        return len(self.steps)

    @property
    def first(self) -> str | None:
        """The id of its first step."""
        return self.steps[0].id if self.steps else None

    @property
    def last(self) -> str | None:
        """The id of its last step."""
        return self.steps[-1].id if self.steps else None


class TreeRow(NamedTuple):
    """One row: a segment, or (``item`` from 0) one of its items. ``side`` rows begin a branch to
    the side of the one that goes on below them.
    """

    segment: int
    item: int
    depth: int
    side: bool


class OutlineTree:
    """The tree of what a model holds now; ``drafts`` are the texts not saved, by their slots.
    ``findings`` remembers what was found in steps that are not shown, for the next tree.
    """

    def __init__(
        self,
        model: DebuggerModel,
        drafts: Mapping[str, str],
        findings: dict[str, tuple[Finding, ...]] | None = None,
    ) -> None:
        self.segments: list[Segment] = [Segment(0, -1, 0, 0)]
        self.of: dict[str | None, int] = {None: 0}
        """The segment of each step."""
        self._model = model
        self._branch = {branch.leaf_id: branch for branch in model.branches}
        self._drafts = _by_step(drafts)
        self._findings = {} if findings is None else findings
        self._silenced = {(each.step_id, each.rule) for each in model.silences}
        self._flagged = {model.path.steps[i].id: words for i, words in model.path.flagged.items()}
        self._unflagged: list[int] = []
        """Segments of branches that are not shown, to be looked at for flags."""
        self._broken = 0 if model.breakpoints else len(model.path)
        """Steps of the path that were looked at for breakpoints."""
        self._special = self._flagged.keys() | self._drafts.keys() | model.attempts.keys()
        self._collect_items(self.segments[0], None, 0)
        self._build()
        self._sum_up()
        self._order()

    @property
    def root_shown(self) -> bool:
        """Whether the place before the first step has a row of its own."""
        root = self.segments[0]
        return bool(root.items) or len(root.children) != 1

    @property
    def row_count(self) -> int:
        """How many rows there are when nothing is folded."""
        return len(self.segments) + sum(len(segment.items) for segment in self.segments)

    @property
    def hidden(self) -> int:
        """How many branches are hidden."""
        return sum(not each.children and each.hidden for each in self.segments)

    def rows(self, folded: set[str | None], *, show_hidden: bool) -> list[TreeRow]:
        """The rows from the top; ``folded`` segments, by their first step, are one row each."""
        rows: list[TreeRow] = []
        stack = [(0, 0, False)]
        while stack:
            index, depth, side = stack.pop()
            segment = self.segments[index]
            if index or self.root_shown:
                rows.append(TreeRow(index, -1, depth, side))
                if segment.first in folded:
                    continue
                rows += [TreeRow(index, i, depth, False) for i in range(len(segment.items))]
            children = segment.children
            if not show_hidden:
                children = [i for i in children if not self.segments[i].hidden]
            # The last one goes on at the same depth, below its sisters to the side.
            for place in range(len(children) - 1, -1, -1):
                spine = place == len(children) - 1
                stack.append((children[place], depth if spine else depth + 1, not spine))
        return rows

    @property
    def looked_at_all(self) -> bool:
        """Whether every step was looked at for flags and breakpoints."""
        return not self._unflagged and self._broken >= len(self._model.path)

    def look_on(self, most: int) -> bool:
        """Look for flags in about so many steps of the branches that are not shown, or for
        breakpoints that hold in as many of the one that is; whether any were found. In a large
        rollout this takes time, and is done when the screen is painted.
        """
        found, looked = False, 0
        while self._unflagged and looked < most:
            segment = self.segments[self._unflagged.pop()]
            looked += segment.length
            found = self._look_for_flags(segment) or found
        return self._look_for_breaks(most - looked) or found

    def _look_for_flags(self, segment: Segment) -> bool:
        shown, before = self._model.path.at, segment.counts.flags
        for place, step in enumerate(segment.steps, segment.start):
            if step.id in shown:
                continue
            flags = self._findings.get(step.id)
            if flags is None:
                flags = self._findings[step.id] = cheap(step)
            words = [f.words for f in flags if (f.step_id, f.rule) not in self._silenced]
            if words:
                self._flag(segment, step, place, words)
        if segment.counts.flags == before:
            return False
        segment.items.sort(key=_place)
        return True

    def _look_for_breaks(self, most: int) -> bool:
        model, found = self._model, False
        end = min(self._broken + max(most, 0), len(model.path))
        for place in range(self._broken, end):
            if not (held := model.breaks_at(place)):
                continue
            step, found = model.path.steps[place], True
            segment = self.segments[self.of[step.id]]
            segment.counts.breaks += 1
            if segment.counts.breaks <= MOST_BREAKS:
                words = "; ".join(_break_words(model, number) for number in held)
                insort(segment.items, Item("break", step.id, place, words), key=_place)
        self._broken = end
        return found

    # building

    def _build(self) -> None:
        rollout = self._model.rollout
        stack = [(step_id, 0) for step_id in reversed(rollout.children(None))]
        while stack:
            step_id, parent = stack.pop()
            before = self.segments[parent]
            place = before.start + before.length
            segment = Segment(len(self.segments), parent, place, before.turns[1])
            segment.messages = before.messages
            self.segments.append(segment)
            before.children.append(segment.index)
            self._run(segment, rollout.steps[step_id])
            ends = rollout.children(segment.last)
            stack += [(i, segment.index) for i in reversed(ends)]

    def _run(self, segment: Segment, step: Step) -> None:
        """Take in steps up to the next fork, or the end."""
        rollout, turn, first_turn = self._model.rollout, segment.turns[1], 0
        messages = segment.messages
        index, of, steps = segment.index, self.of, segment.steps
        while True:
            payload = step.payload
            messages += isinstance(payload, UserMessage)
            if not isinstance(payload, Stop):
                turn = messages or 1
                first_turn = first_turn or turn
            step_id = step.id
            of[step_id] = index
            if step.origin == "human" or step.copied_from is not None or step_id in self._special:
                self._collect(segment, step)
            steps.append(step)
            children = rollout.children(step_id)
            if len(children) != 1:
                break
            step = rollout.steps[children[0]]
        segment.turns, segment.messages = (first_turn or turn, turn), messages
        if step_id not in self._model.path.at:
            self._unflagged.append(index)
        if not children:
            segment.leaves = 1
            segment.stop = payload if isinstance(payload, Stop) else None
            branch = self._branch.get(step_id)
            segment.hidden = branch is not None and branch.hidden

    def _collect(self, segment: Segment, step: Step) -> None:
        counts, place = segment.counts, segment.start + segment.length
        if step.copied_from is not None:
            counts.copies += 1
        elif step.origin == "human" and self._model.is_edit(step):
            counts.edits += 1
            segment.items.append(Item("edit", step.id, place))
        if step.id in self._flagged:
            self._flag(segment, step, place, self._flagged[step.id])
        if step.id in self._drafts or step.id in self._model.attempts:
            self._collect_items(segment, step.id, place)

    def _flag(self, segment: Segment, step: Step, place: int, words: Sequence[str]) -> None:
        if segment.counts.flags < MOST_FLAGS:
            segment.items.append(Item("flag", step.id, place, "; ".join(words)))
        segment.counts.flags += len(words)

    def _collect_items(self, segment: Segment, step_id: str | None, place: int) -> None:
        for kind in self._drafts.get(step_id, ()):
            segment.counts.drafts += 1
            segment.items.append(Item("draft", step_id, place, kind))
        attempts: list[Attempt] = self._model.attempts.get(step_id, [])
        segment.items += [Item("failure", step_id, place, a.words) for a in attempts[-1:]]

    def _sum_up(self) -> None:
        for segment in reversed(self.segments):
            segment.size += segment.length
            if segment.children:
                segment.hidden = all(self.segments[i].hidden for i in segment.children)
            if segment.parent >= 0:
                before = self.segments[segment.parent]
                before.size += segment.size
                before.leaves += segment.leaves

    def _order(self) -> None:
        """Of the children of a segment, that which is shown or has most steps goes last: the line
        that the others stand beside.
        """
        shown, segments = self._model.path.at, self.segments
        for segment in segments:
            if len(segment.children) > 1:
                spine = max(
                    segment.children, key=lambda i: (segments[i].first in shown, segments[i].size)
                )
                segment.children.remove(spine)
                segment.children.append(spine)


def _place(item: Item) -> int:
    return item.place


def _break_words(model: DebuggerModel, number: int) -> str:
    """A breakpoint by its number, name and condition."""
    from ..breaks import query_of

    each = model.breakpoints[number]
    name = f' "{each.name}"' if each.name else ""
    before = "before " if each.before else ""
    return f"breakpoint {number + 1}{name}: {before}{query_of(each)}"


def _by_step(drafts: Mapping[str, str]) -> dict[str | None, list[str]]:
    """The kinds of drafts by the step that they belong to."""
    found: dict[str | None, list[str]] = {}
    for slot in drafts:
        kind, _, step_id = slot.partition(":")
        if kind in ("override", "overrule", "write"):
            found.setdefault(step_id or None, []).append(kind)
    return found
