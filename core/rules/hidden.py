"""Characters that a reader would not see, or that could act on a terminal; where the hidden ones
among them belong (joiners and selectors that writing or an emoji needs); and the marks that are
shown in their place.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_NO_CHARACTERS = "\ud800-\udfff\ufdd0-\ufdef" + "".join(
    chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF)
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f"
_COMBINING = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
MANY_MARKS = 6
"""More combining marks than this on one letter are no writing but a pile over other lines."""
_MAY_BELONG = re.compile(f"[{_JOINERS}{_SELECTORS}]")


@lru_cache(maxsize=2)
def unsafe(breaks: bool = False) -> re.Pattern[str]:
    """All that is marked; with ``breaks`` line feeds and tabs too. Made when it is first needed:
    compiling it takes longer than starting with clean text should.
    """
    control = _CONTROL.replace("\x00-\x08\x0b-\x1f", "\x00-\x1f") if breaks else _CONTROL
    return re.compile(
        f"[{control}{_INVISIBLE}{_NO_CHARACTERS}{_PRIVATE}{_JOINERS}{_SELECTORS}]"
        f"|[{_COMBINING}]{{{MANY_MARKS},}}"
    )


@lru_cache(maxsize=1)
def _suspect() -> re.Pattern[str]:
    """All that is not plainly safe: ten times as fast to look for as what is unsafe, but slow to
    make, so that it pays for long texts only.
    """
    return re.compile(
        "[^\t\n\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u05ff\u0620-\u070e"
        "\u0900-\u10ff\u2010-\u2027\u2030-\u205f\u20a0-\u20cf\u2100-\u3163\u3165-\ud7ff"
        "\uf900-\ufaff\uff01-\uff9f\U0001f000-\U0001faff\U00020000-\U0002fffd]"
    )


_LONG = 20_000
_ASCII_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_EMOJI = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff\ufe0f#*0-9"
_JOINING_LETTERS = "\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\ufb50-\ufefc"


def is_clean(text: str, long: int = _LONG) -> bool:
    """Whether the text is certainly clean; False means that it has to be looked at. ``long`` is
    how long a text must be for the slowly made pattern.
    """
    if text.isascii():
        return text.isprintable() or _ASCII_UNSAFE.search(text) is None
    return len(text) > long and _suspect().search(text) is None


def has_hidden(text: str, long: int = _LONG) -> bool:
    """Whether the text holds characters that a reader would not see, or that would act."""
    if is_clean(text, long):
        return False
    return any(not belongs(found) for found in unsafe().finditer(text))


def belongs(found: re.Match[str]) -> bool:
    """Whether what ``unsafe`` found is a joiner or variation selector that stands where writing or
    an emoji needs it.
    """
    match = found.group()
    if len(match) > 1 or _MAY_BELONG.match(match) is None:
        return False
    text, at, code = found.string, found.start(), ord(match)
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if code >= 0xFE00:
        return _one_of(_EMOJI, before) and before != "\ufe0f"
    if code == 0x200D and _one_of(_EMOJI, before) and _one_of(_EMOJI, after):
        return not (before.isascii() or after.isascii())
    return _one_of(_JOINING_LETTERS, before) and _one_of(_JOINING_LETTERS, after)


def mark(found: re.Match[str]) -> str:
    """What is shown instead of one match of ``unsafe``; the match itself where it belongs."""
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


@lru_cache(maxsize=1024)
def _one_of(ranges: str, char: str) -> bool:
    return re.match(f"[{ranges}]", char) is not None
