"""The lines above and below the outline: what is in the tree, what Enter does, the keys. Pure."""

from __future__ import annotations

from ..cells import cells
from ..inspector import kind_words
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..wrap import fit
from .model import Outline
from .words import many

KEYS: tuple[tuple[str, str, str], ...] = (
    ("j k", "move", "Down and up; PgDn PgUp a screenful, g G the ends"),
    ("Enter", "go", "Go there: to that step, on its branch"),
    ("h l", "fold", "Fold (or go up), unfold (or go in)"),
    ("R", "revert", "Revert an edit (a line with *), with a reason"),
    ("n", "name", "Name the branch that ends here"),
    ("D", "hide", "Hide the branch that ends here, or show it again"),
    (".", "hidden", "Show hidden branches, or leave them out"),
    ("/", "filter", "Show only what holds the words typed"),
    ("u U", "undo", "Undo the last command; redo it"),
    ("Space", "read", "Read on in the preview; Backspace back"),
    ("Esc", "back", "Back to the debugger; q and o too"),
)
"""Each key, its word in the line of keys, and what it does."""


def title(outline: Outline, width: int) -> Row:
    """The rollout's title, and how much there is of everything."""
    tree = outline.tree
    root = tree.segments[0]
    hidden = f", {tree.hidden:,} hidden" if tree.hidden else ""
    words = [many(root.leaves, "branch") + hidden, many(root.size, "step")]
    edits = sum(segment.counts.edits for segment in tree.segments)
    words.append(many(edits, "edit"))
    told = "   ".join(words) + " "
    name = fit(f" Outline › {one_line(outline.model.rollout.header.title)}", width - len(told) - 2)
    gap = " " * max(width - len(told) - cells(name), 0)
    return row((name, "bar:title"), (gap, "bar"), (told, "bar"), fill="bar")


def hint(outline: Outline) -> str:
    """What Enter does here, and R where it does anything."""
    step, item = outline.step, outline.item
    if step is None:
        return "Enter goes before the first step" if outline.rows else ""
    index = item.place if item is not None else outline.model.path.at.get(step.id)
    if index is None:
        index = outline.segment.start if outline.segment is not None else 0
    more = "; R reverts this edit" if item is not None and item.kind == "edit" else ""
    return f"Enter goes to step {index + 1:,}, {kind_words(step.payload)}{more}"


def key_line(width: int) -> Row:
    """As many keys as fit; those that lead out and to all others are always there."""
    *most, back = KEYS
    last = [*_entry("?", "keys"), *_entry(*back[:2])]
    room = width - sum(len(text) for text, _ in last)
    spans: list[Span] = []
    for key, word, _ in most:
        entry = _entry(key, word)
        room -= sum(len(text) for text, _ in entry)
        if room < 0:
            break
        spans += entry
    used = sum(len(text) for text, _ in (*spans, *last))
    return row(*spans, (" " * max(width - used, 0), "bar"), *last, fill="bar")


def _entry(key: str, word: str) -> tuple[Span, Span]:
    return (f" {key}", "bar:key"), (f" {word} ", "bar")
