"""The lines above and below the table, and the keys of the library screen. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rollstep.core.rules.marking import MarkChange

from ..cells import cells
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..wrap import fit
from .actions import footer
from .model import LibraryModel

_NOTE = 40
"""Cells of a note that are shown where something is said of it."""


def title(model: LibraryModel, path: str, waiting: int, width: int, doing: str = "") -> Row:
    """How many rollouts are listed, by which filter, and how many are hidden."""
    count = f"{len(model):,} rollout{'' if len(model) == 1 else 's'}"
    query = one_line(model.listed_query)
    shown = f"  of {query}" if query else ""
    chosen = f"   {len(model.chosen):,} selected" if model.chosen else ""
    hidden = f"   {model.hidden:,} hidden" if model.hidden else ""
    doing = f"   {doing}" if doing else ""
    busy = f"   looking through {waiting:,} that have changed" if waiting else ""
    text = fit(f" Library   {count}{doing}{chosen}{shown}{hidden}{busy}", width - 1)
    end = path if cells(path) <= width - cells(text) - 4 else ""
    gap = " " * max(width - cells(text) - cells(end) - 1, 1)
    return row((text, "bar:title"), (gap, "bar"), (end, "bar:dim"), fill="bar")


def said(change: MarkChange) -> str:
    """What is said of rollouts: "Rejected (unsafe)"."""
    words = change.words
    if isinstance(change.note, str) and change.note:
        note = fit(one_line(change.note), _NOTE)
        words = f"note: {note}" if words == "note" else f"{words.removesuffix(', note')} ({note})"
    return f"{words[0].upper()}{words[1:]}"


def with_failed(words: str, failed: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """What was done, with the first of those of which it could not be; and the style of that."""
    if failed:
        words += f"  Not: {failed[0][0]} ({failed[0][1]})"
        words += f" and {len(failed) - 1:,} more" if len(failed) > 1 else ""
    unsaved = any(why.startswith("Not saved") for _, why in failed)
    return words, "alarm" if unsaved else "warn" if failed else "ok"


def nothing(model: LibraryModel) -> str:
    """What stands in an empty table."""
    if model.found is None:
        return "…"
    if model.query:
        return "No rollout is meant by the filter; Esc shows all."
    if model.hidden:
        return f"All {model.hidden:,} rollouts are hidden: / hidden:yes lists them."
    return "No rollouts yet: rollstep demo --keep makes one, import takes in others' logs."


def key_line(width: int) -> Row:
    """Keys, as many as fit, and those to all the others."""
    shown, pinned = footer()
    spans: list[Span] = [(" ", "bar")]
    room = width - 1 - sum(map(_need, pinned))
    for key in shown:
        room -= _need(key)
        if room < 0:
            break
        spans += _key(key)
    for key in pinned:
        spans += _key(key)
    return row(*spans, fill="bar")


def _need(key: tuple[str, str]) -> int:
    return len(key[0]) + len(key[1]) + 3


def _key(key: tuple[str, str]) -> list[Span]:
    return [(f"{key[0]} ", "bar:key"), (f"{key[1]}  ", "bar")]
