"""Ids of imported rollouts, derived, so that opening the same record again finds what was done."""

from __future__ import annotations

import hashlib


def rollout_id(digest: str, number: int, index: int = 0, forced: str = "") -> str:
    """The id of the trajectory number ``index`` of a record that has no name of its own: from the
    record's bytes and its place, wherever the file stands; and from the format where a person has
    named it, since it then may be read otherwise than before.
    """
    return _id(f"{digest}\0{number}\0{index}\0{forced}")


def keyed_id(format_name: str, key: str) -> str:
    """The id of a trajectory that its source gives a name of its own."""
    return _id(f"{format_name}\0{key}")


def _id(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return f"imp-{hashlib.blake2b(data, digest_size=8).hexdigest()}"
