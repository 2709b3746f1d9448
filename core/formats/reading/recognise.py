"""Which format a record is of: told from what is in it, each record for itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import UsageError
from .record import Reader

SURE = 90
"""From here on nobody else is asked."""


class Recogniser:
    """Tells the formats of many records, one after the other. The format of the last one is tried
    first, so that a file of one kind costs one question a record.
    """

    def __init__(self, readers: Mapping[str, Reader], *, forced: bool = False) -> None:
        self.readers = readers
        self._forced = next(iter(readers)) if forced else ""
        self.last = self._forced
        """The format of the last record."""

    def format_of(self, value: Any) -> str:
        """The name of the format; empty where it is of none that is known, or not at all of the one
        that is forced.
        """
        if self._forced:
            return self._forced if self.readers[self._forced].recognise(value) > 0 else ""
        last = self.last
        if last and self.readers[last].recognise(value) >= SURE:
            return last
        name, score = best(self.readers, value, first=last)
        if score > 0:
            self.last = name
            return name
        return ""


def best(readers: Mapping[str, Reader], value: Any, *, first: str = "") -> tuple[str, int]:
    """Who is surest of a value, and how sure; ``first`` wins where others are no surer."""
    name, score = "", 0
    if first:
        name, score = first, readers[first].recognise(value)
    for each, reader in readers.items():
        found = reader.recognise(value)
        if found > score:
            name, score = each, found
            if score > 100:
                break
    return (name, score) if score > 0 else ("", 0)


def chosen(readers: Mapping[str, Reader], format_name: str | None) -> dict[str, Reader]:
    """The readers to ask: all, or the one that is named. Raises UsageError."""
    if format_name is None:
        return dict(readers)
    reader = readers.get(format_name)
    if reader is None:
        raise UsageError(
            f"There is no format {format_name!r} to read. The formats are {', '.join(readers)}."
        )
    return {format_name: reader}
