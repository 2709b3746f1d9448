"""The outline's state: which rows of the tree are shown, and where in them the human is. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from rollstep.core.model.steps import Step
from rollstep.core.rules.ledger import Ledger
from rollstep.core.rules.lint.findings import Finding

from ..presenter import DebuggerModel
from .tree import Item, OutlineTree, Segment, TreeRow
from .words import Words

_UNFOLDED = 60
"""Up to so many rows everything is unfolded at first; else the ends of branches are folded."""

Key = tuple[str | None, str, str | None]
"""What stays the same of a row when the tree is made anew: segment, kind, step."""


class Outline:
    """A tree of the model's rollout, folded here and there, cut down by a filter."""

    def __init__(self, model: DebuggerModel, drafts: Mapping[str, str]) -> None:
        self.model = model
        self.folded: set[str | None] = set()
        self.show_hidden = False
        self.filter = ""
        self.at = 0
        self.version = 0
        """Changes when rows may look otherwise than before."""
        self.rows: list[TreeRow] = []
        self._findings: dict[str, tuple[Finding, ...]] = {}
        """What steps that are not shown say alone: a step never changes."""
        self._make(drafts)
        tree = self.tree
        if tree.row_count > _UNFOLDED:
            here = tree.segments[tree.of.get(model.step_id, 0)]
            self.folded = {s.first for s in tree.segments if not s.children and s is not here}
        self._flatten()
        self.go_to_step(model.step_id)

    # what is there

    def read(self, drafts: Mapping[str, str]) -> None:
        """Make the tree anew from the model; the cursor stays on its row, or near it."""
        before = self.key
        self._make(drafts)
        self._flatten(before)

    def _make(self, drafts: Mapping[str, str]) -> None:
        self.tree = OutlineTree(self.model, drafts, self._findings)
        self.ledger = Ledger(self.model.rollout, self.model.commands.values())
        self.words = Words(self.model, self.tree, self.ledger)
        self._stamp = self._seen()

    def is_old(self) -> bool:
        """Whether the model has changed since the tree was made."""
        return self._seen() != self._stamp

    def _seen(self) -> object:
        model = self.model
        failures = sum(map(len, model.attempts.values()))
        return (
            *(len(model.rollout), len(model.rollout.hidden), model.head, model.leaf),
            *(model.branches, model.silences, model.breakpoints, model.drafts, model.marks),
            *(model.path, model.path.flags.version, model.last_command, failures),
        )

    def look_on(self, most: int) -> bool:
        """Look on for flags and breakpoints; whether rows were added."""
        found = self.tree.look_on(most)
        if found:
            self._flatten(self.key)
        return found

    @property
    def row(self) -> TreeRow | None:
        """The row under the cursor."""
        return self.rows[self.at] if self.rows else None

    @property
    def segment(self) -> Segment | None:
        """The segment that the row under the cursor is, or belongs to."""
        return self.tree.segments[self.row.segment] if self.row else None

    @property
    def item(self) -> Item | None:
        """The item under the cursor, if it is one."""
        return self.item_of(self.row) if self.row else None

    def item_of(self, row: TreeRow) -> Item | None:
        """The item that a row shows, if it shows one."""
        return self.tree.segments[row.segment].items[row.item] if row.item >= 0 else None

    @property
    def step(self) -> Step | None:
        """The step that Enter goes to: the item's, or the debugger's own where the segment holds
        it, else the segment's first; None for the place before the first step.
        """
        row, model = self.row, self.model
        if row is None:
            return None
        segment, item = self.tree.segments[row.segment], self.item_of(row)
        step_id = item.step_id if item is not None else segment.first
        if item is None and self.tree.of.get(model.step_id) == row.segment:
            step_id = model.step_id
        return model.rollout.steps[step_id] if step_id is not None else None

    @property
    def key(self) -> Key | None:
        """What the row under the cursor is."""
        return self._key(self.row) if self.rows and self.row else None

    def _key(self, row: TreeRow) -> Key:
        segment, item = self.tree.segments[row.segment], self.item_of(row)
        return (segment.first, item.kind, item.step_id) if item else (segment.first, "", None)

    def has_more(self, segment: Segment) -> bool:
        """Whether a segment has anything to unfold."""
        return bool(segment.items or segment.children)

    # moving

    def move(self, by: int) -> bool:
        """So many rows on; whether the cursor moved."""
        before = self.at
        self.at = min(max(self.at + by, 0), max(len(self.rows) - 1, 0))
        return self.at != before

    def go_to_step(self, step_id: str | None) -> None:
        """The cursor to a step: its own row where it has one, else its segment's."""
        index = self.tree.of.get(step_id, 0)
        for place, row in enumerate(self.rows):
            if row.segment == index:
                item = self.item_of(row)
                if item is None:
                    self.at = place
                elif item.step_id == step_id:
                    self.at = place
                    return

    def fold(self) -> bool:
        """Fold what the cursor is in, or go up where that is folded; whether anything changed."""
        row, segment = self.row, self.segment
        if row is None or segment is None:
            return False
        if row.item < 0 and (segment.first in self.folded or not self.has_more(segment)):
            return self._go_to_segment(segment.parent)
        if row.item >= 0:
            return self._go_to_segment(row.segment)
        self.folded.add(segment.first)
        self._flatten(self.key)
        return True

    def unfold(self) -> bool:
        """Unfold the segment under the cursor, or go to the first row in it."""
        row, segment = self.row, self.segment
        if row is None or segment is None or row.item >= 0 or not self.has_more(segment):
            return False
        if segment.first not in self.folded:
            return self.move(1)
        self.folded.discard(segment.first)
        self._flatten(self.key)
        return True

    def _go_to_segment(self, index: int) -> bool:
        for place in range(self.at - 1, -1, -1):
            if self.rows[place].segment == index and self.rows[place].item < 0:
                self.at = place
                return True
        return False

    # what is shown

    def toggle_hidden(self) -> bool:
        """Show hidden branches, or show them no longer; whether they are shown now."""
        self.show_hidden = not self.show_hidden
        self._flatten(self.key)
        return self.show_hidden

    def set_filter(self, text: str) -> None:
        """Show only rows that hold this text, and the segments that they are in."""
        self.filter = text
        self._flatten(self.key)

    def _flatten(self, before: Key | None = None) -> None:
        self.version += 1
        if not self.filter:
            self.rows = self.tree.rows(self.folded, show_hidden=self.show_hidden)
        else:
            self.rows = self._filtered()
        self._find_again(before)

    def _filtered(self) -> list[TreeRow]:
        wanted = self.filter.casefold()
        rows = self.tree.rows(set(), show_hidden=self.show_hidden)
        matching = {
            row for row in rows if wanted in self.words.searched(row.segment, row.item).casefold()
        }
        holding: set[int] = set()
        for row in matching:
            index = row.segment
            while index >= 0 and index not in holding:
                holding.add(index)
                index = self.tree.segments[index].parent
        return [row for row in rows if row in matching or (row.item < 0 and row.segment in holding)]

    def _find_again(self, key: Key | None) -> None:
        if key is None:
            self.at = min(self.at, max(len(self.rows) - 1, 0))
            return
        nearest = self.at
        for place, row in enumerate(self.rows):
            if self.tree.segments[row.segment].first == key[0]:
                nearest = place if row.item < 0 else nearest
                if self._key(row) == key:
                    nearest = place
                    break
        self.at = min(nearest, max(len(self.rows) - 1, 0))
