"""The one place that puts steps into a rollout's tree: it makes their ids, moves the head, keeps
the fold of the head's path, and tells the journal, the history and those who watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from .asking import Made
from .clock import Clock
from .errors import UsageError
from .events import (
    BranchesChanged,
    BreakpointsChanged,
    Event,
    HeadMoved,
    MarksChanged,
    ProjectRevised,
    SavedUpTo,
    SilencesChanged,
    StepAdded,
)
from .history import History
from .ids import IdMaker
from .journal import Journal, Keeper
from .model.debugging import Breakpoint
from .model.marks import Mark, Silence
from .model.messages import Payload, Stop, ToolResult
from .model.project import Project
from .model.rollout import Branch, Rollout
from .model.steps import Step, role_of
from .rules.hits import Hits
from .rules.keep import Kept
from .rules.stepper import Position, fold
from .rules.views import PathState
from .store.change import Saved

_replace = msgspec.structs.replace


class TreeWriter:
    """A rollout together with its head, its branches and marks, and the way to add to them."""

    def __init__(
        self,
        rollout: Rollout,
        library: Keeper | None,
        *,
        author: str,
        clock: Clock,
        new_id: IdMaker,
    ) -> None:
        self.rollout = rollout
        self.head: str | None = None
        self.revision = len(rollout.projects) - 1
        self.branches: dict[str, Branch] = {}
        self.marks: dict[tuple[str, str], Mark] = {}
        self.silences: dict[tuple[str, str], Silence] = {}
        self.own_breakpoints: tuple[Breakpoint, ...] | None = None
        """Those that were set here; None where the project's were never changed."""
        self.hits = Hits()
        self.status = ("open", "")
        self.parked_for = ""
        """The flag that it was parked for when it was opened."""
        self.watchers: list[Callable[[Event], None]] = []
        self.journal = Journal(rollout, library, self.emit)
        self.journal.revisions_moved = self._revisions_moved
        self.history = History(rollout, self.journal, self.emit)
        self.author = author
        self._clock = clock
        self.new_id = new_id
        self._choice: dict[str | None, str] = {}
        self._state: PathState | None = None
        self._commands: list[int] = []

    @property
    def project(self) -> Project:
        """The revision that the next step is made from."""
        return self.rollout.projects[self.revision]

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """Where runs pause: as set here, else as the project says."""
        own = self.own_breakpoints
        return self.project.breakpoints if own is None else own

    def watch(self, callback: Callable[[Event], None]) -> Callable[[], None]:
        """Tell this one too, until the result is called."""
        self.watchers = [*self.watchers, callback]

        def stop() -> None:
            self.watchers = [watcher for watcher in self.watchers if watcher is not callback]

        return stop

    def emit(self, event: Event) -> None:
        """Tell everybody who watches."""
        for watcher in self.watchers:
            watcher(event)

    def now(self) -> float:
        """The time, by this session's clock."""
        return self._clock()

    def known(self, step_id: str) -> Step:
        """The step of this id. Raises UsageError when it is not here."""
        step = self.rollout.steps.get(step_id)
        if step is None:
            raise UsageError(f"This rollout has no step {step_id}.")
        return step

    def save(self) -> bool:
        """Commit what waits; whether everything is saved."""
        return self.journal.save()

    # -- folds --------------------------------------------------------------------------------

    def state_at(self, step_id: str | None) -> PathState:
        """The fold of the path up to here; kept for the head, so that stepping on is cheap."""
        state = self._state
        if state is None or state.leaf_id != step_id:
            step = self.rollout.steps.get(step_id or "")
            if state is not None and step is not None and state.leaf_id == step.parent_id:
                state.extend(step)  # walking on costs the same at any length
                return state
            state = PathState.of(self.project, self.rollout.path(step_id))
            self._state = state
        return state

    def position(self, step_id: str | None) -> Position:
        """The position after this step."""
        state = self._state
        if state is not None and state.leaf_id == step_id:
            return state.position
        return fold(self.rollout.path(step_id))

    def recorded_next(self, step_id: str | None) -> str | None:
        """The recorded continuation: the one last walked, else the newest."""
        children = self.rollout.children(step_id)
        if not children:
            return None
        chosen = self._choice.get(step_id)
        return chosen if chosen in children else children[-1]

    def following(self, step_id: str | None) -> tuple[Step, ...]:
        """The recorded steps after this one, along the branch that stepping follows."""
        steps: list[Step] = []
        current = self.recorded_next(step_id)
        while current is not None:
            steps.append(self.rollout.steps[current])
            current = self.recorded_next(current)
        return tuple(steps)

    def follow(self, leaf_id: str) -> None:
        """Let stepping follow the path to this leaf; the head stays where it is."""
        current: str | None = leaf_id
        while current is not None:
            parent = self.rollout.steps[current].parent_id
            self._choice[parent] = current
            current = parent

    # -- the head -----------------------------------------------------------------------------

    def set_head(self, head: str | None, *, record: bool = True) -> None:
        """Move the head, and let stepping follow the branch through it."""
        parent = None if head is None else self.rollout.steps[head].parent_id
        near = self.head in (parent, head) or (
            self.head is not None and self.rollout.steps[self.head].parent_id == head
        )
        self.head = head
        current = head
        while current is not None:
            parent = self.rollout.steps[current].parent_id
            self._choice[parent] = current
            if near:
                break
            current = parent
        if record:
            self.journal.head(head)
            if head is not None and isinstance(self.rollout.steps[head].payload, Stop):
                self.set_status("ended")
        if self.watchers:
            self.emit(HeadMoved(head))

    # -- steps --------------------------------------------------------------------------------

    def put_made(
        self,
        made: Made,
        parent_id: str | None,
        *,
        revision: int,
        late: bool,
        reason: str = "",
        take: int = 0,
    ) -> Step:
        """A role's answer becomes a step. A late one does not move the head."""
        step = Step(
            self.new_id(),
            parent_id,
            role_of(made.payload),
            made.payload,
            made.origin,
            reason=reason,
            copied_from=made.copied_from,
            late=late,
            created_at=self._clock(),
            call=made.call,
            script_index=made.script_index,
            state=made.state,
            state_stale=made.state is not None and made.copied_from is not None,
            injected=made.injected,
            revision=revision,
            take=take,
        )
        self._add(step, made.request, move=not late)
        return step

    def put_human(
        self,
        payload: Payload,
        parent_id: str | None,
        *,
        reason: str = "",
        replaced: Step | None = None,
        state: str | None = None,
        injected: str = "",
    ) -> Step:
        """A human's step. In place of another it inherits that step's line of the script. A tool
        result has the simulator's state of the one that it replaces, else of the path so far,
        marked stale unless a new one is given.
        """
        old_state = replaced.state if replaced is not None else None
        if replaced is None and state is None and isinstance(payload, ToolResult):
            old_state = self.state_at(parent_id).state
        step = Step(
            self.new_id(),
            parent_id,
            role_of(payload),
            payload,
            "human",
            author=self.author,
            reason=reason,
            replaces=replaced.id if replaced is not None else None,
            injected=injected,
            created_at=self._clock(),
            script_index=replaced.script_index if replaced is not None else None,
            state=state if state is not None else old_state,
            state_stale=state is None and old_state is not None,
            revision=self.revision,
        )
        self._add(step)
        return step

    def put_stop(self, stop: Stop, parent_id: str | None) -> Step:
        """A stop that one of our rules makes."""
        return self.put_made(Made(stop, "rule"), parent_id, revision=self.revision, late=False)

    def copy(self, plan: Kept, parent_id: str | None) -> None:
        """Carry out a plan: each copy names its original and costs nothing."""
        stale = bool(parent_id) and self.rollout.steps[parent_id].state_stale  # type: ignore[index]
        for original, payload in plan.copies:
            parent_id = self.put_copy(original, payload, parent_id, stale=stale).id

    def put_copy(
        self,
        original: Step,
        payload: Payload,
        parent_id: str | None,
        *,
        stale: bool = False,
        author: str | None = None,
        reason: str = "",
        replaces: str | None = None,
    ) -> Step:
        """A copy of a step after another: it names its original and costs nothing. ``stale`` says
        that a state it carries is from before an edit.
        """
        step = _replace(
            original,
            id=self.new_id(),
            parent_id=parent_id,
            payload=payload,
            seq=0,
            author=original.author if author is None else author,
            replaces=replaces,
            reason=reason,
            copied_from=original.id,
            late=False,
            take=0,
            call=None,
            created_at=self._clock(),
            state_stale=original.state is not None and (stale or original.state_stale),
        )
        self._add(step)
        return step

    def _add(
        self, step: Step, request: tuple[str, str] | None = None, *, move: bool = True
    ) -> None:
        self.rollout.add(step)
        self.journal.step(step, request)
        state = self._state
        if state is not None and state.leaf_id == step.parent_id:
            state.extend(step)
        if self.watchers:
            self.emit(StepAdded(step))
        if move:
            self.set_status("ended" if isinstance(step.payload, Stop) else "open")
            self.set_head(step.id)
        if self._commands:
            self.history.add_step(self._commands[-1], step.id, self.head)

    def merge(self, steps: Sequence[Step], news: Saved | None = None) -> None:
        """Take in steps that another program saved. They move no head and belong to no command.
        ``news`` is how the rest stands there; what it says of the same thing is newer than ours.
        """
        if news is not None:
            self._take_over_revisions(news.projects)
        for step in steps:
            if step.id in self.rollout.steps:
                self.rollout.set_seq(step.id, step.seq)
            elif step.parent_id is None or step.parent_id in self.rollout.steps:
                self.rollout.add(step)
                self.emit(StepAdded(step))
                self.emit(SavedUpTo(((step.id, step.seq),)))

        if news is not None:
            self._take_over(news)

    def _take_over_revisions(self, projects: tuple[Project, ...]) -> None:
        ours = self.rollout.projects
        new = projects[len(ours) :]
        if not new or projects[: len(ours)] != tuple(ours):
            return
        for project in new:
            ours.append(project)
            self.emit(ProjectRevised(project, len(ours) - 1))
        self.journal.revisions_are_saved()
        self.emit(ProjectRevised(self.project, self.revision))  # the one in use is still ours

    def _take_over(self, news: Saved) -> None:
        steps = self.rollout.steps
        branches = {b.leaf_id: b for b in news.branches if b.leaf_id in steps}
        if branches.items() - self.branches.items():
            self.branches |= branches
            self.emit(BranchesChanged(tuple(self.branches.values())))
        marks = {(mark.step_id, mark.by): mark for mark in news.marks if mark.step_id in steps}
        if marks.items() - self.marks.items():
            self.marks |= marks
            self.emit(MarksChanged(tuple(self.marks.values())))
        silences = {(s.step_id, s.rule): s for s in news.silences if s.step_id in steps}
        if silences.items() - self.silences.items():
            self.silences |= silences
            self.emit(SilencesChanged(self.silenced()))
        self.history.take_over(news.commands)
        head = self.head
        while head is not None and head in self.rollout.hidden:
            head = self.rollout.steps[head].parent_id
        if head != self.head:
            self.set_head(head, record=False)
        theirs = news.breakpoints
        if theirs is not None and theirs != self.own_breakpoints:
            self.own_breakpoints = theirs
            self.emit(BreakpointsChanged(theirs, self.hits.counts(theirs)))

    def _revisions_moved(self, start: int, by: int) -> None:
        """Another program's revisions of the project stand before ours from ``start`` on."""
        self.history.move_revisions(start, by)
        if self.revision >= start:
            self.revision += by
        for number, project in enumerate(self.rollout.projects[start:], start):
            self.emit(ProjectRevised(project, number))
        self.emit(ProjectRevised(self.project, self.revision))

    def set_status(self, status: str, note: str = "") -> None:
        """How the rollout stands: open, ended, parked or failed, and why. One that was parked for
        its flags is parked again at its stop: lists look whether they are gone (``rules.parking``).
        """
        if status == "ended" and self.parked_for:
            status, note = "parked", self.parked_for
        if (status, note) != self.status:
            self.status = (status, note)
            self.journal.status(status, note)

    # -- branches, marks, revisions -------------------------------------------------------------

    def put_branch(self, branch: Branch) -> None:
        """Name or hide a branch."""
        self.branches[branch.leaf_id] = branch
        self.journal.branch(branch)
        self.emit(BranchesChanged(tuple(self.branches.values())))

    def put_mark(self, mark: Mark) -> None:
        """Put a mark in place of the same person's earlier one on the same step."""
        self.marks[mark.step_id, mark.by] = mark
        self.journal.mark(mark)
        self.emit(MarksChanged(tuple(self.marks.values())))

    def put_silence(self, silence: Silence) -> None:
        """Silence a flag, or (``lifted``) let it be heard again."""
        self.silences[silence.step_id, silence.rule] = silence
        self.journal.silence(silence)
        self.emit(SilencesChanged(self.silenced()))

    def silenced(self) -> tuple[Silence, ...]:
        """The silences that hold."""
        return tuple(each for each in self.silences.values() if not each.lifted)

    def put_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        """Let runs pause here from now on, and nowhere else."""
        self.journal.breakpoints(breakpoints, self.breakpoints)
        self.own_breakpoints = breakpoints
        self.emit(BreakpointsChanged(breakpoints, self.hits.counts(breakpoints)))

    def use_revision(self, revision: int) -> None:
        """Make later steps from this revision of the project."""
        self.revision = revision
        self._state = None
        self.emit(ProjectRevised(self.project, revision))

    # -- commands -----------------------------------------------------------------------------

    @property
    def commanded(self) -> bool:
        """Whether a command is under way."""
        return bool(self._commands)

    @contextmanager
    def command(self, label: str) -> Iterator[int]:
        """What happens inside is one command, to be undone as one. One that did nothing is none.

        Another may begin before this one has ended (a mark, while a role is being asked) and end
        after it (a run that its reader walked away from).
        """
        index = self.history.begin(label, self.head)
        self._commands.append(index)
        try:
            yield index
        finally:
            self._commands.remove(index)
            dropped = self.history.drop_if_empty(index)
            if not dropped:
                self.history.finish(index)
            self.save()
            if not dropped:
                self.history.tell(index)
