"""Counting what becomes of the records of files, without growing with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from ..errors import Fault, InputError
from ..formats.reading.files import LOOKED_FOR, Read
from .summary import SHOWN, Left


class Tally:
    """Records ``read``, those ``held`` or ``refused``, and those in which something is ``odd``; the
    first of the last two kinds are kept to be told. ``told`` is told of every one that is refused.
    """

    def __init__(self, told: Callable[[Left], None] | None = None) -> None:
        self._told = told
        self.read = self.held = self.refused = self.odd = 0
        self.left: list[Left] = []
        self.notes: list[Left] = []
        self.formats: Counter[str] = Counter()
        self._listed = False

    def count(self, path: Path, read: Read) -> bool:
        """Count one record; whether there is anything in it to be taken in."""
        self.read += read.number > 0  # 0 is what is said of the file
        if read.held:
            self.held += 1
        elif read.faults:
            self.leave(Left(path, read.number, read.faults))
        else:
            self.formats[read.format] += len(read.imported)
            if found := odd_in(path, read):
                self.odd += 1
                if len(self.notes) < SHOWN:
                    self.notes.append(found)
            return bool(read.imported)
        return False

    def leave(self, left: Left) -> None:
        """Something that cannot be used."""
        self.refused += 1
        left = msgspec.structs.replace(left, faults=tuple(map(self._once, left.faults)))
        if len(self.left) < SHOWN:
            self.left.append(left)
        if self._told is not None:
            self._told(left)

    def _once(self, fault: Fault) -> Fault:
        """The fault; the list of all formats stands in the first one only."""
        words, sign, _ = fault.message.partition(LOOKED_FOR)
        if not sign or not self._listed:
            self._listed = self._listed or bool(sign)
            return fault
        return msgspec.structs.replace(fault, message=words)

    def fail(self, path: Path, error: InputError | OSError) -> None:
        """A file that cannot be used as a whole."""
        self.leave(Left(path, 0, _faults(path, error)))


def odd_in(path: Path, read: Read) -> Left | None:
    """What a person should know of a record that was read."""
    notes = tuple(note for imported in read.imported for note in imported.notes)
    return Left(path, read.number, notes) if notes else None


def _faults(path: Path, error: InputError | OSError) -> tuple[Fault, ...]:
    if isinstance(error, OSError):
        return (Fault(f"cannot be read: {error.strerror or error}."),)
    return error.faults or (Fault(str(error).removeprefix(f"{path}: ")),)
