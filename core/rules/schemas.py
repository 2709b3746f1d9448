"""Whether a call's arguments fit the tool's ``parameters``, and a result its ``returns``.

Plain schemas are checked by ``plain_schema``. The jsonschema package does the others; it takes long
to import, so it is loaded when the first schema that needs it is met. It is never let near the
network: a reference that leads out of the schema leads nowhere. A schema that is broken says
nothing of any value, and so holds for all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from ..model.project import Project, Tool
from .plain_schema import Check, compiled, words
from .searching import searcher

Problem = Callable[[Any], str]
"""What is wrong with a value, in one line; "" for nothing."""


def args_problem(tool: Tool, arguments_text: str) -> str:
    """What is wrong with a call's arguments, in words; "" when they fit the tool's parameters."""
    return _problem(tool.parameters, arguments_text)


def result_problem(tool: Tool, result_text: str) -> str:
    """What is wrong with a result, in words; "" when it fits the tool's ``returns``, or the tool
    has none. A result that says that the tool failed need not fit; whoever asks knows that. A text
    may be meant as a string: what fits as one fits.
    """
    if tool.returns is None:
        return ""
    problem = _problem(tool.returns, result_text)
    return problem if problem and _checker(tool.returns)(result_text) else ""


def needs_package(project: Project) -> bool:
    """Whether a tool of the project has a schema for which jsonschema has to be imported."""
    return any(
        _plain(text) is None
        for tool in project.tools
        for text in (tool.parameters, tool.returns)
        if text is not None
    )


def _problem(schema: str, text: str) -> str:
    try:
        value = json.loads(text, parse_constant=_no_number)
    except ValueError as error:
        return f"not JSON: {error}"
    except RecursionError:
        return "not read: nested too deeply"
    return _checker(schema)(value)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no JSON value")


@lru_cache(maxsize=256)
def _checker(schema: str) -> Problem:
    plain = _plain(schema)
    if plain is not None:
        return lambda value: words(plain(value))
    return _package_checker(json.loads(schema))


@lru_cache(maxsize=256)
def _plain(schema: str) -> Check | None:
    """The check of a plain schema, or of a text that is none; None where the package is needed."""
    try:
        return compiled(json.loads(schema))
    except (ValueError, RecursionError):
        return lambda value: None


def load_package() -> None:
    """Import what the schemas that are not plain need: it takes long, and a thread may do it."""
    import jsonschema.validators
    import jsonschema_specifications  # type: ignore[import-untyped]

    assert jsonschema.validators
    assert jsonschema_specifications


def _fine(value: Any) -> str:
    return ""


def _package_checker(document: Any) -> Problem:
    from jsonschema.exceptions import best_match
    from jsonschema.validators import Draft202012Validator, extend, validator_for
    from jsonschema_specifications import REGISTRY

    try:
        kind: Any = validator_for(document, default=Draft202012Validator)
        kind.check_schema(document)
        kind = extend(kind, {"pattern": _pattern})  # type: ignore[no-untyped-call]
        # With a registry of its own the package fetches nothing.
        validator: Any = kind(document, registry=REGISTRY)
    except Exception:  # noqa: BLE001  # whatever it trips over, the schema cannot be used
        return _fine

    def problem(value: Any) -> str:
        try:
            error = best_match(validator.iter_errors(value))
        except Exception:  # noqa: BLE001  # a dead reference, a bad pattern, a loop: the schema's
            return ""
        return "" if error is None else _words(error)

    return problem


def _pattern(validator: Any, wanted: str, value: Any, schema: Any) -> Iterator[Any]:
    """The package's own would search for ever, if the schema says so."""
    from jsonschema.exceptions import ValidationError

    if isinstance(value, str) and not searcher(wanted, otherwise=True)(value):
        yield ValidationError(f"{value!r} does not match {wanted!r}")


def _words(error: Any) -> str:
    place = "".join(f"/{token}" for token in error.absolute_path)
    message = error.message if len(error.message) <= 200 else f"{error.message[:199]}…"
    return f"{place}: {message}" if place else message
