"""Reading what a format wrote, and writing it again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec
from rollstep.core.export import subject_of
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.record import Imported, Record
from rollstep.core.formats.rows import Row
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.rollout import Rollout, RolloutHeader

DATA = Path(__file__).parent / "data"


def lines_of(name: str) -> list[str]:
    """The lines of a file in tests' data."""
    text = (DATA / name).read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line]


def read_line(fmt: str, line: str | bytes, number: int = 1) -> Imported:
    """The one trajectory, or tree, of a line."""
    (imported,) = read_lines(fmt, [line], number)
    return imported


def read_lines(fmt: str, lines: Iterable[str | bytes], number: int = 1) -> list[Imported]:
    """What a reader makes of lines: one for each, or one for all where it takes groups."""
    reader = FORMATS[fmt].reader
    assert reader is not None
    values = [JsonReader().parse(_text(line))[0] for line in lines]
    for value in values:
        assert reader.recognise(value) >= 50
    if reader.unit == "record":
        return [
            imported
            for place, value in enumerate(values)
            for imported in reader.read(Record(number + place, value, f"digest{place}"))
        ]
    places = tuple(range(number, number + len(values)))
    return list(reader.read(Record(number, values, "digest", lines=places)))


def _text(line: str | bytes) -> str:
    return line if isinstance(line, str) else line.decode("utf-8")


def subject_from(
    fmt: str, imported: Imported, leaf: str | None = None, options: WriteOptions | None = None
) -> Subject:
    """What was read as a subject of its own; its newest branch, unless told otherwise."""
    header = RolloutHeader("r1", imported.title, format=fmt, extra=imported.extra)
    rollout = Rollout(header, [imported.project])
    rollout.add_all(imported.steps)
    end = leaf or imported.head or rollout.newest_leaf(None)
    return subject_of(rollout, end, marks=imported.marks, options=options)


def branches_of(fmt: str, imported: Imported, options: WriteOptions | None = None) -> list[Subject]:
    """Every branch of what was read."""
    whole = subject_from(fmt, imported, options=options)
    assert whole.rollout is not None
    leaves = whole.rollout.leaves() or [None]
    return [subject_from(fmt, imported, leaf, options) for leaf in leaves]


def rows_of(fmt: str, subject: Subject) -> list[Row]:
    """The rows of a subject."""
    rows = FORMATS[fmt].rows
    assert rows is not None
    return list(rows(subject))


def write(fmt: str, *subjects: Subject) -> bytes:
    """The rows of several subjects, equal ones once where the format wants that."""
    data = [row.data for subject in subjects for row in rows_of(fmt, subject)]
    return b"".join(dict.fromkeys(data) if FORMATS[fmt].unique else data)


def written_again(fmt: str, data: bytes, options: WriteOptions | None = None) -> bytes:
    """What was written, read and written again."""
    lines = [line for line in data.split(b"\n") if line]
    return write(
        fmt,
        *(
            branch
            for imported in read_lines(fmt, lines)
            for branch in branches_of(fmt, imported, options)
        ),
    )


def meaning(line: str | bytes) -> object:
    """What a line of JSON says, without its spelling."""
    return json.loads(line)


def with_options(subject: Subject, **options: object) -> Subject:
    """The subject with other choices of the person who exports."""
    changed = msgspec.structs.replace(subject.options, **options)
    return msgspec.structs.replace(subject, options=changed)
