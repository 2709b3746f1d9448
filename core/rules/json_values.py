"""JSON values compared as they are, and JSON pointers (RFC 6901).

Nothing is coerced: ``true`` is not 1, ``"1"`` is not 1, null is only null. JSON has one kind of
number, so 1 and 1.0 are the same value. The order of an object's members does not matter, the
order of a list does.
"""

from __future__ import annotations

import json
import re
from typing import Any

MISSING: Any = object()
"""What a pointer finds where there is nothing; not to be confused with null."""

_decode = json.JSONDecoder().decode
_BAD_ESCAPE = re.compile(r"~(?![01])")


def parse(text: str) -> Any:
    """The value of a JSON text, or MISSING when it is no JSON (or too deep or too big to read)."""
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        return MISSING


def same_value(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same, without coercion."""
    if isinstance(one, str):
        return bool(one == other)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict | list):
        return _same_inside(one, other)
    return bool(one == other)


def _same_inside(one: Any, other: Any) -> bool:
    # Without recursion: what a tool answers may be nested as deeply as it can be read at all.
    waiting = [(one, other)]
    while waiting:
        one, other = waiting.pop()
        if isinstance(one, dict):
            if not isinstance(other, dict) or one.keys() != other.keys():
                return False
            waiting += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list):
            if not isinstance(other, list) or len(one) != len(other):
                return False
            waiting += zip(one, other, strict=True)
        elif not same_value(one, other):
            return False
    return True


def includes(whole: Any, wanted: dict[str, Any]) -> bool:
    """Whether ``whole`` is an object that has every wanted member, each with the same value."""
    if not isinstance(whole, dict):
        return False
    # A plain loop: a call's arguments are held against every row of a table.
    for key, value in wanted.items():  # noqa: SIM110
        if not same_value(whole.get(key, MISSING), value):
            return False
    return True


def pointer_tokens(pointer: str) -> tuple[str, ...]:
    """The reference tokens of a JSON pointer, unescaped. Raises ValueError when it is none."""
    if pointer == "":
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"a JSON pointer is empty or starts with '/', and {pointer!r} does not")
    if _BAD_ESCAPE.search(pointer):
        raise ValueError(f"in the JSON pointer {pointer!r} a '~' must be written '~0'")
    tokens = pointer[1:].split("/")
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def at(value: Any, tokens: tuple[str, ...]) -> Any:
    """What stands at a pointer's tokens, or MISSING."""
    for token in tokens:
        if isinstance(value, dict):
            value = value.get(token, MISSING)
        elif isinstance(value, list) and _is_index(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            return MISSING
    return value


def _is_index(token: str) -> bool:
    """An array index: ASCII digits without a leading zero, and short enough to be a real one."""
    plain = token.isascii() and token.isdigit() and len(token) < 19
    return plain and (token == "0" or token[0] != "0")
