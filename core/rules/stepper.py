"""Who acts next, and which steps are legal: one table, folded over the path.

============================================  ====================================================
last step                                     next
============================================  ====================================================
none                                          the opening by script; with no opening, the evaluator
evaluator message                             target
target reply with unanswered calls            tool simulator, for the first unanswered call
tool result, calls still unanswered           tool simulator
tool result, all answered                     target; after ``max_steps_per_turn`` steps a rule stop
target reply without calls                    evaluator, also after the last permitted turn
stop                                          nobody
============================================  ====================================================

A system note (imports hold them) changes nobody's turn. A human or a rule may stop at any point.
``advance`` costs the same for a path of any length.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from ..errors import IllegalStepError
from ..model.messages import (
    MAX_STEPS,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
)
from ..model.project import Project, RulesSimulator
from ..model.steps import Role, Step

Due = Literal["opening", "target", "tool", "evaluator", "nobody"]


class Position(msgspec.Struct, frozen=True):
    """Everything about a path that decides what comes next.

    ``turns`` counts the evaluator messages, ``turn_steps`` the steps of the current turn,
    ``open_calls`` the unanswered calls in call order.
    """

    depth: int = 0
    turns: int = 0
    turn_steps: int = 0
    due: Due = "opening"
    after_tool: bool = False
    open_calls: tuple[ToolCall, ...] = ()


START = Position()


class Opening(msgspec.Struct, frozen=True):
    """The project's opening message is the first step; no role is asked."""

    text: str


class Ask(msgspec.Struct, frozen=True):
    """Ask this role. ``turn_index`` is the turn that its answer belongs to, from 0; ``call`` the
    call to answer; ``last_chance`` is the evaluator's question after the last permitted turn.
    """

    role: Role
    turn_index: int
    call: ToolCall | None = None
    last_chance: bool = False


class RuleStop(msgspec.Struct, frozen=True):
    """A rule ends the rollout here."""

    reason: str


class Nobody(msgspec.Struct, frozen=True):
    """The rollout has ended."""


Action = Opening | Ask | RuleStop | Nobody


def next_action(position: Position, project: Project) -> Action:
    """Who acts next at this position."""
    due = position.due
    if due == "evaluator":
        return Ask("evaluator", position.turns, last_chance=position.turns >= project.max_turns)
    if due == "target":
        if position.after_tool and position.turn_steps >= project.max_steps_per_turn:
            return RuleStop(MAX_STEPS)
        return Ask("target", max(position.turns - 1, 0))
    if due == "tool":
        return Ask("tool", max(position.turns - 1, 0), position.open_calls[0])
    if due == "opening":
        if project.opening is not None:
            return Opening(project.opening)
        return Ask("evaluator", 0)
    return Nobody()


def together(position: Position, project: Project) -> tuple[Ask, ...]:
    """The questions that may be asked at once here instead of the next one alone: all open calls,
    where the tool simulator is ``independent``. None for a rule table, which never waits.
    """
    calls, simulator = position.open_calls, project.tool_simulator
    if len(calls) < 2 or isinstance(simulator, RulesSimulator):
        return ()
    if not getattr(simulator, "independent", False):
        return ()
    turn_index = max(position.turns - 1, 0)
    return tuple(Ask("tool", turn_index, call) for call in calls)


def advance(position: Position, payload: Payload) -> Position:
    """The position after one more step. Raises IllegalStepError where the table forbids it."""
    problem = why_illegal(position, payload)
    if problem:
        raise IllegalStepError(problem)
    return advance_anyway(position, payload)


def why_illegal(position: Position, payload: Payload) -> str:
    """Why the table forbids this step here, or the empty string when it is legal."""
    due = position.due
    if due == "nobody":
        return "Nothing can follow a stop."
    if isinstance(payload, UserMessage):
        if due in ("evaluator", "opening"):
            return ""
        return f"An evaluator message cannot stand here: it is the {_whose(position)}'s move."
    if isinstance(payload, TargetReply):
        if due == "target":
            return ""
        return f"A target reply cannot stand here: it is the {_whose(position)}'s move."
    if isinstance(payload, ToolResult):
        if any(call.id == payload.call_id for call in position.open_calls):
            return ""
        return f"No open call has the id {payload.call_id!r}."
    if isinstance(payload, Stop):
        if payload.by != "evaluator" or due in ("evaluator", "opening"):
            return ""
        return f"The evaluator cannot stop here: it is the {_whose(position)}'s move."
    return "A system note comes only from an import."


def advance_anyway(position: Position, payload: Payload) -> Position:
    """The position after one more step, legal or not: what an import may hold."""
    depth, turns, steps = position.depth + 1, position.turns, position.turn_steps + 1
    if isinstance(payload, UserMessage):
        return Position(depth, turns + 1, 1, "target")
    if isinstance(payload, TargetReply):
        calls = payload.tool_calls
        return Position(depth, turns, steps, "tool" if calls else "evaluator", False, calls)
    if isinstance(payload, ToolResult):
        still = _without(position.open_calls, payload.call_id)
        return Position(depth, turns, steps, "tool" if still else "target", True, still)
    if isinstance(payload, SystemNote):
        return msgspec.structs.replace(position, depth=depth)
    return Position(depth, turns, position.turn_steps, "nobody")


def fold(steps: Iterable[Step], start: Position = START) -> Position:
    """The position at the end of a path, whatever it holds."""
    position = start
    for step in steps:
        position = advance_anyway(position, step.payload)
    return position


def _without(calls: tuple[ToolCall, ...], call_id: str) -> tuple[ToolCall, ...]:
    for index, call in enumerate(calls):
        if call.id == call_id:
            return calls[:index] + calls[index + 1 :]
    return calls


def _whose(position: Position) -> str:
    return {"opening": "evaluator", "tool": "tool simulator"}.get(position.due, position.due)
