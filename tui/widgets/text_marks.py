r"""Characters that a text widget would change or a terminal would obey, and their stand-ins.

Textual's TextArea turns U+2028, U+0085, VT, FF and mixed line ends into ``\n``, and sends ESC,
C1 and bidi controls raw to the terminal. So the widget never sees them: each is replaced, one for
one, by a private code point that the widget leaves alone, and put back when the text is read. As
the map works character by character, whatever a human does in the widget is done to the document,
and what was not touched keeps its exact characters (lone surrogates included).

Pure; imports no Textual.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_FIRST, _LAST = 0x100000, 0x10FFFD

_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # hidden letters
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"  # separators, directions
    "\ud800-\udfff\ufdd0-\ufdef"  # lone surrogates, no characters
    "\ue000-\uf8ff"  # private characters: no terminal is sure of their width
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"  # tags; the planes the stand-ins come from
) + "".join(chr(plane << 16 | low) for plane in range(15) for low in (0xFFFE, 0xFFFF))
# Joiners and variation selectors stay where writing or an emoji needs them.
_STRAY = (
    r"|(?<![^\x00-\u02ff\s])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u02ff\s])"
    r"|(?<![^\x00-\u00a8])(?<![#*0-9])[\ufe00-\ufe0f]"
)
UNSAFE = re.compile(f"[{_ALWAYS}]{_STRAY}")
"""One character that must not reach a widget."""

_UNSAFE_LINE = re.compile(f"[{_ALWAYS}\n]{_STRAY}")


class TextMarks:
    """The two-way map of one text box. Stand-ins are handed out as characters turn up, so that a
    document which itself holds private characters is no special case.
    """

    def __init__(self, *, single_line: bool = False) -> None:
        """With ``single_line`` a line break is marked too, for fields that show one line."""
        self._pattern = _UNSAFE_LINE if single_line else UNSAFE
        self._to_code: dict[str, str] = {}
        self._to_char: dict[str, str] = {}
        self._codes = self._free_codes()

    def encode(self, text: str) -> str:
        """The text as a widget may hold it: as long as ``text``, character for character."""
        return self._pattern.sub(self._encode_match, text)

    def decode(self, text: str) -> str:
        """The document's text for what the widget holds."""
        if not self._to_char:
            return text
        return "".join(self._to_char.get(char, char) for char in text)

    def char(self, code: str) -> str | None:
        """The character that a stand-in stands for, or None for an ordinary character."""
        return self._to_char.get(code)

    def show(self, text: str) -> str:
        """What the widget draws for its text: a one-cell sign for each stand-in."""
        if not self._to_char:
            return text
        return "".join(glyph(self._to_char[c]) if c in self._to_char else c for c in text)

    def _encode_match(self, match: re.Match[str]) -> str:
        char = match.group()
        code = self._to_code.get(char)
        if code is None:
            code = next(self._codes)
            self._to_code[char] = code
            self._to_char[code] = char
        return code

    @staticmethod
    def _free_codes() -> Iterator[str]:
        return (chr(number) for number in range(_FIRST, _LAST + 1))


def glyph(char: str) -> str:
    """A one-cell sign for an unsafe character."""
    number = ord(char)
    if number < 0x20:
        return chr(0x2400 + number)
    if number == 0x7F:
        return "␡"
    if number in (0x85, 0x2028):
        return "↵"
    if number == 0x2029:
        return "¶"
    if 0xD800 <= number <= 0xDFFF:
        return "\ufffd"
    return "¤"


def describe(char: str) -> str:
    """The character's number and name, for people: ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    number = ord(char)
    if 0xD800 <= number <= 0xDFFF:
        return f"U+{number:04X} half of a surrogate pair"
    name = unicodedata.name(char, "") or _CONTROL_NAMES.get(number, "")
    return f"U+{number:04X} {name}".rstrip()


_CONTROL_NAMES = {
    0x00: "NUL",
    0x07: "BELL",
    0x08: "BACKSPACE",
    0x0A: "LINE FEED",
    0x0B: "LINE TABULATION",
    0x0C: "FORM FEED",
    0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE",
    0x1C: "FILE SEPARATOR",
    0x1D: "GROUP SEPARATOR",
    0x1E: "RECORD SEPARATOR",
    0x7F: "DELETE",
    0x85: "NEXT LINE",
    0x9B: "CONTROL SEQUENCE INTRODUCER",
    0x9D: "OPERATING SYSTEM COMMAND",
}
