"""One line of a seed JSONL, checked: the record in it, or what is wrong with it.

The lines come from other programs, so nothing is taken on trust: bytes that are no UTF-8, cut
lines, duplicate keys, not-a-number, numbers that Python refuses and nesting that would exhaust its
stack are all faults of the one line, in words.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..errors import Fault
from .scalars import MAX_DIGITS, escape_surrogates, name_shown, printable, shown

MAX_DEPTH = 100
_KEYS = ("task_id", "user_text", "benchmark", "context")
_SYNTH = '"synth"'


class SeedRow(msgspec.Struct, frozen=True):
    """One scenario. ``line`` counts the file's physical lines from 1.

    ``user_text`` is empty where the row gives none; such a row makes no project. ``task_id``,
    ``benchmark`` and ``context`` may be any JSON value and are kept as JSON text; ``task_id`` is ""
    where the row gives none, or an empty one. ``title`` is the id as a project's title.
    """

    line: int
    user_text: str
    task_id: str = ""
    title: str = ""
    benchmark: str = _SYNTH
    context: str = "{}"


class BadRow(Exception):
    """A line that cannot be used."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _Problem(ValueError):
    """Found inside a row by one of the decoder's hooks."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise _Problem(f"duplicate key {shown(again)}.")
    return found


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _Problem(f"{printable(text, 40)} is too large for a number.")
    return value


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _Problem(f"a number of {len(text.lstrip('-'))} digits; at most {MAX_DIGITS}.")
    return int(text)


def _constant(name: str) -> Any:
    raise _Problem(f"{name} is no JSON number.")


_decode = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=_constant
).raw_decode
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def seed_record(raw: bytes, line: int) -> dict[str, Any] | None:
    """The object on a line (without its line end), or None for a blank line. Raises BadRow."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8(raw, line, error) from None
    text = text.strip()
    if not text:
        return None
    try:
        record, end = _decode(text)
    except json.JSONDecodeError as error:
        raise _not_json(raw, text, line, error) from None
    except _Problem as error:
        raise BadRow(Fault(str(error), line)) from None
    except RecursionError:
        raise _too_deep(line) from None
    if end != len(text):
        raise BadRow(Fault("more follows after the row's end.", line, _column(raw, end)))
    if not isinstance(record, dict):
        raise _not_an_object(record, line)
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(record) > MAX_DEPTH:
        raise _too_deep(line)
    user_text = record.get("user_text")
    if user_text is not None and type(user_text) is not str:
        message = f"expected a text, found {_describe(user_text)}."
        raise BadRow(Fault(message, line, 0, "user_text", "Put it in quotes."))
    return record


def row_of(record: dict[str, Any], line: int) -> SeedRow:
    """The row that a checked record is. A missing benchmark is "synth" and a missing context an
    empty object; null stays null.
    """
    task_id = record.get("task_id") or None
    return SeedRow(
        line,
        record.get("user_text") or "",
        "" if task_id is None else json_of(task_id),
        "" if task_id is None else str(task_id)[:80],
        json_of(record["benchmark"]) if "benchmark" in record else _SYNTH,
        json_of(record["context"]) if "context" in record else "{}",
    )


def json_of(value: Any) -> str:
    """JSON text as Python's json module writes it, non-ASCII kept, lone surrogates escaped."""
    return escape_surrogates(_encode(value))


def missing_text_hint(record: dict[str, Any]) -> str:
    """What a row without ``user_text`` may have meant."""
    if "user_text" in record:
        return ""
    import difflib

    names = [key for key in record if key not in _KEYS]
    near = difflib.get_close_matches("user_text", names, n=1, cutoff=0.5)
    return f"Did you mean user_text by {name_shown(near[0])}?" if near else ""


def _not_utf8(raw: bytes, line: int, error: UnicodeDecodeError) -> BadRow:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return BadRow(Fault("the file is UTF-16, not UTF-8.", hint="Save it as UTF-8."))
    if error.reason == "unexpected end of data":
        message = "the row is cut off inside a character."
        return BadRow(Fault(message, line, byte=error.start))
    message = f"not UTF-8 (0x{raw[error.start]:02X})."
    return BadRow(Fault(message, line, hint="Convert the file to UTF-8.", byte=error.start))


def _not_json(raw: bytes, text: str, line: int, error: json.JSONDecodeError) -> BadRow:
    column = _column(raw, error.pos)
    if line == 1 and text in ("[", "{"):
        message = "this is one JSON document over several lines, not JSON Lines."
        return BadRow(Fault(message, line, hint="Put each row on a line of its own."))
    if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
        return BadRow(Fault("the row is cut off before its end.", line, column))
    return BadRow(Fault(f"not JSON: {error.msg}.", line, column))


def _not_an_object(record: Any, line: int) -> BadRow:
    if line == 1 and isinstance(record, list) and record and isinstance(record[0], dict):
        message = "this is a JSON array, not JSON Lines."
        return BadRow(Fault(message, line, hint="Put each row on a line of its own."))
    return BadRow(Fault(f"expected an object, found {_describe(record)}.", line))


def _too_deep(line: int) -> BadRow:
    return BadRow(Fault(f"nested deeper than {MAX_DEPTH} levels.", line))


def _column(raw: bytes, position: int) -> int:
    """The column in the line, from 1, of a position in its stripped text."""
    text = raw.decode()
    return len(text) - len(text.lstrip()) + position + 1


def _describe(value: Any) -> str:
    names = {list: "a list", dict: "an object", str: "a text", bool: "true or false"}
    if value is None:
        return "null"
    return names.get(type(value), "a number")


def _depth(value: Any) -> int:
    """Levels of nesting, counted without recursion."""
    depth, level = 0, [value]
    while level:
        depth += 1
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += [v for v in item.values() if isinstance(v, dict | list)]
            else:
                inner += [v for v in item if isinstance(v, dict | list)]
        level = inner
    return depth
