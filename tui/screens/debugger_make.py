"""What the keys that make do: each is a command of the session, and can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.model.messages import Stop
from rollstep.core.rules.stepper import Nobody

from ..stepview import first_text

_GOES_THERE = frozenset(
    {
        *("stop here", "write", "override", "insert", "delete", "undo", "redo"),
        *("retake", "inject", "revert", "more turns", "run to"),
    }
)
"""Commands after which the cursor stands where the head is."""
_ASKS_ROLES = frozenset({"override", "retake"})
"""Those that may take long: who has looked elsewhere meanwhile is left there."""
_PARTIALS = 9
"""Texts that had arrived in part that are offered, the last ones."""
_BEING_MADE = "A step is being made. Wait for it, or cancel it with Esc."
_PAUSING = "Pausing after this step …"
_MAKES_NOTHING = frozenset({"change of breakpoints", "silencing a flag", "mark", "naming a branch"})
"""What may be undone and redone while the human looks elsewhere."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from .debugger import DebuggerScreen
    from .edit_types import EditResult


class MakeActions:
    """The actions of the debugger screen that make; each is named ``do_`` and its id."""

    def __init__(self, screen: DebuggerScreen) -> None:
        self.screen = screen
        self._leaving = False

    def idle(self) -> bool:
        """Whether a command may be given now; says so where not."""
        if not self.screen.rollstep.controller.busy:
            return True
        self.screen.flash(_BEING_MADE)
        return False

    def _from_here(self, command: Callable[[str | None], bool]) -> None:
        """Give a command that goes on from the cursor's step."""
        if not self.idle():
            return

        def go() -> None:
            self.screen.model.notice = ""
            self.follow_shown()
            self.screen.model.acting_from = self.screen.model.step_id
            command(self.screen.model.step_id)

        self.screen.rollstep.dialogs.when_trusted(self.screen.model, go)

    def follow_shown(self) -> None:
        """What is walked, kept or copied is the branch that the screen shows."""
        leaf = self.screen.model.take_new_leaf()
        if leaf is not None:
            self.screen.rollstep.controller.follow(leaf)

    def do_step(self) -> None:
        """One step."""
        self._from_here(self.screen.rollstep.controller.step)

    def do_turn(self) -> None:
        """To the end of the turn."""
        self._from_here(self.screen.rollstep.controller.turn)

    def do_run(self) -> None:
        """Run, or pause the run."""
        if self.screen.rollstep.controller.busy:
            self.screen.rollstep.controller.pause()
            self.screen.flash(_PAUSING)
            return
        self._from_here(self.screen.rollstep.controller.run)

    def run_to(self, step_id: str) -> None:
        """Run from the head to a recorded step after it."""
        head = self.screen.model.head
        self._from_here(lambda _: self.screen.rollstep.controller.run_to(head, step_id))

    def do_undo(self) -> None:
        """Undo."""
        if self.idle():
            self.screen.rollstep.controller.undo()

    def do_redo(self) -> None:
        """Redo."""
        if self.idle():
            self.screen.rollstep.controller.redo()

    # editing

    def do_edit(self) -> None:
        """Override the step."""
        self._override(external=False)

    def do_edit_outside(self) -> None:
        """Override the step in $EDITOR."""
        self._override(external=True)

    def _override(self, *, external: bool) -> None:
        from .. import edits

        step = self.screen.model.step
        if step is None:
            self.screen.flash(
                "There is no step to override yet: s makes the first, w writes it.", "dim"
            )
        elif self.idle():
            slot = edits.override_slot(step)
            draft = self.screen.rollstep.draft(slot)
            request = edits.override_request(self.screen.model, draft=draft, external=external)
            assert request is not None
            self.screen.rollstep.dialogs.edit(
                request, slot, lambda result: self._overridden(step.id, result)
            )

    def _overridden(self, step_id: str, result: EditResult) -> None:
        if result.outcome != "saved" or result.payload is None:
            return
        payload, after, reason = result.payload, result.after, result.reason
        state = result.state

        def go() -> None:
            self.follow_shown()
            self.screen.model.acting_from = self.screen.model.step_id
            self.screen.rollstep.controller.override(step_id, payload, after, reason, state)

        if after == "rerun":
            self.screen.rollstep.dialogs.when_trusted(self.screen.model, go)
        else:
            go()

    def do_write(self) -> None:
        """Write the next step."""
        from .. import edits

        if not self.idle():
            return
        if isinstance(self.screen.model.next_here(), Nobody):
            from .debugger_stops import Actions

            Actions(self.screen).overrule()
            return
        slot = edits.write_slot(self.screen.model)
        arrived = edits.partials(self.screen.model)[:_PARTIALS]
        if len(arrived) < 2 or self.screen.rollstep.draft(slot):
            self._write(None)
            return
        options = [
            (str(n), f"{len(text):,} characters: {first_text(text, 200)}", str(n))
            for n, text in enumerate(arrived, 1)
        ]
        self.screen.rollstep.dialogs.choose(
            "Several had arrived in part: write from which?",
            (*options, ("0", "none of them", "0")),
            lambda choice: self._write(["", *arrived][int(choice)]),
        )

    def _write(self, partial: str | None) -> None:
        from .. import edits

        slot = edits.write_slot(self.screen.model)
        draft = self.screen.rollstep.draft(slot)
        request = edits.write_request(self.screen.model, draft=draft, partial=partial)
        if isinstance(request, str):
            self.screen.flash(request)
            return
        at = self.screen.model.step_id
        self.screen.rollstep.dialogs.edit(request, slot, lambda result: self._written(at, result))

    def _written(self, at: str | None, result: EditResult) -> None:
        from .. import edits

        if result.outcome == "saved" and result.payload is not None:
            payload = edits.fit_call(self.screen.model, result.payload)
            self.screen.model.acting_from = self.screen.model.step_id
            self.screen.rollstep.controller.write(payload, at, result.reason)

    # inserting and deleting

    def do_insert(self) -> None:
        """Insert the next step by hand, or an empty turn, and keep what follows."""
        if not self.idle():
            return
        if not self.screen.model.ahead:
            self.do_write()
            return
        turn = not self.screen.model.path.position(self.screen.model.cursor).open_calls
        at_turn_end = self.screen.model.path.position(self.screen.model.cursor).due in (
            "evaluator",
            "opening",
        )
        if turn and at_turn_end:
            self.screen.rollstep.dialogs.choose(
                "Insert after this step",
                (
                    ("turn", "an empty turn (message and reply), to be written with e", "t"),
                    ("step", "a message by hand", "s"),
                ),
                self._insert_chosen,
            )
        else:
            self._insert_chosen("step")

    def _insert_chosen(self, choice: str) -> None:
        from .. import edits

        at = self.screen.model.step_id
        self.follow_shown()
        if choice == "turn":
            self.screen.rollstep.controller.insert(at, edits.inserted_turn())
            return
        request = edits.write_request(self.screen.model, draft="")
        if isinstance(request, str):
            self.screen.flash(request)
            return

        def written(result: EditResult) -> None:
            if result.outcome == "saved" and result.payload is not None:
                payload = edits.fit_call(self.screen.model, result.payload)
                self.screen.rollstep.controller.insert(at, (payload,), result.reason)

        self.screen.rollstep.dialogs.edit(request, edits.write_slot(self.screen.model), written)

    def do_delete(self) -> None:
        """Delete the step or its turn."""
        from .. import edits

        step = self.screen.model.step
        if step is None or not self.idle():
            return
        turn = edits.turn_ids(self.screen.model)
        options = [("step", f"step {self.screen.model.cursor + 1}", "s")]
        if len(turn) > 1 and not isinstance(step.payload, Stop):
            number = self.screen.model.path.turn[self.screen.model.cursor]
            options.append(("turn", f"turn {number} whole ({len(turn)} steps)", "t"))

        def chosen(choice: str) -> None:
            self.follow_shown()
            self.screen.rollstep.controller.delete([step.id] if choice == "step" else turn)

        self.screen.rollstep.dialogs.choose(
            "Delete, on a new branch; u brings it back", tuple(options), chosen
        )

    # saving

    def do_save_again(self) -> None:
        """Try to save what is only in memory, and say what came of it."""
        app, model = self.screen.rollstep, self.screen.model

        def tried(count: int) -> None:
            if count:
                words = f"Still not saved, {count} only in memory. : Save elsewhere makes a file."
                self.screen.flash(words, "alarm")
            elif app.controller.throwaway:
                self.screen.flash("A demo is not kept; rollstep demo --keep saves one.", "dim")
            else:
                self.screen.flash("All is saved.", "ok")

        model.notice = ""
        app.when_done(app.controller.save_again(), tried)

    def do_save_elsewhere(self) -> None:
        """Write the rollout into a file of its own, outside of the library."""
        app = self.screen.rollstep

        def written(path: str) -> None:
            words = f"The whole rollout is in {path}; rollstep open takes it in."
            if path:
                self.screen.flash(words, "ok")
            else:
                self.screen.flash("No folder took a bundle; x exports to a path.", "alarm")

        app.when_done(app.controller.save_elsewhere(), written)

    # projects and files

    def do_new(self) -> None:
        """A new project."""
        if self.idle():
            self.screen.rollstep.dialogs.new_project(self.screen.model)

    def do_import(self) -> None:
        """Import."""
        if self.idle():
            self.screen.rollstep.dialogs.import_files()

    def do_export(self) -> None:
        """Export."""
        if self.idle():
            self.screen.rollstep.dialogs.export(self.screen.model)

    def do_leave(self) -> None:
        """Up one level."""
        doing = self.screen.rollstep.controller.doing
        if doing == "mark":
            self._leaving = True  # it takes a moment only, and then it is left
        elif doing:
            self.screen.flash("A step is being made. Esc cancels it; Ctrl+Q quits all the same.")
        else:
            self.screen.rollstep.dialogs.leave_debugger()

    def command_ended(self, label: str, result: object) -> None:
        """A command is over: follow the head, and say what happened."""
        if self._leaving:
            self._leaving = False
            self.do_leave()
        model = self.screen.model
        if self.screen.flashed is not None and self.screen.flashed[0] in (_BEING_MADE, _PAUSING):
            self.screen.flashed = None  # true no longer
        stays = label in ("undo", "redo") and result in _MAKES_NOTHING
        if label in _ASKS_ROLES:
            stays = not model.watching
        if label in _GOES_THERE and not stays:
            model.follow_head()
        words = _outcome(label, result)
        if words:
            self.screen.flash(words, "ok")
        if label == "roles":
            self.screen.feature("roles").known()
        if label == "retake":
            self.screen.feature("retake").retaken(result)
        self.screen.repaint()

    def command_cancelled(self, label: str) -> None:
        """The call in flight has ended without an answer."""
        words = "Cancelled: nothing is being asked any more"
        if label == "retake":
            words += f"; the takes that had come are kept{self.screen.feature('retake').in_part()}"
        self.screen.repaint()
        self.screen.flash(f"{words}.", "ok")


def _outcome(label: str, result: object) -> str:
    if label == "run to":
        return "Here you are: recorded steps were walked, free." if result else ""
    if label in ("undo", "redo"):
        done = "Undone" if label == "undo" else "Redone"
        return f"{done}: {result}." if result else f"Nothing to {label}."
    copied = getattr(result, "copied", 0)
    left = getattr(result, "left", "")
    words = f"{copied} later step{'s' if copied != 1 else ''} kept." if copied else ""
    return f"{words} {left}".strip()
