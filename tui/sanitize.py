"""The one door through which outside text reaches the screen.

``visible`` turns every character that could act on a terminal, or hide from the eye, into a mark
that can be seen. Line breaks and tabs stay, for whoever splits the lines; real letters of every
script stay, and so do emoji sequences. Storage never passes through here: bytes are kept.
"""

from __future__ import annotations

import re

from rollstep.core.rules.hidden import MANY_MARKS, belongs, has_hidden, is_clean, unsafe

__all__ = ["has_hidden", "one_line", "visible"]


def visible(text: str) -> str:
    """``text`` with every unsafe or hidden character as a visible mark; itself when it is clean.
    Line feeds and tabs stay as they are.
    """
    return text if is_clean(text) else unsafe().sub(_mark, text)


def one_line(text: str) -> str:
    """Like ``visible``, for places of one line: line feeds and tabs become marks too."""
    if "\n" not in text and "\t" not in text and is_clean(text):
        return text
    return unsafe(breaks=True).sub(_mark, text)


def _mark(found: re.Match[str]) -> str:
    """What is shown instead of one unsafe match."""
    match = found.group()
    if len(match) > 1:
        return f"{match[: MANY_MARKS - 1]}‹+{len(match) - MANY_MARKS + 1} marks›"
    if belongs(found):
        return match
    code = ord(match)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:
        return f"‹\\u{code:04x}›"
    return f"‹U+{code:04X}›"
