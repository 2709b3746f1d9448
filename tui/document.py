"""A long text in blocks, wrapped only where it is seen: for the inspector and the reader."""

from __future__ import annotations

from typing import NamedTuple

from .layout import TOP, Anchor, LaneLayout, OneLane
from .rows import BLANK, Row, row
from .sanitize import visible
from .wrap import wrap

SHOWN = 200_000
"""Characters of one block that are shown; the rest is said in words."""


class Block(NamedTuple):
    """A paragraph: its style and its text as it is (it is sanitised when it is wrapped)."""

    style: str
    text: str
    indent: int = 0


class Document(OneLane):
    """Blocks with a scroll place of their own."""

    def __init__(self, blocks: list[Block], *, at_end: bool = False) -> None:
        self.blocks = blocks
        self.anchor: Anchor = TOP
        self.at_end = at_end
        self.height = 1
        self._bands = list(map(self.band, range(len(blocks))))
        self._width = 40
        self._lines: dict[int, list[str]] = {}
        self._layout = LaneLayout(self, 1)

    def resize(self, width: int, height: int) -> None:
        """The size that it is shown in."""
        self.height = max(height, 1)
        if width != self._width:
            self._width = width
            self._lines.clear()
            self._layout.reset()
        if self.at_end:
            self.anchor = self._layout.end(self.height)
            self.at_end = False
        self.anchor = min(self._layout.clamp(self.anchor), self._layout.end(self.height))

    def scroll(self, lines: int) -> bool:
        """Scroll by lines; whether anything moved."""
        before = self.anchor
        self.anchor = self._layout.scroll(self.anchor, lines, self.height)
        return self.anchor != before

    def to_end(self, end: bool) -> None:
        """To the last screenful, or to the top."""
        self.anchor = self._layout.end(self.height) if end else TOP

    def more_below(self) -> bool:
        """Whether there is something under what is seen."""
        return bool(self.blocks) and self.anchor < self._layout.end(self.height)

    def rows(self) -> list[Row]:
        """What is seen."""
        shown = [
            self._row(self._bands[band].first, line)
            for band, line in self._layout.rows(self.anchor, self.height)
        ]
        return shown + [BLANK] * (self.height - len(shown))

    def _row(self, item: int, line: int) -> Row:
        block = self.blocks[item]
        lines = self.lines(item)
        gutter = block.indent
        return row((" " * gutter, block.style), (lines[line], block.style), gutter=gutter)

    def lines(self, item: int) -> list[str]:
        """One block, wrapped."""
        lines = self._lines.get(item)
        if lines is None:
            block = self.blocks[item]
            text = block.text
            lines = wrap(visible(text[:SHOWN]), self._width - block.indent, 10**9).lines
            if len(text) > SHOWN:
                lines.append(f"+{len(text) - SHOWN:,} characters; E opens the whole text")
            self._lines[item] = lines
        return lines

    # what the layout asks

    def height_of(self, item: int, lane: int) -> int:
        """Lines of a block."""
        return len(self.lines(item))
