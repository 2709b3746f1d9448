"""What the outline's keys make: each is a command of the session, and can be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..sanitize import one_line
from ..typed_filter import TypedFilter

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rollstep.core.session import Session

    from .outline import OutlineScreen


class Question:
    """A line that is typed at the foot of the screen, and what becomes of it."""

    def __init__(self, label: str, text: str, then: Callable[[str], None]) -> None:
        self.label = label
        self.line = TypedFilter()
        self.line.text, self.line.typing = text, True
        self.then = then


class Making:
    """Undoing, naming, hiding, reverting, for the branch or edit under the cursor."""

    def __init__(self, screen: OutlineScreen) -> None:
        self.screen = screen

    def _command(
        self, label: str, said: str, work: Callable[[Session], Coroutine[Any, Any, object]]
    ) -> None:
        if not self._may_act(label):
            return
        self.screen.saying(said)
        self.screen.debugger.rollstep.controller.command(label, work)

    def _may_act(self, what: str) -> bool:
        app = self.screen.debugger.rollstep
        if app.guard.closed:
            self.screen.flash(app.guard.words(what))
        elif app.controller.busy:
            self.screen.flash("A step is being made. Wait for it; Esc in the debugger cancels it.")
        else:
            return True
        return False

    def do_undo(self) -> None:
        """Take the last command back."""
        self._command("undo", "", lambda session: session.undo())

    def do_redo(self) -> None:
        """Bring back what undo took."""
        self._command("redo", "", lambda session: session.redo())

    def _branch_end(self, what: str) -> str | None:
        """The end of the branch under the cursor; None where several go on from here."""
        segment = self.screen.outline.segment
        if segment is None or segment.last is None:
            self.screen.flash(f"Nothing to {what} here.", "dim")
            return None
        if segment.children:
            self.screen.flash(
                f"{segment.leaves:,} branches go on from here: go to the end of one to {what} it."
            )
            return None
        return segment.last

    def do_name(self) -> None:
        """Name the branch; no name takes the name away."""
        leaf = self._branch_end("name")
        if leaf is None:
            return

        def named(name: str) -> None:
            said = f"The branch is called {one_line(name)}." if name else "It has no name now."
            self._command("naming a branch", said, lambda s: s.name_branch(leaf, name))

        self.screen.ask("Name of the branch", self.screen.outline.words.named.get(leaf, ""), named)

    def do_hide(self) -> None:
        """Hide the branch, or show it again."""
        leaf = self._branch_end("hide")
        if leaf is None:
            return
        hidden = not any(b.leaf_id == leaf and b.hidden for b in self.screen.outline.model.branches)
        said = "The branch is hidden; . shows it, u brings it back." if hidden else "Shown again."
        self._command("hiding a branch", said, lambda s: s.hide_branch(leaf, hidden))

    def do_revert(self) -> None:
        """Take the edit back, with a reason."""
        step, item = self.screen.outline.step, self.screen.outline.item
        if step is None or item is None or item.kind != "edit":
            self.screen.flash("R reverts an edit: go to a line with * first.", "dim")
            return

        def given(reason: str) -> None:
            said = "Reverted; u takes that back."
            self._command("revert", said, lambda s: s.revert(step.id, reason))

        self.screen.ask("Revert this edit, because (Enter reverts, Esc does not)", "", given)
