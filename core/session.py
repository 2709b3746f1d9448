"""The façade that the app, the command line and a notebook all use, and a rollout's only writer.

A session lives on one event loop. What comes next is decided by ``rules``, who answers by
``roles``; the answers go into the tree through ``writer``. Everything that changes the rollout is
saved before the call returns, or ``Unsaved`` is told.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Literal, get_args

import msgspec

from .casting import RolesFor
from .clock import Clock, wall_clock
from .edits import (
    Overridden,
    do_delete,
    name_of,
    plan_delete,
    put_insert,
    put_override,
    put_replacements,
)
from .errors import UsageError
from .ids import IdMaker, random_rollout_id
from .journal import Keeper
from .model.checking import check
from .model.debugging import Breakpoint
from .model.history import INSERT, Draft
from .model.marks import Mark, Silence
from .model.messages import Payload
from .model.project import Project
from .model.rollout import Rollout, RolloutHeader
from .model.steps import Role, Step
from .open_rollout import HEAD, At, OpenRollout
from .retaking import AskChange, call_of
from .reverting import do_revert, plan_revert
from .rules.replacing import TextHit
from .rules.stepper import advance
from .stopping import go_on, put_stop_here, revised_turns
from .store.change import Saved

__all__ = ["HEAD", "After", "At", "Session"]

After = Literal["stay", "keep", "rerun"]


class Session(OpenRollout):
    """One rollout being played."""

    # -- making one ---------------------------------------------------------------------------

    @classmethod
    def start(
        cls,
        project: Project,
        *,
        library: Keeper | None = None,
        seed: int = 0,
        source: str = "",
        record: int | None = None,
        roles: RolesFor | None = None,
        author: str = "",
        clock: Clock = wall_clock,
        rollout_id: str = "",
        new_id: IdMaker | None = None,
    ) -> Session:
        """A new rollout of a project. It enters the library with its first step.

        Raises UsageError for a project that holds a value that no project may have.
        """
        check(project, Project, "project")
        header = RolloutHeader(
            rollout_id or random_rollout_id(), project.title, clock(), seed, source, record
        )
        return cls(
            Rollout(header, [project]),
            roles,
            library=library,
            author=author,
            clock=clock,
            new_id=new_id,
        )

    @classmethod
    def reopen(
        cls,
        saved: Saved,
        library: Keeper | None = None,
        *,
        roles: RolesFor | None = None,
        author: str = "",
        clock: Clock = wall_clock,
        new_id: IdMaker | None = None,
    ) -> Session:
        """A rollout as a library holds it (see ``Library.load``)."""
        rollout = Rollout(saved.header, saved.projects)
        rollout.add_all(saved.steps)
        session = cls(rollout, roles, library=library, author=author, clock=clock, new_id=new_id)
        session._load(saved)
        return session

    # -- stepping -----------------------------------------------------------------------------

    async def step(self, at: At = HEAD) -> Step | None:
        """The next step: walked for free where it is recorded, else made by whoever's move it is.

        None when the rollout has ended, or when its budget forbids the call: ``Paused`` says so,
        and asking again makes it all the same. Raises HumanNeeded when a human plays that role,
        RoleError (kept as an attempt already) when the role failed, UsageError when one is being
        made.
        """
        with self._writer.command("step"):
            return await self._player.step(self._at(at))

    async def turn(self, at: At = HEAD) -> Step | None:
        """Steps up to and including the reply that calls no tool, or the stop; the last of them."""
        with self._writer.command("turn"):
            return await self._play_turn(self._at(at))

    async def run(
        self, at: At = HEAD, until: Callable[[Step], bool] | None = None
    ) -> AsyncIterator[Step]:
        """Steps to the end, to a breakpoint, a limit, ``pause()``, or the step for which ``until``
        holds. All that holds where it ends is told as ``Paused``, in words; a limit makes a stop
        where the project says so. Raises UsageError for a breakpoint that cannot be asked.
        """
        with self._writer.command("run"):
            async for step in self._player.steps(self._at(at), until):
                yield step

    async def retake(
        self, step_id: str, n: int = 1, change: AskChange | None = None
    ) -> tuple[Step, ...]:
        """Ask anew at this step's place: up to ``n`` new takes beside it, saved as they come; the
        head moves to the last that came.

        Models are asked for all at once, in a ``change`` for these takes only. A script gives the
        answers that no take gives yet. What came is kept when one fails (RoleError) or the rest is
        cancelled. UsageError, and no step, where nobody is asked or nothing new can be said.
        """
        self._player.must_be_idle()
        old = self._writer.known(step_id)
        with self._writer.command(f"retake of {name_of(old)}"):
            return await self._retaking.retake(old.parent_id, n, change, call_of(old))

    async def ask_otherwise(
        self, at: At = HEAD, n: int = 1, change: AskChange | None = None
    ) -> tuple[Step, ...]:
        """Ask for the step that would follow, as ``retake`` does: several takes at once, or by
        another model (after a failure, say).
        """
        self._player.must_be_idle()
        parent = self._at(at)
        with self._writer.command("retake of the next step"):
            return await self._retaking.retake(parent, n, change)

    async def alternatives(self, step_id: str, n: int = 1) -> tuple[Payload, ...]:
        """What the next ``n`` takes of a script or table would say; empty for a live role."""
        return await self._retaking.alternatives(self._writer.known(step_id), n)

    def replay(self, leaf_id: str | None = None) -> None:
        """From now on what this rollout holds answers equal questions, the branch that ends at
        ``leaf_id`` first. Any other raises NotRecorded, until ``let_through`` is called for the
        role; no model is asked. What is made from now on is not in the recording.
        """
        from .roles.replay import Recording, Replaying

        self._player.must_be_idle()
        self._asker.cast.replaying = Replaying(Recording(self.rollout, leaf_id))

    def record_more(self, leaf_id: str | None = None) -> None:
        """While replaying, take what was made since into the recording."""
        before = self._asker.cast.replaying
        if before is not None:
            self.replay(leaf_id)
            for role in before.through:
                self.let_through(role)

    def let_through(self, role: Role) -> None:
        """While replaying, ask this role itself for what is not recorded."""
        if self._asker.cast.replaying is not None:
            self._asker.cast.replaying.through.add(role)

    def end_replay(self) -> None:
        """The project's roles answer everything again."""
        self._asker.cast.replaying = None

    def pause(self) -> None:
        """Let a run end after the step that is being made."""
        self._player.pause = True

    def cancel(self) -> bool:
        """Cancel the call in flight; the head does not move. False when there is none."""
        return self._player.cancel()

    async def _play_turn(self, parent: str | None) -> Step | None:
        last: Step | None = None
        async for step in self._player.steps(parent, self._player.ends_turn):
            last = step
        return last

    # -- writing and editing ------------------------------------------------------------------

    async def write(self, payload: Payload, at: At = HEAD, reason: str = "") -> Step:
        """Make the next step by hand. Raises IllegalStepError where the table forbids it."""
        self._player.must_be_idle()
        check(payload, Payload, "step")
        parent = self._at(at)
        advance(self.position(parent), payload)
        with self._writer.command("write"):
            return self._writer.put_human(payload, parent, reason=reason)

    async def override(
        self,
        step_id: str,
        payload: Payload,
        after: After = "stay",
        reason: str = "",
        state: str | None = None,
    ) -> Overridden:
        """Put a human's step in the place of another, as a new take.

        ``stay`` makes no calls, ``keep`` copies what follows as far as the table allows, ``rerun``
        plays to the end of that turn. ``state`` is a new simulator state for a tool result.
        """
        self._player.must_be_idle()
        old = self._writer.known(step_id)
        with self._writer.command(f"override of {name_of(old)}"):
            return await self._put_over(old, payload, after, reason, state)

    async def _put_over(
        self,
        old: Step,
        payload: Payload,
        after: After,
        reason: str,
        state: str | None = None,
        fault: str = "",
    ) -> Overridden:
        if after not in get_args(After):
            raise UsageError(f"{after!r} is none of {', '.join(get_args(After))}.")
        if after == "rerun":
            self._player.breaks.check()
        keep = after == "keep"
        done = put_override(
            self._writer, old, payload, keep=keep, reason=reason, state=state, injected=fault
        )
        if after == "rerun" and done.step and not self._player.ends_turn(done.step):
            self._writer.save()
            await self._play_turn(done.step.id)
        return done

    async def inject(self, fault: str, at: At = HEAD, reason: str = "") -> Step:
        """A fault answers the first call that is open here: a built-in kind (``rules.faults``) or
        one of the project's own. Raises UsageError where none is open, or it makes no sense.
        """
        from .injecting import put_injected

        self._player.must_be_idle()
        parent = self._at(at)
        with self._writer.command(f"fault {fault}"):
            return put_injected(self._writer, parent, fault, reason)

    async def inject_instead(
        self, step_id: str, fault: str, after: After = "stay", reason: str = ""
    ) -> Overridden:
        """Put a fault in the place of a tool result, as ``override`` puts a human's step."""
        from .injecting import fault_instead

        self._player.must_be_idle()
        old = self._writer.known(step_id)
        result = fault_instead(self._writer, old, fault)
        with self._writer.command(f"fault {fault}"):
            return await self._put_over(old, result, after, reason, fault=fault)

    async def stop_here(self, reason: str, at: At = HEAD, note: str = "") -> Step:
        """End the rollout here, for this reason. Raises UsageError where it has ended already."""
        self._player.must_be_idle()
        parent = self._at(at)
        with self._writer.command("stop here"):
            return put_stop_here(self._writer, parent, reason, note)

    async def more_turns(self, max_turns: int, at: At = HEAD) -> Step | None:
        """Raise the project's ``max_turns`` and, at a stop that the old limit made, go on: the
        message that was held back is said, else the evaluator is asked anew.

        Raises UsageError where that would change nothing, and what asking raises; the limit stays
        raised then.
        """
        self._player.must_be_idle()
        parent = self._at(at)
        revised = revised_turns(self._writer, parent, max_turns)
        with self._writer.command("more turns") as command:
            if revised != self.project:
                self._writer.revise(command, revised)
            return await go_on(self._writer, self._player, parent)

    async def replace_texts(self, hits: Mapping[str, Sequence[TextHit]], reason: str = "") -> str:
        """Other words in these steps of the newest branch, as one command: each step is overridden,
        what follows is kept. In words what could not be kept.
        """
        self._player.must_be_idle()
        with self._writer.command("replacement of words"):
            return put_replacements(self._writer, hits, reason)

    async def insert(self, after: At, payloads: Sequence[Payload], reason: str = "") -> Overridden:
        """Put new steps after this one, on a new branch, with what follows kept."""
        self._player.must_be_idle()
        with self._writer.command(INSERT):
            return put_insert(self._writer, self._at(after), payloads, reason)

    async def delete(self, step_ids: Sequence[str]) -> Overridden:
        """Leave these steps, in a row on one path, out: a new branch with what follows kept.

        At the end of a branch they are taken out of sight. Undo brings them back.
        """
        self._player.must_be_idle()
        steps, plan = plan_delete(self._writer, step_ids)
        label = f"delete of {name_of(steps[0])}" if len(steps) == 1 else "delete of a turn"
        with self._writer.command(label) as command:
            return do_delete(self._writer, command, steps, plan)

    async def revert(self, step_id: str, reason: str = "") -> Overridden:
        """Take a human's edit back: the original stands in its place, as a new take, with what
        follows kept. A step that was written where nobody had said anything is left out.

        Raises UsageError for a step that is no edit, or whose edit stands no longer.
        """
        self._player.must_be_idle()
        plan = plan_revert(self._writer, step_id)
        with self._writer.command(plan.label) as command:
            return do_revert(self._writer, command, plan, reason)

    # -- moving, undoing, naming --------------------------------------------------------------

    async def go_to(self, step_id: str | None) -> None:
        """Set the head; the branch through this step becomes the one that stepping follows.

        The answer of a role that is being asked meanwhile is filed where it was asked, marked
        late, and the head stays here.
        """
        if step_id is not None:
            self._writer.known(step_id)
        self._writer.set_head(step_id)
        self._writer.save()

    def follow(self, leaf_id: str) -> None:
        """The path to this leaf becomes the one that stepping and keeping follow. Nothing else
        changes: the head stays, and it is no command.
        """
        self._writer.known(leaf_id)
        self._writer.follow(leaf_id)

    async def undo(self) -> str:
        """Take the human's last command back; its words, or the empty string for none."""
        self._player.must_be_idle()
        command = self._writer.history.undo(self.head)
        if command is None:
            return ""
        self._writer.apply(command, back=True)
        return command.label

    async def redo(self) -> str:
        """Bring back what undo took; its words, or the empty string for nothing."""
        self._player.must_be_idle()
        command = self._writer.history.redo(self.head)
        if command is None:
            return ""
        self._writer.apply(command, back=False)
        return command.label

    async def name_branch(self, leaf_id: str, name: str) -> None:
        """Name the branch that ends here; the empty name takes the name away."""
        old = self._branch(leaf_id)
        self._writer.change_branch(old, msgspec.structs.replace(old, name=name))

    async def hide_branch(self, leaf_id: str, hidden: bool = True) -> None:
        """Hide a branch from lists, or show it again; nothing is lost."""
        old = self._branch(leaf_id)
        self._writer.change_branch(old, msgspec.structs.replace(old, hidden=hidden))

    async def mark(self, mark: Mark, *, label: str = "mark") -> None:
        """Put a mark on a step, in place of the same person's earlier one. ``label`` is what undo
        calls it.
        """
        check(mark, Mark, "mark")
        self._writer.known(mark.step_id)
        self._writer.change_mark(mark, label)

    async def silence(self, step_id: str, rule: str, reason: str = "") -> None:
        """Let a flag of this lint rule stand, with the reason why."""
        self._writer.known(step_id)
        by, at = self._writer.author, self._clock()
        self._writer.change_silence(Silence(step_id, rule, reason, by, at))

    async def unsilence(self, step_id: str, rule: str) -> None:
        """Let a silenced flag be heard again."""
        by, at = self._writer.author, self._clock()
        self._writer.change_silence(Silence(step_id, rule, "", by, at, lifted=True))

    async def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Let runs pause here and nowhere else. Raises UsageError for one that cannot be asked."""
        from .rules.breakpoints import check_breakpoints

        wanted = tuple(breakpoints)
        check(wanted, tuple[Breakpoint, ...], "breakpoints")
        check_breakpoints(wanted, self.breakpoints)
        self._writer.change_breakpoints(wanted)

    async def revise(self, project: Project) -> None:
        """Make later steps from a changed project. Raises UsageError as ``start`` does."""
        self._player.must_be_idle()
        if project == self.project:
            return
        check(project, Project, "project")
        self._writer.add_revision(project)

    # -- saving and leaving -------------------------------------------------------------------

    def save_again(self) -> bool:
        """Try to save what could not be saved; whether everything is saved now."""
        return self._writer.save()

    async def save_draft(self, slot: str, body: str) -> None:
        """Keep text that is being typed; it survives a crash and is listed by ``drafts``."""
        self._writer.journal.save_draft(Draft(slot, body, self._clock()))

    async def drop_draft(self, slot: str) -> None:
        """The text was saved as a step, or thrown away by the human."""
        self._writer.journal.drop_draft(slot)

    async def drafts(self) -> tuple[Draft, ...]:
        """Texts that were typed and not saved as steps."""
        return self._writer.journal.drafts()

    def merge(self, steps: Sequence[Step], news: Saved | None = None) -> None:
        """Take in steps that another program saved to the same rollout, and (``Library.news``) how
        it left branches, marks, silences, breakpoints and the project. The head stays.
        """
        self._writer.merge(steps, news)

    async def close(self) -> None:
        """Save what waits and let the roles go."""
        await self._player.end()
        self._writer.save()
        await self._asker.close()
