"""The human's commands that make no step, each to be undone by name; and the undoing of all."""

from __future__ import annotations

from .model.debugging import Breakpoint, merged
from .model.history import Command
from .model.marks import Mark, Silence
from .model.messages import Stop
from .model.project import Project
from .model.rollout import Branch
from .writer import TreeWriter


class CommandWriter(TreeWriter):
    """A tree's writer that carries out commands, and takes them back."""

    def change_branch(self, old: Branch, new: Branch) -> None:
        """Name, hide or show a branch, as a command."""
        if new == old:
            return
        label = "naming a branch" if new.name != old.name else "hiding a branch"
        with self.command(label) as index:
            self.put_branch(new)
            self.history.amend(index, branches_before=(old,), branches_after=(new,))

    def change_mark(self, mark: Mark, label: str = "mark") -> None:
        """Put a mark, as a command."""
        old = self.marks.get((mark.step_id, mark.by), Mark(mark.step_id, by=mark.by))
        if mark == old:
            return
        with self.command(label) as index:
            self.put_mark(mark)
            self.history.amend(index, marks_before=(old,), marks_after=(mark,))

    def change_silence(self, silence: Silence) -> None:
        """Silence a flag or lift that, as a command."""
        key = silence.step_id, silence.rule
        old = self.silences.get(key, Silence(*key, lifted=True))
        if silence.lifted and old.lifted:
            return
        with self.command("silencing a flag") as index:
            self.put_silence(silence)
            self.history.amend(index, silences_before=(old,), silences_after=(silence,))

    def change_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        """Set all breakpoints, as a command."""
        before = self.breakpoints
        if breakpoints == before:
            return
        with self.command("change of breakpoints") as index:
            self.put_breakpoints(breakpoints)
            self.history.amend(index, breakpoints_before=before, breakpoints_after=breakpoints)

    def add_revision(self, project: Project) -> None:
        """A changed project, as a command."""
        with self.command("change of the project") as index:
            self.revise(index, project)

    def revise(self, index: int, project: Project) -> None:
        """A changed project, as part of this command."""
        before = self.revision
        if project not in self.rollout.projects:
            self.rollout.projects.append(project)
        self.use_revision(self.rollout.projects.index(project))
        self.history.amend(index, revision_before=before, revision_after=self.revision)

    def apply(self, command: Command, *, back: bool) -> None:
        """Put things as they were before (``back``) or after a command, and save that."""
        self._state = None
        for branch in command.branches_before if back else command.branches_after:
            self.put_branch(branch)
        for mark in command.marks_before if back else command.marks_after:
            self.put_mark(mark)
        for silence in command.silences_before if back else command.silences_after:
            self.put_silence(silence)
        before, after = command.breakpoints_before, command.breakpoints_after
        if before is not None and after is not None:
            here = self.breakpoints
            put = merged(after, before, here) if back else merged(before, after, here)
            self.put_breakpoints(put)
        revision = command.revision_before if back else command.revision_after
        if revision is not None:
            self.use_revision(revision)
        if command.moves:
            self.set_head(command.head_before if back else command.head_after)
        if command.step_ids or command.hides:
            rest = self.following(self.head) or self.rollout.path(self.head)[-1:]
            ended = rest and isinstance(rest[-1].payload, Stop)
            self.set_status("ended" if ended else "open")
        self.save()
