"""Opening a log of another program: one sample of it becomes a rollout of the library, once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.errors import Fault, FormatError, UsageError

if TYPE_CHECKING:
    from rollstep.core.engine import Engine
    from rollstep.core.session import Session

    from .target import OpenTarget


class SeveralSamples(UsageError):
    """A log holds more than one sample, and none was named: the screen lets the human pick."""

    def __init__(self, log: OpenTarget) -> None:
        path = log.path
        super().__init__(f"{path} holds several samples: name one by its number, as {path}#2.")
        self.log = log


async def open_log(engine: Engine, target: OpenTarget, path: Path, told: list[str]) -> Session:
    """Open a sample: one that was opened before as it was left, a new one at its first step, with
    what was odd about it ``told``. Raises SeveralSamples, or FormatError where it cannot be read.
    """
    from rollstep.core.importing import import_record

    if engine.library is None:
        raise UsageError("A log is opened in a library; there is none.")
    number, nth = target.number, target.nth
    if number is None:
        number, nth = only_sample(target, path)
    before = engine.library.count()
    notes: list[Fault] = []
    rollout_id = import_record(
        path, number, engine.library, index=nth, format=target.read_as, notes=notes
    )
    session = await engine.open_rollout(rollout_id)
    if engine.library.count() > before:
        told += _words(notes)
        if steps := session.rollout.path(session.head):
            await session.go_to(steps[0].id)
    return session


def _words(notes: list[Fault]) -> Iterator[str]:
    """How what is odd was understood: the first thing, and how many there are."""
    if notes:
        more = f" ({len(notes):,} such notes)" if len(notes) > 1 else ""
        yield f"As it was read: {notes[0].render()}{more}"


def only_sample(log: OpenTarget, path: Path) -> tuple[int, int]:
    """The number of the one sample of a log and its place in its record. Reads no further than to
    the second.
    """
    from rollstep.core.importing import list_samples

    found = list(islice(list_samples(path, format=log.read_as), 2))
    if not found:
        raise FormatError(f"{path}: there is no record in this file.")
    if len(found) > 1:
        raise SeveralSamples(log)
    if found[0].problem:
        raise FormatError(f"{path}: {found[0].problem}")
    return found[0].number, found[0].index
