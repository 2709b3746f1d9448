"""A trajectory as one of its roles saw it: what ``perspective`` makes, and what is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from ..formats.subject import Subject

Told = tuple[int, ...]
"""The numbers of the steps that a message tells of, in their trajectory."""


class Seen(msgspec.Struct, frozen=True):
    """A subject in which the role that was asked for is the one that replies, and the ``base`` that
    it was made of.

    ``places`` gives, for each of its steps in order, the steps of the base that it tells of; it is
    empty where the two are the same. ``reconstructed``: no request is kept of this answer, so that
    what the role was told was put together by the code that asks. ``in_words`` gives the subject
    with an answer in words in place of a call, where the role was free to answer so. ``context``
    goes into the provenance.
    """

    subject: Subject
    base: Subject
    places: tuple[Told, ...] = ()
    reconstructed: bool = False
    in_words: Callable[[], Subject] | None = None
    context: dict[str, Any] = {}
