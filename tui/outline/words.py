"""What the outline says of a segment or of an item in it. Pure; made when it is seen, and kept."""

from __future__ import annotations

from rollstep.core.model.history import reverts_of
from rollstep.core.model.messages import Stop, payload_text
from rollstep.core.model.steps import Step
from rollstep.core.rules.ledger import Ledger
from rollstep.core.rules.verdicts import standing_verdict

from ..changed import changed_words
from ..ledger_words import ended_words
from ..presenter import DebuggerModel
from ..sanitize import one_line
from ..stepview import first_words
from ..verdicts import sign
from ..who import NAMES
from .tree import Item, OutlineTree, Segment

_WORDS = 160
_SEARCHED = 1_000
SIGNS = {"draft": "…", "edit": "*", "flag": "!", "failure": "x", "break": "#"}
DRAFTS = {
    "override": "an edit that is not saved yet: e opens it",
    "overrule": "words over this stop that are not saved yet: w opens them",
    "write": "a next step that is not saved yet: w opens it",
}


def many(count: int, word: str) -> str:
    """``1 branch``, ``2 branches``."""
    plural = f"{word}es" if word.endswith("ch") else f"{word}s"
    return f"{count:,} {word if count == 1 else plural}"


class Words:
    """The words of one tree."""

    def __init__(self, model: DebuggerModel, tree: OutlineTree, ledger: Ledger) -> None:
        self.model = model
        self.tree = tree
        self.ledger = ledger
        self.named = {b.leaf_id: b.name for b in model.branches if b.name}
        self.reverts = reverts_of(model.commands.values())
        self._numbers = {leaf: n for n, leaf in enumerate(model.rollout.leaves(), 1)}
        self._items: dict[tuple[int, int], str] = {}
        self._verdicts: dict[str, str] = {}
        self._head = tree.of.get(model.head) if model.head is not None else None
        self._shown = tree.of.get(model.leaf) if model.leaf is not None else None

    def name(self, segment: Segment) -> str:
        """A branch's name or number; what an inner segment leads to."""
        if segment.index == 0:
            return "start" if segment.children else "nothing played yet"
        if segment.children:
            return f"splits in {len(segment.children):,}"
        name = self.named.get(segment.last or "")
        if name:
            return one_line(name)
        return "main" if len(self._numbers) < 2 else self.number(segment)

    def number(self, segment: Segment) -> str:
        """The number of the branch that ends in a segment."""
        return f"branch {self._numbers.get(segment.last or '', 0)}"

    def tags(self, segment: Segment) -> str:
        """Whether the branch that is shown ends here, where the head is, whether it is hidden, and
        the verdict on the branch.
        """
        verdict = self._verdict(segment)
        tags = (
            (segment.index == self._shown, "[shown]"),
            (segment.index == self._head, "[head]"),
            (segment.hidden and not segment.children, "[hidden]"),
            (bool(verdict), f"[{verdict}]"),
        )
        return " ".join(word for holds, word in tags if holds)

    def _verdict(self, segment: Segment) -> str:
        """Its sign; empty for none, and for what is no branch's end."""
        model, leaf = self.model, segment.last
        if segment.children or leaf is None or not model.marks:
            return ""
        if leaf not in self._verdicts:
            found = standing_verdict(model.rollout, model.marks, leaf, model.commands.values())
            self._verdicts[leaf] = sign(found) if found is not None else ""
        return self._verdicts[leaf]

    def steps(self, segment: Segment) -> str:
        """``4–24``, the places of its steps in their path."""
        first, last = segment.start + 1, segment.start + segment.length
        if not segment.length:
            return ""
        return f"{first:,}" if first == last else f"{first:,}–{last:,}"

    def turns(self, segment: Segment) -> str:
        """``2–8``, its turns."""
        first, last = segment.turns
        if not last or not segment.length:
            return ""
        return f"{first:,}" if first == last else f"{first:,}–{last:,}"

    def ending(self, segment: Segment) -> str:
        """How it ended, or what was said last where it is open."""
        if segment.stop is not None:
            return one_line(ended_words(segment.stop))
        if segment.index == 0:
            return ""
        if segment.children:
            return many(segment.leaves, "branch")
        step = self.model.rollout.steps[segment.last or ""]
        return f"open after: {first_words(step.payload, _WORDS)}"

    def item(self, segment: Segment, index: int) -> str:
        """An item in one line, without its sign."""
        key = (segment.index, index)
        words = self._items.get(key)
        if words is None:
            words = self._items[key] = self._item(segment.items[index])
        return words

    def _item(self, item: Item) -> str:
        if item.step_id is None:
            return f"before the first step: {self._about(item, None)}"
        step = self.model.rollout.steps[item.step_id]
        role = "stop" if isinstance(step.payload, Stop) else NAMES[step.role]
        return f"{item.place + 1:,} {role}: {self._about(item, step)}"

    def _about(self, item: Item, step: Step | None) -> str:
        if item.kind == "edit" and step is not None:
            return self._edit(step)
        if item.kind == "draft":
            return DRAFTS[item.words]
        words = one_line(item.words[:_WORDS])
        return f"not made here: {words}" if item.kind == "failure" else words

    def _edit(self, step: Step) -> str:
        """What was changed, or written, why, and whether it stands."""
        original = self.model.rollout.steps.get(step.replaces or "")
        if original is not None:
            changed = changed_words(original.payload, step.payload) or "nothing changed"
        else:
            changed = f"by hand: {first_words(step.payload, _WORDS)}"
        if step.injected:
            changed = f"fault {step.injected}"
        revert = self.reverts.get(step.id)
        words = ("reverted" if revert else "", changed, step.reason)
        return one_line("; ".join(filter(None, words)).replace("\n", " "))

    def searched(self, segment_index: int, index: int) -> str:
        """What a filter looks for its text in; of an edit the texts before and after, as telling
        thousands of them apart takes longer than a key may.
        """
        segment = self.tree.segments[segment_index]
        if index < 0:
            return " ".join((self.name(segment), self.tags(segment), self.ending(segment)))
        item = segment.items[index]
        if item.kind != "edit" or item.step_id is None:
            return f"{SIGNS[item.kind]} {self.item(segment, index)}"
        step = self.model.rollout.steps[item.step_id]
        original = self.model.rollout.steps.get(step.replaces or "")
        texts = [payload_text(each.payload)[:_SEARCHED] for each in (original, step) if each]
        reverted = "reverted" if step.id in self.reverts else ""
        return " ".join((f"* {item.place + 1:,} {NAMES[step.role]}", reverted, step.reason, *texts))
