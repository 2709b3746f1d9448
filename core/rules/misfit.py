"""A value of a wrong type: one that a tool's ``returns`` schema does not permit. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from .json_values import MISSING, parse
from .schema_example import example_from_schema

_MEMBERS = 50
"""Members of an object that are tried one after the other."""

Permits = Callable[[Any], bool]


def misfit(returns: str | None, like: Any = MISSING) -> Any:
    """A value that ``returns`` does not permit: ``like``, or an example that would fit, with one
    member of another type. MISSING where the schema permits everything.

    Without a usable schema, ``like`` as another type; null where nothing is known at all.
    """
    permits = _checker(returns) if returns else None
    if permits is None:
        return None if like is MISSING else other_type(like)
    base = like
    if like is MISSING or not _fits(permits, like):
        base = example_from_schema(parse(returns or ""))
    for candidate in _candidates(base):
        if not _fits(permits, candidate):
            return candidate
    return MISSING


def other_type(value: Any) -> Any:
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
            yield {**base, key: other_type(base[key])}
        for key in list(base)[:_MEMBERS]:
            yield {**base, key: None}
    if isinstance(base, list) and base:
        yield [other_type(base[0]), *base[1:]]
    yield other_type(base)
    yield from (None, "unknown", [], {}, -1, 0.5, False)


@lru_cache(maxsize=256)
def _checker(returns: str) -> Permits | None:
    """Says whether the schema permits a value; None for what is no schema."""
    schema = parse(returns)
    if isinstance(schema, bool):
        return lambda value: bool(schema)
    if not isinstance(schema, dict) or not schema:
        return None
    import jsonschema
    import referencing

    try:
        kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        kind.check_schema(schema)
        permits: Permits = kind(schema, registry=referencing.Registry()).is_valid
        permits(None)
    except (*_UNUSABLE, jsonschema.SchemaError, referencing.exceptions.Unresolvable):
        return None
    return permits


_UNUSABLE = (RecursionError, ValueError, TypeError, AttributeError)


def _fits(permits: Permits, value: Any) -> bool:
    """A schema that only some value makes unusable (a reference that leads nowhere) permits it."""
    import referencing

    try:
        return permits(value)
    except (*_UNUSABLE, referencing.exceptions.Unresolvable):
        return True
