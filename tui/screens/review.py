"""The queue: one rollout after the other, read in one column, with a person's marks at the side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from rollstep.core.errors import RollstepError, StoreError
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen
from textual.timer import Timer

from ..actions import BY_ID
from ..palette import Palette
from ..review.column import Column
from ..review.keeper import Keeper
from ..review.model import Loaded, ReviewModel
from ..review.side import brief, side
from ..review.words import counts, goal, guide_rows, key_line, keys, top
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..widgets.rows_pane import RowsPane
from ..wrap import fit
from .review_find import Finding
from .review_look import LookingAbout
from .review_make import Making
from .review_read import Reading

if TYPE_CHECKING:
    from rollstep.core.review.queue import Entry, News

    from ..rollstep_app import RollstepApp
    from ..widgets.find_bar import FindBar

_ACTIONS = {
    "next": "move(1)",
    "previous": "move(-1)",
    "first": "end(-1)",
    "last": "end(1)",
    "next_turn": "turn(1)",
    "previous_turn": "turn(-1)",
    "next_flag": "flag(1)",
    "previous_flag": "flag(-1)",
    "read_on": "read(1)",
    "read_back": "read(-1)",
    "find": "find",
    "hit_next": "hit(1)",
    "hit_previous": "hit(-1)",
    "open_step": "open",
    "accept": "make('accept')",
    "reject": "make('reject')",
    "unsure": "make('unsure')",
    "mark": "make('mark')",
    "undo": "make('undo')",
    "help": "help",
    "cancel": "escape",
    "leave": "leave",
}
"""Actions of the registry and what they are here: their keys hold here too."""
_WIDE = 110
"""From so many columns on there is room for a column at the side."""
_AHEAD_SECONDS = 0.05
_PLACE_SECONDS = 0.3
"""The place is kept when the human has rested there so long."""


class ReviewScreen(Screen[str | None], inherit_bindings=False):
    """Dismisses with the id of a rollout that is to be opened, or None."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    ReviewScreen { background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(",".join(BY_ID[name].keys), action, BY_ID[name].help, show=False)
            for name, action in _ACTIONS.items()
            if BY_ID[name].keys
        ),
        Binding("J", "rollout(1)", "Next rollout", show=False),
        Binding("K", "rollout(-1)", "Rollout before", show=False),
        Binding("ctrl+c", "screen.copy_text", "Copy the selected text", show=False),
    ]

    def __init__(self, app: RollstepApp, model: ReviewModel) -> None:
        super().__init__()
        self.rollstep = app
        self.model = model
        self.palette = app.palette
        self.keeper = Keeper(app.controller.engine, model.kept)
        self.making = Making(self)
        self.finding = Finding(self)
        self.reading = Reading(self)
        self.column: Column | None = None
        self.flashed: Span | None = None
        self._loading = ""
        self._leaving = self._counted = False
        self._place_timer: Timer | None = None
        self.head = RowsPane(self.palette, id="review-head", selectable=False)
        self.text = RowsPane(self.palette, id="review-text")
        self.side = RowsPane(self.palette, id="review-side")
        self.foot = RowsPane(self.palette, id="review-foot", selectable=False)
        self.panes = (self.head, self.text, self.side, self.foot)

    # what is on it

    def compose(self) -> ComposeResult:
        """Lines on top, the rollout, the column at its side, lines below."""
        yield from self.panes

    def on_mount(self) -> None:
        """Load the rollout at hand, and those after it."""
        self.model.watch.go_on()
        self.paint()
        self.load_ahead()
        LookingAbout(self).begin()

    def _count(self) -> None:
        """How many wait for a human, once, when nobody waits for a rollout."""
        if not self._counted:
            self._counted = True
            self.rollstep.when_done(self.keeper.parked(), self._count_parked)

    def _count_parked(self, count: int) -> None:
        self.model.parked = count
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Share the screen anew."""
        self.paint()

    def set_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        self.palette = palette
        for pane in self.panes:
            pane.set_palette(palette)

    def flash(self, words: str, style: str = "warn") -> None:
        """Say something in the line under the rollout until the next key."""
        self.flashed = (one_line(words.replace("\n", "  ")), style)
        if self.children:
            self._paint_foot()

    # loading

    def load_ahead(self) -> None:
        """Load what is at hand or may come next, one after the other."""
        wanted = self.model.wanted()
        if self._loading or not self.is_attached:
            return
        if not wanted:
            self._count()
            return
        self._loading = wanted[0]
        self.rollstep.later(self._load(wanted[0]))

    async def _load(self, rollout_id: str) -> None:
        try:
            loaded, news = await asyncio.wrap_future(self.keeper.load(rollout_id))
        except RollstepError as error:
            self.model.gone[rollout_id] = str(error)
        else:
            adjustment = self.model.take(rollout_id, loaded, news)
            self.note([adjustment] if adjustment is not None else [])
        self._loading = ""
        if self.is_attached:
            self.paint()
            self.load_ahead()

    def note(self, adjustments: Sequence[Entry]) -> None:
        """Keep what rollouts say themselves of their verdicts."""
        for adjustment in adjustments:
            self.rollstep.later(self._note(adjustment))

    async def _note(self, adjustment: Entry) -> None:
        # Where it cannot be saved nothing is lost: the rollout says it again when it is loaded.
        with suppress(StoreError):
            noting = self.keeper.note(adjustment, self.model.queue.at)
            self.model.noted(await asyncio.wrap_future(noting))

    # painting

    def paint(self) -> None:
        """Draw what is seen; rows that have not changed are not painted again."""
        if not self.is_attached or not self.children:
            return
        width, height = self.app.size
        wide = width >= _WIDE
        beside = max(width * 32 // 100, 38) if wide else 0
        body = max(height - 5, 2)
        self.head.place(Region(0, 0, width, 3))
        self.text.place(Region(0, 3, width - beside, body))
        self.side.place(Region(width - beside, 2, beside, body + 1) if wide else Region())
        self.foot.place(Region(0, height - 2, width, 2))
        model, shown = self.model, self.model.shown
        lines = [top(model, width), counts(model, width), goal(model, width - beside)]
        self.head.set_rows(lines)
        self._paint_text(shown, width - beside, body)
        if wide:
            self.side.set_rows(side(model, beside, body + 1))
        self._paint_foot()

    def _paint_text(self, shown: Loaded | None, width: int, height: int) -> None:
        if shown is None:
            self.column = None
            gone = self.model.gone.get(self.model.queue.current)
            words = f"Cannot be shown: {one_line(gone)} J goes on." if gone else "…"
            self.text.set_rows([Row(), row((f"  {words}", "error" if gone else "dim"))])
            return
        column = self.column
        if column is None or (column.loaded, column.width, column.height) != (shown, width, height):
            self.column = column = Column(shown, width, height)
        if not len(column.path):
            words = "Nothing was played here yet: Enter opens it in the debugger."
            self.text.set_rows([Row(), row((f"  {words}", "dim"))])
            return
        self.text.set_rows(column.rows())

    def _paint_foot(self) -> None:
        width = self.app.size.width
        said = self.flashed
        if said is not None:
            line = row((f" {fit(said[0], width - 2)}", said[1]))
        elif words := self.finding.words():
            line = row((f" {fit(words, width - 2)}", "key"))
        elif width < _WIDE:
            line = brief(self.model, width)
        else:
            line = row(("─" * width, "rule"))
        self.foot.set_rows([line, key_line(width)])

    # reading

    @property
    def cursor(self) -> int:
        """The place of the step at the cursor; -1 for none."""
        return self.column.model.cursor if self.column is not None else -1

    def action_read(self, by: int) -> None:
        """Read on, a screenful; what was seen is read now."""
        self.flashed = None
        column = self.column
        if column is None:
            return
        if by > 0:
            seen = column.in_sight()
            self.reading.seen(seen)
            moved = column.scroll(max(column.height - 2, 1))
            unread = [i for i in column.in_sight() if i not in seen]
            if moved and unread:
                column.model.cursor = unread[0]
            elif not moved and seen:
                column.model.cursor = len(column.path) - 1
                self.flashed = (self.reading.end_words(), "dim")
        elif column.scroll(-max(column.height - 2, 1)) and (sight := column.in_sight()):
            column.model.cursor = sight[0]
        self.paint()

    def follow(self, before: int) -> None:
        """The cursor has moved: the step it stood on was read, if its end was in sight."""
        column = self.column
        if column is None:
            return
        if column.model.cursor > before >= 0 and before in column.in_sight():
            self.reading.seen([before])
        column.show_cursor()
        self.flashed = None
        self.paint()

    def action_move(self, by: int) -> None:
        """The next step."""
        if self.column is not None:
            before, last = self.cursor, len(self.column.path) - 1
            self.column.model.move(by)
            self.follow(before)
            if by > 0 and before == last and last in self.column.in_sight():
                self.reading.seen([last])
                self.flash(self.reading.end_words(), "dim")
                self.paint()

    def action_end(self, side: int) -> None:
        """The first or the last step."""
        if self.column is not None:
            self.column.model.jump(len(self.column.path) - 1 if side > 0 else 0)
            self.follow(-1)

    def action_turn(self, by: int) -> None:
        """The next turn."""
        if self.column is not None:
            self.column.model.move_turn(by)
            self.follow(-1)

    def action_flag(self, by: int) -> None:
        """The next flag."""
        if self.column is None:
            return
        if self.column.model.move_flag(by):
            self.follow(-1)
        else:
            self.flash(f"No flag {'after' if by > 0 else 'before'} this step.", "dim")

    # finding

    def action_find(self) -> None:
        """Type what to find."""
        self.finding.open()

    def action_hit(self, by: int) -> None:
        """The next hit."""
        self.finding.hit(by)

    def action_escape(self) -> None:
        """Out of the search."""
        self.flashed = None
        self.finding.end()
        self.paint()

    def on_find_bar_typed(self, event: FindBar.Typed) -> None:
        """Search while the words are typed."""
        self.finding.typed(event.text)

    def on_find_bar_stepped(self, event: FindBar.Stepped) -> None:
        """The next hit, while typing."""
        self.finding.hit(event.by)

    def on_find_bar_chosen(self, event: FindBar.Chosen) -> None:
        """The hits stay; n and N walk them."""
        self.set_focus(None)
        self.paint()

    def on_find_bar_closed(self) -> None:
        """The search is over."""
        self.set_focus(None)
        self.action_escape()

    # rollouts

    def arrived(self) -> None:
        """Another rollout is at hand."""
        self._leaving = False
        self.column = None
        self.finding.end()
        self.rollstep.guard.opened("the next rollout comes up")
        if self._place_timer is not None:
            self._place_timer.stop()
        self._place_timer = self.set_timer(_PLACE_SECONDS, self._keep_place)
        self.paint()
        if self.model.shown is None:
            self.load_ahead()
        else:  # not while this is being painted
            self.set_timer(_AHEAD_SECONDS, self.load_ahead)

    def _keep_place(self) -> None:
        self.rollstep.when_done(self.keeper.stay_at(self.model.queue.at), self.noted)

    def noted(self, news: News) -> None:
        """What has become of the queue meanwhile."""
        self.model.noted(news)
        if self.is_attached and (news.said or news.gone):
            self.paint()
            self.load_ahead()

    def action_rollout(self, by: int) -> None:
        """The next rollout of the queue."""
        self.flashed = None
        if self.model.go_to(self.model.queue.at + by):
            self.arrived()
        else:
            self.flash(f"This is the {'last' if by > 0 else 'first'} of the queue.", "dim")

    def action_open(self) -> None:
        """Open the rollout at hand in the debugger."""
        if self.model.shown is not None:
            self.model.watch.rest()
            self._keep_place()
            self.dismiss(self.model.queue.current)

    def action_make(self, what: str) -> None:
        """Marks."""
        self._leaving = False
        self.making.act(what)

    def action_help(self) -> None:
        """The keys, and the guide."""
        from .help import HelpScreen

        rows = [(key, what) for key, _, what in keys()]
        sections = [("REVIEW: one rollout after the other", rows)]
        if guide := self.rollstep.review_guide:
            sections.insert(0, ("GUIDE", guide_rows(guide, self.app.size.width)))
        self.app.push_screen(HelpScreen(sections, title="Guide and keys"))

    def action_leave(self) -> None:
        """Leave when all is saved; the place is kept."""
        if self._leaving:
            self.dismiss(None)
            return
        self._leaving = True
        self.reading.keep()
        self.rollstep.later(self._leave())

    async def _leave(self) -> None:
        try:
            await asyncio.wrap_future(self.keeper.stay_at(self.model.queue.at))
        except RollstepError as error:
            key = BY_ID["leave"].short
            self.flash(f"The place is not kept: {error} {key} leaves all the same.", "alarm")
            return
        self.dismiss(None)

    # mouse

    def on_rows_pane_pressed(self, event: RowsPane.Pressed) -> None:
        """A click puts the cursor on a step."""
        if event.pane is self.text and self.column is not None:
            item = self.column.item_at(event.y)
            if item is not None:
                self.column.model.jump(item)
                self.follow(-1)

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls the rollout."""
        if self.column is not None and self.column.scroll(event.lines):
            self.paint()
