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


def put_replaced(builder: TreeBuilder, edit: dict[str, Any]) -> str | None:
    """Put what an edit replaced in its place, as another take; its step's id."""
    given = edit.get("replaced")
    if given is None:
        return None
    try:
        payload: Payload = msgspec.convert(given, Payload)
    except msgspec.ValidationError:
        builder.note("what the edit replaced cannot be read; left out", "replaced")
        return None
    here = builder.here
    step_id = builder.add(payload)
    builder.here = here
    return step_id


def edit_step_fields(edit: dict[str, Any], replaced: str | None) -> dict[str, Any]:
    """The fields of the step that an edit is."""
    origin = edit.get("by")
    return {
        "origin": origin if origin in _ORIGINS else "human",
        "author": text(edit.get("author")),
        "reason": text(edit.get("reason")),
        "injected": text(edit.get("fault")),
        "created_at": seconds(edit.get("at")),
        "replaces": replaced,
        "extra": f'{{"{EDIT}": true}}',
    }


def iso_time(at: float) -> str:
    """A time in seconds since the epoch as ISO 8601 in UTC; empty where none is known."""
    if at <= 0:
        return ""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""
