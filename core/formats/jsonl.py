r"""JSON lines as every format here writes them.

Non-ASCII text stays as it is. Two kinds of characters are written as ``\u`` escapes, which a JSON
parser reads back unchanged: U+0085, U+2028 and U+2029, at which ``str.splitlines`` would cut the
line in two, and lone surrogates, which UTF-8 cannot hold.
"""

from __future__ import annotations

import re
from json.encoder import encode_basestring
from typing import Any

import msgspec

json_string = encode_basestring
"""A string as a JSON string, in quotes, non-ASCII kept."""

_BREAKS = (("\u0085", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))
_SURROGATE = re.compile("[\ud800-\udfff]")


class RawJson(msgspec.Struct, frozen=True):
    """A JSON document as text, put into the output as it stands, so that its numbers, key order
    and duplicate keys survive.
    """

    text: str


def json_text(value: Any) -> str:
    """``value`` (dict, list, tuple, str, int, bool, None, RawJson) as JSON on one line."""
    if isinstance(value, str):
        return json_string(value)
    if isinstance(value, RawJson):
        return one_line(value.text)
    if isinstance(value, dict):
        pairs = (f"{json_string(key)}: {json_text(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(json_text(item) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in an export")


def one_line(document: str) -> str:
    """A JSON document without its line ends. They are only white space between its tokens: inside
    a JSON string a line end is always escaped.
    """
    if "\n" in document or "\r" in document:
        return document.replace("\r", " ").replace("\n", " ")
    return document


def line_bytes(line: str) -> bytes:
    """A line of JSON (or several, between line ends) as bytes, with the last line end."""
    if line.isascii():
        return line.encode("ascii") + b"\n"
    for char, escape in _BREAKS:
        if char in line:
            line = line.replace(char, escape)
    try:
        return line.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return escape_surrogates(line).encode("utf-8") + b"\n"


def escape_surrogates(text: str) -> str:
    r"""Lone surrogates as ``\udXXX``, six ASCII characters each."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def surrogates_in(text: str) -> int:
    """How many lone surrogates a text holds."""
    return 0 if text.isascii() else len(_SURROGATE.findall(text))


_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: one character
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\."
)


def without_surrogates(document: str) -> str:
    r"""A JSON document with U+FFFD in the place of lone surrogates, be they characters or ``\u``
    escapes, for readers that refuse the whole file otherwise.
    """
    if not document.isascii() and _SURROGATE.search(document):
        document = document.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "\\ud" not in document and "\\uD" not in document:
        return document
    return _ESCAPES.sub(lambda found: "\\ufffd" if found["lone"] else found[0], document)
