"""Looking into one file: what trajectories there are, and taking in one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..errors import Fault, FormatError
from ..formats.inspect.listing import Listed, listed
from ..formats.reading.files import Read, open_source
from ..formats.reading.record import Imported
from ..model.marks import Score
from ..model.messages import UNRECOVERABLE, Stop
from ..model.rollout import Rollout, RolloutHeader, Trajectory
from ..rules.scoring import failing
from ..store.library import Library
from .saved import newest_leaf
from .taking import Taking


class SampleLine(msgspec.Struct, frozen=True):
    """One trajectory of a file, for a list to pick from. ``number`` is its record's, ``index`` its
    place among the trajectories of that record. ``problem`` says why it cannot be opened.
    ``turns`` and ``steps`` are those of the branch that would be opened; ``why`` is what the score
    by which it failed says.
    """

    number: int
    title: str
    score: str = ""
    failed: bool = False
    turns: int = 0
    steps: int = 0
    format: str = ""
    index: int = 0
    notes: int = 0
    problem: str = ""
    why: str = ""


def list_samples(path: Path, *, format: str | None = None) -> Iterator[SampleLine]:
    """What there is in a file, in order, as it is read; where the file has a list of its samples,
    what that tells, and no sample is read. Raises as ``open_source`` does.
    """
    told = listed(path) if format in (None, "inspect-eval") else None
    if told:
        yield from map(_told, told)
        return
    with open_source(path, format=format) as source:
        for read in source.read():
            if read.faults:
                problem = "\n".join(fault.render() for fault in read.faults)
                yield SampleLine(read.number, "", problem=problem)
            for index, imported in enumerate(read.imported):
                yield _line(read, imported, index)


def import_record(
    path: Path,
    number: int,
    library: Library,
    *,
    format: str | None = None,
    index: int = 0,
    notes: list[Fault] | None = None,
) -> str:
    """Save one record of a file, and only that one; the id of its rollout (of the trajectory number
    ``index``, where a record holds several). One that the library holds is left as it is, with
    what was done to it. What is odd about it is appended to ``notes``. Raises FormatError,
    StoreError.
    """
    with open_source(path, format=format) as source:
        read = source.trajectories(source.record(number))
    if read.faults:
        raise FormatError(source=str(path), faults=read.faults)
    if not read.imported:
        raise FormatError(f"{path}: record {number} holds no trajectory.")
    taking = Taking(library, forced=format is not None)
    ids = taking.take(read, str(path))
    taking.flush()
    index = min(index, len(ids) - 1)
    if notes is not None:
        notes += read.imported[index].notes
    return ids[index]


def _told(sample: Listed) -> SampleLine:
    score = failing(sample.scores)
    return SampleLine(
        sample.number,
        sample.title,
        ", ".join(_score_words(each) for each in sample.scores),
        score is not None or bool(sample.error),
        sample.replies,
        sample.messages,
        "inspect-eval",
        why=sample.error or (score.explanation if score is not None else "") or sample.ended,
    )


def _line(read: Read, imported: Imported, index: int) -> SampleLine:
    steps = imported.steps
    head = imported.head or newest_leaf(imported)
    if head is not None and head != steps[-1].id:
        rollout = Rollout(RolloutHeader("", ""), (imported.project,))
        rollout.add_all(steps)
        steps = rollout.path(rollout.newest_leaf(head))
    stop = steps[-1].payload if steps else None
    score = failing(imported.scores)
    return SampleLine(
        read.number,
        imported.title or imported.project.title,
        ", ".join(_score_words(score) for score in imported.scores),
        score is not None or (isinstance(stop, Stop) and stop.reason == UNRECOVERABLE),
        len(Trajectory(tuple(steps)).turns()),
        len(steps),
        read.format,
        index,
        len(imported.notes),
        why=score.explanation if score is not None else "",
    )


def _score_words(score: Score) -> str:
    value = f"{score.value:g}" if isinstance(score.value, float) else str(score.value)
    return f"{score.name} {value}" if score.name else value
