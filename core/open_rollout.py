"""A rollout that is open: its tree, its head, and all there is to be asked of it, without the
commands that change it (``session.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Literal

from .asking import Asker
from .casting import RolesFor
from .clock import Clock, wall_clock
from .commanding import CommandWriter
from .events import Event
from .ids import IdMaker, random_step_ids
from .journal import Keeper
from .leases import Claim
from .model.debugging import Breakpoint
from .model.history import Command
from .model.marks import Mark, Score, Silence
from .model.project import Project
from .model.rollout import Branch, Rollout
from .model.steps import Attempt, Role
from .model.view import View
from .player import Player
from .retaking import Retaking
from .rules.parking import waits_for_flags, why_parked
from .rules.stepper import Action, Ask, Nobody, Position, next_action
from .rules.views import view_for
from .store.change import Saved

if TYPE_CHECKING:
    from .budget import Forecast


class Head(Enum):
    """Stands for "at the head", where a step id or None (before the first step) could stand."""

    HEAD = "head"


HEAD = Head.HEAD
At = str | None | Literal[Head.HEAD]


class OpenRollout:
    """One rollout, as far as it can be looked at."""

    def __init__(
        self,
        rollout: Rollout,
        roles: RolesFor | None,
        *,
        library: Keeper | None = None,
        author: str = "",
        clock: Clock = wall_clock,
        new_id: IdMaker | None = None,
    ) -> None:
        self.rollout = rollout
        self._writer = CommandWriter(
            rollout,
            library,
            author=author,
            clock=clock,
            new_id=new_id or random_step_ids(),
        )
        self._clock = clock
        self._scores: tuple[Score, ...] = ()
        self._asker = Asker(roles, self._writer.emit)
        self._player = Player(
            self._writer,
            self._asker,
            clock=clock,
            seed=rollout.header.seed,
            scores=lambda: self._scores,
        )
        self._retaking = Retaking(self._writer, self._asker, self._player)

    def _load(self, saved: Saved) -> None:
        writer = self._writer
        writer.history.load(saved.commands)
        writer.revision = writer.history.revision(writer.revision)
        writer.branches = {branch.leaf_id: branch for branch in saved.branches}
        writer.marks = {(mark.step_id, mark.by): mark for mark in saved.marks}
        writer.silences = {(each.step_id, each.rule): each for each in saved.silences}
        writer.own_breakpoints = saved.breakpoints
        self._scores = saved.scores
        writer.status = (saved.status, saved.status_note)
        if waits_for_flags(*writer.status):
            writer.parked_for = saved.status_note
        writer.journal.mark_saved()
        self._player.attempts = list(saved.attempts)
        head = saved.head or None
        steps, hidden = self.rollout.steps, self.rollout.hidden
        if saved.head is None or (head is not None and (head not in steps or head in hidden)):
            head = self.rollout.newest_leaf(None)
        writer.set_head(head, record=False)
        self._player.breaks.reopened()

    def saved(self) -> Saved:
        """The rollout whole, as a library or a bundle holds it."""
        writer = self._writer
        return Saved(
            self.rollout.header,
            tuple(self.rollout.projects),
            tuple(self.rollout),
            self.attempts,
            writer.history.commands,
            self.branches,
            self.marks,
            self._scores,
            writer.head or "",
            *writer.status,
            tuple(writer.silences.values()),
            writer.own_breakpoints,
        )

    # -- looking ------------------------------------------------------------------------------

    @property
    def head(self) -> str | None:
        """The step that the next step follows; None before the first."""
        return self._writer.head

    @property
    def project(self) -> Project:
        """The project revision that the next step is made from."""
        return self._writer.project

    @property
    def revision(self) -> int:
        """The index of that revision."""
        return self._writer.revision

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The branches that have a name or are hidden."""
        return tuple(self._writer.branches.values())

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All marks."""
        return tuple(self._writer.marks.values())

    @property
    def silences(self) -> tuple[Silence, ...]:
        """The flags that were silenced, and why."""
        return self._writer.silenced()

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """Where runs pause: as set here, else as the project says."""
        return self._writer.breakpoints

    @property
    def hits(self) -> tuple[int, ...]:
        """How often each breakpoint was hit since the rollout was opened."""
        return self._writer.hits.counts(self.breakpoints)

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores that the rollout came with."""
        return self._scores

    @property
    def status(self) -> tuple[str, str]:
        """How the rollout stands (open, ended, parked or failed), and why."""
        return self._writer.status

    @property
    def why_parked(self) -> str:
        """Why it waits for a human now; empty where it does not, or not any more."""
        return why_parked(self.status, self.rollout, self.head, self.marks, self.silences)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The human's commands, oldest first."""
        return self._writer.history.commands

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The failures so far, oldest first."""
        return tuple(self._player.attempts)

    @property
    def busy(self) -> bool:
        """Whether a role is being asked."""
        return self._player.busy

    @property
    def commanded(self) -> bool:
        """Whether a command is under way: a run, say, also between two of its steps."""
        return self._writer.commanded

    @property
    def unsaved(self) -> int:
        """How many steps and edits are only in memory."""
        return self._writer.journal.waiting

    @property
    def next_actor(self) -> Role | None:
        """Whose move it is at the head; None when the rollout has ended. The opening, sent by
        script, and a stop by rule count as the evaluator's.
        """
        action = self.next_action()
        if isinstance(action, Nobody):
            return None
        return action.role if isinstance(action, Ask) else "evaluator"

    def position(self, at: At = HEAD) -> Position:
        """What the path up to here means for what comes next."""
        return self._writer.position(self._at(at))

    def next_action(self, at: At = HEAD) -> Action:
        """Who acts next."""
        return next_action(self.position(at), self.project)

    def recorded_next(self, at: At = HEAD) -> str | None:
        """The recorded step that a step here would walk to, if there is one."""
        return self._writer.recorded_next(self._at(at))

    def view(self, role: Role, at: At = HEAD) -> View:
        """What a role was given to answer at this point, or would be."""
        seed = str(self.rollout.header.seed)
        return view_for(self.project, self.rollout.path(self._at(at)), role, seed=seed)

    async def forecast(self, at: At = HEAD) -> Forecast | None:
        """What asking a model at this point would cost, by estimate; None where none is asked."""
        return await self._player.forecast(self._at(at))

    def claim(self, claim: Claim) -> None:
        """Hold the rollout against other programs that play it, from now on."""
        self._asker.before = claim.before_asking
        self._writer.watch(claim.hear)

    def subscribe(self, callback: Callable[[Event], None]) -> Callable[[], None]:
        """Be told of every event, on this session's own loop; call the result to stop that."""
        return self._writer.watch(callback)

    # -- inside -------------------------------------------------------------------------------

    def _at(self, at: At) -> str | None:
        if at is HEAD:
            return self._writer.head
        assert not isinstance(at, Head)
        if at is not None:
            self._writer.known(at)
        return at

    def _branch(self, leaf_id: str) -> Branch:
        self._writer.known(leaf_id)
        return self._writer.branches.get(leaf_id, Branch(leaf_id))
