"""Who is asked for another take of a step: told before a key is pressed and when it is, alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from ..model.players import ROLE_NAMES
from ..model.project import Project
from ..model.steps import Role
from .stepper import Ask, Nobody, Opening, Position, next_action


class Asked(NamedTuple):
    """The question, and the kind of role that is asked."""

    ask: Ask
    kind: str


class Unasked(NamedTuple):
    """Why nobody is asked, in ``words``; whether a human may write a take all the same."""

    words: str
    writable: bool = True


def asked_anew(
    position: Position, project: Project, kind_of: Callable[[Role], str], call_id: str = ""
) -> Asked | Unasked:
    """Who is asked for a take at this position. ``kind_of`` tells the kind of role that plays, ""
    for none; ``call_id`` is the call that a result there answers.
    """
    action = next_action(position, project)
    if isinstance(action, Opening):
        return Unasked("This is the project's opening message: nobody is asked for it.")
    if isinstance(action, Nobody):
        return Unasked("Nobody is asked here: the rollout has ended before it.", writable=False)
    if not isinstance(action, Ask):
        return Unasked("A rule ends it here and nobody is asked.")
    kind, name = kind_of(action.role), ROLE_NAMES[action.role]
    if kind == "human":
        return Unasked(f"You play the {name}.")
    if not kind:
        return Unasked(f"Nobody plays the {name}.")
    if call_id and action.role == "tool":
        # Results need not stand in the order of their calls: a human may write any of them.
        calls = (call for call in position.open_calls if call.id == call_id)
        action = replace(action, call=next(calls, action.call))
    return Asked(action, kind)
