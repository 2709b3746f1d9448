"""The pieces that a file is cut into before anything is parsed: one JSON value each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from .record import Refused


class Piece(msgspec.Struct, frozen=True, gc=False):
    """One JSON value as bytes. ``number`` is its place as people count (see ``Record``), ``line``
    the physical line of the file on which it begins, 0 where a file has no lines; ``path`` where it
    stands in the document that holds it. ``open_end`` marks the last line of a file that has no
    line end: it may have been cut off.
    """

    number: int
    data: bytes
    line: int = 0
    path: str = ""
    open_end: bool = False


class Container(Protocol):
    """A file as a row of pieces. ``around`` is the document that holds them, if there is one;
    ``format`` is known where the file as a whole tells; ``position`` is how many bytes have been
    passed, out of ``size``.
    """

    format: str
    position: int
    size: int

    def around(self) -> Any:
        """The document that holds the pieces, without them; None where there is none."""

    def pieces(self) -> Iterator[Piece | Refused]:
        """All of them, in order."""

    def piece(self, number: int) -> Piece | Refused | None:
        """The one of this number, without parsing the others; None where there is none."""

    def count(self) -> int | None:
        """How many there are; None where that would take a look at the whole file."""

    def close(self) -> None:
        """Let the file go."""


def digest_of(data: bytes) -> str:
    """A name that follows from bytes. (At these lengths no other hash is quicker.)"""
    return hashlib.sha256(data).hexdigest()[:24]


def nth(pieces: Iterator[Piece | Refused], number: int) -> Piece | Refused | None:
    """The piece of this number in a row of them."""
    for piece in pieces:
        if piece.number >= number:
            return piece if piece.number == number else None
    return None
