"""The lines above and below the table, and the keys of the library screen. Pure."""

from __future__ import annotations

from ..cells import cells
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..wrap import fit
from .model import LibraryModel

KEYS: tuple[tuple[str, str, str], ...] = (
    ("Enter", "open", "Open the rollout; q there comes back to this place"),
    ("/", "filter", 'Filter by a query: verdict:none turns>6 "refund" (docs/query.md)'),
    ("f", "filters", "Saved filters: use one, save this one, forget one"),
    ("o", "order", "Sort by another column; O the other way round"),
    ("v", "select", "Select this rollout, or no longer; V all that are listed, or none"),
    ("A R M", "verdict", "Accept, reject, unsure: of the selection, or of this one"),
    ("m", "mark", "Rating 1-5, tag, note, no verdict: of the selection, or of this one"),
    ("r", "replace", "Replace words in the selection, or in this one: a yes for each hit"),
    ("u", "undo", "Take back what was done here last: marks, replaced words"),
    ("x", "export", "Export the selection, or all that is listed; a report before it writes"),
    ("Space", "read", "Read on in the page beside; Backspace back"),
    ("n N", "hit", "Next and previous place where the filter's words stand; Enter opens it there"),
    ("#", "numbers", "Numbers of what is listed: verdicts, stops, tools, edits, cost"),
    ("z", "page", "The page beside the table, or all columns in its place"),
    ("j k", "row", "Next and previous rollout; g G ends, PgUp PgDn screenfuls"),
    ("q", "back", "Up one level; Esc out of the filter or the selection first"),
    ("?", "keys", "All keys of this screen"),
)


def title(model: LibraryModel, path: str, waiting: int, width: int) -> Row:
    """How many rollouts are listed, by which filter."""
    count = f"{len(model):,} rollout{'' if len(model) == 1 else 's'}"
    shown = f"  of {one_line(model.query)}" if model.query else ""
    chosen = f"   {len(model.chosen):,} selected" if model.chosen else ""
    busy = f"   looking through {waiting:,} that have changed" if waiting else ""
    text = fit(f" Library   {count}{chosen}{shown}{busy}", width - 1)
    end = path if cells(path) <= width - cells(text) - 4 else ""
    gap = " " * max(width - cells(text) - cells(end) - 1, 1)
    return row((text, "bar:title"), (gap, "bar"), (end, "bar:dim"), fill="bar")


def key_line(width: int) -> Row:
    """Keys, as many as fit, and the one that shows all."""
    spans: list[Span] = [(" ", "bar")]
    *others, last = KEYS
    room = width - 1 - _need(last)
    for key in others:
        room -= _need(key)
        if room < 0:
            break
        spans += _key(key)
    spans += _key(last)
    return row(*spans, fill="bar")


def _need(key: tuple[str, str, str]) -> int:
    return len(key[0]) + len(key[1]) + 4


def _key(key: tuple[str, str, str]) -> list[Span]:
    return [(f"{key[0]} ", "bar:key"), (f"{key[1]}   ", "bar")]
