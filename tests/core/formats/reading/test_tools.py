from __future__ import annotations

import json
from typing import Any

from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.tools import read_declared, read_tools
from rollstep.core.model.project import Tool

GET = '{"type": "function", "function": {"name": "get", "parameters": {"x": 1.10}}}'


def read(text: str) -> tuple[Any, list[tuple[str, str]]]:
    notes: list[tuple[str, str]] = []
    value = JsonReader().parse(text)[0]
    return read_declared(value, "tools", lambda words, where: notes.append((words, where))), notes


def test_declarations_in_the_usual_shape_need_no_raw_text() -> None:
    declared, notes = read(f"[{GET}]")
    assert declared.tools == (Tool("get", parameters='{"x": 1.10}'),)
    assert (declared.raw, notes) == ("", [])


def test_numbers_in_a_schema_stand_as_they_stood_although_rows_repeat_them() -> None:
    for number in ("1.10", "1.1", "1.10"):
        declared, _ = read(f"[{GET.replace('1.10', number)}]")
        assert declared.tools[0].parameters == f'{{"x": {number}}}'


def test_other_shapes_are_read_and_their_text_is_kept() -> None:
    for shape in (
        '[{"name": "get", "description": "d", "input_schema": {"x": 1.10}}]',
        '[{"name": "get", "description": "d", "parameters": {"x": 1.10}}]',
        '[{"type": "function", "function": {"strict": true, "name": "get", "description": "d", '
        '"parameters": {"x": 1.10}}}]',
    ):
        for text in (shape, json.dumps(shape)):
            declared, notes = read(text)
            assert declared.tools[0].name == "get"
            assert declared.tools[0].description == "d"
            assert json.loads(declared.tools[0].parameters) == {"x": 1.1}
            assert declared.raw == text
            assert notes == []


def test_what_declares_no_tool_is_noted_at_its_place_every_time() -> None:
    for _ in range(2):
        declared, notes = read(f'[{GET}, {GET}, {{"name": ""}}, 4]')
        assert [tool.name for tool in declared.tools] == ["get"]
        assert [where for _, where in notes] == ["tools[1]", "tools[2]", "tools[3]"]
    for text in ('"no json"', "4", '{"a": 1}'):
        declared, notes = read(text)
        assert (declared.tools, declared.raw, len(notes)) == ((), text, 1)


def test_no_tools_is_no_note() -> None:
    assert read_tools(None, "tools", lambda words, where: None) == ()
    assert read_tools([], "tools", lambda words, where: None) == ()
