"""Ids of turn records: derived from project, run seed, row and path, so that equal runs give equal
bytes, branches share the ids of what they share, and edited siblings differ.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from ..model.messages import Part, Text, ToolResult
from ..model.project import Project
from ..model.steps import Step

_EMPTY_STEP = blake2b(digest_size=8)


def project_id(project: Project, seed: int, row: int) -> str:
    """The project's own id, or ``proj-`` and 12 hex digits derived from all that it holds."""
    if project.id is not None:
        return project.id
    hasher = blake2b(f"{seed}\0{row}\0".encode(), digest_size=6)
    hasher.update(json.dumps(msgspec.to_builtins(project)).encode())
    return f"proj-{hasher.hexdigest()}"


def root_key(own_id: str, seed: int, row: int) -> bytes:
    """Where the ids of one session begin."""
    return f"{own_id}\0{seed}\0{row}".encode("utf-8", "surrogatepass")


def turn_step_id(parent: bytes, steps: Sequence[Step]) -> str:
    """``step-`` and 16 hex digits for the turn that these steps make, after ``parent`` (the root
    key, or the bytes of the previous turn's id).
    """
    hasher = _EMPTY_STEP.copy()
    hasher.update(parent)
    for step in steps:
        payload = step.payload
        for text in _texts(payload):
            hasher.update(b"\0")
            hasher.update(text.encode("utf-8", "surrogatepass"))
    return f"step-{hasher.hexdigest()}"


def _texts(payload: object) -> list[str]:
    texts = [type(payload).__name__]
    for part in getattr(payload, "parts", ()):
        texts.append(_part_text(part))
    for call in getattr(payload, "tool_calls", ()):
        texts += (call.name, call.arguments)
    if isinstance(payload, ToolResult) and payload.is_error:
        texts.append("error")
    return texts


def _part_text(part: Part) -> str:
    return part.text if isinstance(part, Text) else part.raw
