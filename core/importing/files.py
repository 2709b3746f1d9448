"""Importing many files: in flat memory, to be stopped and gone on with at any time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import BundleError, Fault
from ..formats.reading.files import Held
from ..store.importing import import_bundle
from ..store.library import Library
from .ids import rollout_id
from .summary import SHOWN, ImportSummary, Left
from .taking import Taking
from .tally import Tally
from .walking import Progress, Stop, Walk, is_bundle


def import_files(
    paths: Iterable[Path],
    library: Library,
    *,
    format: str | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> ImportSummary:
    """Save the trajectories of files and folders in a library.

    Records that the library holds are passed over, mostly without being parsed, so an import that
    was stopped is gone on with by asking for it again; nothing is lost or doubled. ``stop`` is
    asked after each record whether to end early. Raises UsageError for a format that is not known,
    InputError for a path that is not there, StoreError.
    """
    tally = Tally()
    walk = Walk(paths, tally, format=format, progress=progress, stop=stop)
    taking = Taking(library, forced=format is not None)
    held = _held_by(library, format or "")
    ids: list[str] = []
    try:
        for path in walk.each():
            if is_bundle(path):
                _take_bundle(path, library, tally, taking)
                continue
            for read in walk.records(path, held):
                taken = taking.take(read, str(path))
                if len(ids) < SHOWN:
                    ids += taken
    finally:
        taking.flush()
    return ImportSummary(
        walk.files,
        tally.read,
        taking.written,
        taking.grown,
        taking.held + tally.held,
        tally.refused,
        tally.odd,
        tuple(tally.left),
        tuple(tally.notes),
        tuple(ids),
        tuple(tally.formats.most_common()),
        len(walk.passed_over),
        walk.own,
        walk.stopped,
    )


def _held_by(library: Library, forced: str) -> Held:
    def held(records: list[tuple[int, str]]) -> set[int]:
        ids = {rollout_id(digest, number, 0, forced): number for number, digest in records}
        return {ids[each] for each in library.held(ids)}

    return held


def _take_bundle(path: Path, library: Library, tally: Tally, taking: Taking) -> None:
    """Our own whole rollouts, which are merged with those that are held."""
    warnings: list[str] = []
    before = library.count()
    try:
        ids = import_bundle(path, library, warnings)
    except BundleError as error:
        tally.fail(path, error)
        return
    new = library.count() - before
    tally.read += len(ids)
    tally.formats["bundle"] += len(ids)
    taking.written += new
    taking.held += len(ids) - new
    for warning in warnings:
        tally.odd += 1
        tally.notes.append(Left(path, 0, (Fault(warning.removeprefix(f"{path}: ")),)))
