"""What the outline shows beside the tree: the selected segment, edit, flag or failure. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rollstep.core.model.steps import Step

from ..document import Block, Document
from ..inspector import kind_words, payload_blocks
from ..ledger_words import followed_words, made_words, marked, standing_words, title_words
from ..stepview import call_text
from ..who import made_by
from .model import Outline
from .tree import Item, Segment
from .words import DRAFTS, many

_DIFF = 20_000
"""Characters of an edit's words that are shown here; Enter goes to the step itself."""


def preview(outline: Outline) -> Document:
    """The page for the row under the cursor."""
    segment, item = outline.segment, outline.item
    if segment is None:
        return Document([Block("dim", "Nothing here matches the filter.")])
    blocks = list(_item(outline, item) if item is not None else _segment(outline, segment))
    return Document(blocks)


def _segment(outline: Outline, segment: Segment) -> Iterator[Block]:
    words = outline.words
    name, tags = words.name(segment), words.tags(segment)
    yield Block("title", f"{name} {tags}".rstrip())
    if segment.index == 0:
        yield Block("text", outline.model.project.title)
        if outline.model.project.goal:
            yield Block("text", outline.model.project.goal)
        return
    turns = words.turns(segment)
    in_turns = f", turn{'s' if '–' in turns else ''} {turns}" if turns else ""
    steps = words.steps(segment)
    yield Block("text", f"step{'s' if '–' in steps else ''} {steps}{in_turns}")
    yield from (Block("text", line) for line in _counts(segment))
    yield Block("ok" if segment.stop else "dim", words.ending(segment))
    step = outline.step
    if step is not None:
        yield Block("text", "")
        yield from _step(outline, step)


def _counts(segment: Segment) -> Iterator[str]:
    counts = segment.counts
    of = (
        (counts.edits, "edit", "*"),
        (counts.copies, "copied step", "~"),
        (counts.flags, "flag", "!"),
        (counts.breaks, "break", "#"),
        (counts.drafts, "draft", "…"),
    )
    said = [f"{many(n, what)} {mark}" for n, what, mark in of if n]
    if said:
        yield ", ".join(said)


def _item(outline: Outline, item: Item) -> Iterator[Block]:
    step = outline.step
    if item.kind == "edit" and step is not None:
        yield from _edit(outline, step)
        return
    if item.kind == "failure":
        yield from _failure(outline, item)
    elif item.kind == "draft":
        yield Block("warn", DRAFTS[item.words])
    else:
        yield Block("warn" if item.kind == "flag" else "key", item.words)
    if step is not None:
        yield Block("text", "")
        yield from _step(outline, step)


def _failure(outline: Outline, item: Item) -> Iterator[Block]:
    for attempt in outline.model.attempts.get(item.step_id, [])[-3:]:
        yield Block("error", attempt.words)
        if attempt.partial:
            yield Block("dim", "what had arrived:")
            yield Block("text", attempt.partial, 2)
        if attempt.detail:
            yield Block("dim", attempt.detail, 2)


def _edit(outline: Outline, step: Step) -> Iterator[Block]:
    """An entry of the ledger."""
    entry = outline.ledger.entry(step.id)
    if entry is None:
        return
    yield Block("human:strong", title_words(entry))
    if made := made_words(entry):
        yield Block("dim", made)
    if entry.reason:
        yield Block("human", f"reason: {entry.reason}")
    if standing := standing_words(entry):
        yield Block("warn", standing)
    yield Block("dim", f"followed by: {followed_words(entry.followed)}")
    yield Block("text", "")
    yield Block("text", marked(entry.diff, _DIFF))


def _step(outline: Outline, step: Step) -> Iterator[Block]:
    model = outline.model
    tree = outline.tree
    place = _place(tree.segments[tree.of[step.id]], step, outline)
    yield Block(f"{step.role}:strong", f"{place:,} {kind_words(step.payload)}")
    yield Block("dim", made_by(step))
    if step.reason:
        yield Block("human", f"reason: {step.reason}")
    index = model.path.at.get(step.id)
    call = model.path.call.get(index) if index is not None else None
    if call is not None:
        yield Block("dim", f"answers {call_text(call)}")
    yield from payload_blocks(step.payload)


def _place(segment: Segment, step: Step, outline: Outline) -> int:
    """The number of a step in its path: known of an item and of a segment's first step."""
    item = outline.item
    if item is not None:
        return item.place + 1
    index = outline.model.path.at.get(step.id)
    return (index if index is not None else segment.start) + 1
