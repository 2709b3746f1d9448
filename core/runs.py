"""What a library knows of a run, so that the same command can go on after whatever ended it.

A run is known by what it plays: its projects, its seed and where its records go (``run_key``). When
it begins, the library keeps a record of it with a salt of its own, and the id of each of its
rollouts follows from that salt and the rollout's place in the run: so the same place is found again
by the next program, and a run that is begun anew shares nothing with the one before.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import msgspec

from .appending import make_folder
from .clock import Clock, wall_clock
from .errors import InputError, StoreError
from .ids import rollout_id_from

KIND = "run"
"""The kind under which a library keeps runs."""

_LOOKED_UP = 256
"""Rollouts that are looked for at once."""


class Written(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where in a file the records of a run stand: from ``start`` on, to ``end`` where the run has
    said so (one that was killed has not).
    """

    path: str
    start: int
    end: int | None = None


class RunRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of a run."""

    salt: str
    about: str = ""
    began_at: float = 0.0
    files: tuple[Written, ...] = ()


class Keeper(Protocol):
    """The part of a library that keeps runs."""

    def keep(self, kind: str, name: str, body: bytes) -> None:
        """Keep something under a name."""
        ...

    def kept(self, kind: str) -> dict[str, bytes]:
        """All that is kept of this kind."""
        ...

    def held(self, rollout_ids: Iterable[str]) -> set[str]:
        """Those of these ids that there is a rollout of."""
        ...


def run_key(parts: Iterable[bytes]) -> str:
    """The name of the run that plays this."""
    hasher = blake2b(digest_size=16)
    for part in parts:
        hasher.update(b"%d:%b" % (len(part), part))
    return hasher.hexdigest()


class Run:
    """One run in one library."""

    def __init__(self, library: Keeper, key: str, record: RunRecord, *, again: bool) -> None:
        self.record = record
        self.again = again
        """Whether it was begun before, and goes on."""
        self._library = library
        self._key = key
        self._ids: list[str] = []
        self._first = 0
        self._held: set[str] = set()

    def rollout_id(self, place: int) -> str:
        """The id of the rollout at this place of the run."""
        return rollout_id_from(f"{self.record.salt} {place}")

    def holds(self, place: int) -> str | None:
        """The id of the rollout at this place, if it was begun before. Places are asked for in
        ascending order.
        """
        if not self.again:
            return None
        if not self._first <= place < self._first + len(self._ids):
            self._first = place
            self._ids = [self.rollout_id(place + n) for n in range(_LOOKED_UP)]
            self._held = self._library.held(self._ids)
        found = self._ids[place - self._first]
        return found if found in self._held else None

    def ends_at(self) -> None:
        """Note where its files end now: what stands behind that later is somebody else's."""
        files = tuple(
            msgspec.structs.replace(each, end=_size(Path(each.path))) for each in self.record.files
        )
        self._put(msgspec.structs.replace(self.record, files=files))

    def _put(self, record: RunRecord) -> None:
        self.record = record
        self._library.keep(KIND, self._key, msgspec.json.encode(record))


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Nobody else's run writes to this folder meanwhile; it is made, and goes away again if nothing
    was written there. A program that is killed lets go of it. Raises InputError.
    """
    try:
        make_folder(folder)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(
                f"{folder}: another run writes to this folder. Wait until it has ended, or name "
                "another one with --output-dir."
            ) from error
        yield
        with suppress(OSError):  # not empty, as a rule
            folder.rmdir()
    finally:
        os.close(handle)


def begin(
    library: Keeper, key: str, files: Sequence[Path], about: str = "", clock: Clock = wall_clock
) -> Run:
    """Begin this run anew; its records are appended to these files."""
    _close_others(library, key, files)
    written = tuple(Written(str(path.absolute()), _start(path)) for path in files)
    run = Run(library, key, RunRecord(os.urandom(8).hex(), about, clock(), written), again=False)
    run._put(run.record)
    return run


def go_on(library: Keeper, key: str) -> Run | None:
    """The run that was begun with this key; None where there is none. A file of its that was taken
    away, or cut, is written anew from where it ends.

    Raises InputError where something else was appended behind its records.
    """
    body = library.kept(KIND).get(key)
    if body is None:
        return None
    record = _decoded(body)
    if record is None:
        raise StoreError(
            "What the library holds of this run cannot be read, so that it cannot go on. Without "
            "--resume the command begins a new one."
        )
    run = Run(library, key, record, again=True)
    run._put(
        msgspec.structs.replace(record, files=tuple(_found_again(file) for file in record.files))
    )
    return run


def _found_again(file: Written) -> Written:
    path = Path(file.path)
    size = _size(path)
    if file.end is not None and size > file.end:
        raise InputError(
            f"{path}: something was appended behind the records of the run that should go on. "
            "Move the file away: all records of the run are written again then, at no cost."
        )
    start = file.start if size >= file.start - 1 else _start(path)
    return Written(file.path, start)


def _close_others(library: Keeper, key: str, files: Sequence[Path]) -> None:
    """Earlier runs that write to the same files end where these end now."""
    paths = {str(path.absolute()) for path in files}
    for name, body in library.kept(KIND).items():
        record = _decoded(body)
        if record is None or name == key:
            continue
        if any(each.path in paths and each.end is None for each in record.files):
            Run(library, name, record, again=True).ends_at()


def _decoded(body: bytes) -> RunRecord | None:
    try:
        return msgspec.json.decode(body, type=RunRecord)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _start(path: Path) -> int:
    """Where the next line of this file begins: behind the line end that an unfinished last line
    gets first.
    """
    size = _size(path)
    if not size:
        return 0
    with path.open("rb") as file:
        file.seek(size - 1)
        return size + (file.read(1) != b"\n")
