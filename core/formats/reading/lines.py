"""JSON Lines: one value on each line, of any number of lines, read one at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from .pieces import Piece
from .record import Refused

BOM = b"\xef\xbb\xbf"
_BUFFER = 1 << 18
"""Lines of logs are longer than the usual buffer, which makes reading them three times as slow."""


class Lines:
    r"""A file cut at ``\n`` and nowhere else. Lines of white space count and hold nothing."""

    format = ""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.position = 0
        self.size = size
        self._file = file

    @classmethod
    def open(cls, path: Path) -> Lines:
        """The lines of the file at ``path``."""
        return cls(open(path, "rb", buffering=_BUFFER), path.stat().st_size)

    def around(self) -> Any:
        """Lines stand alone."""
        return None

    def pieces(self) -> Iterator[Piece | Refused]:
        """A piece for each line that holds anything."""
        self._file.seek(0)
        self.position = 0
        for number, raw in enumerate(self._file, 1):
            self.position += len(raw)
            if not raw.isspace():
                yield _piece(number, raw)

    def piece(self, number: int) -> Piece | Refused | None:
        """The line of this number; None where it holds nothing, or there is none."""
        if number < 1:
            return None
        self._file.seek(0)
        raw = next(itertools.islice(self._file, number - 1, None), b"")
        return None if not raw or raw.isspace() else _piece(number, raw)

    def count(self) -> int | None:
        """Nobody knows before the end."""
        return None

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _piece(number: int, raw: bytes) -> Piece:
    if number == 1:
        raw = raw.removeprefix(BOM)
    data = raw.rstrip(b"\r\n\t ")
    return Piece(number, data, number, open_end=not raw.endswith(b"\n"))
