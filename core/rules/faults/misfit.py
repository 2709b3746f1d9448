"""A result of a wrong type: one that a tool's ``returns`` schema does not permit. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from ...model.project import Tool
from ..json_values import MISSING, parse
from ..schema_example import example_from_schema
from ..schemas import args_problem, result_problem

_MEMBERS = 50
"""Members of an object that are tried one after the other."""


def misfit(tool: Tool | None, known: str) -> str:
    """The text of a result that the tool's ``returns`` does not permit: the ``known`` result, or an
    example that would fit, with one member of another type.

    Where there is no ``returns``, or it permits everything, the known result as another JSON type;
    null where nothing is known at all.
    """
    value = parse(known) if known else MISSING
    if known and value is MISSING:
        value = known
    if tool is not None and tool.returns is not None:
        base = value
        if value is MISSING or result_problem(tool, known):
            base = example_from_schema(parse(tool.returns))
        texts = [json.dumps(each, ensure_ascii=False) for each in _candidates(base)]
        # Any text may be meant as a string; as the JSON that it is, it may still be wrong.
        strict = msgspec.structs.replace(tool, parameters=tool.returns)
        found = next((text for text in texts if result_problem(tool, text)), None)
        found = found or next((text for text in texts if args_problem(strict, text)), None)
        if found is not None:
            return found
    return json.dumps(None if value is MISSING else _other_type(value), ensure_ascii=False)


def _other_type(value: Any) -> Any:
    """The value as a tool gives it that encodes twice, or wraps what it should not."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return {str(index): item for index, item in enumerate(value)}
    return [value] if isinstance(value, str) else json.dumps(value)


def _candidates(base: Any) -> Iterator[Any]:
    """From the likeliest mistake to the crudest."""
    if isinstance(base, dict):
        for key in list(base)[:_MEMBERS]:
            yield {**base, key: _other_type(base[key])}
        for key in list(base)[:_MEMBERS]:
            yield {**base, key: None}
    if isinstance(base, list) and base:
        yield [_other_type(base[0]), *base[1:]]
    yield _other_type(base)
    yield from (None, "unknown", [], {}, -1, 0.5, False)
