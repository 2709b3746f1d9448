"""One record of a file, and what a reader makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec

from ...errors import Fault
from ...model.marks import Mark, Score
from ...model.project import Project
from ...model.rollout import Branch
from ...model.steps import Attempt, Step

Unit = Literal["record", "group", "file"]
"""What one trajectory is made from: one record, neighbouring records of one group, or the file."""


class Record(msgspec.Struct, frozen=True):
    """One record, parsed. ``number`` is its place in the file as people count: the physical line of
    JSON lines, else its place among the samples, from 1. ``digest`` names its bytes. ``around`` is
    the document that holds it, without its samples; ``path`` where it stands there. ``value`` is a
    list of values where the reader's unit is a group or the file, and ``lines`` their numbers.
    ``duplicates`` are keys that stand twice in one object; ``format`` is what it was taken for.
    """

    number: int
    value: Any
    digest: str
    around: Any = None
    path: str = ""
    lines: tuple[int, ...] = ()
    duplicates: tuple[str, ...] = ()
    format: str = ""


class Refused(msgspec.Struct, frozen=True):
    """One record that cannot be used, and why."""

    number: int
    faults: tuple[Fault, ...]
    path: str = ""


class Imported(msgspec.Struct, frozen=True):
    """One trajectory, or a tree of them, from outside; legal or not.

    ``key`` is a name of its own that the source gives it (a session's id), by which later states of
    the same source are known again; where it is empty the record's digest and number are its name.
    ``extra`` is a JSON object of what the record holds and nothing here does; ``head`` the step
    that it is opened at (the newest leaf where it is None); ``notes`` are things that a person
    should know; ``requests`` maps digest to body, of requests that the source recorded.
    ``created_at`` is in seconds since the epoch.
    """

    project: Project
    steps: tuple[Step, ...]
    title: str = ""
    key: str = ""
    head: str | None = None
    scores: tuple[Score, ...] = ()
    marks: tuple[Mark, ...] = ()
    branches: tuple[Branch, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    requests: tuple[tuple[str, str], ...] = ()
    extra: str = ""
    notes: tuple[Fault, ...] = ()
    created_at: float = 0.0


class Zipped(msgspec.Struct, frozen=True):
    """Which entries of a zip are samples, in order, and which one (``around``) is the document
    that they belong to.
    """

    samples: tuple[str, ...]
    around: str = ""


Quick = Callable[[bytes, str], Imported | None]


class Reader(msgspec.Struct, frozen=True):
    """How one format is read.

    ``recognise`` says how surely a parsed record is of this format: 0 not at all, 50 perhaps, 90
    and more surely; it must not raise, whatever it is given. ``read`` makes the trajectories of a
    record; it raises FormatError with faults where the record cannot be used. ``samples`` are the
    keys under which a document holds its samples, a list or a map: each becomes a record of its
    own, and ``recognise`` is asked about the document with the first of its samples in it.
    ``group`` gives the group of a record, where neighbours of one group make one trajectory.
    ``zipped`` is given the names in a zip file, and says which are samples, or None for a zip of
    another kind; each sample is then a record, and nobody is asked to recognise it. ``quick`` makes
    something that is given the bytes and the digest of a line, once lines of this format have been
    seen, and gives what ``read`` would, or None to leave it to ``read``. ``beside`` is given the
    path of a file, and names the document that stands for the one around its records, where they
    are files of their own.
    """

    recognise: Callable[[Any], int]
    read: Callable[[Record], Iterable[Imported]]
    unit: Unit = "record"
    samples: tuple[str, ...] = ()
    group: Callable[[Any], str] | None = None
    zipped: Callable[[tuple[str, ...]], Zipped | None] | None = None
    quick: Callable[[], Quick] | None = None
    beside: Callable[[Path], Path | None] | None = None
