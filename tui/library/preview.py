"""The page beside the table: what the rollout under the cursor is, and where words were found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rollstep.core.model.messages import Stop, TargetReply, UserMessage, payload_text
from rollstep.core.model.rollout import Rollout
from rollstep.core.model.steps import Step
from rollstep.core.rules.branches import opened_leaf
from rollstep.core.rules.parking import why_parked
from rollstep.core.rules.query.nodes import And, Compare, Node, Or
from rollstep.core.store.change import Saved
from rollstep.core.store.facts import RolloutFacts
from rollstep.core.store.search import step_texts

from ..document import Block, Document
from ..layout import Anchor
from ..stepview import call_text
from ..who import LETTERS

_HITS = 20
_AROUND = 40
"""Characters on either side of what was found."""
_LONGEST = 400
"""Characters of one step that the page shows."""
_STEPS = 60
"""Steps that the page shows: enough to see what it is about."""


class Page(NamedTuple):
    """The page of one rollout, and where in it words were found: the block and the step's number
    of each hit.
    """

    blocks: tuple[Block, ...] = ()
    hits: tuple[tuple[int, int], ...] = ()

    def document(self, hit: int = -1) -> Document:
        """The page with one of its hits pointed at, at the top of what is seen."""
        blocks = list(self.blocks)
        if not 0 <= hit < len(self.hits):
            return Document(blocks)
        place, seq = self.hits[hit]
        blocks[place] = Block("cursor", f"> #{seq}   Enter opens it here")
        document = Document(blocks)
        document.anchor = Anchor(place, 0)
        return document


def preview(saved: Saved, facts: RolloutFacts | None, words: tuple[str, ...]) -> Page:
    """The page of one rollout; ``words`` are what the filter looks for in its steps."""
    blocks: list[Block] = []
    hits: list[tuple[int, int]] = []
    for each in _blocks(saved, facts, words):
        if isinstance(each, int):
            hits.append((len(blocks), each))
            each = Block("key", f"#{each}")
        blocks.append(each)
    return Page(tuple(blocks), tuple(hits))


def words_of(node: Node | None) -> tuple[str, ...]:
    """The quoted words of a query that steps are searched for."""
    if isinstance(node, Compare):
        return (str(node.value),) if node.ref.name == "text" and node.op in (":", "=") else ()
    if isinstance(node, And | Or):
        return tuple(word for part in node.parts for word in words_of(part))
    return ()


def _blocks(
    saved: Saved, facts: RolloutFacts | None, words: tuple[str, ...]
) -> Iterator[Block | int]:
    """The blocks; a number stands for the line above a hit in the step of that number."""
    rollout = saved.tree()
    yield Block("title", saved.header.title)
    if rollout.project.goal:
        yield Block("text", f"goal: {rollout.project.goal}")
    yield Block("dim", "   ".join(filter(None, (saved.header.id, saved.header.source))))
    if why := _why_it_waits(saved, rollout):
        yield Block("warn", f"{saved.status}: {why}")
    for score in saved.scores:
        yield Block("text", f"{score.name} {score.value}  {score.explanation}".rstrip())
    yield from _marks(saved)
    if facts is not None and facts.branches > 1:
        yield Block("dim", f"{facts.branches} branches")
    path = rollout.path(opened_leaf(rollout, saved.head))
    for word in words:
        shown = (step for step in rollout if step.id not in rollout.hidden)
        yield from _hits(shown, word, saved.header.title)
    yield Block("text", "")
    for step in path[:_STEPS]:
        yield from _step(step)
    if len(path) > _STEPS:
        yield Block("dim", f"+{len(path) - _STEPS:,} steps")


def _why_it_waits(saved: Saved, rollout: Rollout) -> str:
    if saved.status != "parked":
        return saved.status_note
    status = saved.status, saved.status_note
    return why_parked(status, rollout, saved.head, saved.marks, saved.silences)


def _marks(saved: Saved) -> Iterator[Block]:
    for mark in saved.marks:
        said = [mark.verdict or "", f"{mark.rating} of 5" if mark.rating else "", *mark.tags]
        said += [mark.note] if mark.note else []
        if any(said):
            by = f"{mark.by}: " if mark.by else ""
            yield Block("human", by + ", ".join(filter(None, said)))


def _hits(steps: Iterable[Step], word: str, title: str) -> Iterator[Block | int]:
    wanted = word.casefold()
    found = 0
    for step in steps:
        text = "\n".join(step_texts(step))
        at = text.casefold().find(wanted)
        if at < 0:
            continue
        found += 1
        if found <= _HITS:
            start = max(at - _AROUND, 0)
            piece = text[start : at + len(word) + _AROUND].replace("\n", " ")
            yield step.seq
            yield Block("text", f"…{piece}…", 2)
    if found > _HITS:
        yield Block("dim", f"and in {found - _HITS:,} more steps")
    if not found and wanted in title.casefold():
        yield Block("dim", f"{word!r} stands in its title")


def _step(step: Step) -> Iterator[Block]:
    payload = step.payload
    letter = LETTERS[step.role]
    if isinstance(payload, Stop):
        yield Block("stop", f"stop: {payload.reason}")
        return
    text = payload_text(payload)
    more = f" … +{len(text) - _LONGEST:,} characters" if len(text) > _LONGEST else ""
    if text or not isinstance(payload, TargetReply | UserMessage):
        yield Block(step.role, f"{letter} {text[:_LONGEST]}{more}")
    if isinstance(payload, TargetReply | UserMessage):
        for call in payload.tool_calls:
            yield Block("call", f"{letter} > {call_text(call)[:_LONGEST]}")
