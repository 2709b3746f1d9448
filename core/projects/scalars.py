"""What an unquoted YAML scalar means, by what is expected at its place.

Where a text is expected, everything is text as written (``off``, ``0123``, ``12:30``). Where any
JSON value may stand, ``true``, ``false``, ``null`` (and ``~`` or nothing) and decimal numbers are
what they look like, and all else is text: dates, times, ``0123``, ``0x1F``, ``yes``, ``no``,
``on`` and ``off``. Numbers keep their digits as written (``1.10``). Not-a-number and infinities
are refused, since JSON has none.
"""

from __future__ import annotations

import re
from json.encoder import encode_basestring, encode_basestring_ascii

NULLS = frozenset(("", "~", "null", "Null", "NULL"))
TRUES = frozenset(("true", "True", "TRUE"))
FALSES = frozenset(("false", "False", "FALSE"))

MAX_DIGITS = 4000
"""Longest number that is taken; Python's int() refuses a little above."""

JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMBER = re.compile(r"([+-]?)(0|[1-9][0-9]*)?(?:\.([0-9]*))?([eE][+-]?[0-9]+)?")
_NOT_A_NUMBER = re.compile(r"[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|NaN|[+-]?Infinity")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,60}")
_SURROGATE = re.compile("[\ud800-\udfff]")


def json_string(text: str) -> str:
    """A text as JSON, non-ASCII kept; lone surrogates, which UTF-8 cannot hold, are escaped."""
    return escape_surrogates(encode_basestring(text))


def escape_surrogates(text: str) -> str:
    """Lone surrogates as JSON escapes, which is what they are in a JSON string."""
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def json_scalar(text: str) -> str:
    """The JSON text of an unquoted scalar. Raises ValueError with words for people."""
    if text in NULLS:
        return "null"
    if text in TRUES:
        return "true"
    if text in FALSES:
        return "false"
    number = json_number(text)
    return json_string(text) if number is None else number


def json_number(text: str) -> str | None:
    """The JSON number that an unquoted scalar is, its digits as written, or None when it is none.
    Raises ValueError for what is a number and cannot be one in JSON.
    """
    if _NOT_A_NUMBER.fullmatch(text):
        raise ValueError(f"{text} is no JSON number.")
    if JSON_NUMBER.fullmatch(text):
        number = text
    else:
        match = _NUMBER.fullmatch(text)
        if match is None or not (match[2] or match[3]):
            return None
        sign = "-" if match[1] == "-" else ""
        fraction = "" if match[3] is None else f".{match[3] or '0'}"
        number = f"{sign}{match[2] or '0'}{fraction}{match[4] or ''}"
    if len(number) > MAX_DIGITS:
        raise ValueError(f"this number has more than {MAX_DIGITS} digits.")
    if abs(float(number)) == float("inf") and not number.lstrip("-").isdigit():
        raise ValueError(f"{text} is too large for a number.")
    return number


def shown(text: str) -> str:
    """A text from a file as it stands in a message: quoted, on one line, not too long."""
    return f'"{printable(text, 40)}"'


def name_shown(name: str) -> str:
    """A name from a file as it stands in a message: as it is when it is plain, else quoted."""
    return name if _PLAIN_NAME.fullmatch(name) else shown(name)


def printable(text: str, limit: int) -> str:
    """A text on one line of at most ``limit`` characters, what cannot be seen as escapes."""
    if len(text) > limit:
        text = f"{text[: limit - 1]}…"
    return "".join(
        char if char.isprintable() and char not in '"\\' else _escaped(char) for char in text
    )


def key_path(path: str, key: str) -> str:
    """The path of a key below ``path``: ``a.b``, or ``a["b c"]`` where the key is no plain name."""
    if _PLAIN_NAME.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{shown(key)}]"


def _escaped(char: str) -> str:
    return encode_basestring_ascii(char)[1:-1] if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
