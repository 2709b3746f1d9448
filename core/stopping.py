"""Stops are proposals: a human forces one, or lets a rollout go on that its turn limit ended."""

from __future__ import annotations

import msgspec

from .errors import UsageError
from .model.checking import check
from .model.messages import Payload, Stop, user_message
from .model.project import Project
from .model.steps import Step
from .player import Player
from .rules.stepper import advance
from .rules.stops import held_back, turns_there, why_not_more
from .writer import TreeWriter


def put_stop_here(writer: TreeWriter, parent: str | None, reason: str, note: str) -> Step:
    """A human's stop. Raises UsageError where there is one already, or no reason."""
    if not reason.strip():
        raise UsageError("A stop needs a reason: a usual one, or a word of your own.")
    stop = Stop(reason.strip(), "human", note)
    check(stop, Payload, "step")
    advance(writer.position(parent), stop)
    return writer.put_human(stop, parent)


def revised_turns(writer: TreeWriter, at: str | None, max_turns: int) -> Project:
    """The project with more turns. Raises UsageError where they would change nothing."""
    project = writer.project
    step = writer.rollout.steps[at] if at is not None else None
    if step is not None and (problem := why_not_more(step.payload)):
        raise UsageError(problem)
    stopped = step is not None and isinstance(step.payload, Stop)
    least = turns_there(step.payload if step else None, writer.position(at), project)
    if max_turns <= least:
        there = "the branch has already" if stopped else "there are already"
        raise UsageError(f"{max_turns} turns are no more than the {least} that {there}.")
    revised = msgspec.structs.replace(project, max_turns=max_turns)
    check(revised, Project, "project")
    return revised


async def go_on(writer: TreeWriter, player: Player, at: str | None) -> Step | None:
    """After a stop at the turn limit: the message that the rule held back is said as it was, as a
    new take; without one the evaluator is asked anew. None where nothing had stopped.
    """
    stopped = writer.rollout.steps[at] if at is not None else None
    if stopped is None or not isinstance(stopped.payload, Stop):
        return None
    text = held_back(stopped.payload)
    if text is None:
        return await _ask_anew(writer, player, stopped)
    return writer.put_copy(stopped, user_message(text), stopped.parent_id)


async def _ask_anew(writer: TreeWriter, player: Player, stopped: Step) -> Step | None:
    """The evaluator is asked in the place of its stop, as if for the first time: the limit was no
    answer of its own. When nothing comes of it, the head is where it was.
    """
    head = writer.head
    made = None
    try:
        made = await player.make_next(stopped.parent_id)
    finally:
        if made is None and writer.head == stopped.parent_id:
            writer.set_head(head)
    return made
