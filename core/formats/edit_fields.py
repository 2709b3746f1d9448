"""Who made a step and what it replaced, as the fields with which formats that have room for it say
so: ``{"by", "author", "reason", "fault", "at", "replaced"}``, each only where there is something to
say. ``replaced`` is the payload that stood there, in the shape of the library's own steps.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import msgspec

from ..model.messages import Payload
from ..model.steps import Origin, Step
from .reading.building import TreeBuilder
from .reading.values import seconds, text
from .source import EDIT
from .subject import Subject

_ORIGINS = get_args(Origin)


def edit_of(subject: Subject, step: Step) -> dict[str, Any]:
    """What is to be said of a step that a human, or a fault, put there; nothing for any other."""
    if step.origin != "human" and not step.injected and not step.reason:
        return {}
    tree = subject.rollout
    first = tree.original(step) if tree is not None else step
    old = tree.steps.get(step.replaces or first.replaces or "") if tree is not None else None
    fields = {
        "by": step.origin,
        "author": step.author,
        "reason": step.reason or first.reason,
        "fault": step.injected,
        "at": iso_time(first.created_at),
        "replaced": msgspec.to_builtins(old.payload) if old is not None else None,
    }
    return {key: value for key, value in fields.items() if value}


class Edits:
    """The edits of an import that is being built. What they replaced is looked for when all has
    been read: it may stand on a branch of its own.
    """

    def __init__(self, builder: TreeBuilder) -> None:
        self._builder = builder
        self._replaced: list[tuple[str, Any]] = []

    def put(self, step_id: str, edit: dict[str, Any]) -> None:
        """Make a step the edit that the source says it is."""
        origin = edit.get("by")
        extra = self._builder.step(step_id).extra
        mark = f'{{"{EDIT}": true}}'
        self._builder.replace(
            step_id,
            origin=origin if origin in _ORIGINS else "human",
            author=text(edit.get("author")),
            reason=text(edit.get("reason")),
            injected=text(edit.get("fault")),
            created_at=seconds(edit.get("at")) or self._builder.step(step_id).created_at,
            extra=joined(extra, mark),
        )
        if edit.get("replaced") is not None:
            self._replaced.append((step_id, edit["replaced"]))

    def resolve(self) -> None:
        """Tie each edit to the step that it replaced; one that stands nowhere is put beside it."""
        beside: dict[str | None, list[Step]] = {}
        for step in self._builder.steps if self._replaced else ():
            beside.setdefault(step.parent_id, []).append(step)
        for step_id, given in self._replaced:
            try:
                payload: Payload = msgspec.convert(given, Payload)
            except (msgspec.ValidationError, UnicodeError):
                self._builder.note("what an edit replaced cannot be read; left out", "replaced")
                continue
            siblings = beside.setdefault(self._builder.step(step_id).parent_id, [])
            old = next((s for s in siblings if s.payload == payload and s.id != step_id), None)
            if old is None:
                self._builder.here = self._builder.step(step_id).parent_id
                old = self._builder.step(self._builder.add(payload))
                siblings.append(old)
            self._builder.replace(step_id, replaces=old.id)


def joined(first: str, second: str) -> str:
    """Two JSON objects with different keys, as texts, as one."""
    return f"{first[:-1]}, {second[1:]}" if first else second


def iso_time(at: float) -> str:
    """A time in seconds since the epoch as ISO 8601 in UTC; empty where none is known."""
    if at <= 0:
        return ""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""
