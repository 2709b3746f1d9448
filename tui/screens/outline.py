"""The outline full screen: the whole rollout as a tree, with a preview of what is selected."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen

from ..document import Document
from ..outline.bars import KEYS, hint, key_line, title
from ..outline.model import Outline
from ..outline.preview import preview
from ..outline.rows import draw, header
from ..palette import Palette
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..typed_filter import TypedFilter
from ..widgets.rows_pane import RowsPane
from ..wrap import fit
from .outline_make import Making, Question

if TYPE_CHECKING:
    from .debugger import DebuggerScreen

_WIDE = 100
"""From so many columns on the preview stands beside the tree; below it else."""
_LOOK_SECONDS = 0.01
_LOOKED_AT = 500
"""Steps that are looked at for flags and breakpoints at a time, when no key waits."""

_LEAD_OUT = ("escape", "ctrl+q", "ctrl+c")
"""Keys that keep their meaning while a line is typed."""


class OutlineScreen(Screen[None], inherit_bindings=False):
    """Shows the tree of the debugger's rollout; Enter goes to a step of it."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = "OutlineScreen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("g,home", "end(-1)", "First", show=False),
        Binding("G,end", "end(1)", "Last", show=False),
        Binding("h,left", "fold", "Fold", show=False),
        Binding("l,right", "unfold", "Unfold", show=False),
        Binding("enter", "go", "Go there", show=False),
        Binding("space", "read(1)", "Read on", show=False),
        Binding("backspace", "read(-1)", "Read back", show=False),
        Binding("n", "make('name')", "Name the branch", show=False),
        Binding("D", "make('hide')", "Hide or show the branch", show=False),
        Binding("full_stop", "hidden", "Show hidden branches", show=False),
        Binding("r,R", "make('revert')", "Revert the edit", show=False),
        Binding("slash", "filter", "Filter", show=False),
        Binding("u", "make('undo')", "Undo", show=False),
        Binding("U", "make('redo')", "Redo", show=False),
        Binding("question_mark,f1", "help", "Keys", show=False),
        Binding("escape", "escape", "Back", show=False),
        Binding("q,o", "leave", "Back", show=False),
    ]

    def __init__(self, debugger: DebuggerScreen) -> None:
        super().__init__()
        self.debugger = debugger
        self.palette = debugger.palette
        self.outline = Outline(debugger.model, debugger.rollstep.drafts())
        self.document = Document([])
        self.flashed: Span | None = None
        self._top = 0
        self._filter = TypedFilter()
        self._question: Question | None = None
        self._to_say = ""
        self._shown: tuple[object, int] | None = None
        self._drawn: dict[object, Row] = {}
        self.making = Making(self)
        self._looking = False

    # what is on it

    def compose(self) -> ComposeResult:
        """A line on top, the tree, the preview, two lines below."""
        self.title_pane = RowsPane(self.palette, id="outline-title", selectable=False)
        self.tree_pane = RowsPane(self.palette, id="outline-tree", selectable=False)
        self.page = RowsPane(self.palette, id="outline-page")
        self.keys = RowsPane(self.palette, id="outline-keys", selectable=False)
        # Where something has the focus, keys come in the order in which they were typed.
        self.tree_pane.can_focus = True
        yield from (self.title_pane, self.tree_pane, self.page, self.keys)

    def on_mount(self) -> None:
        """Stand on the cursor's step."""
        self.tree_pane.focus()
        self._center()
        self.paint()
        self._look_on()

    def on_resize(self, event: events.Resize) -> None:
        """Share the screen anew."""
        self._drawn.clear()
        self.paint()

    def set_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        for pane in (self.title_pane, self.tree_pane, self.page, self.keys):
            pane.set_palette(palette)

    def news(self) -> None:
        """The rollout, or what the debugger shows of it, may be another now."""
        if self.outline.is_old():
            self.outline.read(self.debugger.rollstep.drafts())
            self._look_on()
        if self._to_say and not self.debugger.rollstep.controller.busy:
            self.flashed = (self._to_say, "ok")
        self.paint()

    def flash(self, words: str, style: str = "warn") -> None:
        """Say something in the line under the tree until the next key; after what a command of this
        screen has done, what the debugger says of it.
        """
        words = one_line(words.replace("\n", "  "))
        if style == "ok" and self._to_say:
            words = f"{self._to_say} {words}"
        self._to_say = ""
        self.flashed = (words, style)
        if self.children:
            self._paint_keys()

    # painting

    def _regions(self) -> tuple[Region, Region]:
        """Where the tree is, and the page."""
        width, height = self.app.size
        body = max(height - 3, 2)
        if width >= _WIDE:
            left = min(max(width * 3 // 5, 70), width - 30)
            return Region(0, 1, left, body), Region(left, 1, width - left, body)
        upper = max(body * 3 // 5, 2)
        return Region(0, 1, width, upper), Region(0, 1 + upper, width, body - upper)

    @property
    def _beside(self) -> bool:
        return self.app.size.width >= _WIDE

    def paint(self) -> None:
        """Draw what is seen; rows that have not changed are not painted again."""
        if not self.is_attached or not self.children:
            return
        width, height = self.app.size
        tree, page = self._regions()
        self.title_pane.place(Region(0, 0, width, 1))
        self.tree_pane.place(tree)
        self.page.place(page)
        self.keys.place(Region(0, height - 2, width, 2))
        self.title_pane.set_rows([title(self.outline, width)])
        self._paint_tree(tree)
        self._paint_page(page)
        self._paint_keys()

    def _paint_tree(self, region: Region) -> None:
        outline, height = self.outline, region.height - 1
        self._top = min(self._top, max(len(outline.rows) - height, 0))
        if outline.at < self._top:
            self._top = outline.at
        elif outline.at >= self._top + height:
            self._top = outline.at - height + 1
        width = region.width - (1 if self._beside else 0)
        rows = [header(width)]
        for place in range(self._top, min(self._top + height, len(outline.rows))):
            rows.append(self._row(place, width))
        if not outline.rows:
            rows.append(row(("  Nothing matches the filter; Esc shows all.", "dim")))
        self.tree_pane.set_rows(rows)

    def _row(self, place: int, width: int) -> Row:
        outline = self.outline
        tree_row, selected = outline.rows[place], place == outline.at
        key = (outline.version, tree_row, width, selected)
        made = self._drawn.get(key)
        if made is None:
            if len(self._drawn) > 4_000:
                self._drawn.clear()
            made = self._drawn[key] = draw(outline, tree_row, width, selected=selected)
        return made

    def _paint_page(self, region: Region) -> None:
        outline = self.outline
        key = (outline.key, outline.model.step_id)
        if (key, outline.version) != self._shown:
            same = self._shown is not None and self._shown[0] == key
            anchor = self.document.anchor
            self._shown = (key, outline.version)
            self.document = preview(outline)
            if same:  # what is read on in, while the rollout goes on
                self.document.anchor = anchor
        lead: Span = ("│ ", "rule") if self._beside else (" ", "text")
        above = 0 if self._beside else 1
        self.document.resize(region.width - len(lead[0]) - 1, region.height - above)
        rows = [
            Row((lead, *line.spans), line.fill, line.gutter + len(lead[0]))
            for line in self.document.rows()
        ]
        if above:
            below = " ↓ more " if self.document.more_below() else ""
            rows.insert(0, row(("─" * (region.width - len(below)), "rule"), (below, "dim")))
        self.page.set_rows(rows)

    def _paint_keys(self) -> None:
        width = self.app.size.width
        self.keys.set_rows([self._said(width), key_line(width)])

    def _said(self, width: int) -> Row:
        question = self._question
        if question is not None:
            text = one_line(question.line.text)
            label = f" {question.label}: "
            return row((label, "key"), (fit(f"{text}▏", width - len(label) - 1), "text"))
        if self._filter.typing:
            words = f"/{one_line(self._filter.text)}▏"
            return row((f" {fit(words, width - 2)}", "key"))
        if self.flashed is not None:
            return row((f" {fit(self.flashed[0], width - 2)}", self.flashed[1]))
        if self._filter.text:
            words = f"showing what holds {one_line(self._filter.text)}; Esc shows all"
            return row((f" {fit(words, width - 2)}", "key"))
        return row((" " + fit(hint(self.outline), width - 2), "dim"))

    # looking

    def _moved(self, moved: bool) -> None:
        self.flashed, self._to_say = None, ""
        if moved:
            self.paint()
        else:
            self._paint_keys()

    def action_move(self, by: int) -> None:
        """The next row."""
        self._moved(self.outline.move(by))

    def action_page(self, by: int) -> None:
        """A screenful of rows."""
        self._moved(self.outline.move(by * max(self._regions()[0].height - 2, 1)))

    def action_end(self, side: int) -> None:
        """The first or the last row."""
        self._moved(self.outline.move(side * len(self.outline.rows)))

    def action_fold(self) -> None:
        """Fold the segment, or go to the one before it."""
        self._moved(self.outline.fold())

    def action_unfold(self) -> None:
        """Unfold the segment, or go into it."""
        self._moved(self.outline.unfold())

    def action_read(self, by: int) -> None:
        """Read on in the preview, a screenful."""
        self.document.scroll(by * max(self.document.height - 1, 1))
        self.paint()

    def action_hidden(self) -> None:
        """Show hidden branches, greyed, or leave them out."""
        if not self.outline.tree.hidden:
            self.flash("No branch is hidden; D hides one.", "dim")
            return
        shown = self.outline.toggle_hidden()
        self._moved(True)
        self.flash(f"Hidden branches are {'shown' if shown else 'left out'}.", "dim")

    def _center(self) -> None:
        self._top = max(self.outline.at - self._regions()[0].height // 2, 0)

    def _look_on(self) -> None:
        """Look for flags and breakpoints, bit by bit, when the tree has been painted."""
        if not self._looking and not self.outline.tree.looked_at_all:
            self._looking = True
            self.set_timer(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._looking = False
        if self.outline.look_on(_LOOKED_AT):
            self.paint()
        self._look_on()

    def action_go(self) -> None:
        """To the step, on its branch; the debugger shows it."""
        step, debugger = self.outline.step, self.debugger
        if not self.outline.rows:
            return
        model = debugger.model
        model.jump(model.cursor)
        model.go_to(step.id if step is not None else None)
        debugger.rollstep.guard.opened("the outline")
        self._leave()

    def action_help(self) -> None:
        """All keys of this screen."""
        from .help import HelpScreen

        rows = [(key, what) for key, _, what in KEYS]
        self.app.push_screen(HelpScreen([("OUTLINE: the whole rollout as a tree", rows)]))

    def action_leave(self) -> None:
        """Back to the debugger, with its cursor where it was."""
        self._leave()

    def action_escape(self) -> None:
        """Out of what is typed, or of the filter, or back."""
        if self._question is not None:
            self._question = None
            self._paint_keys()
        elif self._filter.used:
            self._filter.clear()
            self.outline.set_filter("")
            self._center()
            self._moved(True)
        else:
            self._leave()

    def _leave(self) -> None:
        self.dismiss(None)
        self.debugger.repaint()

    # typing

    def on_key(self, event: events.Key) -> None:
        """A letter of what is being typed."""
        if self._question is not None:
            self._type(self._question, event)
        elif self._filter.take(event):
            self.outline.set_filter(self._filter.text)
            self.paint()

    def _type(self, question: Question, event: events.Key) -> None:
        if event.key == "ctrl+u":
            question.line.text = ""
        elif question.line.take(event) and not question.line.typing:
            self._question = None
            question.then(question.line.text.strip())
        elif event.key in _LEAD_OUT:
            return
        event.stop()
        event.prevent_default()
        self._paint_keys()

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes where text is being typed."""
        line = self._question.line if self._question is not None else self._filter
        if line.typing:
            line.text += event.text.split("\n")[0]
            if line is self._filter:
                self.outline.set_filter(line.text)
            self.paint()

    def action_filter(self) -> None:
        """Cut the tree down by typing."""
        self._filter.typing = True
        self.flashed = None
        self._paint_keys()

    # making

    def ask(self, label: str, text: str, then: Callable[[str], None]) -> None:
        """Have a line typed at the foot of the screen."""
        self._question = Question(label, text, then)
        self.flashed = None
        self._paint_keys()

    def saying(self, words: str) -> None:
        """Say this when the command that is given now has been carried out."""
        self._to_say = words

    def action_make(self, what: str) -> None:
        """Undo, redo, name, hide, revert."""
        getattr(self.making, f"do_{what}")()

    # mouse

    def on_rows_pane_pressed(self, event: RowsPane.Pressed) -> None:
        """A click selects a row; one more on it goes there."""
        if event.pane is not self.tree_pane or event.y < 1:
            return
        place = self._top + event.y - 1
        if place >= len(self.outline.rows):
            return
        if place == self.outline.at:
            self.action_go()
        else:
            self._moved(self.outline.move(place - self.outline.at))

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls what is under it."""
        if event.pane is self.page:
            self.document.scroll(event.lines)
            self.paint()
        elif event.pane is self.tree_pane:
            self._moved(self.outline.move(event.lines))
