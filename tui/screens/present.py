"""The present mode: the branch that is shown, played full screen as it was recorded.

Nothing is asked and nothing is made here. A clock ticks only while something is being played.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import Screen
from textual.timer import Timer

from ..document import Document
from ..inspector import TABS, document
from ..palette import Palette
from ..present_bars import column, foot, head, key_name
from ..present_lanes import SIDE_BY_SIDE, LanesPage
from ..present_player import Player
from ..presenter import DebuggerModel
from ..requests import Requests
from ..rows import Row
from ..widgets.rows_pane import RowsPane
from .own_keys import HELP, OwnKeys

TICK = 1 / 20
"""Seconds between two looks at the clock."""
_ECHOED = 6
"""Keys that the echo remembers."""

Ended = Literal["back", "fork"]


class PresentScreen(OwnKeys, Screen[Ended], inherit_bindings=False):
    """Plays from the cursor of the debugger's model, from the start where that stands at the end,
    and leaves it at the step that was shown.
    """

    AUTO_FOCUS = ""
    KEYS_TITLE = "PRESENTING: the branch, as it went"
    DEFAULT_CSS = "PresentScreen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause, or go on", show=False),
        Binding("right,l,enter", "go(1)", "Next step", show=False),
        Binding("left,h", "go(-1)", "Step before", show=False),
        Binding("right_curly_bracket", "turn(1)", "Next turn", show=False),
        Binding("left_curly_bracket", "turn(-1)", "Turn before", show=False),
        *(
            Binding(str(n), f"chapter({n})", "That turn; 0 is the start", show=False)
            for n in range(10)
        ),
        Binding("home,g", "end(False)", "First step", show=False),
        Binding("end,G", "end(True)", "Last step", show=False),
        Binding("plus,equals_sign,greater_than_sign", "speed(1)", "Faster", show=False),
        Binding("minus,less_than_sign", "speed(-1)", "Slower", show=False),
        Binding("down,j", "scroll(1)", "Scroll", show=False),
        Binding("up,k", "scroll(-1)", "Scroll back", show=False),
        Binding("pagedown", "page(1)", "Read on", show=False),
        Binding("pageup,backspace", "page(-1)", "Read back", show=False),
        Binding("i", "sent", "As sent", show=False),
        Binding("z", "keys", "Keys and their echo, or not", show=False),
        Binding("e", "fork", "Go on from here", show=False),
        Binding("escape,q,p", "leave", "Back", show=False),
        Binding("ctrl+c", "screen.copy_text", "Copy the selected text", show=False),
        HELP,
        Binding("ctrl+q", "app.quit", "Quit", show=False),
    ]

    def __init__(
        self,
        model: DebuggerModel,
        palette: Palette,
        requests: Requests,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.model = model
        self.palette = palette
        at_end = model.cursor == len(model.path) - 1
        self.player = Player(model.path, model.project, -1 if at_end else model.cursor)
        self.keys_shown = True
        self.sent: Document | None = None
        self.words = ""
        self._requests = requests
        self._clock = clock
        self._branch = model.branch_name()
        self._pressed: deque[str] = deque(maxlen=_ECHOED)
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Where we are, the text, how it is played."""
        self.top = RowsPane(self.palette, id="present-top", selectable=False)
        self.body = RowsPane(self.palette, id="present-body")
        self.lanes = [RowsPane(self.palette, id=f"present-lane{place}") for place in range(3)]
        self.bottom = RowsPane(self.palette, id="present-bottom", selectable=False)
        self.panes = (self.top, self.body, *self.lanes, self.bottom)
        yield from self.panes

    def on_mount(self) -> None:
        """Begin."""
        self._timer = self.set_interval(TICK, self._tick)
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew."""
        self.paint()

    def on_key(self, event: events.Key) -> None:
        """Show which keys are pressed; what they do is none of our business here."""
        self.words = ""
        self._pressed.append(key_name(event.key, event.character))
        if self.keys_shown:
            self._paint_foot()

    def set_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        for pane in self.panes:
            pane.set_palette(palette)

    def flash(self, words: str, style: str = "warn") -> None:
        """Say something until the next key."""
        self.words = words
        self._paint_foot()

    # painting

    def _tick(self) -> None:
        step = self.player.step
        if self.player.tick(self._clock()):
            if self.player.step is not step:
                self.paint()
            else:
                self._paint_body()
                self._paint_foot()

    def paint(self) -> None:
        """Draw all of it, and let the clock tick if there is something to be played."""
        if not self.is_attached or not self.children:
            return
        width, height = self.app.size
        below = 2 if self.keys_shown else 1
        self.player.side_by_side(width >= SIDE_BY_SIDE)
        self.top.place(Region(0, 0, width, 2))
        self.bottom.place(Region(0, height - below, width, below))
        title = self.model.rollout.header.title
        sent = self.sent is not None
        self.top.set_rows(head(self.player, title, self._branch, width, sent=sent))
        self._paint_body()
        self._paint_foot()
        if self._timer is not None:
            if self.player.playing:
                self._timer.resume()
            else:
                self._timer.pause()

    def _paint_body(self) -> None:
        width, height = self.app.size
        below = 2 if self.keys_shown else 1
        shown = self.sent or self.player.page
        beside = isinstance(shown, LanesPage)
        self.body.place(Region() if beside else Region(0, 2, width, max(height - 2 - below, 1)))
        if isinstance(shown, LanesPage):
            self._paint_lanes(shown, width, max(height - 3 - below, 1))
            return
        for pane in self.lanes:
            pane.place(Region())
        margin, wide = column(width)
        shown.resize(wide, max(height - 2 - below, 1))
        lead = (" " * margin, "text")
        self.body.set_rows(
            [Row((lead, *line.spans), line.fill, line.gutter + margin) for line in shown.rows()]
        )

    def _paint_lanes(self, page: LanesPage, width: int, height: int) -> None:
        page.resize(width, height)
        lanes = page.lanes()
        for place, pane in enumerate(self.lanes):
            if place < len(lanes):
                lane = lanes[place]
                pane.place(Region(lane.x, 3, lane.width, height))
                pane.set_rows(lane.rows)
            else:
                pane.place(Region())

    def _paint_foot(self) -> None:
        if not self.children:
            return
        shown = self.sent or self.player.page
        rows = foot(
            self.player,
            self.app.size.width,
            words=self.words,
            pressed=self._pressed,
            keys=self.keys_shown,
            sent=self.sent is not None,
            more=shown.more_below(),
        )
        self.bottom.set_rows(rows)
        if not self.player.playing and self._timer is not None:
            self._timer.pause()

    # playing and moving

    def action_pause(self) -> None:
        """Pause, or go on."""
        self._close_sent()
        if not self.player.toggle():
            self.words = "This is the end; Home goes to the first step, 1-9 to a turn."
        self.paint()

    def action_go(self, by: int) -> None:
        """A step on or back."""
        self._moved(self.player.go(by), "after" if by > 0 else "before")

    def action_turn(self, by: int) -> None:
        """The next turn; or the beginning of this one, or the one before."""
        player = self.player
        inside = by < 0 and player.turn and not self._at_turn_start()
        self._moved(player.chapter(player.turn if inside else player.turn + by), "")

    def _at_turn_start(self) -> bool:
        return self.player.at == self.model.path.turn_starts[self.player.turn - 1]

    def action_chapter(self, turn: int) -> None:
        """To a turn."""
        turns = self.player.turns
        if not self.player.chapter(turn):
            self.words = f"There is no turn {turn}: this branch has {turns}."
        self._moved(True, "")

    def action_end(self, end: bool) -> None:
        """To the first step, or the last."""
        self.player.jump(self.player.steps - 1 if end else 0)
        self._moved(True, "")

    def _moved(self, moved: bool, where: str) -> None:
        if not moved and where:
            self.words = f"There is no step {where} this."
        if self.sent is not None:
            self._open_sent()
        self.paint()

    def action_speed(self, by: int) -> None:
        """Faster, or slower."""
        if not self.player.faster(by):
            self.words = f"It does not go {'faster' if by > 0 else 'slower'} than this."
        self._paint_foot()

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        (self.sent or self.player.page).scroll(lines)
        self._paint_body()
        self._paint_foot()

    def action_page(self, pages: int) -> None:
        """Scroll by screenfuls."""
        shown = self.sent or self.player.page
        self.action_scroll(pages * max(shown.height - 2, 1))

    def action_keys(self) -> None:
        """Show the keys and their echo, or leave the room to the text."""
        self.keys_shown = not self.keys_shown
        self.paint()

    def action_help(self) -> None:
        """All keys; it waits meanwhile."""
        self.player.playing = False
        self.paint()
        super().action_help()

    # as sent

    def action_sent(self) -> None:
        """What the role of this step was sent, and back to the text."""
        if self.sent is not None:
            self._close_sent()
        elif self.player.step is None:
            self.words = "There is no step yet: → goes to the first."
        else:
            self.player.playing = False
            self._open_sent()
        self.paint()

    def _close_sent(self) -> None:
        self.sent = None

    def _open_sent(self) -> None:
        step = self.player.step
        if step is None:
            self._close_sent()
            return
        self.model.go_to(step.id)
        tab = next(tab for tab in TABS if tab.role == step.role)
        stored = self._requests.of(self.model, tab.role, self._arrived)
        self.sent = document(self.model, tab, stored, reading=True)

    def _arrived(self) -> None:
        if self.sent is not None and self.is_attached:
            self._open_sent()
            self.paint()

    # leaving

    def action_fork(self) -> None:
        """Go on from this step in a normal session."""
        if self.player.step is None:
            self.words = "There is no step yet: → goes to the first."
            self.paint()
        else:
            self._leave("fork")

    def action_leave(self) -> None:
        """Back to the debugger, or from what was sent to the text."""
        if self.sent is not None:
            self._close_sent()
            self.paint()
        else:
            self._leave("back")

    def _leave(self, how: Ended) -> None:
        if self.player.step is not None:
            self.model.go_to(self.player.step.id)
        self.dismiss(how)

    def on_rows_pane_wheel(self, event: RowsPane.Wheel) -> None:
        """The wheel scrolls."""
        self.action_scroll(event.lines)
