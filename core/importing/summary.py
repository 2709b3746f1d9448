"""What an import tells: how far it is, and what became of everything."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ..errors import Fault

SHOWN = 1000
"""So many records that were left out are kept to be shown; the others are counted."""


class FileProgress(msgspec.Struct, frozen=True):
    """How far the reading of files is. ``done`` and ``size`` are bytes of all of them, ``read``
    their records so far.
    """

    path: Path
    files: int
    of_files: int
    done: int
    size: int
    read: int


class Left(msgspec.Struct, frozen=True):
    """A record, or with number 0 a whole file, and what is to be said of it."""

    path: Path
    number: int
    faults: tuple[Fault, ...]

    def render(self) -> str:
        """In lines: the file, the place, the cause, what to do."""
        lines = []
        for fault in self.faults:
            source = str(self.path)
            if self.number and fault.line != self.number:
                source = f"{source}: record {self.number}"
            lines.append(fault.render(source))
        return "\n".join(lines)


class ImportSummary(msgspec.Struct, frozen=True):
    """What became of the records that were ``read``: rollouts ``written`` anew, ``grown`` (held
    already, and there was more to them), ``held`` (nothing new), records (or whole files)
    ``refused``. The first of those, and of what is odd in what was taken in (``notes``), are told.
    ``rollout_ids`` are the first of those that were read and taken in. ``passed_over`` are files
    of a folder that hold no JSON, ``own`` those that rollstep wrote beside exports.
    """

    files: int = 0
    read: int = 0
    written: int = 0
    grown: int = 0
    held: int = 0
    refused: int = 0
    odd: int = 0
    left: tuple[Left, ...] = ()
    notes: tuple[Left, ...] = ()
    rollout_ids: tuple[str, ...] = ()
    formats: tuple[tuple[str, int], ...] = ()
    passed_over: int = 0
    own: int = 0
    stopped: bool = False
