"""What people write in a query out of habit from other languages, and how it is written here."""

from __future__ import annotations

from collections.abc import Sequence

_CONDITIONS = {
    "&": "; write and",
    "|": "; write or",
    "!": "; write not",
    "'": "; a text stands in double quotes",
    "[": "; a pointer goes on with /: args/items/0",
}
_VALUES = {
    "=": "; = is written once",
    ">": "; at least is written >=",
    "~": "; ~ stands alone",
    "'": "; a text stands in double quotes",
}

_FIELDS = {
    "arguments": "args",
    "content": "text",
    "error": "failure",
    "function": "tool",
    "is_error": "failure",
    "output": "result",
}


def meant_field(name: str, known: Sequence[str]) -> str:
    """The field that is called otherwise elsewhere, where there is one, or the empty string."""
    field = _FIELDS.get(name.lower(), "")
    return field if field in known else ""


def in_condition(text: str, at: int) -> str:
    """A hint for what stands where a condition should begin, or the empty string."""
    return _CONDITIONS.get(text[at : at + 1], "")


def in_value(text: str, at: int) -> str:
    """A hint for what stands where a value should, or the empty string."""
    return _VALUES.get(text[at : at + 1], "")
