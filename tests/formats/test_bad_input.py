"""Files as they come: what is good in them is taken in, what is not is told with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rollstep.core.exporting.many import export_many
from rollstep.core.exporting.plan import Plan
from rollstep.core.formats.reading.files import Read, read_records
from rollstep.core.importing import import_files
from rollstep.core.importing.items import items_of
from rollstep.core.importing.tally import Tally
from rollstep.core.importing.walking import Walk
from rollstep.core.model.messages import TargetReply, payload_text
from rollstep.core.store.library import Library

DATA = Path(__file__).parent / "data"
OTHERS = Path(__file__).parents[1] / "core" / "formats" / "data"


def read(name: str) -> list[Read]:
    """Every record of a file."""
    return list(read_records(DATA / name))


def texts(found: Read) -> list[str]:
    """What the messages of a record say."""
    return [payload_text(step.payload) for step in found.imported[0].steps]


def convert(path: Path, output: Path) -> bytes:
    """A file as OpenAI chat rows; all that can be read of it."""
    walk = Walk([path], Tally())
    export_many(Plan(format="openai"), items_of(walk), output)
    return output.read_bytes()


def test_a_byte_order_mark_is_not_part_of_the_first_record(tmp_path: Path) -> None:
    assert [texts(each) for each in read("byte_order_mark.jsonl")] == [["hi", "hello"]] * 2
    assert b"\xef\xbb\xbf" not in convert(DATA / "byte_order_mark.jsonl", tmp_path / "out")


def test_blank_lines_count_and_hold_nothing() -> None:
    found = read("crlf_and_blank_lines.jsonl")
    assert [each.number for each in found] == [1, 4, 6]
    assert texts(found[2]) == ["last", "line"]


def test_separators_inside_texts_cut_nothing(tmp_path: Path) -> None:
    found = read("raw_line_separators_in_texts.jsonl")
    assert len(found) == 2
    assert {"\u2028", "\u2029", "\u0085"} <= set("".join(texts(found[0])))
    written = convert(DATA / "raw_line_separators_in_texts.jsonl", tmp_path / "out")
    assert len(written.decode().splitlines()) == 2
    assert [json.loads(line)["messages"][0]["content"] for line in written.splitlines()] == [
        texts(each)[0] for each in found
    ]


def test_a_last_line_that_was_cut_off_is_left_out_and_told() -> None:
    *good, cut = read("cut_off_inside_a_character.jsonl")
    assert [texts(each) for each in good] == [["hi", "hello"]] * 2
    (fault,) = cut.faults
    assert (fault.line, fault.byte) == (3, 46)
    assert "cut off" in fault.message
    assert fault.render().endswith("It was left out.")


@pytest.mark.parametrize(("place", "key"), [(0, "role"), (1, "messages")])
def test_a_key_that_stands_twice_and_tells_what_is_meant_is_refused(place: int, key: str) -> None:
    (fault,) = read("keys_that_stand_twice.jsonl")[place].faults
    assert fault.line == place + 1
    assert f"'{key}' stands twice" in fault.message


def test_another_key_that_stands_twice_is_told_and_the_record_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"messages": [{"role": "user", "content": "a", "name": "x", "name": "y"}]}')
    (found,) = read_records(path)
    (note,) = found.imported[0].notes
    assert (note.line, "'name' stands twice" in note.message) == (1, True)


def test_keys_that_stand_twice_in_arguments_stay(tmp_path: Path) -> None:
    line = (DATA / "keys_that_stand_twice.jsonl").read_bytes().split(b"\n")[1]
    path = tmp_path / "file.jsonl"
    path.write_bytes(line.removesuffix(b',"messages":[]}') + b"}")
    (found,) = read_records(path)
    (call,) = [
        call
        for step in found.imported[0].steps
        if isinstance(step.payload, TargetReply)
        for call in step.payload.tool_calls
    ]
    assert call.arguments == '{"order_id":"A-1","order_id":"A-2"}'


def test_numbers_keep_their_text_and_what_cannot_be_held_is_refused() -> None:
    big, digits, deep = read("big_numbers_and_deep_nesting.jsonl")
    (imported,) = big.imported
    reply = imported.steps[1].payload
    assert isinstance(reply, TargetReply)
    assert reply.tool_calls[0].arguments == (
        '{"acct": 2512292042121000001, "amt": 1.10, "z": -0, "e": 1E5}'
    )
    for number in ("2512292042121000001", "1.10", "1.0", "1e400", "-0.0", "1234567890" * 3):
        assert f": {number}" in imported.extra
    assert "digits" in digits.faults[0].message
    assert "nested" in deep.faults[0].message
    assert [digits.faults[0].line, deep.faults[0].line] == [2, 3]


@pytest.mark.parametrize("depth", [50, 200, 330, 500, 900, 990, 1100, 100_000])
def test_no_depth_of_nesting_breaks_the_reading(depth: int, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    deep = "[" * depth + "]" * depth
    good = '{"messages": [{"role": "user", "content": "a"}]}'
    path.write_text(f'{good}\n{{"messages": [{{"role": "user", "content": {deep}}}]}}\n{good}\n')
    with Library.throwaway() as library:
        summary = import_files([path], library)
        assert summary.written + summary.refused == 3
        assert summary.written >= 2


def test_a_list_named_jsonl_is_a_list() -> None:
    found = read("pretty_list_named_jsonl.jsonl")
    assert [texts(each) for each in found] == [["hi", "hello"]] * 2


def test_bytes_that_are_no_text_are_refused_with_their_place_and_nothing_is_replaced() -> None:
    (found,) = read("latin1.jsonl")
    assert found.faults[0].render("latin1.jsonl") == (
        "latin1.jsonl: line 1, byte 46: not UTF-8 (0xE9). Convert the file to UTF-8."
    )


def test_a_record_of_no_known_kind_says_what_was_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"a": 1}\n[1, 2]\n"words"\n3\nnull\n')
    found = [each.faults[0].render() for each in read_records(path)]
    assert len(found) == 5
    assert all("no format that is known" in words and "openai" in words for words in found)
    assert "its keys are 'a'" in found[0]


@pytest.mark.parametrize(
    ("path", "trajectories", "refused"),
    [
        (DATA / "byte_order_mark.jsonl", 2, 0),
        (DATA / "crlf_and_blank_lines.jsonl", 3, 0),
        (DATA / "raw_line_separators_in_texts.jsonl", 2, 0),
        (DATA / "cut_off_inside_a_character.jsonl", 2, 1),
        (DATA / "keys_that_stand_twice.jsonl", 0, 2),
        (DATA / "big_numbers_and_deep_nesting.jsonl", 1, 2),
        (OTHERS / "inspect_nan_and_infinity.json", 1, 0),
        (DATA / "pretty_list_named_jsonl.jsonl", 2, 0),
        (OTHERS / "null_filled_columns.jsonl", 1, 0),
        (OTHERS / "arguments_in_five_shapes.jsonl", 5, 0),
        (DATA / "atif_of_a_newer_version.json", 1, 0),
        (OTHERS / "inspect_missing_attachment_and_errors.json", 1, 0),
        (DATA / "latin1.jsonl", 0, 1),
        (OTHERS / "contents_in_parts.jsonl", 5, 0),
        (OTHERS / "rows_that_trainers_refuse.jsonl", 15, 0),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else None,
)
def test_files_as_they_come_go_into_a_library(path: Path, trajectories: int, refused: int) -> None:
    with Library.throwaway() as library:
        summary = import_files([path], library)
        assert (summary.written, summary.refused) == (trajectories, refused)
        for rollout_id in summary.rollout_ids:
            assert library.load(rollout_id).header.source == str(path)
        again = import_files([path], library)
        assert (again.written, again.held, again.refused) == (0, trajectories, refused)


def test_places_in_a_document_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'[\n{"a": 1},\n{"a":\n  2 x},\n{"b":\n\n "\xe9"}\n]')
    _, broken, latin = read_records(path)
    assert (broken.faults[0].line, broken.faults[0].column) == (4, 5)
    assert (latin.faults[0].line, latin.faults[0].byte) == (7, 2)
    assert latin.faults[0].where == "[2]"


def test_seed_rows_are_told_what_plays_them(tmp_path: Path) -> None:
    path = tmp_path / "seeds.jsonl"
    path.write_text('{"task_id": "1", "user_text": "hi", "benchmark": "b"}\n{"c": 1}\n')
    seed, other = read_records(path)
    assert "--seed-file" in seed.faults[0].hint
    assert not other.faults[0].hint
