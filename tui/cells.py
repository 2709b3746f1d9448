"""How many cells a text takes in a terminal: the one measure of every line that is drawn.

Rich gives the spacing marks of Devanagari, Tamil, Burmese and others no width of their own, while
terminals draw each in a cell. A line measured that way pushes its end off the screen.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category

from rich.cells import cell_len, get_character_cell_size


def cells(text: str) -> int:
    """The cells of a text that has passed through ``sanitize``."""
    if text.isascii():
        return len(text)
    size = cell_len(text)
    if _scripts().search(text) is None:
        return size
    return size + sum(map(_missing, text))


def char_cells(char: str) -> int:
    """The cells of one character; a mark that stands above or below another takes none."""
    return get_character_cell_size(char) or _missing(char)


@lru_cache(maxsize=1)
def _scripts() -> re.Pattern[str]:
    """Where spacing marks are to be found; most texts hold none of it."""
    return re.compile("[\u0903-\u1cff\u302e\u302f\ua800-\uabff\U00011000-\U0001d1ff]")


def _missing(char: str) -> int:
    return int(category(char) == "Mc" and not get_character_cell_size(char))
