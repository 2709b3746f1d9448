from __future__ import annotations

from rollstep.core.formats.jsonl import json_text
from rollstep.core.formats.reading.json_in import JsonReader, finite
from rollstep.core.formats.reading.tools import read_tools
from rollstep.core.formats.source import (
    Source,
    as_it_is,
    has_odd_numbers,
    json_of,
    odd_number_notes,
    plain,
)
from rollstep.core.formats.subject import Subject
from rollstep.core.model.messages import target_reply

from .conftest import make_subject

ODD = '{"a": [NaN, 1.10, -Infinity], "b": "NaN"}'


def imported(**fields: object) -> Subject:
    step = {"origin": "import", "extra": '{"a": 1.10, "$b": NaN}', **fields}
    return make_subject((target_reply("Hi."), step), format="atif", extra='{"c": 2}')


def test_what_the_source_said_is_for_the_writer_of_its_own_format_only() -> None:
    subject = imported()
    (step,) = subject.trajectory.steps
    assert Source(subject, "atif").of_record() == {"c": 2}
    assert json_text(plain(Source(subject, "atif").of_step(step)["a"])) == "1.10"
    assert Source(subject, "openai").of_record() == {}
    assert Source(subject, "openai").of_step(step) == {}


def test_an_edit_has_no_source_and_a_copy_does_not_stand_where_it_stood() -> None:
    (edit,) = imported(origin="human").trajectory.steps
    assert Source(imported(), "atif").of_step(edit) == {}
    (copy,) = imported(copied_from="s0").trajectory.steps
    assert Source(imported(), "atif").of_step(copy)
    assert not Source(imported(), "atif").has(copy)
    (told,) = imported(origin="human", extra='{"$edit": true}').trajectory.steps
    assert Source(imported(), "atif").has(told)


def test_nan_and_infinities_become_null_and_other_numbers_stay_as_they_stand() -> None:
    assert json_text(as_it_is(ODD)) == '{"a": [null, 1.10, null], "b": "NaN"}'
    assert json_text(as_it_is('{"a":  1e400}')) == '{"a":  1e400}'
    assert finite(JsonReader().parse(ODD)[0]) == {"a": [None, 1.1, None], "b": "NaN"}
    assert (has_odd_numbers(ODD), has_odd_numbers('"NaN"')) == (True, False)
    assert "written as null" in odd_number_notes(imported(), "atif")[0]
    assert odd_number_notes(imported(), "openai") == []
    assert json_of("{") is None


def test_a_tool_s_schema_never_holds_nan() -> None:
    value = JsonReader().parse('[{"name": "f", "parameters": {"x": NaN, "y": 1.10}}]')[0]
    (tool,) = read_tools(value, "tools", lambda words, where: None)
    assert tool.parameters == '{"x": null, "y": 1.10}'
