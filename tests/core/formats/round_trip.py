"""Writing, reading back and writing again, without files, whatever the unit of the format is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.record import Imported, Record
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.rollout import Rollout, RolloutHeader, Trajectory


def written(subject: Subject, name: str) -> bytes:
    """All that a format writes of one subject."""
    fmt = FORMATS[name]
    if fmt.rows is not None:
        return b"".join(row.data for row in fmt.rows(subject))
    assert fmt.render is not None
    return fmt.render(subject)


def read_all(data: bytes, name: str) -> list[Imported]:
    """What the reader of a format makes of lines, or of one document."""
    reader = FORMATS[name].reader
    assert reader is not None
    parse = JsonReader().parse
    pieces = [line for line in data.split(b"\n") if line.strip()]
    if FORMATS[name].rows is None:
        pieces = [data]
    values = [parse(piece.decode("utf-8"))[0] for piece in pieces]
    for value in values:
        assert reader.recognise(value) > 0
    if reader.unit != "record":
        record = Record(1, values, digest(data), lines=tuple(range(1, len(values) + 1)))
        return list(reader.read(record))
    found: list[Imported] = []
    for number, (value, piece) in enumerate(zip(values, pieces, strict=True), 1):
        found += reader.read(Record(number, value, digest(piece)))
    return found


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


def rollout_of(imported: Imported, name: str) -> Rollout:
    """The tree of an import."""
    header = RolloutHeader("r1", imported.title, format=name, extra=imported.extra)
    rollout = Rollout(header, [imported.project])
    rollout.add_all(imported.steps)
    return rollout


def subjects_of(
    found: Iterable[Imported], name: str, options: WriteOptions | None = None
) -> list[Subject]:
    """A subject for each leaf of each import."""
    subjects = []
    for imported in found:
        rollout = rollout_of(imported, name)
        leaves = rollout.leaves()
        subjects += [
            Subject(
                Trajectory(rollout.path(leaf)),
                tuple(rollout.projects),
                "r1",
                marks=imported.marks,
                scores=imported.scores,
                branches=len(leaves) - 1,
                options=options or WriteOptions(),
                rollout=rollout,
                title=imported.title,
                format=name,
                extra=imported.extra,
            )
            for leaf in leaves
        ]
    return subjects


def again(data: bytes, name: str, options: WriteOptions | None = None) -> bytes:
    """The data read and written again, each row once."""
    rows: dict[bytes, None] = {}
    for subject in subjects_of(read_all(data, name), name, options):
        fmt = FORMATS[name]
        if fmt.rows is None:
            return written(subject, name)
        rows.update((row.data, None) for row in fmt.rows(subject))
    return b"".join(rows)
