"""What the library screen's keys look at: rows, the page, the selection; and the ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..actions import shown_keys
from ..library.actions import on_this_screen
from ..target import OpenTarget

if TYPE_CHECKING:
    from .library import LibraryScreen


class Looking:
    """These actions of one library screen; each says whether something is to be drawn anew."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen

    # rows

    def move(self, by: int) -> None:
        """So many rows on."""
        self.screen.moved(self.screen.model.move(by))

    def do_next(self) -> None:
        """The next row."""
        self.move(1)

    def do_previous(self) -> None:
        """The row before."""
        self.move(-1)

    def do_library_page_down(self) -> None:
        """A screenful of rows on."""
        self.move(self.screen.rows_in_sight - 1)

    def do_library_page_up(self) -> None:
        """A screenful of rows back."""
        self.move(1 - self.screen.rows_in_sight)

    def do_first(self) -> None:
        """The first row."""
        self.move(-len(self.screen.model))

    def do_last(self) -> None:
        """The last row."""
        self.move(len(self.screen.model))

    def do_select(self) -> None:
        """Select the rollout under the cursor, and go to the next."""
        self.screen.model.choose()
        self.screen.model.move(1)
        self.screen.moved()

    def do_library_select_all(self) -> None:
        """Select all that are listed."""
        if self.screen.model.found is not None:
            self.screen.model.choose_all()
            self.screen.moved()

    async def do_find(self) -> None:
        """Type a query."""
        await self.screen.filter_line.open()

    def do_open_step(self) -> None:
        """Open the rollout under the cursor, at the hit that is pointed at."""
        if (listed := self.screen.model.current) is not None:
            target = OpenTarget(rollout=listed.summary.id, step=self.screen.reader.seq)
            self.screen.dismiss(target)

    # the page

    def do_read_on(self) -> None:
        """A screenful of the page on."""
        self.screen.reader.scroll(1)

    def do_read_back(self) -> None:
        """A screenful of the page back."""
        self.screen.reader.scroll(-1)

    def do_hit_next(self) -> None:
        """The next place where the filter's words were found, on the page beside."""
        self._hit(1)

    def do_hit_previous(self) -> None:
        """The place before."""
        self._hit(-1)

    def _hit(self, by: int) -> None:
        if words := self.screen.reader.walk(by):
            self.screen.flash(words, "dim")

    def do_layout(self) -> None:
        """The page beside the table, or all columns in its place."""
        self.screen.page_shown = not self.screen.page_shown
        self.screen.paint()

    # away from here

    def do_palette(self) -> None:
        """All commands by name."""
        self.screen.rollstep.action_command_palette()

    def do_theme(self) -> None:
        """Choose a theme."""
        self.screen.rollstep.dialogs.choose_theme()

    def do_help(self) -> None:
        """All keys of this screen."""
        from .help import HelpScreen

        rows = [(shown_keys(action), action.help) for action in on_this_screen()]
        self.screen.app.push_screen(HelpScreen([("LIBRARY: all rollouts", rows)]))

    def do_cancel(self) -> None:
        """Out of the selection, out of the filter, or back."""
        screen, model = self.screen, self.screen.model
        if screen.working.give_up() or screen.numbers.give_up() or screen.listing.give_up():
            return
        if model.chosen:
            model.chosen.clear()
            screen.moved()
        elif model.query:
            screen.filter_line.history.used(model.query)
            model.query = ""
            screen.list_anew()
        else:
            screen.dismiss(None)

    def do_leave(self) -> None:
        """Up one level: to the start screen; Esc there comes back to a rollout that is open."""
        self.screen.dismiss(None)
        if self.screen.rollstep.debugger is not None:
            self.screen.rollstep.dialogs.open_start()
