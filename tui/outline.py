"""The outline: branches, edits, flags, failures and drafts of a rollout, each with its step."""

from __future__ import annotations

from typing import NamedTuple

from rollstep.core.model.messages import Stop
from rollstep.core.model.steps import Step

from .changed import changed_words
from .presenter import DebuggerModel
from .stepview import first_words, stop_title
from .who import NAMES

_WORDS = 120
_MOST = 500
"""Entries of one kind that are listed."""


class Entry(NamedTuple):
    """One line: what it is, more about it, and where it leads."""

    words: str
    detail: str
    step_id: str | None


def outline(model: DebuggerModel, drafts: dict[str, str]) -> list[Entry]:
    """Everything worth going to, branches first."""
    return [
        *_branches(model),
        *_edits(model),
        *_flags(model),
        *_failures(model),
        *_drafts(model, drafts),
    ]


def _branches(model: DebuggerModel) -> list[Entry]:
    leaves = model.rollout.leaves()
    if len(leaves) < 2:
        return []
    names = {branch.leaf_id: branch.name for branch in model.branches}
    entries = []
    for number, leaf in enumerate(leaves[:_MOST], 1):
        step = model.rollout.steps[leaf]
        name = names.get(leaf) or f"branch {number}"
        here = " (shown)" if leaf == model.leaf else ""
        entries.append(Entry(f"{name}{here}", _ends(step), leaf))
    return entries


def _ends(step: Step) -> str:
    if isinstance(step.payload, Stop):
        return stop_title(step.payload)
    return f"open after: {first_words(step.payload, _WORDS)}"


def _edits(model: DebuggerModel) -> list[Entry]:
    return [
        Entry(f"edit: {_place(model, step)}", _edit(model, step), step.id)
        for step in model.rollout
        if model.is_edit(step) and step.id not in model.rollout.hidden
    ][:_MOST]


def _edit(model: DebuggerModel, step: Step) -> str:
    """What was changed, or written, and why."""
    original = model.rollout.steps.get(step.replaces or "")
    changed = changed_words(original.payload, step.payload) if original is not None else ""
    if original is None:
        changed = f"by hand: {first_words(step.payload, _WORDS)}"
    return "; ".join(filter(None, (changed, step.reason)))


def _flags(model: DebuggerModel) -> list[Entry]:
    path = model.path
    return [
        Entry(f"flag: step {index + 1}", "; ".join(flags), path.steps[index].id)
        for index, flags in list(path.flagged.items())[:_MOST]
    ]


def _failures(model: DebuggerModel) -> list[Entry]:
    return [
        Entry(f"failed: {NAMES[attempt.role]}", attempt.words, parent)
        for parent, attempts in list(model.attempts.items())[:_MOST]
        for attempt in attempts[-1:]
    ]


def _drafts(model: DebuggerModel, drafts: dict[str, str]) -> list[Entry]:
    entries = []
    for slot in drafts:
        kind, _, step_id = slot.partition(":")
        if step_id and step_id not in model.rollout.steps:
            continue
        key = "e" if kind == "override" else "w"
        entries.append(Entry(f"draft: {kind}", f"not saved yet; {key} opens it", step_id or None))
    return entries


def _place(model: DebuggerModel, step: Step) -> str:
    index = model.path.at.get(step.id)
    if index is not None:
        return f"step {index + 1}, {NAMES[step.role]}"
    number = len(model.rollout.path(step.id))
    return f"step {number}, {NAMES[step.role]}, another branch"
