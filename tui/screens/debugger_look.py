"""What the keys that look do: free, and nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..find import Find
from ..inspector import TABS
from ..sanitize import has_hidden, visible
from .arrange import chosen_place, next_place

if TYPE_CHECKING:
    from .debugger import DebuggerScreen as Screen
else:
    Screen = object


class LookActions:
    """Mixed into the debugger screen."""

    def _moved(self: Screen, moved: bool, words: str = "") -> None:
        if moved:
            self.repaint()
        elif words:
            self.flash(words, "dim")
        else:
            self.hint.set_rows([self._hint(self.app.size.width)])

    def _by_line(self: Screen, lines: int) -> bool:
        """Scroll the inspector when keys go there."""
        if not self.in_inspector:
            return False
        if self.document.scroll(lines):
            self.repaint_inspector()
        return True

    def do_next(self: Screen) -> None:
        """The next step."""
        if not self._by_line(1):
            self._moved(self.model.move(1))

    def do_previous(self: Screen) -> None:
        """The step before."""
        if not self._by_line(-1):
            self._moved(self.model.move(-1))

    def do_lane_right(self: Screen) -> None:
        """The lane to the right."""
        self._moved(self.model.move_lane(1), "No step near in a lane to the right.")

    def do_lane_left(self: Screen) -> None:
        """The lane to the left."""
        self._moved(self.model.move_lane(-1), "No step near in a lane to the left.")

    def do_read_on(self: Screen) -> None:
        """One screenful on, whatever the cursor."""
        if not self._by_line(self.document.height - 2) and self.view.scroll(self.view.height - 2):
            self._scrolled()

    def do_read_back(self: Screen) -> None:
        """One screenful back."""
        if not self._by_line(2 - self.document.height) and self.view.scroll(2 - self.view.height):
            self._scrolled()

    def _scrolled(self: Screen) -> None:
        self.clear_selection()
        self.repaint(follow=False)

    def do_next_turn(self: Screen) -> None:
        """The next turn."""
        self._moved(self.model.move_turn(1))

    def do_previous_turn(self: Screen) -> None:
        """This turn's first step, or the turn before."""
        self._moved(self.model.move_turn(-1))

    def do_first(self: Screen) -> None:
        """The first step."""
        if self.in_inspector:
            self.document.to_end(False)
            self.repaint_inspector()
        else:
            self._moved(self.model.jump(0))

    def do_last(self: Screen) -> None:
        """The last step."""
        if self.in_inspector:
            self.document.to_end(True)
            self.repaint_inspector()
        else:
            self._moved(self.model.jump(len(self.model.path) - 1))

    def do_take_before(self: Screen) -> None:
        """The take before."""
        self._moved(self.model.next_take(-1), "No take of this step before this one.")

    def do_take_after(self: Screen) -> None:
        """The take after."""
        self._moved(self.model.next_take(1), "No take of this step after this one.")

    def do_jump_back(self: Screen) -> None:
        """Back to where the last jump began."""
        self._moved(self.model.back(), "No jump to go back from.")

    # find

    def do_find(self: Screen) -> None:
        """Ask what to find."""
        self.rollstep.ask_find(self, self.search.query if self.search is not None else "")

    def find(self: Screen, query: str) -> None:
        """Search the branch, nearest steps first, and stand on the first hit."""
        if not query:
            self.search = None
            self.repaint()
            return
        self.search = Find(self.model.path.steps, query, self.model.cursor)
        self._search_on(jump=True)

    def _search_on(self: Screen, jump: bool) -> None:
        search = self.search
        if search is None:
            return
        more = search.work()
        if jump and search.hits:
            cursor = self.model.cursor
            hit = cursor if cursor in search.found else search.next(cursor)
            if hit is not None:
                self.model.jump(hit)
                jump = False
        self.repaint()
        if more:
            self.set_timer(0.001, lambda: self._search_on(jump) if self.search is search else None)

    def do_hit_next(self: Screen) -> None:
        """The next hit."""
        self._to_hit(1)

    def do_hit_previous(self: Screen) -> None:
        """The hit before."""
        self._to_hit(-1)

    def _to_hit(self: Screen, delta: int) -> None:
        if self.search is None:
            self.flash("Nothing was searched for yet: / finds.", "dim")
            return
        hit = self.search.next(self.model.cursor, delta)
        if hit is not None:
            self.model.jump(hit)
        self.repaint()

    # inspector and layout

    def do_inspect(self: Screen) -> None:
        """The next page of the inspector, which appears if it was hidden."""
        if not self.arrangement.inspector:
            self._put_inspector("below" if self.app.size.width < 110 else "right")
            return
        self.tab = (self.tab + 1) % len(TABS)
        self.repaint_inspector()

    def do_diff(self: Screen) -> None:
        """The page of differences, and back to the message."""
        last = len(TABS) - 1
        self.tab = 0 if self.tab == last and self.arrangement.inspector else last
        if not self.arrangement.inspector:
            self._put_inspector("below" if self.app.size.width < 110 else "right")
        self.repaint_inspector()

    def do_layout(self: Screen) -> None:
        """Inspector right, below, hidden."""
        size = self.app.size
        self._put_inspector(next_place(size.width, size.height, self.place))

    def _put_inspector(self: Screen, place: str) -> None:
        self.place = place
        self.in_inspector = False
        self.rearrange()
        self.rollstep.remember(inspector=place)
        where = chosen_place(self.app.size.width, self.app.size.height, place)
        self.flash("Inspector hidden." if where == "hidden" else f"Inspector {where}.", "dim")

    def do_area(self: Screen) -> None:
        """Keys go to the panes, or to the inspector."""
        if not self.arrangement.inspector:
            self.flash("The inspector is hidden: z shows it.", "dim")
            return
        self.in_inspector = not self.in_inspector
        self.repaint_inspector()
        words = "j k g G Space scroll the inspector; Tab goes back to the panes."
        if self.in_inspector:
            self.flash(words, "dim")

    def do_open_step(self: Screen) -> None:
        """The step full screen."""
        from .reader import ReaderScreen

        self.app.push_screen(ReaderScreen(self.model, self.palette, self.tab))

    def do_outline(self: Screen) -> None:
        """Branches and edits in a list; choosing one goes there."""
        self.rollstep.show_outline(self)

    # copying

    def do_select(self: Screen) -> None:
        """How to select text."""
        self.flash("Drag with the mouse to select text; y copies it, else the whole step.", "dim")

    def do_copy(self: Screen) -> None:
        """The selected text, or the step's."""
        from ..inspector import plain

        selected = self.get_selected_text()
        step = self.model.step
        text = selected or (plain(step.payload, as_is=True) if step is not None else "")
        if not text:
            self.flash("Nothing to copy.", "dim")
            return
        self.app.copy_to_clipboard(visible(text))
        what = "The selected text" if selected else f"Step {self.model.cursor + 1}"
        marks = "; hidden characters are copied as marks" if has_hidden(text) else ""
        self.flash(f"{what} is in the clipboard ({len(text):,} characters{marks}).", "ok")
        self.clear_selection()

    def do_copy_link(self: Screen) -> None:
        """A link to the step."""
        number = self.model.cursor + 1
        link = self.model.rollout.header.id + (f"#{number}" if number > 0 else "")
        self.app.copy_to_clipboard(visible(link))
        self.flash(f"In the clipboard: {link}; rollstep open takes it.", "ok")

    # the rest

    def do_theme(self: Screen) -> None:
        """Choose a theme."""
        self.rollstep.choose_theme()

    def do_palette(self: Screen) -> None:
        """All commands by name."""
        self.app.action_command_palette()

    def do_help(self: Screen) -> None:
        """All keys."""
        self.rollstep.show_help()

    def do_quit(self: Screen) -> None:
        """Leave the program."""
        self.app.exit()

    def do_cancel(self: Screen) -> None:
        """End what is going on: a call, a search, the inspector's keys, a selection."""
        if self.model.busy or self.rollstep.controller.busy:
            self.rollstep.controller.cancel()
            self.flash("Cancelling …")
        elif self.search is not None:
            self.search = None
            self.repaint()
        elif self.in_inspector:
            self.in_inspector = False
            self.repaint_inspector()
        else:
            self.clear_selection()
            self.repaint()
