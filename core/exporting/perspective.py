"""The trajectory as one of the roles lived it: what it was told, and what it answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..formats.subject import Subject
from ..model.steps import Role
from .items import Requests


class Seen(msgspec.Struct, frozen=True):
    """A subject in which the role that was asked for is the one that replies, and the ``base`` that
    it was made of. ``places`` gives, for each of its steps in order, the number of the step of the
    base that it tells of (0: none); it is empty where the two are the same. ``reconstructed``: no
    request of this role is kept, so that what it was told was put together again.
    """

    subject: Subject
    base: Subject
    places: tuple[int, ...] = ()
    reconstructed: bool = False
    context: dict[str, Any] = {}


def as_role(base: Subject, role: Role, requests: Requests) -> Iterator[Seen]:
    """The trajectory as this role lived it: as it is for the target, else one for each answer."""
    yield Seen(base, base)
