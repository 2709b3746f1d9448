"""The takes of a step side by side, with what each says otherwise than the one that was shown."""

from __future__ import annotations

from typing import ClassVar

from rollstep.core.model.steps import Step
from rollstep.core.rules.limits import in_dollars
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen

from ..inspector import kind_words
from ..palette import Palette
from ..presenter import DebuggerModel
from ..rows import BLANK, Row, Span, row
from ..sanitize import one_line, visible
from ..take_params import differing
from ..take_texts import Flow, compared
from ..who import made_by
from ..widgets.rows_pane import RowsPane
from ..wrap import fit
from .own_keys import HELP, OwnKeys

MOST_COLUMNS = 4
LEAST_WIDTH = 38
"""Cells of a column; where fewer columns fit, the others wait at the side."""
_HEAD = 4
_KEPT = 40
"""Takes that are kept compared and wrapped."""

_KEYS = (
    " h l take   Enter or its digit: choose   j k Space scroll   g G ends   d differences   y copy"
    "   Esc back   ? keys"
)
_SHORT = " h l take  Enter choose  j k scroll  d diff  y copy  Esc back  ? keys"


class TakesScreen(OwnKeys, Screen[str | None], inherit_bindings=False):
    """Dismisses with the take that was chosen, or None. Nothing changes but what is shown."""

    AUTO_FOCUS = ""
    KEYS_TITLE = "TAKES: of one step, side by side"
    DEFAULT_CSS = "TakesScreen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right,full_stop,tab", "move(1)", "Next take", show=False),
        Binding("h,left,comma,shift+tab", "move(-1)", "Take before", show=False),
        Binding("j,down", "scroll(1)", "Scroll", show=False),
        Binding("k,up", "scroll(-1)", "Scroll back", show=False),
        Binding("space,pagedown", "page(1)", "Read on", show=False),
        Binding("backspace,pageup", "page(-1)", "Read back", show=False),
        Binding("g,home", "end(False)", "Top", show=False),
        Binding("G,end", "end(True)", "End", show=False),
        Binding("d", "differences", "Show differences, or not", show=False),
        Binding("enter", "choose", "Choose", show=False),
        *(Binding(str(n), f"choose({n})", "Choose", show=False) for n in range(1, 10)),
        Binding("y", "copy", "Copy", show=False),
        Binding("escape,q,vertical_line", "leave", "Back", show=False),
        Binding("ctrl+c", "screen.copy_text", "Copy the selected text", show=False),
        HELP,
        Binding("ctrl+q", "app.quit", "Quit", show=False),
    ]

    def __init__(
        self, model: DebuggerModel, palette: Palette, step_id: str, base_id: str | None = None
    ) -> None:
        """The takes at the place of ``step_id``, which has the cursor; differences are against
        ``base_id``, or the same.
        """
        super().__init__()
        self.model = model
        self.palette = palette
        self.takes = model.rollout.takes(step_id)
        self.focused_take = self.takes.index(step_id) if step_id in self.takes else 0
        self.base_id = base_id if base_id in self.takes else step_id
        self.marks_differences = True
        self.top = 0
        self._first = 0
        self._number = len(model.rollout.path(step_id))
        self._flows: dict[tuple[str, int, bool], Flow] = {}
        self._after: dict[str, int] = {}
        self._told: dict[str, str] | None = None

    def compose(self) -> ComposeResult:
        """A title, a head and a body for each column, the keys."""
        self.title_pane = RowsPane(self.palette, id="takes-title", selectable=False)
        self.heads = [
            RowsPane(self.palette, id=f"take-head{n}", selectable=False)
            for n in range(MOST_COLUMNS)
        ]
        self.bodies = [RowsPane(self.palette, id=f"take{n}") for n in range(MOST_COLUMNS)]
        self.keys = RowsPane(self.palette, id="takes-keys", selectable=False)
        self.panes = [self.title_pane, *self.heads, *self.bodies, self.keys]
        yield from self.panes

    def on_mount(self) -> None:
        """Show them."""
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Share the width anew."""
        self.paint()

    def set_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        for pane in self.panes:
            pane.set_palette(palette)

    def news(self) -> None:
        """The rollout has changed: another take may have come."""
        takes = self.model.rollout.takes(self.base_id)
        if takes != self.takes and takes:
            here = self.takes[self.focused_take]
            self.takes = takes
            self.focused_take = takes.index(here) if here in takes else 0
        self._after.clear()
        self._told = None
        self.paint()

    @property
    def columns(self) -> int:
        """How many takes are seen at once."""
        return max(1, min(len(self.takes), MOST_COLUMNS, self.app.size.width // LEAST_WIDTH))

    @property
    def body_height(self) -> int:
        """Lines of text that are seen."""
        return max(self.app.size.height - 2 - _HEAD, 1)

    def _step(self, index: int) -> Step:
        return self.model.rollout.steps[self.takes[index]]

    # painting

    def paint(self) -> None:
        """Draw what is seen."""
        if not self.is_attached or not self.children:
            return
        width, height = self.app.size
        columns = self.columns
        self._first = min(self._first, self.focused_take, len(self.takes) - columns)
        self._first = max(self._first, self.focused_take - columns + 1, 0)
        self.title_pane.place(Region(0, 0, width, 1))
        self.keys.place(Region(0, height - 1, width, 1))
        self.title_pane.set_rows([self._title(width)])
        x = 0
        for column in range(MOST_COLUMNS):
            wide = (width * (column + 1)) // columns - x if column < columns else 0
            self._paint_column(column, x, wide)
            x += wide
        words = _KEYS if width >= len(_KEYS) + 12 else _SHORT
        self.keys.set_rows([row((words + self._more(), "bar:dim"), fill="bar")])

    def _paint_column(self, column: int, x: int, width: int) -> None:
        head, body = self.heads[column], self.bodies[column]
        if not width:
            head.place(Region())
            body.place(Region())
            return
        index = self._first + column
        head.place(Region(x, 1, width, _HEAD))
        body.place(Region(x, 1 + _HEAD, width, self.body_height))
        lead: Span = ("│ " if column else "  ", "rule")
        head.set_rows([_led(lead, line) for line in self._head(index, width - 3)])
        lines = self._flow(index, width - 3).rows(self.top, self.body_height)
        lines += [BLANK] * (self.body_height - len(lines))
        body.set_rows([_led(lead, line) for line in lines])

    def _flow(self, index: int, width: int) -> Flow:
        marked = self.marks_differences and self.takes[index] != self.base_id
        key = (self.takes[index], width, marked)
        flow = self._flows.get(key)
        if flow is None:
            if len(self._flows) >= _KEPT:
                self._flows.clear()
            base = self.model.rollout.steps[self.base_id].payload if marked else None
            flow = self._flows[key] = Flow(compared(self._step(index).payload, base), width)
        return flow

    def _head(self, index: int, width: int) -> list[Row]:
        step, here = self._step(index), index == self.focused_take
        name = f"{'> ' if here else ''}take {index + 1} of {len(self.takes):,}"
        base = ", the base" if step.id == self.base_id and len(self.takes) > 1 else ""
        cost = step.call.cost if step.call is not None else None
        made = made_by(step) + (f", {in_dollars(cost)}" if cost is not None else "")
        after = self._steps_after(step.id)
        notes = [f"{after:,} step{'' if after == 1 else 's'} after it" if after else "a leaf"]
        notes += ["an edit"] if self.model.is_edit(step) else []
        notes += [f"injected: {step.injected}"] if step.injected else []
        notes += ["late"] if step.late else []
        notes += [told] if (told := self._told_otherwise(step)) else []
        if step.reason:
            notes.append(f"told: {step.reason}" if step.origin == "model" else step.reason)
        return [
            row((name, "cursor" if here else "strong"), (fit(base, width - len(name)), "dim")),
            row((fit(made, width), "human" if step.origin == "human" else step.role)),
            row((fit(one_line(", ".join(notes)), width), "dim")),
            row(("─" * width, "rule")),
        ]

    def _told_otherwise(self, step: Step) -> str:
        if self._told is None:
            steps = self.model.rollout.steps
            self._told = differing(steps[take] for take in self.takes)
        return self._told.get(step.id, "")

    def _steps_after(self, step_id: str) -> int:
        """On the branch that choosing the take would show."""
        if step_id not in self._after:
            path = self.model.rollout.path(self.model.leaf_from(step_id))
            self._after[step_id] = len(path) - self._number
        return self._after[step_id]

    def _title(self, width: int) -> Row:
        step = self._step(self.focused_take)
        name = f" Takes of step {self._number}, {kind_words(step.payload)}"
        against = self.takes.index(self.base_id) + 1 if self.base_id in self.takes else 1
        words = f"differences against take {against}" if self.marks_differences else "as they are"
        return row(
            (fit(name, width - len(words) - 4), "bar:title"), (f"  {words}", "bar:dim"), fill="bar"
        )

    def _more(self) -> str:
        left, right = self._first, len(self.takes) - self._first - self.columns
        words = f"  ← {left:,}" if left else ""
        words += f"  {right:,} →" if right > 0 else ""
        return words + ("  ↓" if self._below() else "")

    def _below(self) -> bool:
        after = self.top + self.body_height
        return any(self._seen_flow(column).rows(after, 1) for column in range(self.columns))

    def _seen_flow(self, column: int) -> Flow:
        width = self.bodies[column].styles.width
        return self._flow(self._first + column, int(width.value if width else 40) - 3)

    # keys

    def action_move(self, by: int) -> None:
        """Another take."""
        self.focused_take = min(max(self.focused_take + by, 0), len(self.takes) - 1)
        self.paint()

    def action_scroll(self, lines: int) -> None:
        """All columns, by lines, as far as the longest goes."""
        height, top = self.body_height, max(self.top + lines, 0)
        flows = [self._seen_flow(column) for column in range(self.columns)]
        seen = max(len(flow.rows(top, height)) for flow in flows)
        self.top = top if lines < 0 else max(top - (height - seen), self.top)
        self.paint()

    def action_page(self, pages: int) -> None:
        """By screenfuls."""
        self.action_scroll(pages * max(self.body_height - 2, 1))

    def action_end(self, end: bool) -> None:
        """To the end of the longest that is seen, or to the top."""
        heights = [self._seen_flow(column).height() for column in range(self.columns)]
        self.top = max(max(heights) - self.body_height, 0) if end else 0
        self.paint()

    def action_differences(self) -> None:
        """Show where they differ, or the takes as they are."""
        self.marks_differences = not self.marks_differences
        self.top = 0
        self.paint()

    def action_choose(self, number: int = 0) -> None:
        """The debugger shows the branch through this take."""
        index = number - 1 if number else self.focused_take
        if index < len(self.takes):
            self.dismiss(self.takes[index])

    def action_copy(self) -> None:
        """The selected text, or the whole take."""
        from ..inspector import plain

        text = self.get_selected_text() or plain(self._step(self.focused_take).payload, as_is=True)
        self.app.copy_to_clipboard(visible(text))

    def action_leave(self) -> None:
        """Back; nothing has changed."""
        self.dismiss(None)

    # mouse

    def on_rows_pane_pressed(self, event: RowsPane.Pressed) -> None:
        """A click puts the cursor on a take."""
        for panes in (self.heads, self.bodies):
            if event.pane in panes:
                self.focused_take = self._first + panes.index(event.pane)
                self.paint()

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls all."""
        self.action_scroll(event.lines)


def _led(lead: Span, line: Row) -> Row:
    return Row((lead, *line.spans), line.fill, len(lead[0]))
