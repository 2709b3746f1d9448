"""The rollout at hand in one column, texts whole; lines between the turns say what was read."""

from __future__ import annotations

from collections.abc import Iterator

from rollstep.core.model.messages import (
    Stop,
    TargetReply,
    ToolResult,
    UserMessage,
    reasoning_text,
)
from rollstep.core.model.steps import ROLES

from ..cells import cells
from ..changed import changed_words
from ..layout import TOP, Anchor, LaneLayout
from ..panes import highlight
from ..path import Band
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..stepview import PaneLine, pane_lines, stop_title, text_lines
from ..timeline import mark as sign_of
from ..who import LETTERS, made_by
from ..wrap import fit
from .model import Loaded

_STEP = 2
"""Cells that each role stands further to the right than the one before."""
_TEXT, _REASONING, _RESULT = 400, 60, 14
"""Lines of a message, of reasoning and of a tool result that are shown; Enter opens all of it."""
_SIGNS = 2
_WORDS = 200


class Column:
    """The layout of one loaded rollout at one width, and the part of it that is seen."""

    def __init__(self, loaded: Loaded, width: int, height: int) -> None:
        self.loaded = loaded
        self.model = loaded.model
        self.path = loaded.model.path
        self.width = width
        self.height = height
        self.query = ""
        self.hits: set[int] = set()
        self.anchor: Anchor = TOP
        self._digits = max(2, len(str(len(self.path))))
        self._lines: dict[int, list[PaneLine]] = {}
        self.layout = LaneLayout(self, 1)
        self.show_cursor()

    @property
    def _margin(self) -> int:
        return 2 + self._digits + _SIGNS + 1

    # what the layout asks

    def bands(self) -> list[Band]:
        """The turns."""
        return self.path.bands

    def band_of(self, item: int) -> int:
        """The turn of a step."""
        return self.path.band_of(item)

    def lane_of(self, item: int) -> int:
        """There is one column."""
        return 0

    def height_of(self, item: int, lane: int) -> int:
        """Lines of a step."""
        return len(self.lines(item))

    def band_version(self, band: Band) -> int:
        """Steps never change."""
        return 0

    def lines(self, item: int) -> list[PaneLine]:
        """A step: its text, what a human changed, its flags."""
        lines = self._lines.get(item)
        if lines is None:
            lines = self._lines[item] = list(self._make(item))
        return lines

    def _make(self, item: int) -> Iterator[PaneLine]:
        step = self.path.steps[item]
        width = max(self.width - self._margin - 2 * _STEP - 2, 10)
        most = _RESULT if isinstance(step.payload, ToolResult) else _TEXT
        call = self.path.call.get(item)
        for line in pane_lines(step.payload, call, width, step.injected, most):
            if line.kind == "reasoning" and isinstance(step.payload, UserMessage | TargetReply):
                thought = reasoning_text(step.payload.reasoning)
                yield from text_lines(f"∴ {thought}", width, "reasoning", _REASONING)
            else:
                yield line
        if words := self._edited(item):
            yield PaneLine("human", fit(words, width))
        for flag in self.path.flagged.get(item, ()):
            yield PaneLine("warn", fit(f"! {one_line(flag[: width * 2])}", width))

    def _edited(self, item: int) -> str:
        """What stood there before a human's edit, and why it was made."""
        step, rollout = self.path.steps[item], self.model.rollout
        source = rollout.original(step) if step.copied_from else step
        if not self.model.is_edit(source):
            return ""
        before = rollout.steps.get(source.replaces or "")
        what = changed_words(before.payload, source.payload) if before is not None else ""
        reason = f" ({source.reason[:_WORDS]})" if source.reason else ""
        return one_line(f"{made_by(step)}: {what or 'written'}{reason}".replace("\n", " "))

    # moving

    def show_cursor(self) -> None:
        """Scroll as little as needed for the step at the cursor."""
        if self.bands():
            self.anchor = self.layout.show(self.anchor, self.height, max(self.model.cursor, 0))

    def scroll(self, lines: int) -> bool:
        """Scroll; whether anything moved."""
        before = self.anchor
        self.anchor = self.layout.scroll(self.anchor, lines, self.height)
        return self.anchor != before

    def in_sight(self) -> list[int]:
        """The steps whose last line is seen."""
        ends: list[int] = []
        for band, line in self.layout.rows(self.anchor, self.height):
            spans = self.layout.box(band).spans
            ends += [
                i for i, (first, tall) in spans.items() if line == max(first + tall - 1, first)
            ]
        return ends

    def item_at(self, y: int) -> int | None:
        """The step drawn at line ``y``."""
        places = self.layout.rows(self.anchor, self.height)
        if not 0 <= y < len(places):
            return None
        band_index, line = places[y]
        box = self.layout.box(band_index)
        if line < box.head:
            return self.bands()[band_index].first
        return box.lanes[0][line - box.head][0]

    # drawing

    def rows(self) -> list[Row]:
        """What is seen."""
        read = self.loaded.looks.turns
        rows = []
        for band, line in self.layout.rows(self.anchor, self.height):
            box = self.layout.box(band)
            if line < box.head:
                rows.append(self._rule(band, read))
            else:
                rows.append(self._item(*box.lanes[0][line - box.head]))
        return rows + [Row()] * (self.height - len(rows))

    def _rule(self, index: int, read: list[bool]) -> Row:
        band = self.bands()[index]
        if band.kind == "stop":
            return self._stop(band.first)
        done = read[band.turn - 1]
        end = " read ──" if done else ""
        label = f"── turn {band.turn} "
        line = "─" * max(self.width - 1 - cells(label) - cells(end), 0)
        return row((label, "turn"), (line, "rule"), (end, "ok"))

    def _stop(self, item: int) -> Row:
        step = self.path.steps[item]
        assert isinstance(step.payload, Stop)
        here = item == self.model.cursor
        state = ":sel" if here else ""
        label = fit(
            f"─{'>' if here else '─'}{item + 1:>{self._digits}}{sign_of(self.model, item)} "
            f"{stop_title(step.payload)} ",
            self.width - 1,
        )
        end = "read ──" if step.id in self.loaded.read else ""
        line = "─" * max(self.width - 1 - cells(label) - len(end) - 1, 0)
        spans: list[Span] = [(label, "stop" + state), (f"{line} ", "rule" + state), (end, "ok")]
        return row(*spans, fill="text" + state)

    def _item(self, item: int, line: int) -> Row:
        step = self.path.steps[item]
        here = item == self.model.cursor
        state = ":sel" if here else ""
        indent = " " * (_STEP * ROLES.index(step.role))
        shown = self.lines(item)[line]
        if line:
            margin: list[Span] = [(" " * self._margin, "text" + state)]
        else:
            sign = sign_of(self.model, item) + ("!" if item in self.path.flagged else "")
            off = "-" if step.id in self.loaded.looks.off else " "
            margin = [
                (LETTERS[step.role], f"{step.role}:strong{state}"),
                (">" if here else " ", "cursor" if here else "text"),
                (f"{item + 1:>{self._digits}}", f"{step.role}:strong{state}"),
                (f"{sign[:_SIGNS]:<{_SIGNS}}", f"{'warn' if '!' in sign else 'human'}{state}"),
                (off, f"warn{state}"),
            ]
        text: list[Span] = [(shown.text, shown.kind + state)]
        if self.query and item in self.hits:
            text = list(highlight(shown.text, self.query, shown.kind + state))
        gutter = self._margin + len(indent)
        return row(*margin, (indent, "text" + state), *text, fill="text" + state, gutter=gutter)
