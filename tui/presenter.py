"""The debugger's state: the screen's own copy of the rollout, the cursor, and what is going on.

Imports no Textual and reads no session: it is fed by the events of ``core/events.py``, in order.
Whatever a key asks of it costs the same for a rollout of any length.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from rollstep.core import events as ev
from rollstep.core.model.edited import is_edit
from rollstep.core.model.history import Command
from rollstep.core.model.messages import Stop
from rollstep.core.model.players import is_live
from rollstep.core.model.project import Project
from rollstep.core.model.rollout import Rollout
from rollstep.core.model.steps import ROLES, Attempt, Role, Step
from rollstep.core.rules.branches import branch_name
from rollstep.core.rules.parking import FLAG, flagged
from rollstep.core.rules.stepper import Action, Ask, next_action

from .flags import PathLint, silenced
from .layout import LaneLayout
from .moving import Moving, TakeMove
from .path import Band, Path
from .snapshot import Asking, Snapshot
from .stepview import PaneLine, pane_lines
from .tail import Tail
from .verdicts import ShownVerdict

if TYPE_CHECKING:
    from rollstep.core.budget import Forecast

    from .break_marks import BreakMarks

__all__ = ["DebuggerModel", "TakeMove"]

_KEPT_BLOCKS = 3000


class DebuggerModel(Moving):
    """What the debugger screen shows, without how it is drawn."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.rollout = Rollout(snapshot.header, snapshot.projects)
        self.rollout.add_all(snapshot.steps)
        self.rollout.hidden.update(snapshot.hidden)
        self.revision = snapshot.revision
        self.head = snapshot.head
        self.branches = snapshot.branches
        self.marks = snapshot.marks
        self.shown_verdict = ShownVerdict()
        self.scores = snapshot.scores
        self.silences = snapshot.silences
        self.breakpoints = snapshot.breakpoints
        self.hits = snapshot.hits
        self.commands = {command.n: command for command in snapshot.commands}
        self.last_command: Command | None = None
        self._breaks: BreakMarks | None = None
        self.throwaway = snapshot.throwaway
        self.attempts: dict[str | None, list[Attempt]] = {}
        for attempt in snapshot.attempts:
            self.attempts.setdefault(attempt.parent_id, []).append(attempt)
        self.asking: Asking | None = None
        self.clock = time.monotonic
        self.unsaved = ""
        self.unsaved_count = 0
        self.pending: set[str] = {s.id for s in snapshot.steps if not s.seq}
        self.drafts: frozenset[str] = frozenset()
        self.drafted: frozenset[str] = frozenset()
        self.notice = snapshot.notice
        self.replaying: frozenset[Role] | None = None
        """While recorded answers stand in the roles' place: those that answer themselves what is
        not recorded."""
        self.listed = ""
        """Which one of a list it was opened from: ``3 of 50``."""
        self.narrow = False
        self.prices: dict[tuple[str | None, int], Forecast | None] = {}
        """What was reckoned of the next step, by place and revision of the project."""
        self.widths: tuple[int, ...] = (26, 35, 32)
        self.layout = LaneLayout(self)
        self.path = Path()
        self.lint = PathLint(self.rollout, self.path)
        self.leaf: str | None = None
        self.shown_before: str | None = None
        self.cursor = -1
        self._jumps: list[str | None] = []
        self._shown_next: dict[str | None, str] = {}
        self._blocks: OrderedDict[tuple[str, int], list[PaneLine]] = OrderedDict()
        self._tail: list[Attempt | Asking] = []
        self._tail_version = 0
        self._tail_lines = Tail()
        self.acting_from: str | None = None
        self._shown_anew = False
        leaf = snapshot.leaf or self.rollout.newest_leaf(snapshot.head)
        self._show(leaf, cursor_on=snapshot.head)
        self._shown_anew = False

    # what is there

    @property
    def ahead(self) -> int:
        """Recorded steps after the cursor."""
        return len(self.path) - 1 - self.cursor

    @property
    def busy(self) -> bool:
        """Whether a role is being asked."""
        return self.asking is not None

    @property
    def project(self) -> Project:
        """The revision of the project that the next step is made from."""
        return self.rollout.projects[self.revision]

    def next_here(self) -> Action:
        """What asking at the cursor would do, were nothing recorded."""
        return next_action(self.path.position(self.cursor), self.project)

    @property
    def price_key(self) -> tuple[str | None, int]:
        """What the price of the next step depends on."""
        return self.step_id, self.revision

    @property
    def forecast(self) -> Forecast | None:
        """What the next step would cost; None where it is free, or not reckoned yet."""
        return self.prices.get(self.price_key) if not self.ahead else None

    def lacks_price(self) -> bool:
        """Whether a model would be asked here and nobody knows yet what for."""
        if self.ahead or self.busy or self.replaying is not None or self.price_key in self.prices:
            return False
        action = self.next_here()
        return isinstance(action, Ask) and is_live(self.project, action.role)

    def set_drafts(self, slots: Iterable[str]) -> None:
        """What was typed and not saved, by its slots; ``drafted`` are the steps concerned."""
        self.drafts = frozenset(slots)
        self.drafted = frozenset(slot.partition(":")[2] for slot in self.drafts)

    def breaks_at(self, index: int) -> tuple[int, ...]:
        """The breakpoints, by their number from 0, that hold at this step; each step is looked at
        when it is first seen.
        """
        if not self.breakpoints:
            return ()
        marks = self._breaks
        if marks is None or not marks.fits(self.path, self.project, self.breakpoints):
            from .break_marks import BreakMarks

            marks = BreakMarks(self.path, self.project, self.breakpoints, self.scores)
            self._breaks = marks
        return marks.at(index)

    def is_edit(self, step: Step) -> bool:
        """Whether a human changed the play with this step; as its own project has the roles."""
        return is_edit(step, self.rollout.project_of(step))

    def branch_name(self) -> str:
        """The name of the branch shown, or its number."""
        return branch_name(self.rollout, self.leaf, self.branches)

    # events

    def apply(self, event: ev.Event) -> None:
        """Take in one event of the session."""
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)

    def apply_all(self, events: Iterable[ev.Event]) -> None:
        """Several events, in order."""
        for event in events:
            self.apply(event)

    def _step_added(self, event: ev.StepAdded) -> None:
        step = event.step
        if step.id in self.rollout.steps:
            return
        self.rollout.add(step)
        if not step.seq:
            self.pending.add(step.id)
        if step.parent_id == self.leaf:
            # The cursor follows the head, which another program's step does not move.
            self.path.append(step)
            self.leaf = step.id
            self._retail()
        elif step.parent_id is None or step.parent_id in self.path.at:
            self.layout.reset()

    def _saved(self, event: ev.SavedUpTo) -> None:
        for step_id, seq in event.seqs:
            if step_id in self.rollout.steps:
                self.rollout.set_seq(step_id, seq)
                self.pending.discard(step_id)
                if step_id in self.path.at:
                    self.path.replace(self.path.at[step_id], self.rollout.steps[step_id])
        self.unsaved, self.unsaved_count = "", 0

    def _unsaved(self, event: ev.Unsaved) -> None:
        self.unsaved, self.unsaved_count = event.words, event.count

    def _visibility(self, event: ev.VisibilityChanged) -> None:
        if not (event.hidden or event.shown):
            return  # a name, a mark: the branch that is shown stays
        self.rollout.hidden.difference_update(event.shown)
        self.rollout.hidden.update(event.hidden)
        here = self.step_id
        while here is not None and here in self.rollout.hidden:
            here = self.rollout.steps[here].parent_id
        self._show(self.leaf_from(here), cursor_on=here)

    def _head_moved(self, event: ev.HeadMoved) -> None:
        watching = self.watching
        if event.head != self.head:
            self.notice = ""  # what it said of the step before is over
        self.head = event.head
        if event.head == self.step_id:
            return
        if not watching:
            self.acting_from = None
            return
        self.acting_from = event.head
        if event.head is None:
            self.cursor = -1
        else:
            self.go_to(event.head)

    @property
    def watching(self) -> bool:
        """Whether the view follows the head: the human is looking at it, or acted from here."""
        return self.step_id in (self.head, self.acting_from)

    def follow_head(self) -> None:
        """The cursor to the head: the human's own command has moved it there."""
        self.go_to(self.head)

    def _ask_started(self, event: ev.AskStarted) -> None:
        who, takes = event.who, event.takes
        self.asking = Asking(event.role, event.parent_id, who, takes=takes, started=self.clock())
        self.notice = ""
        self._retail()

    def _streamed(self, event: ev.Streamed) -> None:
        if self.asking is not None and self.asking.parent_id == event.parent_id:
            self.asking = self.asking.more(event.text, self.clock())
            self._retail()

    def _noticed(self, event: ev.Noticed) -> None:
        if self.asking is not None and self.asking.parent_id == event.parent_id:
            self.asking = self.asking._replace(notice=event.words)
            self._retail()

    def _ask_ended(self, event: ev.AskEnded) -> None:
        self.asking = None
        self._retail()

    def _failed(self, event: ev.Failed) -> None:
        attempt = event.attempt
        self.attempts.setdefault(attempt.parent_id, []).append(attempt)
        self._retail()

    def _paused(self, event: ev.Paused) -> None:
        self.notice = event.words

    def _branches(self, event: ev.BranchesChanged) -> None:
        self.branches = event.branches

    def _marks(self, event: ev.MarksChanged) -> None:
        self.marks = event.marks
        self._look_why_parked()

    def _silenced(self, event: ev.SilencesChanged) -> None:
        self.silences = event.silences
        self.path.flags.silence(silenced(event.silences))
        self._look_why_parked()

    def _look_why_parked(self) -> None:
        """A flag that it waits for may be silenced now, or the branch accepted."""
        if self.notice.startswith(f"parked: {FLAG}"):
            path = self.path.steps
            words = flagged(self.rollout, path, self.marks, self.silences) if path else ""
            self.notice = f"parked: {words}" if words else ""

    def _breakpoints(self, event: ev.BreakpointsChanged) -> None:
        self.breakpoints, self.hits = event.breakpoints, event.hits

    def _command_done(self, event: ev.CommandDone) -> None:
        self.last_command = event.command
        self.commands[event.command.n] = event.command

    def _revised(self, event: ev.ProjectRevised) -> None:
        projects = self.rollout.projects
        # One that is there is replaced: another program's came before ours.
        projects[event.revision : event.revision + 1] = [event.project]
        self.revision = event.revision

    # what the path shows

    def take_new_leaf(self) -> str | None:
        """The leaf of the branch shown, if another branch was shown since the last time: the one
        that stepping has to follow from now on.
        """
        changed, self._shown_anew = self._shown_anew, False
        return self.leaf if changed else None

    def _show(self, leaf: str | None, cursor_on: str | None) -> None:
        self._shown_anew = True
        if self.leaf is not None and self.leaf != leaf:
            self.shown_before = self.leaf
        self.leaf = leaf
        steps = self.rollout.path(leaf)
        self._shown_next.update((step.parent_id, step.id) for step in steps)
        before, self.path = self.path, Path(steps, self.is_edit)
        self._cite()
        self.path.flags.silence(silenced(self.silences))
        self.path.flags.take_over(before, self.path)
        self.lint = PathLint(self.rollout, self.path)
        self.layout.reset()
        self.cursor = self.path.at.get(cursor_on, -1) if cursor_on else -1
        if self.cursor < 0 and self.path.steps and cursor_on is None:
            self.cursor = -1
        self._retail()

    def _cite(self) -> None:
        if not self.scores:
            return
        from .scored import citations

        for step_id, found in citations(self.scores):
            if step_id in self.path.at:
                self.path.flags.cite(self.path.at[step_id], found)

    def _retail(self) -> None:
        tail: list[Attempt | Asking] = list(self.attempts.get(self.leaf, ())[-1:])
        asking = self.asking
        if asking is not None and asking.parent_id == self.leaf:
            tail = [asking]
        self._tail = tail
        self._tail_version += 1
        self.path.set_tail(len(tail), new_turn=bool(tail) and tail[-1].role == "evaluator")

    def tail_item(self, item: int) -> Attempt | Asking | None:
        """What stands after the last step: a failure or an answer on its way."""
        index = item - len(self.path)
        return self._tail[index] if 0 <= index < len(self._tail) else None

    # the layout's source

    def set_widths(self, widths: tuple[int, ...]) -> None:
        """Text widths of the lanes, in cells; one of them means the narrow screen."""
        if widths != self.widths:
            self.widths = widths
            self.narrow = len(widths) == 1
            self.layout.reset(len(widths))

    def bands(self) -> list[Band]:
        """The bands, in order."""
        return self.path.bands

    def band_of(self, item: int) -> int:
        """The band that holds an item."""
        return self.path.band_of(item)

    def lane_of(self, item: int, wide: bool = False) -> int:
        """The lane of an item."""
        if self.narrow and not wide:
            return 0
        tail = self.tail_item(item)
        return ROLES.index(tail.role if tail else self.path.steps[item].role)

    def height_of(self, item: int, lane: int) -> int:
        """Lines of an item in its lane."""
        lines = len(self.item_lines(item))
        if item < len(self.path) and lines < 2 and self.takes(item) > 1:
            step = self.path.steps[item]
            return lines if isinstance(step.payload, Stop) else 2
        return lines

    def band_version(self, band: Band) -> int:
        """Changes when the band has to be measured anew."""
        return self._tail_version if band.end > len(self.path) else 0

    def item_lines(self, item: int) -> list[PaneLine]:
        """The lines of an item at the lane's width, remembered for steps."""
        lane = self.lane_of(item)
        width = self.widths[min(lane, len(self.widths) - 1)]
        tail = self.tail_item(item)
        if tail is not None:
            return self._tail_lines.lines(tail, width)
        step = self.path.steps[item]
        key = (step.id, width)
        lines = self._blocks.get(key)
        if lines is None:
            if len(self._blocks) >= _KEPT_BLOCKS:
                self._blocks.popitem(last=False)
            call = self.path.call.get(item)
            lines = pane_lines(step.payload, call, width, step.injected)
            self._blocks[key] = lines
        return lines


_HANDLERS: dict[type, Callable[[DebuggerModel, Any], None]] = {
    ev.StepAdded: DebuggerModel._step_added,
    ev.SavedUpTo: DebuggerModel._saved,
    ev.Unsaved: DebuggerModel._unsaved,
    ev.VisibilityChanged: DebuggerModel._visibility,
    ev.HeadMoved: DebuggerModel._head_moved,
    ev.AskStarted: DebuggerModel._ask_started,
    ev.Streamed: DebuggerModel._streamed,
    ev.Noticed: DebuggerModel._noticed,
    ev.AskEnded: DebuggerModel._ask_ended,
    ev.Failed: DebuggerModel._failed,
    ev.Paused: DebuggerModel._paused,
    ev.BranchesChanged: DebuggerModel._branches,
    ev.MarksChanged: DebuggerModel._marks,
    ev.SilencesChanged: DebuggerModel._silenced,
    ev.BreakpointsChanged: DebuggerModel._breakpoints,
    ev.ProjectRevised: DebuggerModel._revised,
    ev.CommandDone: DebuggerModel._command_done,
}
