"""Putting together the records of a file that make one trajectory."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from .pieces import digest_of
from .record import Reader, Record, Refused


class Skipped(msgspec.Struct, frozen=True, gc=False):
    """A record that was not read because it is held already."""

    number: int


Found = Record | Refused | Skipped
"""What stands at one place of a file."""


class Gathering:
    """Puts together the records that make one trajectory."""

    def __init__(self, readers: dict[str, Reader]) -> None:
        self._readers = readers
        self._waiting: list[Record] = []
        self._group = ""

    def add(self, found: Found) -> Iterator[Found]:
        """Put in what comes next; gives what is whole now."""
        if not isinstance(found, Record):
            yield found
            return
        reader = self._readers[found.format]
        if reader.unit == "record":
            yield from self.flush()
            yield found
            return
        group = reader.group(found.value) if reader.group is not None else ""
        if self._waiting and (self._waiting[0].format, self._group) != (found.format, group):
            yield from self.flush()
        self._group = group
        self._waiting.append(found)

    def flush(self) -> Iterator[Record]:
        """What has waited for more."""
        if self._waiting:
            yield _joined(self._waiting)
            self._waiting = []


def _joined(records: list[Record]) -> Record:
    """Many records as one: their values in a list."""
    first = records[0]
    twice = tuple(dict.fromkeys(key for record in records for key in record.duplicates))
    return msgspec.structs.replace(
        first,
        value=[record.value for record in records],
        digest=digest_of("".join(record.digest for record in records).encode()),
        lines=tuple(record.number for record in records),
        duplicates=twice,
    )
