"""Zip files whose entries are the samples of one log."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import Fault, FormatError
from .json_in import JsonProblem, JsonReader
from .pieces import Piece
from .record import Reader, Refused, Zipped
from .unzip import read_entry


class Entries:
    """The entries of a zip that a reader takes for samples."""

    def __init__(self, packed: zipfile.ZipFile, zipped: Zipped, format_name: str) -> None:
        self.format = format_name
        self.position = 0
        self.size = len(zipped.samples)
        self._packed = packed
        self._zipped = zipped
        self._around: Any = None

    @classmethod
    def open(cls, path: Path, readers: Mapping[str, Reader]) -> Entries:
        """The samples of the zip at ``path``. Raises FormatError where no reader knows it."""
        packed = zipfile.ZipFile(path)
        names = tuple(packed.namelist())
        for name, reader in readers.items():
            zipped = reader.zipped(names) if reader.zipped is not None else None
            if zipped is not None:
                return cls(packed, zipped, name)
        packed.close()
        raise FormatError(
            f"{path}: a zip file of no known kind. Those of Inspect (.eval) are read."
        )

    def around(self) -> Any:
        """The log without its samples."""
        if self._around is None and self._zipped.around:
            piece = self._read(0, self._zipped.around)
            if isinstance(piece, Refused):
                raise FormatError(faults=piece.faults)
            try:
                self._around = JsonReader().parse(piece.data.decode("utf-8"))[0]
            except UnicodeDecodeError as error:
                raise JsonProblem(Fault("not UTF-8.", where=piece.path)) from error
        return self._around

    def pieces(self) -> Iterator[Piece | Refused]:
        """All samples."""
        for number, name in enumerate(self._zipped.samples, 1):
            self.position = number
            yield self._read(number, name)

    def piece(self, number: int) -> Piece | Refused | None:
        """One sample; no other is unpacked."""
        if not 1 <= number <= len(self._zipped.samples):
            return None
        return self._read(number, self._zipped.samples[number - 1])

    def count(self) -> int | None:
        """How many samples there are."""
        return len(self._zipped.samples)

    def close(self) -> None:
        """Close the file."""
        self._packed.close()

    def _read(self, number: int, name: str) -> Piece | Refused:
        try:
            return Piece(number, read_entry(self._packed, name), path=name)
        except (
            *(zipfile.BadZipFile, zlib.error, OSError, KeyError, EOFError),
            *(NotImplementedError, RuntimeError, MemoryError),
        ) as error:
            fault = Fault(f"this entry cannot be unpacked: {error}.", where=name)
            return Refused(number, (fault,), name)
