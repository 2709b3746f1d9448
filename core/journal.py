"""What a session has to tell the library: gathered, committed in order, and kept while it cannot
be saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from .errors import RevisionsMovedError, StoreError
from .events import Event, SavedUpTo, Unsaved
from .model.debugging import Breakpoint
from .model.history import Command, Draft, moved
from .model.marks import Mark, Silence
from .model.project import Project
from .model.rollout import Branch, Rollout
from .model.steps import Attempt, Step
from .store.change import Change

_replace = msgspec.structs.replace

_PATIENCE = 8
"""Times that others may come in between before a commit is given up."""


class Keeper(Protocol):
    """The part of a library that a session uses."""

    def commit(self, change: Change) -> dict[str, int]:
        """Save all of it or none; gives each step's seq. Raises StoreError."""
        ...

    def free_number(self, rollout_id: str, n: int) -> int:
        """The number for a new command: ``n``, or a higher one where that is taken."""
        ...

    def revisions(self, rollout_id: str) -> tuple[Project, ...]:
        """The revisions of the rollout's project that there are."""
        ...

    def drafts(self, rollout_id: str) -> Iterable[Draft]:
        """The unsaved texts of a rollout."""
        ...

    def save_draft(self, rollout_id: str, draft: Draft) -> None:
        """Keep an unsaved text, in place of the one in the same slot."""
        ...

    def drop_draft(self, rollout_id: str, slot: str) -> None:
        """Forget an unsaved text."""
        ...


class Journal:
    """Gathers changes of one rollout and commits them, oldest first.

    Nothing is dropped when a commit fails: the changes wait, ``Unsaved`` is told, and the next
    commit (or ``save_again``) tries them first. Without a library everything stays in
    memory.
    """

    def __init__(
        self, rollout: Rollout, library: Keeper | None, emit: Callable[[Event], None]
    ) -> None:
        self._rollout = rollout
        self._library = library
        self._emit = emit
        self._is_new = True
        self._projects_saved = 0
        self._steps: list[Step] = []
        self._attempts: list[Attempt] = []
        self._requests: dict[str, str] = {}
        self._commands: dict[int, Command] = {}
        self._counted: set[int] = set()
        self.numbers: set[int] = set()
        """The numbers of the commands that the library has from us."""
        self.renumber: Callable[[int, int], None] | None = None
        """Gives a command another number, where another program has taken its own."""
        self.revisions_moved: Callable[[int, int], None] | None = None
        """Told that the revisions from one on have so many of another program before them."""
        self._branches: dict[str, Branch] = {}
        self._marks: list[Mark] = []
        self._silences: list[Silence] = []
        self._breakpoints: tuple[Breakpoint, ...] | None = None
        self._breakpoints_before: tuple[Breakpoint, ...] = ()
        self._head: str | None = None
        self._status: str | None = None
        self._status_note = ""
        self._leaf_found = ""
        self._leaf_known: tuple[str | None, int, int] = (None, -1, 0)

    def mark_saved(self) -> None:
        """The rollout came from the library: it is there already, with its projects."""
        self._is_new = False
        self._projects_saved = len(self._rollout.projects)

    def revisions_are_saved(self) -> None:
        """All revisions of the project that the rollout has now came from the library."""
        self._projects_saved = len(self._rollout.projects)

    @property
    def waiting(self) -> int:
        """How many steps, edits and failures are not saved yet."""
        steps = len(self._steps) + len(self._attempts) + (self._breakpoints is not None)
        edits = len(self._branches) + len(self._marks) + len(self._silences)
        return steps + edits + len(self._counted)

    def keeps(self, n: int) -> bool:
        """Whether the library has our command of this number, as we have it."""
        return n in self.numbers and n not in self._commands

    def step(self, step: Step, request: tuple[str, str] | None = None) -> None:
        """A new step, with the digest and body of the request that it answers."""
        self._steps.append(step)
        if request is not None:
            self._requests[request[0]] = request[1]

    def attempt(self, attempt: Attempt) -> None:
        """A failure."""
        self._attempts.append(attempt)

    def command(self, command: Command, *, counts: bool = False) -> None:
        """A new or changed command. It ``counts`` as an edit where nothing else says what it did:
        what is in sight, or which revision is in use.
        """
        self._commands[command.n] = command
        if counts:
            self._counted.add(command.n)

    def branch(self, branch: Branch) -> None:
        """A new or changed branch."""
        self._branches[branch.leaf_id] = branch

    def mark(self, mark: Mark) -> None:
        """A new or changed mark."""
        self._marks.append(mark)

    def silence(self, silence: Silence) -> None:
        """A flag that was silenced, or is silent no longer."""
        self._silences.append(silence)

    def breakpoints(
        self, breakpoints: tuple[Breakpoint, ...], before: tuple[Breakpoint, ...]
    ) -> None:
        """All breakpoints, as they are now, and as they were."""
        if self._breakpoints is None:
            self._breakpoints_before = before
        self._breakpoints = breakpoints

    def head(self, head: str | None) -> None:
        """Where the next step follows."""
        self._head = head or ""

    def status(self, status: str, note: str = "") -> None:
        """How the rollout stands."""
        self._status, self._status_note = status, note

    def save_draft(self, draft: Draft) -> None:
        """Keep an unsaved text at once. Raises StoreError."""
        if self._library is None:
            return
        if self._is_new:
            self._commit(self._library)
        self._library.save_draft(self._rollout.header.id, draft)

    def drop_draft(self, slot: str) -> None:
        """Forget an unsaved text. Raises StoreError."""
        if self._library is not None:
            self._library.drop_draft(self._rollout.header.id, slot)

    def drafts(self) -> tuple[Draft, ...]:
        """The unsaved texts. Raises StoreError."""
        if self._library is None:
            return ()
        return tuple(self._library.drafts(self._rollout.header.id))

    def save(self) -> bool:
        """Commit everything that waits. False, and ``Unsaved`` told, when that failed.

        A rollout enters the library with its first step or draft.
        """
        if self._library is None or not self._has_news():
            return True
        return self._commit(self._library)

    def _commit(self, library: Keeper) -> bool:
        try:
            self._find_numbers(library)
            seqs = self._commit_now(library)
        except StoreError as error:
            self._emit(Unsaved(str(error), self.waiting))
            return False
        for step_id, seq in seqs.items():
            self._rollout.set_seq(step_id, seq)
        self._clear()
        self._emit(SavedUpTo(tuple(seqs.items())))
        return True

    def _commit_now(self, library: Keeper) -> dict[str, int]:
        for _ in range(_PATIENCE):
            try:
                return library.commit(self._change())
            except RevisionsMovedError:
                self._move_revisions(library.revisions(self._rollout.header.id))
        return library.commit(self._change())

    def _move_revisions(self, there: tuple[Project, ...]) -> None:
        """Two programs have changed the project at once: what the library has comes first, and
        whatever was made from our revisions goes on to say which they are.
        """
        saved, projects = self._projects_saved, self._rollout.projects
        new = there[saved:]
        projects[saved:saved] = new
        self._projects_saved += len(new)
        for place, step in enumerate(self._steps):
            if step.revision >= saved:
                step = _replace(step, revision=step.revision + len(new))
                self._steps[place] = self._rollout.steps[step.id] = step
        for n, command in self._commands.items():
            self._commands[n] = moved(command, saved, len(new))
        if self.revisions_moved is not None:
            self.revisions_moved(saved, len(new))

    def _find_numbers(self, library: Keeper) -> None:
        """Two programs that have the rollout open count on from the same command: neither may
        write over what the other keeps.
        """
        if self._is_new or self.renumber is None:
            return
        for n in sorted(self._commands.keys() - self.numbers):
            free = library.free_number(self._rollout.header.id, n)
            if free != n:
                free = max(free, *(other + 1 for other in self._commands))
                self._commands[free] = _replace(self._commands.pop(n), n=free)
                if n in self._counted:
                    self._counted.remove(n)
                    self._counted.add(free)
                self.renumber(n, free)

    def _has_news(self) -> bool:
        if self.waiting or self._projects_saved < len(self._rollout.projects) > 1:
            return True
        if self._is_new:
            return False
        return bool(self._commands) or self._head is not None or self._status is not None

    def _change(self) -> Change:
        rollout = self._rollout
        return Change(
            rollout.header.id,
            rollout.header if self._is_new else None,
            tuple(rollout.projects[self._projects_saved :]),
            tuple(self._steps),
            tuple(self._requests.items()),
            tuple(self._attempts),
            tuple(self._commands.values()),
            tuple(self._branches.values()),
            tuple(self._marks),
            silences=tuple(self._silences),
            breakpoints=self._breakpoints,
            breakpoints_before=self._breakpoints_before,
            revisions=None if self._is_new else self._projects_saved,
            head=self._head,
            status=self._status,
            status_note=self._status_note,
            leaf=None if self._head is None else self._leaf(self._head or None),
        )

    def _leaf(self, head: str | None) -> str:
        """The end of the branch that the head is on. A walk along a long recorded branch asks at
        every step: while nothing else changes, the end stays where it is.
        """
        rollout = self._rollout
        parent = rollout.steps[head].parent_id if head is not None else None
        known = (parent, len(rollout), len(rollout.hidden))
        if known != self._leaf_known or rollout.children(parent)[-1:] != [head]:
            self._leaf_found = rollout.newest_leaf(head) or ""
        self._leaf_known = (head, len(rollout), len(rollout.hidden))
        return self._leaf_found

    def _clear(self) -> None:
        self.mark_saved()
        self.numbers.update(self._commands)
        self._steps, self._attempts, self._marks, self._silences = [], [], [], []
        self._breakpoints = None
        self._requests, self._commands, self._branches = {}, {}, {}
        self._counted.clear()
        self._head = self._status = None
        self._status_note = ""
