"""A file is known by its bytes: whichever way values were written, they are read back equal."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import FormatError
from rollstep.core.formats.reading.json_in import JsonProblem, JsonReader
from rollstep.core.formats.reading.opening import open_container
from rollstep.core.formats.reading.pieces import Piece
from rollstep.core.formats.reading.record import Reader, Refused

from .test_spans import VALUES, same

OBJECTS = st.lists(st.dictionaries(st.text(), VALUES, min_size=1), min_size=1, max_size=5)
BOM = b"\xef\xbb\xbf"


def _lines(values: list[Any], end: str = "\n") -> bytes:
    return "".join(json.dumps(value) + end for value in values).encode()


def _raw(values: list[Any]) -> bytes:
    text = "\n".join(json.dumps(value, ensure_ascii=False) for value in values)
    return text.encode("utf-8", "replace") + b"\n"


WAYS: dict[str, Callable[[list[Any]], bytes]] = {
    "lines": _lines,
    "CRLF": lambda values: _lines(values, "\r\n"),
    "blank lines": lambda values: b"\n \n" + _lines(values, "\n\r\n \t\n"),
    "no final line end": lambda values: _lines(values).rstrip(b"\n"),
    "byte-order mark": lambda values: BOM + _lines(values),
    "list": lambda values: json.dumps(values).encode(),
    "pretty list": lambda values: json.dumps(values, indent=2).encode() + b"\n",
    "list at the margin": lambda values: json.dumps(values, indent=0).encode(),
    "list with a mark": lambda values: BOM + b" \n" + json.dumps(values, indent=1).encode(),
    "pretty documents": lambda values: b"\n".join(json.dumps(v, indent=2).encode() for v in values),
    "documents at the margin": lambda values: b"\n\n".join(
        json.dumps(value, indent=0).encode() for value in values
    ),
}


def read_back(data: bytes, readers: dict[str, Reader] | None = None) -> list[Any]:
    """The values of the pieces that a file of these bytes is cut into."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        container = open_container(path, readers or {})
        try:
            pieces = list(container.pieces())
            for piece in pieces:
                assert container.piece(piece.number) == piece
        finally:
            container.close()
    return [piece if isinstance(piece, Refused) else _value(piece) for piece in pieces]


def _value(piece: Piece) -> Any:
    try:
        return JsonReader().parse(piece.data.decode())[0]
    except JsonProblem as problem:
        return Refused(piece.number, (problem.fault,))


@given(OBJECTS, st.sampled_from(sorted(WAYS)), st.booleans())
def test_values_are_read_back_however_they_were_written(
    values: list[Any], way: str, packed: bool
) -> None:
    data = WAYS[way](values)
    assert same(read_back(gzip.compress(data, 1) if packed else data), values)


@given(OBJECTS)
def test_characters_at_which_lines_could_be_cut_stay_in_their_line(values: list[Any]) -> None:
    values = [{"text": "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"}, *values]
    data = _raw(values)
    assert same(read_back(data), [json.loads(line) for line in data.split(b"\n")[:-1]])


def test_numbers_of_lines_are_the_ones_that_an_editor_shows(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'\r\n{"a": 1}\r\n\r\n  \r\n{"a": 2}')
    container = open_container(path, {})
    assert [piece.number for piece in container.pieces()] == [2, 5]
    assert container.piece(3) is None
    assert container.piece(6) is None
    assert container.piece(0) is None


def test_elements_of_a_list_know_their_line(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'[\n {"a":\n 1},\n\n {"a": 2}\n]')
    pieces = list(open_container(path, {}).pieces())
    assert [(p.number, p.line) for p in pieces if isinstance(p, Piece)] == [(1, 2), (2, 5)]


SAMPLED = Reader(lambda value: 90 * ("samples" in value), lambda record: (), samples=("samples",))


@given(st.lists(VALUES, max_size=4) | st.dictionaries(st.text(), VALUES, max_size=4), VALUES)
def test_samples_of_a_document_are_pieces(samples: Any, other: Any) -> None:
    document = {"before": other, "samples": samples, "after": [other]}
    expected = list(samples.values()) if isinstance(samples, dict) else samples
    for indent in (None, 2):
        data = json.dumps(document, indent=indent).encode()
        assert same(read_back(data, {"sampled": SAMPLED}), expected)


def test_what_is_around_samples_is_the_document_without_them(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"version": 2, "samples": {"x": 1, "y": 2}, "mean": NaN, "price": 1.50}')
    container = open_container(path, {"sampled": SAMPLED})
    around = container.around()
    assert list(around) == ["version", "mean", "price"]
    assert around["price"].text == "1.50"
    assert [piece.path for piece in container.pieces()] == ["samples.x", "samples.y"]
    assert container.format == "sampled"


def test_a_list_of_messages_is_one_record_where_a_reader_is_surer_of_the_list(
    tmp_path: Path,
) -> None:
    listed = Reader(lambda value: 80 * isinstance(value, list), lambda record: ())
    data = b'[{"role": "user"}, {"role": "assistant"}]'
    assert len(read_back(data)) == 2
    assert len(read_back(data, {"listed": listed})) == 1


def test_what_stands_before_a_break_is_read() -> None:
    *good, bad = read_back(b'[{"a": 1},\n {"a": 2}\n {"a": 3}]')
    assert good == [{"a": 1}, {"a": 2}]
    assert isinstance(bad, Refused)
    assert bad.faults[0].line == 3
    assert "comma" in bad.faults[0].message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \n\r\n", "empty"),
        (BOM, "empty"),
        (b"# Notes\n", "no JSON"),
        (b"a: 1\n", "no JSON"),
        (b"\xff\xfe{\x00}\x00", "UTF-16"),
        (gzip.compress(b'{"a": 1}', mtime=0)[:-9], "gzip"),
        (gzip.compress(b"Words", mtime=0), "no JSON"),
        (b"PK\x03\x04 and nothing else", "zip"),
    ],
)
def test_a_file_that_is_no_json_is_refused_in_words(
    data: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "file[bold]"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=words) as caught:
        open_container(path, {})
    assert str(path) in str(caught.value)


def test_a_first_line_that_is_broken_does_not_make_lines_a_document() -> None:
    first, *others = read_back(b'{"a": {"b": 1}\n' + b'{"a": 2}\n' * 3)
    assert others == [{"a": 2}] * 3
    assert isinstance(first, Refused)


def test_a_pipe_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b'{"a": 1}\n{"a": 2}\n'))
    writer.start()
    container = open_container(path, {})
    writer.join()
    assert [piece.data for piece in container.pieces() if isinstance(piece, Piece)] == [
        b'{"a": 1}',
        b'{"a": 2}',
    ]
    container.close()


@given(st.lists(VALUES, min_size=1, max_size=4), st.sampled_from([None, 1]), st.data())
def test_of_a_log_that_was_cut_off_the_samples_before_the_cut_are_read(
    samples: list[Any], indent: int | None, data: st.DataObject
) -> None:
    whole = json.dumps({"version": 2, "samples": samples, "x": 1}, indent=indent).encode()
    begin = whole.index(b'"samples"')
    cut = data.draw(st.integers(begin + 11, len(whole) - 1))
    found = read_back(whole[:cut], {"sampled": SAMPLED})
    good = [value for value in found if not isinstance(value, Refused)]
    assert same(good, samples[: len(good)])
    assert len(found) - len(good) == 1


def test_a_cut_is_told_with_its_place() -> None:
    good, cut = read_back(b'{"samples": [{"a": NaN},\n {"b": "x', {"sampled": SAMPLED})
    assert same(good, {"a": float("nan")})
    assert isinstance(cut, Refused)
    assert cut.faults[0].render() == (
        "line 2, column 10: it was cut off here, inside a text. What stands before it was read."
    )


@pytest.mark.parametrize("end", ["\n", ",\n"])
def test_memory_does_not_grow_with_the_number_of_pieces(end: str, tmp_path: Path) -> None:
    peaks = []
    for count in (2_000, 20_000):
        text = end.join(json.dumps({"a": "x" * 100}) for _ in range(count))
        path = tmp_path / "file"
        path.write_text(f"[{text}]" if end.startswith(",") else text)
        container = open_container(path, {})
        tracemalloc.start()
        assert sum(1 for _ in container.pieces()) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        container.close()
    assert peaks[1] < peaks[0] + 1_100_000  # the lines of a list are counted in steps of a megabyte


def test_a_zip_file_of_a_version_to_come_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("header.json", "{}")
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 139
    path.write_bytes(data)
    with pytest.raises(FormatError, match="zip file version"):
        open_container(path, {})


@pytest.mark.parametrize("size", [10_000, 1 << 25])
def test_a_file_that_is_cut_off_while_it_is_read_does_not_end_the_program(
    size: int, tmp_path: Path
) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps([{"a": "x" * (size // 4)}] * 4))
    container = open_container(path, {})
    pieces = container.pieces()
    next(pieces)
    os.truncate(path, 10)
    rest = list(pieces)
    container.close()
    if size < 1 << 24:
        assert len(rest) == 3  # it was read before
    else:
        assert isinstance(rest[0], Refused)
        assert "shorter" in rest[0].faults[0].message
