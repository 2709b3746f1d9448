"""Drawing the outline: one line for a row of the tree, with guides, columns and marks. Pure."""

from __future__ import annotations

from typing import NamedTuple

from ..cells import cells
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..wrap import fit, pad
from .model import Outline
from .tree import Segment, TreeRow
from .words import SIGNS

_DEEPEST = 12
"""Levels that are drawn; what is deeper stands there too, with a sign."""
_ROOMY = 84
"""From so many cells on there is room for the turns."""
_NAMED = 10
"""Cells that a name should have beside its tags; where they are fewer, one tag stands."""
_STYLES = {
    "draft": "warn",
    "edit": "human",
    "flag": "warn",
    "failure": "error",
    "break": "key",
}


class Columns(NamedTuple):
    """Cells of each column of a segment's line; the ending has what is left. 0 leaves one out."""

    name: int
    steps: int
    turns: int
    marks: int


def columns(width: int) -> Columns:
    """How a line of this width is shared."""
    name = min(max(width // 3, 24), 40)
    if width < 60:
        return Columns(max(width // 2 - 4, 12), 9, 0, 12)
    return Columns(name, 10, 7 if width >= _ROOMY else 0, 13)


def header(width: int) -> Row:
    """What stands in the columns."""
    shares = columns(width)
    text = pad("   branch", shares.name)
    for title, share in zip(("steps", "turns", "marks"), shares[1:], strict=True):
        text += pad(f" {title}", share) if share else ""
    return row((fit(text + " how it ended", width), "dim"))


def draw(outline: Outline, tree_row: TreeRow, width: int, *, selected: bool) -> Row:
    """One row of the tree."""
    segment = outline.tree.segments[tree_row.segment]
    spans = (
        _segment(outline, segment, tree_row, width)
        if tree_row.item < 0
        else _item(outline, segment, tree_row, width)
    )
    sel = ":sel" if selected else ""
    mark = ("▸" if selected else " ", "key:strong")
    shown = [mark, *spans]
    return Row(tuple((text, style + sel) for text, style in shown if text), "text" + sel)


def _guides(tree_row: TreeRow) -> str:
    depth = tree_row.depth
    deep = "…" if depth > _DEEPEST else ""
    lines = "│ " * min(depth, _DEEPEST)
    return deep + (lines[:-2] + "├╴" if tree_row.side and lines else lines)


def _segment(outline: Outline, segment: Segment, tree_row: TreeRow, width: int) -> list[Span]:
    words, shares = outline.words, columns(width)
    guides = _guides(tree_row)
    sign = "· "
    if outline.has_more(segment):
        folded = segment.first in outline.folded and not outline.filter
        sign = "+ " if folded else "- "
    room = shares.name - 1 - cells(guides) - 2
    tags = words.tags(segment)
    name = words.name(segment)
    if room - cells(tags) - 1 < min(cells(name), _NAMED):
        tags = tags.rpartition(" ")[2]  # the preview has them all
    name = fit(name, max(room - cells(tags) - bool(tags), 4))
    name = f"{name} {tags}" if tags else name
    shown = segment.last in outline.model.path.at if segment.last else False
    style = "dim" if segment.hidden else "strong" if shown else "text"
    spans: list[Span] = [(guides, "rule"), (sign, "key"), (pad(name, max(room, 0)), style)]
    columns_of = ((words.steps, shares.steps), (words.turns, shares.turns))
    for make, share in columns_of:
        if share:
            spans.append((pad(f" {make(segment)}", share), "dim" if segment.hidden else "text"))
    marks = segment.counts.marks()
    spans.append((pad(f" {marks}", shares.marks), "warn" if marks else "text"))
    left = width - 1 - sum(cells(text) for text, _ in spans)
    ending = fit(f" {words.ending(segment)}", left)
    good = segment.stop is not None and segment.stop.reason == "goal_reached"
    spans.append((ending, "ok" if good and not segment.hidden else "dim"))
    return spans


def _item(outline: Outline, segment: Segment, tree_row: TreeRow, width: int) -> list[Span]:
    item = segment.items[tree_row.item]
    guides = "│ " * min(tree_row.depth, _DEEPEST) + ("│   " if segment.children else "    ")
    words = outline.words.item(segment, tree_row.item)
    room = max(width - cells(guides) - 3, 4)
    dim = segment.hidden or (item.kind == "edit" and item.step_id in outline.words.reverts)
    return [
        (guides, "rule"),
        (f"{SIGNS[item.kind]} ", "dim" if dim else _STYLES[item.kind]),
        (fit(one_line(words), room), "dim" if dim else "text"),
    ]
