"""The three panes as rows: turns aligned, numbers and marks in the margin, the cursor's step shown.

One place (``PaneView.anchor``) scrolls all lanes together. On a narrow screen there is one lane in
time order, with the role's letter in the margin.
"""

from __future__ import annotations

from typing import NamedTuple

from rollstep.core.model.messages import Stop
from rollstep.core.model.steps import ROLES

from .bars import key_here
from .cells import cells
from .layout import TOP, Anchor
from .presenter import DebuggerModel
from .rows import Row, Span, row
from .snapshot import Asking
from .stepview import PaneLine, stop_title, text_lines
from .timeline import marks
from .who import LANES, LETTERS
from .wrap import fit

FOLDED = 3
"""Width of a lane that has nothing to show."""
NARROW = 110
"""Screens narrower than this show one lane."""
_MIN_LANE = 18
_SIGN_CELLS = 2
_SIGNS = {"*": "human", "~": "human", "!": "warn", "…": "warn", "#": "key"}


class Lane(NamedTuple):
    """One pane: its whole width, and whether a line on its left parts it from the one before."""

    width: int
    separated: bool


class PaneView:
    """What part of the panes is seen, and how it is drawn."""

    def __init__(self, model: DebuggerModel) -> None:
        self.model = model
        self.anchor: Anchor = TOP
        self.lanes: tuple[Lane, ...] = (Lane(80, False),)
        self.height = 20
        self.query = ""
        self.hits: frozenset[int] | set[int] = frozenset()

    # sizes

    def resize(self, width: int, height: int, *, narrow: bool) -> tuple[int, ...]:
        """Share ``width`` among the lanes; their widths. ``height`` counts the title line."""
        self.height = max(height - 1, 1)
        widths = (width,) if narrow else self._shares(width)
        self.lanes = tuple(Lane(wide, index > 0) for index, wide in enumerate(widths))
        self.refit()
        return widths

    def _shares(self, width: int) -> tuple[int, ...]:
        fold = self._tool_is_empty()
        tool = FOLDED if fold else max(width * 34 // 100, _MIN_LANE)
        evaluator = max((width - tool) * (42 if not fold else 40) // 100, _MIN_LANE)
        return evaluator, width - tool - evaluator, tool

    def _tool_is_empty(self) -> bool:
        project = self.model.project
        return not (project.tools or project.tool_simulator or self.model.path.call)

    def refit(self) -> None:
        """Tell the model the text widths; they change when step numbers get longer."""
        self.digits = max(2, len(str(len(self.model.path) + 1)))
        margin = self._gutter() + 1
        self.model.set_widths(
            tuple(max(lane.width - lane.separated - margin, 1) for lane in self.lanes)
        )

    def _gutter(self) -> int:
        return self.digits + (5 if len(self.lanes) == 1 else 3)

    # moving

    def show_cursor(self) -> None:
        """Scroll as little as needed for the cursor's step, and what follows it at the leaf."""
        model = self.model
        if self.digits != max(2, len(str(len(model.path) + 1))):
            self.refit()
        item = max(model.cursor, 0)
        if not model.ahead and model.tail_item(len(model.path)) is not None:
            item = len(model.path)
        if model.bands():
            self.anchor = model.layout.show(self.anchor, self.height, item)

    def scroll(self, lines: int) -> bool:
        """Scroll without moving the cursor; whether anything moved."""
        before = self.anchor
        self.anchor = self.model.layout.scroll(self.anchor, lines, self.height)
        return self.anchor != before

    def item_at(self, lane: int, y: int) -> int | None:
        """The step drawn at line ``y`` (0 is the title) of a lane."""
        places = self.model.layout.rows(self.anchor, self.height)
        if not 1 <= y <= len(places):
            return None
        band_index, line = places[y - 1]
        box = self.model.layout.box(band_index)
        band = self.model.bands()[band_index]
        if line < box.head:
            return min(band.first, len(self.model.path) - 1)
        items = box.lanes[min(lane, len(box.lanes) - 1)]
        index = line - box.head
        item = items[index][0] if index < len(items) else None
        return item if item is not None and item < len(self.model.path) else None

    # drawing

    def rows(self) -> list[list[Row]]:
        """The rows of each lane, the title first."""
        columns = [[self._title(index)] for index in range(len(self.lanes))]
        if not self.model.bands():
            self._empty(columns)
        for band, line in self.model.layout.rows(self.anchor, self.height):
            box = self.model.layout.box(band)
            if line < box.head:
                self._rule(columns, band)
                continue
            for lane, column in enumerate(columns):
                items = box.lanes[lane]
                index = line - box.head
                if index < len(items):
                    column.append(self._item(lane, *items[index]))
                else:
                    column.append(self._blank(lane))
        for lane, column in enumerate(columns):
            column += [self._blank(lane)] * (self.height + 1 - len(column))
        return columns

    def _title(self, lane: int) -> Row:
        width, separated = self.lanes[lane]
        corner = "┬" if separated else "─"
        if len(self.lanes) == 1:
            names: list[Span] = [("─", "rule")]
            for role in ROLES:
                names += [(f" {LETTERS[role]}", role + ":strong"), (f" {role} ", role)]
            used = sum(len(text) for text, _ in names)
            return row(*names, ("─" * (width - used), "rule"))
        if width <= FOLDED:
            return row((corner + "S" + "─", "rule"))
        name = f" {LANES[lane]} "
        return row(
            (corner + "─", "rule"),
            (name, ROLES[lane] + ":strong"),
            ("─" * max(width - len(name) - 2, 0), "rule"),
        )

    def _blank(self, lane: int) -> Row:
        return row(("│", "rule"), gutter=1) if self.lanes[lane].separated else Row()

    def _empty(self, columns: list[list[Row]]) -> None:
        width = max(self.lanes[0].width - 4, 1)
        goal = text_lines(self.model.project.goal, width, "text", self.height - 6)
        lines = [PaneLine("dim", "goal"), *goal, PaneLine("dim", "")] if goal else []
        words = f"Nothing has happened yet. Press {key_here(self.model)} to begin."
        lines += text_lines(words, width, "dim", 4)
        columns[0].append(Row())
        columns[0] += [row(("  ", "text"), (line.text, line.kind), gutter=2) for line in lines]
        del columns[0][self.height + 1 :]

    def _rule(self, columns: list[list[Row]], band_index: int) -> None:
        """A line across all panes: a turn begins, or the rollout has stopped."""
        band = self.model.bands()[band_index]
        selected, style = False, "rule"
        label = f"── turn {band.turn} "
        if band.kind == "stop":
            step = self.model.path.steps[band.first]
            selected = band.first == self.model.cursor
            style = "stop" + (":ahead" if band.first > self.model.cursor else "")
            assert isinstance(step.payload, Stop)
            sign = marks(self.model, band.first)
            lead = ">" if selected else "─"
            label = f"{lead}─ {band.first + 1}{sign} {stop_title(step.payload)} "
        elif band.first > self.model.cursor >= 0:
            label = (
                f"── turn {band.turn} · recorded ahead "
                if self._first_ahead(band.first)
                else (label)
            )
        total = sum(lane.width for lane in self.lanes)
        label = fit(label, total - 1)
        line = label + "─" * (total - cells(label) - selected) + ("<" if selected else "")
        style += ":sel" if selected else ""
        split = cells(label)
        start = 0
        for lane, column in enumerate(columns):
            width = self.lanes[lane].width
            piece, line = _cut(line, width)
            inside = max(min(split - start, width), 0)
            text, rest = _cut(piece, inside)
            kind = style if band.kind == "stop" or selected else "turn"
            column.append(row((text, kind), (rest, style if selected else "rule"), fill="rule"))
            start += width

    def _first_ahead(self, index: int) -> bool:
        path = self.model.path
        if index >= len(path):
            return False  # an answer on its way: nothing is recorded of it
        turn = path.turn[index]
        return turn == path.turn[self.model.cursor] + 1 or self.model.cursor < 0

    def _item(self, lane: int, item: int, line: int) -> Row:
        model = self.model
        tail = model.tail_item(item)
        lines = model.item_lines(item)
        shown = lines[line] if line < len(lines) else PaneLine("text", "")
        width, separated = self.lanes[lane]
        room = width - separated - self._gutter() - 1
        selected = item == model.cursor and tail is None
        state = ":sel" if selected else (":ahead" if item > model.cursor and tail is None else "")
        spans: list[Span] = [("│", "rule")] if separated else []
        if tail is not None:
            spans.append((" " * self._gutter(), "text"))
            style = "busy" if isinstance(tail, Asking) and shown.kind == "text" else shown.kind
            spans.append((shown.text, "text" if style == "busy" and line else shown.kind))
            return row(*spans, gutter=separated + self._gutter())
        spans += self._margin(item, line, state, selected)
        body = self._body(shown, state, item)
        spans += body
        if selected and line == 0:
            used = sum(cells(text) for text, _ in body)
            spans += [(" " * (room - used), "text:sel"), ("<", "cursor")]
        fill = "text:sel" if selected else "text"
        return row(*spans, fill=fill, gutter=separated + self._gutter())

    def _margin(self, item: int, line: int, state: str, selected: bool) -> list[Span]:
        role = self.model.path.steps[item].role
        if line == 1 and (takes := self.model.takes(item)) > 1:
            text = f"+{takes - 1}".rjust(self.digits + 1)
            return [(text.ljust(self._gutter()), "more" + state)]
        if line:
            return [(" " * self._gutter(), "text" + state)]
        signs = f"{marks(self.model, item):<2}"
        lead = (">", "cursor") if selected else ("┊" if state else " ", "dim")
        if len(signs) > _SIGN_CELLS:
            # A breakpoint stands before the number then; at the cursor the inspector names it.
            lead = lead if selected else ("#", _SIGNS["#"])
            signs = signs[:_SIGN_CELLS]
        number = (f"{item + 1:>{self.digits}}", role + ":strong" + state)
        spans: list[Span] = [lead, number]
        # Where a step has two signs, the second takes the blank behind the first.
        spans += [(sign, _SIGNS.get(sign, "text") + state) for sign in signs]
        if len(self.lanes) == 1:
            spans.append((LETTERS[role] + " ", role + ":strong" + state))
        return spans

    def _body(self, shown: PaneLine, state: str, item: int) -> list[Span]:
        style = shown.kind + state
        if self.query and item in self.hits:
            return list(highlight(shown.text, self.query, style))
        return [(shown.text, style)]


def highlight(text: str, query: str, style: str) -> list[Span]:
    """The text with each place where the query occurs in the style of a hit."""
    low, query = text.lower(), query.lower()
    if len(low) != len(text) or query not in low:
        return [(text, style)]
    spans: list[Span] = []
    start = 0
    while (found := low.find(query, start)) >= 0:
        end = found + len(query)
        spans += [(text[start:found], style), (text[found:end], style + ":hit")]
        start = end
    spans.append((text[start:], style))
    return [span for span in spans if span[0]]


def _cut(text: str, width: int) -> tuple[str, str]:
    """Text up to exactly ``width`` cells, and the rest."""
    if text.isascii() or cells(text) == len(text):
        return text[:width], text[width:]
    head = text[:width]
    while cells(head) > width:
        head = head[:-1]
    rest = text[len(head) :]
    missing = width - cells(head)
    return head + " " * missing, rest
