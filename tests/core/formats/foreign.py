"""Reading other tools' records in tests, whole and mangled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from rollstep.core.errors import FormatError
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.record import Imported, Reader, Record
from rollstep.core.model.messages import Stop, TargetReply, ToolResult, payload_text
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Step

WRONG: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**30, "", "x", "\ud800", "[/bold]\u2028", [], {}, [[]], [None]),
    *([{}], {"x": None}, {"role": ["user"]}, {"content": {"a": 1}}, [1, "a"]),
)
"""What may stand in the place of anything."""


def parsed(value: Any) -> Any:
    """The value as the pipeline's own JSON parser gives it."""
    return JsonReader().parse(json.dumps(value))[0]


def read_all(reader: Reader, value: Any, around: Any = None) -> list[Imported]:
    """The trajectories of a record, each checked to be one that a library takes."""
    around = None if around is None else parsed(around)
    found = list(reader.read(Record(1, parsed(value), "d1", around)))
    for imported in found:
        check(imported)
    return found


def check(imported: Imported) -> None:
    """Everything that a library and a screen take for granted."""
    rollout = Rollout(RolloutHeader("r", imported.title), [imported.project])
    for step in imported.steps:
        rollout.add(step)  # parents first, ids new
        if step.extra:
            assert isinstance(json.loads(step.extra), dict)
        if isinstance(step.payload, TargetReply):
            assert all(isinstance(call.id, str) for call in step.payload.tool_calls)
        if step.call is not None and step.call.request:
            assert step.call.request in dict(imported.requests)
    assert isinstance(json.loads(imported.project.metadata), dict)
    assert not imported.extra or isinstance(json.loads(imported.extra), dict)
    for tool in imported.project.tools:
        assert tool.name
        assert isinstance(json.loads(tool.parameters), dict)
    known = rollout.steps.keys()
    assert all(step_id in known for score in imported.scores for step_id in score.step_ids)
    assert all(mark.step_id in known for mark in imported.marks)
    assert imported.head is None or imported.head in known
    assert all(body for body in dict(imported.requests).values())


def spoken(imported: Imported) -> list[str]:
    """The steps in order, each as a short line: who, what, calls."""
    return [_line(step) for step in imported.steps]


def _line(step: Step) -> str:
    payload = step.payload
    if isinstance(payload, Stop):
        return f"stop {payload.reason} by {payload.by}"
    words = f"{step.role}: {payload_text(payload)}"
    if isinstance(payload, ToolResult):
        return f"{words} <{payload.call_id}{' error' if payload.is_error else ''}>"
    for call in getattr(payload, "tool_calls", ()):
        words += f" [{call.name} {call.arguments} {call.id}]"
    return words


def mangled(value: Any) -> st.SearchStrategy[Any]:
    """The value with something wrong in one to three places of it."""
    places = list(_places(value))
    change = st.tuples(st.sampled_from(places), st.sampled_from(WRONG), st.booleans())
    return st.lists(change, min_size=1, max_size=3).map(lambda changes: _mangle(value, changes))


def survives(reader: Reader, value: Any, around: Any = None) -> None:
    """The record is recognised to some degree, and read or refused in words; nothing else."""
    assert 0 <= reader.recognise(parsed(value)) <= 100
    try:
        found = read_all(reader, value, around)
    except FormatError as refusal:
        faults = list(refusal.faults)
    else:
        faults = [note for imported in found for note in imported.notes]
        assert found
    assert all(fault.message for fault in faults)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _places(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _places(each, (*path, index))


def _mangle(value: Any, changes: list[tuple[tuple[Any, ...], Any, bool]]) -> Any:
    result = json.loads(json.dumps(value))
    for path, shared, drop in changes:
        wrong = json.loads(json.dumps(shared))  # which a later change may change
        if not path:
            return wrong
        here = result
        try:
            for key in path[:-1]:
                here = here[key]
            if drop:
                del here[path[-1]]
            else:
                here[path[-1]] = wrong
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took this place away
    return result
