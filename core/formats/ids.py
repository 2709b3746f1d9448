"""Ids of turn records: derived from project, run seed, row and path, so that equal runs give equal
bytes, branches share the ids of what they share, and edited siblings differ.
"""

from __future__ import annotations

import json
from hashlib import blake2b

import msgspec

from ..model.project import Project


def project_id(project: Project, seed: int, row: int) -> str:
    """The project's own id, or ``proj-`` and 12 hex digits derived from all that it holds."""
    if project.id is not None:
        return project.id
    hasher = blake2b(f"{seed}\0{row}\0".encode(), digest_size=6)
    hasher.update(json.dumps(msgspec.to_builtins(project)).encode())
    return f"proj-{hasher.hexdigest()}"


def root_key(own_id: str, seed: int, row: int) -> str:
    """Where the ids of one session begin."""
    return f"{own_id} {seed} {row} "


def turn_step_id(parent: str, *texts: str) -> str:
    """``step-`` and 16 hex digits for the turn that these texts (each a JSON string, so that none
    runs into the next) make after ``parent``: the root key, or the previous turn's id.
    """
    data = "".join((parent, *texts)).encode("utf-8", "surrogatepass")
    return f"step-{blake2b(data, digest_size=8).hexdigest()}"
