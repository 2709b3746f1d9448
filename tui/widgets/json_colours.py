"""Where one line of JSON has its keys, strings, numbers and words; no parser, so broken JSON has
colours too. Pure.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["key", "string", "number", "word"]
Stretch = tuple[int, int, Kind]

LONGEST_LINE = 5_000
"""Longer lines stay plain: colouring happens each time a line is drawn."""

_TOKENS = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"?)"""
    r"""|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"""
    r"""|(?P<word>\b(?:true|false|null)\b)"""
)
_COLON = re.compile(r"\s*:")


def json_stretches(line: str) -> list[Stretch]:
    """The coloured stretches of a line as (start, end, kind), from left to right."""
    if len(line) > LONGEST_LINE:
        return []
    found: list[Stretch] = []
    for match in _TOKENS.finditer(line):
        start, end = match.span()
        if match.lastgroup == "string":
            kind: Kind = "key" if _COLON.match(line, end) else "string"
        else:
            kind = "number" if match.lastgroup == "number" else "word"
        found.append((start, end, kind))
    return found
