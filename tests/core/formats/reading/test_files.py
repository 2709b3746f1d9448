"""Files of records: each recognised for itself, put together where they belong together, and none
of them in the way of the others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.errors import Fault, FormatError, UsageError
from rollstep.core.formats.reading import files
from rollstep.core.formats.reading.building import TreeBuilder, imported_project
from rollstep.core.formats.reading.files import open_source, read_records
from rollstep.core.formats.reading.record import Imported, Reader, Record, Refused
from rollstep.core.model.messages import target_reply, user_message
from rollstep.core.model.steps import Step


def _one(record: Record) -> list[Imported]:
    """A trajectory that says what its record was."""
    builder = TreeBuilder(record.digest)
    values = record.value if isinstance(record.value, list) else [record.value]
    for value in values:
        builder.add(user_message(json.dumps(value)))
    return [Imported(imported_project("t"), builder.steps, title=record.format)]


def _odd(record: Record) -> list[Imported]:
    what = record.value["odd"]
    if what == "refused":
        raise FormatError(faults=(Fault("no good", where="odd"), Fault("no good either")))
    if what == "deep":
        return _odd(record)
    if what == "bug":
        raise KeyError("nothing")
    if what == "no tree":
        step = Step("a", "missing", "target", target_reply("x"), "import")
        return [Imported(imported_project("t"), (step,))]
    builder = TreeBuilder(record.digest)
    builder.note("odd", "here")
    builder.note("elsewhere", line=99)
    return [Imported(imported_project("t"), (), notes=tuple(builder.notes))]


def _has(key: str, score: int = 95) -> Any:
    return lambda value: score if isinstance(value, dict) and key in value else 0


READERS = {
    "plain": Reader(_has("a", 50), _one),
    "surer": Reader(_has("b", 60), _one),
    "grouped": Reader(_has("g"), _one, "group", group=lambda value: str(value["g"])),
    "whole": Reader(_has("f"), _one, "file"),
    "odd": Reader(_has("odd"), _odd),
    "sampled": Reader(_has("samples"), _one, samples=("samples",)),
}


@pytest.fixture(autouse=True)
def _readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "readers", lambda: READERS)


@pytest.fixture
def lines(tmp_path: Path) -> Any:
    """Writes values as JSON Lines; gives the path."""

    def write(*values: object) -> Path:
        path = tmp_path / "file"
        path.write_text("".join(json.dumps(value) + "\n" for value in values))
        return path

    return write


def test_each_record_goes_to_the_reader_that_is_surest_of_it(lines: Any) -> None:
    path = lines({"a": 1}, {"a": 2, "b": 2}, {"b": 3}, {"a": 4}, {"c": 5})
    found = list(read_records(path))
    assert [each.format for each in found] == ["plain", "surer", "surer", "plain", ""]
    assert "Looked for: plain, surer" in found[4].faults[0].message


def test_a_format_that_is_named_reads_all_that_it_may_know(lines: Any) -> None:
    path = lines({"a": 1}, {"a": 2, "b": 2}, {"b": 3}, {"c": 4})
    found = list(read_records(path, "plain"))
    assert [each.format for each in found] == ["plain", "plain", "", ""]
    assert "no record of plain: it looks like surer." in found[2].faults[0].message
    assert "like no format that is known" in found[3].faults[0].message
    with pytest.raises(UsageError, match="formats are plain, surer"):
        list(read_records(path, "none"))


def test_neighbours_of_one_group_are_one_record(lines: Any) -> None:
    path = lines({"g": 1}, {"g": 1}, {"g": 2}, {"a": 0}, {"g": 2}, {"g": 2})
    found = list(read_records(path))
    assert [(each.number, len(each.imported[0].steps)) for each in found] == [
        (1, 2),
        (3, 1),
        (4, 1),
        (5, 2),
    ]
    with open_source(path) as source:
        assert source.record(2).lines == (1, 2)
        assert source.record(6).lines == (5, 6)
        assert source.record(4).value == {"a": 0}


def test_a_file_of_one_trajectory_is_one_record(lines: Any) -> None:
    path = lines({"f": 1}, {"f": 2}, {"f": 3})
    (found,) = read_records(path)
    assert (found.format, len(found.imported[0].steps)) == ("whole", 3)


def test_the_same_bytes_have_the_same_digest_wherever_they_stand(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    first.write_bytes(b'{"a": 1}\n{"a": 2}\n')
    second.write_bytes(b'[\n{"a": 1},\n{"a": 2}\n]')
    digests = [[each.digest for each in read_records(path)] for path in (first, second)]
    assert digests[0] == digests[1]
    assert len(set(digests[0])) == 2


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ("refused", "no good"),
        ("deep", "nested more deeply"),
        ("bug", "cannot be read as odd"),
        ("no tree", "no place in the tree"),
    ],
)
def test_whatever_happens_in_one_record_the_others_are_read(
    odd: str, words: str, lines: Any
) -> None:
    path = lines({"a": 1}, {"odd": odd}, {"a": 3})
    first, bad, last = read_records(path)
    assert first.imported
    assert last.imported
    assert not bad.imported
    assert words in bad.faults[0].message
    assert bad.faults[0].line == 2


def test_notes_have_the_line_of_their_record(lines: Any) -> None:
    (found,) = read_records(lines({"odd": ""}))
    assert [note.line for note in found.imported[0].notes] == [1, 99]


def test_what_is_held_is_not_parsed(lines: Any, tmp_path: Path) -> None:
    path = lines(*({"a": number} for number in range(600)))
    path.write_text(path.read_text() + "no JSON\n")
    asked: list[int] = []

    def held(records: list[tuple[int, str]]) -> set[int]:
        asked.extend(number for number, _ in records)
        return {number for number, _ in records if number != 300}

    with open_source(path) as source:
        found = list(source.read(held))
    assert asked == list(range(1, 602))
    assert [each.number for each in found if not each.held] == [300]
    assert len(found) == 601


def test_one_record_is_opened_without_the_others(lines: Any) -> None:
    path = lines({"a": 1}, {"a": 2})
    path.write_text("no JSON\n" + path.read_text())
    with open_source(path) as source:
        assert source.record(3).value == {"a": 2}
        with pytest.raises(FormatError, match="line 1, column 1"):
            source.record(1)
        with pytest.raises(FormatError, match="there is no record 4"):
            source.record(4)


def test_a_sample_comes_with_the_document_around_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"version": 2, "samples": [{"x": 1}, {"x": 2}], "stats": {}}')
    with open_source(path) as source:
        assert source.format == "sampled"
        record = source.record(2)
    assert (record.value, record.around) == ({"x": 2}, {"version": 2, "stats": {}})
    assert record.path == "samples[1]"
    (refused,) = read_records(_written(tmp_path, '{"samples": []}'))
    assert "no samples" in refused.faults[0].message


def test_records_are_given_as_they_stand(lines: Any) -> None:
    with open_source(lines({"a": 1}, {"c": 1}, {"a": 2})) as source:
        found = list(source.records())
        assert source.format == "plain"
        assert source.progress[0] == source.progress[1]
    assert [isinstance(each, Refused) for each in found] == [False, True, False]


def _written(folder: Path, text: str) -> Path:
    path = folder / "other"
    path.write_text(text)
    return path
