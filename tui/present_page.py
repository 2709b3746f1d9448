"""The page that is presented: one turn as far as it has been played, its last text being typed.

Typing costs as much as what is typed, however long the text is that stands there already.
Imports no Textual.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterable

from rollstep.core.model.steps import ROLES, Role

from .document import Block, Document
from .path import Band
from .present_steps import Shown
from .rows import Row, row
from .sanitize import visible
from .wrap import wrap

_STAGGER = 4
"""Cells that each role stands further to the right than the one before, in one column."""
_BAR = "┃ "


class Page(Document):
    """Blocks that come one after the other."""

    def __init__(self, blocks: Iterable[Shown] = (), stagger: int = _STAGGER) -> None:
        super().__init__([])
        self._stagger = stagger
        self._roles: list[Role | None] = []
        self._coming: deque[Shown] = deque()
        self._typing: _Typing | None = None
        self.follow = True
        """Whether the view stays at what is being typed."""
        for shown in blocks:
            self._put(shown)

    @property
    def width(self) -> int:
        """Cells that its lines may take."""
        return self._width

    @property
    def whole(self) -> bool:
        """Whether nothing is left to be typed."""
        return self._typing is None and not self._coming

    def begin(self, blocks: Iterable[Shown]) -> None:
        """These come next; what was not typed yet is there at once."""
        self.finish()
        self._coming.extend(blocks)
        self._go_on()

    def finish(self) -> None:
        """All of it is there."""
        self._typing = None
        while self._coming:
            self._put(self._coming.popleft())
        self._changed()

    def type(self, count: float) -> None:
        """Type so many characters of a message, or the more of what is typed faster."""
        while count > 0 and self._typing is not None:
            typing = self._typing
            count = typing.type(count * typing.pace) / typing.pace
            if typing.done:
                self._typing = None
                self._go_on()
        self._changed()

    def _go_on(self) -> None:
        """Put what is not typed, and begin to type what comes after it."""
        while self._coming and self._typing is None:
            shown = self._coming.popleft()
            self._put(shown)
            if shown.pace:
                self._typing = _Typing(self._text_of(len(self.blocks) - 1), shown.pace)
        self._changed()

    def _put(self, shown: Shown) -> None:
        block, role = shown.block, shown.role
        if role is not None:
            lane = ROLES.index(role) * self._stagger
            block = Block(block.style, block.text, lane + len(_BAR) + block.indent)
        place = len(self.blocks)
        self.blocks.append(block)
        self._roles.append(role)
        self._bands.append(self.band(place))

    def _text_of(self, item: int) -> list[str]:
        block = self.blocks[item]
        return wrap(visible(block.text), self._width - block.indent, 10**9).lines

    def _changed(self) -> None:
        self.at_end = self.at_end or self.follow

    # what a document is asked

    def resize(self, width: int, height: int) -> None:
        """The size that it is shown in; what was typed stays typed."""
        typing = self._typing
        if typing is not None and width != self._width:
            self._width = width
            self._lines.clear()
            self._layout.reset()
            self._typing = _Typing(self._text_of(len(self.blocks) - 1), typing.pace)
            self._typing.type(typing.typed)
        super().resize(width, height)

    def scroll(self, lines: int) -> bool:
        """Scroll by lines; at the end, the view follows again what is typed."""
        moved = super().scroll(lines)
        self.follow = not self.more_below()
        return moved

    def to_end(self, end: bool) -> None:
        """To the last screenful, which is followed then, or to the top."""
        super().to_end(end)
        self.follow = end or not self.more_below()

    def lines(self, item: int) -> list[str]:
        """One block, wrapped; the one that is being typed as far as it is."""
        if self._typing is not None and item == len(self.blocks) - 1:
            return self._typing.lines
        return super().lines(item)

    def band_version(self, band: Band) -> int:
        """Only what is being typed changes."""
        if self._typing is not None and band.end == len(self.blocks):
            return len(self._typing.lines)
        return -1

    def _row(self, item: int, line: int) -> Row:
        block, role = self.blocks[item], self._roles[item]
        text = self.lines(item)[line]
        if role is None:
            return row((text, block.style))
        lane = ROLES.index(role) * self._stagger
        inner = block.indent - lane - len(_BAR)
        return row(
            (" " * lane, "text"),
            (_BAR, role),
            (" " * inner, block.style),
            (text, block.style),
            gutter=block.indent,
        )


class _Typing:
    """A wrapped text as far as it is typed."""

    def __init__(self, text: list[str], pace: float) -> None:
        self.pace = pace
        self.typed = 0.0
        self.done = False
        self.lines = [""]
        self._text = text
        self._column = 0
        self._rest = 0.0

    def type(self, count: float) -> float:
        """Type so many characters, a line end being one; how many of them were too many."""
        self.typed += count
        count += self._rest
        while True:
            line = self._text[len(self.lines) - 1]
            missing = len(line) - self._column
            if count < missing:
                typed = max(int(count), 0)
                self._rest = count - typed
                self._column = _whole(line, self._column + typed)
                self.lines[-1] = line[: self._column]
                return 0.0
            count -= missing
            self.lines[-1] = line
            if len(self.lines) == len(self._text):
                self.done = True
                return max(count, 0.0)
            self.lines.append("")
            self._column = 0
            count -= 1


def _whole(line: str, end: int) -> int:
    """``end``, or the end of the letter with marks, or of the emoji, that it would cut."""
    if line.isascii():
        return end
    while end < len(line) and (_joins(line[end]) or line[end - 1] == "\u200d"):
        end += 1
    return end


def _joins(char: str) -> bool:
    return (
        unicodedata.category(char).startswith("M")
        or char in "\u200d\ufe0f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )
