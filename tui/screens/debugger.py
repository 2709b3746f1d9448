"""The debugger: three panes, timeline, inspector, status lines and keys.

The screen draws what the presenter says and turns keys into actions; it holds no rules. A key
costs the making of the rows that are seen, and repaints those that have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.screen import Screen

from .. import bars
from ..actions import ACTIONS, BY_ID, Action, footer
from ..document import Document
from ..find import Find
from ..inspector import TABS, Tab, document
from ..palette import Palette
from ..panes import NARROW, PaneView
from ..presenter import DebuggerModel
from ..requests import Requests
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..settings import Settings
from ..timeline import Cells, timeline
from ..widgets.rows_pane import RowsPane
from ..wrap import fit
from .arrange import Arrangement, arrange
from .debugger_features import FEATURES, load_feature
from .debugger_look import LookActions
from .debugger_make import MakeActions
from .idle_lint import IdleLint
from .idle_price import IdlePrice
from .stream_paint import StreamPaint

if TYPE_CHECKING:
    from ..rollstep_app import RollstepApp
    from ..widgets.find_bar import FindBar

_USUAL = Settings()
_SENT_SECONDS = 0.04
"""The pages of what was sent are made when the cursor has rested so long."""


class DebuggerScreen(Screen[None], inherit_bindings=False):
    """Steps one rollout."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(",".join(action.keys), f"act('{action.id}')", action.help, show=False)
            for action in ACTIONS
            if action.keys
        ),
        Binding("ctrl+c", "screen.copy_text", "Copy the selected text", show=False),
    ]

    def __init__(self, model: DebuggerModel, palette: Palette, settings: Settings = _USUAL) -> None:
        super().__init__()
        self.model = model
        self.palette = palette
        self.places = {False: settings.inspector, True: settings.inspector_narrow}
        self.look = LookActions(self)
        self.make = MakeActions(self)
        self.idle_lint = IdleLint(self)
        self.idle_price = IdlePrice(self)
        self.stream_paint = StreamPaint(self)
        self._features: dict[str, object] = {}
        self.view = PaneView(model)
        self.search: Find | None = None
        self.tab = 0
        self.in_inspector = False
        self.flashed: Span | None = None
        self.cells = Cells(Row(), [])
        self.document = Document([])
        self._document_key: object = None
        self.arrangement: Arrangement = arrange(80, 24, settings.inspector_narrow)
        self._arranged_for = Size(0, 0)
        self._unpainted = ""
        self.requests = Requests(
            lambda digest: self.rollstep.controller.request(digest),
            lambda work: self.rollstep.later(work),
        )

    @property
    def rollstep(self) -> RollstepApp:
        """The app, by its own type."""
        from ..rollstep_app import RollstepApp

        assert isinstance(self.app, RollstepApp)
        return self.app

    @property
    def is_narrow(self) -> bool:
        """Whether the screen is of the narrow kind, which has a layout of its own."""
        return self.app.size.width < NARROW

    @property
    def place(self) -> str:
        """Where the inspector is wanted on a screen of this kind."""
        return self.places[self.is_narrow]

    # what is on it

    def compose(self) -> ComposeResult:
        """Every part is the same kind of widget."""
        self.top = RowsPane(self.palette, id="top")
        self.lanes = [RowsPane(self.palette, id=f"lane{index}") for index in range(3)]
        self.inspector = RowsPane(self.palette, id="inspector")
        self.bottom = RowsPane(self.palette, id="bottom")
        self.all_panes = [self.top, *self.lanes, self.inspector, self.bottom]
        yield from self.all_panes

    def on_mount(self) -> None:
        """Place everything before the first paint."""
        self.rearrange()

    def on_resize(self, event: events.Resize) -> None:
        """Place everything anew."""
        if self.app.size != self._arranged_for:
            self.rearrange()

    def rearrange(self) -> None:
        """Share the screen among the parts, and paint them."""
        self._arranged_for = self.app.size
        place = self.arrangement = arrange(*self.app.size, self.place)
        self.top.place(place.top)
        self.bottom.place(place.bottom)
        self.inspector.place(place.inspector)
        for bar in self.query("#find"):
            bar.styles.offset = place.bottom.offset
        self._place_lanes()
        self._document_key = None
        self.repaint()

    def _place_lanes(self) -> None:
        panes = self.arrangement.panes
        widths = self.view.resize(panes.width, panes.height, narrow=self.arrangement.narrow)
        x = 0
        for index, lane in enumerate(self.lanes):
            wide = widths[index] if index < len(widths) else 0
            lane.place(Region(x, panes.y, wide, panes.height) if wide else Region())
            x += wide
        self.view.show_cursor()

    def set_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        self.palette = palette
        for pane in self.all_panes:
            pane.set_palette(palette)

    def show_model(self, model: DebuggerModel) -> None:
        """Another rollout: nothing of the one before stays."""
        self.model = model
        self.view = PaneView(model)
        self.search, self.flashed, self._document_key = None, None, None
        self.requests.clear()
        self.rearrange()

    # painting

    def repaint(self, *, follow: bool = True) -> None:
        """Draw what the model says now; ``follow`` scrolls to the cursor."""
        if not self.is_attached or not self.children or not self._arranged_for:
            return
        self.idle_lint.before_paint()
        self.idle_price.before_paint()
        self.stream_paint.before_paint()
        model, width = self.model, self.app.size.width
        hits = self.search.found if self.search is not None else frozenset[int]()
        self.view.hits = hits
        self.view.query = self.search.query if self.search is not None else ""
        if follow:
            self.view.show_cursor()
        self.cells = timeline(model, width, hits)
        self.top.set_rows([bars.header(model, width), bars.status(model, width), self.cells.row])
        self.repaint_hint()
        for lane, rows in zip(self.lanes, self.view.rows(), strict=False):
            lane.set_rows(rows)
        self.repaint_inspector()

    def repaint_hint(self) -> None:
        """Draw the lines under the panes."""
        width = self.app.size.width
        self.bottom.set_rows([self._hint(width), *footer(width)])

    def _hint(self, width: int) -> Row:
        if self.flashed is not None:
            return row((f" {fit(self.flashed[0], width - 2)}", self.flashed[1]))
        if self.search is not None:
            words = f"/{one_line(self.search.query)}  {self.search.words(self.model.cursor)}"
            return row((f" {fit(words + '; n N walk them, Esc ends', width - 2)}", "key"))
        return bars.hint(self.model, width)

    def flash(self, words: str, style: str = "warn") -> None:
        """Say something in the hint line until the next key; what stands over this screen and has
        such a line says it too.
        """
        self.flashed = (one_line(words.replace("\n", "  ")), style)
        if self.is_attached and self.app.screen is not self:
            heard = getattr(self.app.screen, "flash", None)
            if heard is not None:
                heard(words, style)
        if self.children:
            self.repaint_hint()

    def repaint_inspector(self) -> None:
        """Make the inspector's page if the cursor moved, and draw it."""
        region = self.arrangement.inspector
        if not region:
            return
        tab = TABS[self.tab]
        key = self._page_key(tab)
        if key != self._document_key:
            if tab.role is not None and self._document_key is not None and not self._rested:
                self._rest_then_repaint()
            else:
                self._document_key = key
                stored = self.requests.of(self.model, tab.role, self._request_arrived)
                self.document = document(self.model, tab, stored)
        self._rested = False
        side = 0 if self.arrangement.below else 2
        self.document.resize(region.width - side - 1, region.height - 1)
        lead: tuple[Span, ...] = (("│ ", "rule"),) if side else ((" ", "text"),)
        lines = [
            Row((*lead, *line.spans), line.fill, line.gutter + len(lead[0][0]))
            for line in self.document.rows()
        ]
        self.inspector.set_rows([self._tabs(region.width), *lines])

    _rested = False

    def _rest_then_repaint(self) -> None:
        key = self._page_key(TABS[self.tab])

        def repaint() -> None:
            if key == self._page_key(TABS[self.tab]):
                self._rested = True
                self.repaint_inspector()

        self.set_timer(_SENT_SECONDS, repaint)

    def _page_key(self, tab: Tab) -> object:
        model = self.model
        step = model.step
        takes = model.takes(model.cursor) if step else 0
        failed = len(model.attempts.get(model.step_id, ()))
        stored = self.requests.of(model, tab.role)
        hint = bars.here_words(model)
        breaks = model.breaks_at(model.cursor) and model.breakpoints if step else ()
        flags = (model.path.flags.found.get(model.cursor), model.silences)
        return (step, tab.id, model.cursor, takes, failed, hint, stored.coming, breaks, flags)

    def _request_arrived(self) -> None:
        self._rested = True
        self.repaint_inspector()

    def _tabs(self, width: int) -> Row:
        corner = "─" if self.arrangement.below else "┬"
        mark = "»" if self.in_inspector else "─"
        spans: list[Span] = [(corner + mark, "cursor" if self.in_inspector else "rule")]
        for index, name in enumerate(_tab_names(width)):
            chosen = index == self.tab
            label = f"[{name}]" if chosen else f" {name} "
            spans.append((label, "strong" if chosen else "dim"))
        used = sum(len(text) for text, _ in spans)
        below = " ↓ more "[: max(width - used, 0)] if self.document.more_below() else ""
        used += len(below)
        return row(*spans, ("─" * max(width - used, 0), "rule"), (below, "dim"))

    # events of the engine

    def news(self, only_streamed: bool) -> None:
        """The model has changed."""
        if only_streamed:
            self.stream_paint.news()
        else:
            self.repaint()

    # keys

    def palette_actions(self) -> tuple[Action, ...]:
        """What the command palette offers over this screen."""
        return tuple(BY_ID.values())

    def action_act(self, name: str, chosen: bool = False) -> None:
        """Do one action of the registry, unless its keys rest now; ``chosen`` by name, it is meant
        in any case.
        """
        action = BY_ID[name]
        if action.guard != "free" and not chosen:
            guard = self.rollstep.guard
            if guard.closed if action.guard == "acts" else guard.pasting:
                self.flash(guard.words(action.short))
                return
            if self._unpainted == name:
                return
            self._unpainted = name
            self.call_after_refresh(self._painted)
        self.flashed = None
        getattr(self._doer(name), f"do_{name}")()

    def _doer(self, name: str) -> object:
        """What carries out an action; the rarer ones are loaded when first asked for."""
        if name not in FEATURES:
            return self.look if hasattr(self.look, f"do_{name}") else self.make
        module = FEATURES[name]
        if module not in self._features:
            self._features[module] = load_feature(module, self)
        return self._features[module]

    def feature(self, name: str) -> Any:
        """The file that carries out one of the rarer actions."""
        return self._doer(name)

    def on_screen_suspend(self) -> None:
        """Keys go elsewhere now. A repaint that was due may come only after the next key, and that
        key would be taken for a held one.
        """
        self._unpainted = ""

    def _painted(self) -> None:
        self._unpainted = ""

    # find

    def on_find_bar_typed(self, event: FindBar.Typed) -> None:
        """Search while the words are typed."""
        self.look.find(event.text)
        self.tell_find()

    def tell_find(self) -> None:
        """Say in the find bar, where it is open, what was found so far."""
        search = self.search
        for bar in self.query("FindBar.-open"):
            if search is not None and search.query:
                found = self.model.cursor in search.found
                at = search.hits.index(self.model.cursor) + 1 if found else 0
                bar.tell(len(search.hits), at)  # type: ignore[attr-defined]

    def on_find_bar_chosen(self, event: FindBar.Chosen) -> None:
        """The hits stay; n and N walk them."""
        self.set_focus(None)
        self.repaint()

    def on_find_bar_stepped(self, event: FindBar.Stepped) -> None:
        """The next hit, while typing."""
        if event.by > 0:
            self.look.do_hit_next()
        else:
            self.look.do_hit_previous()
        self.tell_find()

    def on_find_bar_closed(self) -> None:
        """Back to where the search began."""
        self.set_focus(None)
        self.look.end_find()

    # mouse

    def on_rows_pane_pressed(self, event: RowsPane.Pressed) -> None:
        """A click selects a step, or jumps along the timeline."""
        pane = event.pane
        if pane is self.top:
            on_line = event.y == 2 and event.x < len(self.cells.steps)
            step = self.cells.steps[event.x] if on_line else None
            if step is not None and step < len(self.model.path):
                self.model.jump(step)
                self.repaint()
        elif pane in self.lanes:
            step = self.view.item_at(self.lanes.index(pane), event.y)
            if step is not None:
                self.in_inspector = False
                self.model.jump(step)
                self.repaint()
        elif pane is self.inspector:
            self._press_tab(event)

    def _press_tab(self, event: RowsPane.Pressed) -> None:
        self.in_inspector = True
        if event.y == 0:
            x = 2
            for index, name in enumerate(_tab_names(self.arrangement.inspector.width)):
                x += len(name) + 2
                if event.x < x:
                    self.tab = index
                    break
        self.repaint_inspector()

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls what is under it."""
        if event.pane is self.inspector:
            if self.document.scroll(event.lines):
                self.repaint_inspector()
        elif event.pane in self.lanes and self.view.scroll(event.lines):
            self.clear_selection()
            self.repaint(follow=False)


def _tab_names(width: int) -> list[str]:
    """The names of the inspector's pages, the first in short where not all would fit."""
    names = [tab.label for tab in TABS]
    if sum(len(name) + 2 for name in names) + 2 > width:
        names[0] = "Msg"
    return names
