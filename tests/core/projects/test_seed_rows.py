"""Seed JSONL files: every kind of bad row is one fault in words, and the other rows are kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import Fault, SeedFileError
from rollstep.core.projects import seeds
from rollstep.core.projects.seed_rows import BadRow, SeedRow, row_of, seed_record
from rollstep.core.projects.seeds import iter_seeds, read_seeds

GOOD = b'{"user_text": "hi"}'


@pytest.fixture
def read(tmp_path):
    def read(data, **options):
        path = tmp_path / "seeds.jsonl"
        path.write_bytes(data)
        return read_seeds(path, **options)

    return read


def only_fault(read, line):
    """The one fault of a bad line between two good ones."""
    seeds = read(GOOD + b"\n" + line + b"\n" + GOOD + b"\n")
    assert [row.line for row in seeds.rows] == [1, 3]
    assert seeds.bad == 1
    (fault,) = seeds.faults
    assert fault.line == 2
    return fault.render()


def test_scenario_row_fields_and_defaults(read):
    """`task_id` optional, `user_text`, `benchmark` "synth" only when the key is absent, `context`
    an empty object when absent."""
    row = {
        "task_id": "reply:0b7e1c52",
        "benchmark": "synth-dialogue_routing",
        "user_text": "Move my visit?",
        "context": {"channel": "dm", "memory": [{"role": "user", "content": "Zürich"}]},
    }
    with_nulls = b'{"user_text": "x", "benchmark": null, "context": null}'
    full, nulls, bare = read(b"\n".join((json.dumps(row).encode(), with_nulls, GOOD))).rows
    assert full == SeedRow(
        1,
        "Move my visit?",
        '"reply:0b7e1c52"',
        "reply:0b7e1c52",
        '"synth-dialogue_routing"',
        '{"channel": "dm", "memory": [{"role": "user", "content": "Zürich"}]}',
    )
    assert nulls == SeedRow(2, "x", benchmark="null", context="null")
    assert bare == SeedRow(3, "hi", benchmark='"synth"', context="{}")


def test_blank_lines_are_skipped_and_line_numbers_are_physical(read):
    found = read(b"\n" + GOOD + b"\r\n   \r\n\t\n" + GOOD + b"\n\nnope\n")
    assert [row.line for row in found.rows] == [2, 5]
    assert found.faults[0].line == 7


def test_a_byte_order_mark_is_no_fault(read):
    assert read(b"\xef\xbb\xbf" + GOOD + b"\n").rows == (SeedRow(1, "hi"),)


def test_lines_end_at_line_feeds_only(read):
    text = "a\u2028b\u2029c\x85d\x0be"
    found = read(json.dumps({"user_text": text}, ensure_ascii=False).encode() + b"\n")
    assert found.rows[0].user_text == text


def test_a_last_row_without_a_line_end_counts(read):
    assert len(read(GOOD + b"\n" + GOOD).rows) == 2


def test_a_truncated_last_row_is_reported(read):
    found = read(GOOD + b'\n{"user_text": "and th')
    assert len(found.rows) == 1
    assert "line 2" in found.faults[0].render()
    assert "cut off before its end" in found.faults[0].message


def test_a_row_cut_inside_a_character_is_reported_with_its_byte(read):
    found = read(GOOD + b'\n{"user_text": "caf\xc3')
    assert found.faults == (Fault("the row is cut off inside a character.", 2, byte=18),)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"user_text": "caf\xe9"}', "line 2, byte 18: not UTF-8 (0xE9)."),
        (b'{"user_text": "a", "user_text": "b"}', 'duplicate key "user_text".'),
        (b'{"user_text": "a", "context": {"x": 1, "x": 2}}', 'duplicate key "x".'),
        (b'{"user_text": "a", "context": {"x": NaN}}', "NaN is no JSON number."),
        (b'{"user_text": "a", "context": -Infinity}', "-Infinity is no JSON number."),
        (b'{"user_text": "a", "context": 1e400}', "1e400 is too large"),
        (b'{"user_text": "a", "context": ' + b"9" * 4400 + b"}", "a number of 4400 digits"),
        (b'{"user_text": "a", "context": ' + b"[" * 3000 + b"]" * 3000 + b"}", "nested deeper"),
        (b'{"user_text": "a", "context": ' + b"[" * 150 + b"]" * 150 + b"}", "nested deeper"),
        (b"[" * 100_000, "nested deeper"),
        (b"[1, 2]", "expected an object, found a list."),
        (b'"text"', "expected an object, found a text."),
        (b"null", "expected an object, found null."),
        (b"12", "expected an object, found a number."),
        (b'{"user_text": 12}', "user_text: expected a text, found a number."),
        (b'{"user_text": ["a"]}', "user_text: expected a text, found a list."),
        (b'{"user_text": false}', "user_text: expected a text, found true or false."),
        (b'{"user_text": "a"} {"user_text": "b"}', "line 2, column 19: more follows"),
        (b'  {"user_text": a}', "line 2, column 17: not JSON: Expecting value."),
        (b"{'user_text': 'a'}", "not JSON"),
    ],
)
def test_a_bad_row_is_one_fault_and_the_rest_is_kept(read, line, words):
    assert words in only_fault(read, line)


@given(st.one_of(st.binary(max_size=40), st.text('ab":{}[],0.-eE NI\\\\u', max_size=40)))
def test_whatever_a_line_holds_is_a_row_or_one_fault(data):
    raw = data if isinstance(data, bytes) else b'{"user_text": "a", "context": ' + data.encode()
    fault, row = None, None
    try:
        record = seed_record(raw, 3)
        row = record and row_of(record, 3)
    except BadRow as bad:
        fault = bad.fault
    assert row is None or row.line == 3
    assert fault is None or len(fault.render().splitlines()) == 1


def test_a_hundred_levels_are_fine(read):
    deep = b'{"user_text": "a", "context": ' + b"[" * 99 + b"]" * 99 + b"}"
    many = b'{"user_text": "a", "context": [' + b", ".join([b"{}"] * 500) + b"]}"
    assert read(deep + b"\n" + many).bad == 0


def test_a_json_array_is_named_as_such(read):
    found = read(b'[{"user_text": "a"}]')
    assert "a JSON array, not JSON Lines" in found.faults[0].message
    pretty = read(b'[\n  {"user_text": "a"}\n]\n')
    assert "over several lines, not JSON Lines" in pretty.faults[0].message


@pytest.mark.parametrize("row", [b"{}", b'{"user_text": ""}', b'{"user_text": null}'])
def test_a_missing_or_empty_text_is_noted_and_is_no_fault(read, row):
    found = read(row + b"\n" + GOOD)
    assert (found.bad, len(found.rows)) == (0, 2)
    assert "line 1: user_text: no user_text" in found.notes[0].render()


def test_the_text_under_another_name_is_pointed_at(read):
    assert read(b'{"userText": "a"}').notes[0].hint == "Did you mean user_text by userText?"


def test_equal_ids_are_noted_and_both_run(read):
    found = read(b'{"task_id": "a", "user_text": "x"}\n{"task_id": "a", "user_text": "y"}\n')
    assert len(found.rows) == 2
    assert found.bad == 0
    assert '"a" is also the id of line 1; both are run.' in found.notes[0].render()


def test_ids_like_paths_are_data(read):
    found = read(b'{"task_id": "../../etc/passwd\\u0000", "user_text": "x"}\n')
    assert found.rows[0].title == "../../etc/passwd\0"
    assert not found.faults + found.notes


def test_lone_surrogates_are_data(read):
    row = read(b'{"task_id": "\\ud83d", "user_text": "a\\udc00", "context": "\\ud800"}\n').rows[0]
    assert (row.user_text, row.title, row.context) == ("a\udc00", "\ud83d", '"\\ud800"')


def test_an_id_of_another_type_is_kept_as_it_is(read):
    rows = read(b'{"task_id": 7, "user_text": "x"}\n{"task_id": 0, "user_text": "x"}').rows
    assert [(row.task_id, row.title) for row in rows] == [("7", "7"), ("", "")]


def test_strict_refuses_to_start_with_all_faults(read):
    with pytest.raises(SeedFileError) as caught:
        read(b"x\n" + GOOD + b"\n[]\n", strict=True)
    assert [fault.line for fault in caught.value.faults] == [1, 3]
    assert "seeds.jsonl: line 1" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\n \n\t\r\n", b"\xef\xbb\xbf"])
def test_a_blank_only_seed_file_is_an_error(read, data):
    with pytest.raises(SeedFileError, match="the file is empty"):
        read(data)


def test_a_missing_seed_file_and_a_folder_are_errors(tmp_path):
    with pytest.raises(SeedFileError, match="no such seed file"):
        read_seeds(tmp_path / "none.jsonl")
    with pytest.raises(SeedFileError, match="a folder"):
        read_seeds(tmp_path)
    with pytest.raises(SeedFileError, match="cannot be read"):
        read_seeds(tmp_path / "nul\0byte")


def test_rows_can_be_read_one_by_one(tmp_path):
    path = tmp_path / "seeds.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD + b"\n\nbad\n" + GOOD)
    first, fault, last = iter_seeds(path)
    assert (first, last) == (SeedRow(1, "hi"), SeedRow(4, "hi"))
    assert fault.line == 3


def test_a_large_file_gives_the_same_rows_without_keeping_them(tmp_path, monkeypatch):
    path = tmp_path / "seeds.jsonl"
    lines = [b'{"user_text": "caf\xc3\xa9 %d"}\r\n' % number for number in range(50)]
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join([*lines[:25], b"bad\n", *lines[25:]]))
    small = read_seeds(path)
    monkeypatch.setattr(seeds, "IN_MEMORY", 10)
    large = read_seeds(path)
    assert not isinstance(large.rows, tuple)
    assert tuple(large.rows) == small.rows
    assert tuple(large.rows[3:5]) == small.rows[3:5]
    assert large.rows[-1] == small.rows[-1]
    assert large.faults == small.faults


def test_a_large_file_that_changes_while_it_is_read_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(seeds, "IN_MEMORY", 10)
    path = tmp_path / "seeds.jsonl"
    path.write_bytes(GOOD + b"\n" + GOOD + b"\n")
    rows = read_seeds(path).rows
    path.write_bytes(b"x" * 100)
    with pytest.raises(SeedFileError, match="changed while it was read"):
        rows[1]


def test_faults_are_listed_up_to_a_limit_and_all_counted(read, monkeypatch):
    monkeypatch.setattr(seeds, "LISTED", 2)
    found = read(b"x\n" * 5 + GOOD)
    assert (len(found.faults), found.bad) == (2, 5)
    with pytest.raises(SeedFileError, match="3 more bad rows"):
        read(b"x\n" * 5, strict=True)
