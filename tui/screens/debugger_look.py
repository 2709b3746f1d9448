"""What the keys that look do: free, and nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..find import Find
from ..inspector import TABS
from ..sanitize import has_hidden, visible
from .arrange import chosen_place, next_place

if TYPE_CHECKING:
    from .debugger import DebuggerScreen


class LookActions:
    """The actions of the debugger screen that look; each is named ``do_`` and its id."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen
        self._origin = -1

    def _moved(self, moved: bool, words: str = "") -> None:
        if moved:
            self.screen.repaint()
        elif words:
            self.screen.flash(words, "dim")
        else:
            self.screen.repaint_hint()

    def _by_line(self, lines: int) -> bool:
        """Scroll the inspector when keys go there."""
        if not self.screen.in_inspector:
            return False
        if self.screen.document.scroll(lines):
            self.screen.repaint_inspector()
        return True

    def do_next(self) -> None:
        """The next step."""
        if not self._by_line(1):
            self._moved(self.screen.model.move(1))

    def do_previous(self) -> None:
        """The step before."""
        if not self._by_line(-1):
            self._moved(self.screen.model.move(-1))

    def do_lane_right(self) -> None:
        """The lane to the right."""
        self._moved(self.screen.model.move_lane(1), "No step near in a lane to the right.")

    def do_lane_left(self) -> None:
        """The lane to the left."""
        self._moved(self.screen.model.move_lane(-1), "No step near in a lane to the left.")

    def do_read_on(self) -> None:
        """One screenful on, whatever the cursor."""
        if not self._by_line(self.screen.document.height - 2) and self.screen.view.scroll(
            self.screen.view.height - 2
        ):
            self._scrolled()

    def do_read_back(self) -> None:
        """One screenful back."""
        if not self._by_line(2 - self.screen.document.height) and self.screen.view.scroll(
            2 - self.screen.view.height
        ):
            self._scrolled()

    def _scrolled(self) -> None:
        self.screen.clear_selection()
        self.screen.repaint(follow=False)

    def do_next_turn(self) -> None:
        """The next turn."""
        self._moved(self.screen.model.move_turn(1))

    def do_previous_turn(self) -> None:
        """The first step of this turn, or of the turn before."""
        self._moved(self.screen.model.move_turn(-1))

    def do_first(self) -> None:
        """The first step."""
        if self.screen.in_inspector:
            self.screen.document.to_end(False)
            self.screen.repaint_inspector()
        else:
            self._moved(self.screen.model.jump(0))

    def do_last(self) -> None:
        """The last step."""
        if self.screen.in_inspector:
            self.screen.document.to_end(True)
            self.screen.repaint_inspector()
        else:
            self._moved(self.screen.model.jump(len(self.screen.model.path) - 1))

    def do_take_before(self) -> None:
        """The take before."""
        self._to_take(-1)

    def do_take_after(self) -> None:
        """The take after."""
        self._to_take(1)

    def _to_take(self, delta: int) -> None:
        done = self.screen.model.next_take(delta)
        if done.moved:
            self.screen.repaint()
            back = "; ' goes back to where you were"
            self.screen.flash(done.words[0].upper() + done.words[1:] + back + ".", "ok")
        else:
            self.screen.flash(done.words, "dim")

    def do_next_flag(self) -> None:
        """The next flagged step."""
        self._to_flag(1, "after")

    def do_previous_flag(self) -> None:
        """The flagged step before."""
        self._to_flag(-1, "before")

    def _to_flag(self, delta: int, side: str) -> None:
        model = self.screen.model
        words = f"No flagged step {side} this one."
        if model.lint.waiting:
            words = f"{words} {model.lint.waiting:,} steps are still being looked at."
        elif not model.path.flagged:
            words = "No flags in this branch."
        self._moved(self.screen.model.move_flag(delta), words)

    def do_jump_back(self) -> None:
        """Back to where the last jump began."""
        self._moved(self.screen.model.back(), "No jump to go back from.")

    # find

    def do_find(self) -> None:
        """Ask what to find; hits show while it is typed."""
        self._origin = self.screen.model.cursor
        self.screen.rollstep.dialogs.ask_find(self.screen)

    def find(self, query: str) -> None:
        """Search the branch, nearest steps first, and stand on the first hit."""
        screen = self.screen
        if not query:
            screen.search = None
            screen.repaint()
            return
        steps, before = screen.model.path.steps, screen.search
        if before is not None and (before.path_of is not steps or not before.query):
            before = None
        screen.search = Find(steps, query, self._origin, before)
        screen.search.work()
        self._search_on(jump=True)

    def end_find(self) -> None:
        """No search any more, and back to where it began."""
        self.screen.search = None
        self.screen.model.move(self._origin - self.screen.model.cursor)
        self.screen.repaint()

    def _search_on(self, jump: bool) -> None:
        """Go to the first hit if it is known, and search on when the screen has been painted."""
        screen, search = self.screen, self.screen.search
        if search is None:
            return
        if jump and search.hits:
            hit = self._origin if self._origin in search.found else search.next(self._origin)
            screen.model.jump(hit if hit is not None else self._origin)
            jump = False
            screen.repaint()
        elif search.done:
            screen.repaint()
        if not search.done:
            # Behind whatever waits: a key that was typed meanwhile comes first.
            screen.call_later(self._search_more, search, jump)

    def _search_more(self, search: Find, jump: bool) -> None:
        if self.screen.search is search:
            search.work()
            self._search_on(jump)
            if search.done:
                self.screen.tell_find()

    def do_hit_next(self) -> None:
        """The next hit."""
        self._to_hit(1)

    def do_hit_previous(self) -> None:
        """The hit before."""
        self._to_hit(-1)

    def _to_hit(self, delta: int) -> None:
        if self.screen.search is None:
            self.screen.flash("Nothing was searched for yet: / finds.", "dim")
            return
        hit = self.screen.search.next(self.screen.model.cursor, delta)
        if hit is not None:
            self.screen.model.jump(hit)
        self.screen.repaint()

    # inspector and layout

    def do_inspect(self) -> None:
        """The next page of the inspector, which appears if it was hidden."""
        if not self.screen.arrangement.inspector:
            self._put_inspector("below" if self.screen.is_narrow else "right")
            return
        self.screen.tab = (self.screen.tab + 1) % len(TABS)
        self.screen.repaint_inspector()

    def do_layout(self) -> None:
        """Inspector right, below, hidden."""
        size = self.screen.app.size
        self._put_inspector(next_place(size.width, size.height, self.screen.place))

    def _put_inspector(self, place: str) -> None:
        narrow = self.screen.is_narrow
        self.screen.places[narrow] = place
        self.screen.in_inspector = False
        self.screen.rearrange()
        self.screen.rollstep.remember(**{"inspector_narrow" if narrow else "inspector": place})
        where = chosen_place(self.screen.app.size.width, self.screen.app.size.height, place)
        self.screen.flash(
            "Inspector hidden." if where == "hidden" else f"Inspector {where}.", "dim"
        )

    def do_area(self) -> None:
        """Keys go to the panes, or to the inspector."""
        if not self.screen.arrangement.inspector:
            self.screen.flash("The inspector is hidden: z shows it.", "dim")
            return
        self.screen.in_inspector = not self.screen.in_inspector
        self.screen.repaint_inspector()
        words = "j k g G Space scroll the inspector; Tab goes back to the panes."
        if self.screen.in_inspector:
            self.screen.flash(words, "dim")

    def do_open_step(self) -> None:
        """The step full screen."""
        from .reader import ReaderScreen

        screen = self.screen
        screen.app.push_screen(
            ReaderScreen(screen.model, screen.palette, screen.tab, screen.requests)
        )

    # copying

    def do_select(self) -> None:
        """How to select text."""
        self.screen.flash(
            "Drag with the mouse to select text; y copies it, else the whole step.", "dim"
        )

    def do_copy(self) -> None:
        """The selected text, or the step's."""
        from ..inspector import plain

        selected = self.screen.get_selected_text()
        step = self.screen.model.step
        text = selected or (plain(step.payload, as_is=True) if step is not None else "")
        if not text:
            self.screen.flash("Nothing to copy.", "dim")
            return
        self.screen.app.copy_to_clipboard(visible(text))
        what = "The selected text" if selected else f"Step {self.screen.model.cursor + 1}"
        marks = "; hidden characters are copied as marks" if has_hidden(text) else ""
        self.screen.flash(f"{what} is in the clipboard ({len(text):,} characters{marks}).", "ok")
        self.screen.clear_selection()

    def do_copy_link(self) -> None:
        """A link to the step."""
        step = self.screen.model.step
        link = self.screen.model.rollout.header.id + (f"#{step.seq}" if step and step.seq else "")
        self.screen.app.copy_to_clipboard(visible(link))
        self.screen.flash(f"In the clipboard: {link}; rollstep open takes it.", "ok")

    # the rest

    def do_theme(self) -> None:
        """Choose a theme."""
        self.screen.rollstep.dialogs.choose_theme()

    def do_palette(self) -> None:
        """All commands by name."""
        self.screen.app.action_command_palette()

    def do_help(self) -> None:
        """All keys."""
        self.screen.rollstep.dialogs.show_help()

    def do_quit(self) -> None:
        """Leave the program."""
        self.screen.app.exit()

    def do_cancel(self) -> None:
        """End what is going on: a call, a search, the inspector's keys, a selection."""
        if self.screen.model.busy or self.screen.rollstep.controller.busy:
            self.screen.rollstep.controller.cancel()
            self.screen.flash("Cancelling …")
        elif self.screen.search is not None:
            self.screen.search = None
            self.screen.repaint()
        elif self.screen.in_inspector:
            self.screen.in_inspector = False
            self.screen.repaint_inspector()
        else:
            self.screen.clear_selection()
            self.screen.repaint()
