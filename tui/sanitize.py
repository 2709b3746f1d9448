"""The one door through which outside text reaches the screen.

``visible`` turns every character that could act on a terminal, or hide from the eye, into a mark
that can be seen. Line breaks and tabs stay, for whoever splits the lines; real letters of every
script stay, and so do emoji sequences. Storage never passes through here: bytes are kept.
"""

from __future__ import annotations

from rollstep.core.rules.hidden import has_hidden, is_clean, mark, unsafe

__all__ = ["has_hidden", "one_line", "visible"]


def visible(text: str) -> str:
    """``text`` with every unsafe or hidden character as a visible mark; itself when it is clean.
    Line feeds and tabs stay as they are.
    """
    return text if is_clean(text) else unsafe().sub(mark, text)


def one_line(text: str) -> str:
    """Like ``visible``, for places of one line: line feeds and tabs become marks too."""
    if "\n" not in text and "\t" not in text and is_clean(text):
        return text
    return unsafe(breaks=True).sub(mark, text)
