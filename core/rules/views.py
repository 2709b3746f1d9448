"""What a role is given, computed from the path alone.

One class folds a path step by step into all that rollstep needs to know of it: whose move it is,
what each role sees, which script lines are used up, what it cost. Extending by one step costs the
same for a path of any length, so stepping, running and a batch share it.

Who sees what:

- the target: messages, its own replies with their reasoning, results, system notes; never the
  evaluator's reasoning;
- the evaluator: its own messages with its reasoning, the target's texts without reasoning, and of
  tools only what ``sees_tools`` says; never the target's system text (that is reached only through
  ``view.project``);
- the tool simulator: everything but anybody's reasoning. One that is ``independent`` sees neither
  the results of the same reply's other calls nor the state that they left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TypeVar

import msgspec

from ..model.messages import (
    Payload,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
)
from ..model.project import Project, SeesTools
from ..model.steps import Role, Step
from ..model.view import View
from .conditions import answered_call
from .stepper import START, Ask, Position, advance_anyway

_replace = msgspec.structs.replace

Injected = tuple[str, ToolCall]
"""A fault by its name, and the call that it answers."""


class PathState:
    """A path folded: extend it step by step, then ask it for views."""

    __slots__ = (
        "_calls",
        "_counts_repeats",
        "_evaluator",
        "_in_reply",
        "_last_said",
        "_state_before_reply",
        "_target",
        "_tool",
        "_used",
        "answered",
        "cost",
        "injected",
        "leaf_id",
        "position",
        "repeats",
        "sees_tools",
        "state",
        "state_stale",
        "tokens",
    )

    def __init__(self, project: Project) -> None:
        self.position: Position = START
        self.leaf_id: str | None = None
        self.sees_tools: SeesTools = project.evaluator.sees_tools
        self.cost = 0.0
        self.tokens = 0
        self.repeats = 0
        """How often the last exchange has occurred in a row; counted only for a project that has
        a limit on it."""
        self._counts_repeats = project.stop.repeated_exchanges is not None
        self.injected: list[Injected] = []
        """The faults of the path, each with the call that it answers."""
        self.answered: ToolCall | None = None
        """The call that the last result answers: the first that was open with its id; in imports
        the newest of all with that id."""
        self._calls: dict[str, ToolCall] = {}
        self.state: str | None = None
        self.state_stale = False
        self._state_before_reply: str | None = None
        self._target: list[Payload] = []
        self._evaluator: list[Payload] = []
        self._tool: list[Payload] = []
        self._in_reply = 0
        """How many of the tool simulator's last messages are results of the current reply."""
        self._used: dict[Role, list[int]] = {"evaluator": [], "target": [], "tool": []}
        self._last_said: tuple[str, str] = ("", "")

    @classmethod
    def of(cls, project: Project, steps: Iterable[Step]) -> PathState:
        """The state at the end of a path."""
        state = cls(project)
        for step in steps:
            state.extend(step)
        return state

    def extend(self, step: Step) -> None:
        """Take one more step in."""
        payload = step.payload
        before = self.position
        self.position = advance_anyway(before, payload)
        self.leaf_id = step.id
        if step.script_index is not None:
            self._used[step.role].append(step.script_index)
        if step.call is not None:
            self.cost += step.call.cost or 0.0
            self.tokens += step.call.usage.tokens
        if isinstance(payload, UserMessage):
            bare = _bare(payload)
            self._target.append(bare)
            self._evaluator.append(payload)
            self._tool.append(bare)
            if payload.tool_calls:
                self._calls.update((call.id, call) for call in payload.tool_calls)
        elif isinstance(payload, TargetReply):
            self._extend_by_reply(payload)
        elif isinstance(payload, ToolResult):
            self.answered = self._answered(before.open_calls, payload.call_id)
            if step.injected and (call := answered_call(payload, self._tool)) is not None:
                self.injected.append((step.injected, call))
            self._target.append(payload)
            self._tool.append(payload)
            self._in_reply += 1
            if self.sees_tools == "full":
                self._evaluator.append(payload)
            self.state, self.state_stale = step.state, step.state_stale
        elif isinstance(payload, SystemNote):
            self._target.append(payload)
            self._tool.append(payload)

    def call_of(self, call_id: str) -> ToolCall | None:
        """The call that a result of this id would answer here."""
        return self._answered(self.position.open_calls, call_id)

    def _answered(self, waiting: tuple[ToolCall, ...], call_id: str) -> ToolCall | None:
        for call in waiting:
            if call.id == call_id:
                return call
        return self._calls.get(call_id)

    def _extend_by_reply(self, payload: TargetReply) -> None:
        bare = _bare(payload)
        self._target.append(payload)
        self._tool.append(bare)
        self._in_reply = 0
        self._state_before_reply = self.state
        if payload.tool_calls:
            self._calls.update((call.id, call) for call in payload.tool_calls)
        if not payload.tool_calls or self.sees_tools == "full":
            self._evaluator.append(bare)
        elif self.sees_tools == "names":
            names = tuple(_replace(call, arguments="{}") for call in payload.tool_calls)
            self._evaluator.append(_replace(bare, tool_calls=names))
        elif payload.parts:
            self._evaluator.append(_replace(bare, tool_calls=()))
        if self._counts_repeats and not payload.tool_calls:
            said = self._exchange(payload)
            self.repeats = self.repeats + 1 if said == self._last_said else 1
            self._last_said = said

    def repeats_here(self) -> int:
        """How often the exchange that the path ends with, a reply that calls no tool, came in a
        row; the same as ``repeats``, for projects that do not count.
        """
        target = self._target
        at = len(target) - 2
        while at >= 0 and (not isinstance(target[at], TargetReply) or target[at].tool_calls):  # type: ignore[union-attr]
            at -= 1
        # Mostly the reply before was another, and nothing more is looked at.
        if at < 0 or parts_text(target[at].parts) != parts_text(target[-1].parts):  # type: ignore[union-attr]
            return 1
        back = self._exchanges_back()
        last = next(back)
        return 1 + sum(1 for _ in takewhile(lambda exchange: exchange == last, back))

    def _exchanges_back(self) -> Iterator[tuple[str, str]]:
        """What was said in each turn that ended, message and reply, the last one first."""
        replies: list[str] = []
        for message in reversed(self._target):
            if isinstance(message, TargetReply):
                if not message.tool_calls:
                    replies.append(parts_text(message.parts))
            elif isinstance(message, UserMessage) and replies:
                asked = parts_text(message.parts)
                yield from ((asked, said) for said in replies)
                replies = []
        yield from (("", said) for said in replies)

    def _exchange(self, reply: TargetReply) -> tuple[str, str]:
        for message in reversed(self._target):
            if isinstance(message, UserMessage):
                return parts_text(message.parts), parts_text(reply.parts)
        return "", parts_text(reply.parts)

    def view(self, ask: Ask, project: Project, *, take_index: int = 0, seed: str = "") -> View:
        """What the role that is to be asked here is given."""
        return View(
            ask.role,
            project,
            self.messages(ask.role, project),
            ask.turn_index,
            project.max_turns,
            take_index,
            seed,
            tuple(self._used[ask.role]),
            self._simulator_state(project) if ask.role == "tool" else None,
            ask.call,
        )

    def messages(self, role: Role, project: Project) -> tuple[Payload, ...]:
        """The path as this role sees it."""
        if role == "target":
            return tuple(self._target)
        if role == "evaluator":
            return tuple(self._evaluator)
        if self._in_reply and _is_independent(project):
            return tuple(self._tool[: -self._in_reply])
        return tuple(self._tool)

    def _simulator_state(self, project: Project) -> str | None:
        return self._state_before_reply if _is_independent(project) else self.state


def _is_independent(project: Project) -> bool:
    return bool(getattr(project.tool_simulator, "independent", False))


Speaker = TypeVar("Speaker", UserMessage, TargetReply)


def _bare(payload: Speaker) -> Speaker:
    return _replace(payload, reasoning=()) if payload.reasoning else payload


def view_for(
    project: Project, steps: Iterable[Step], role: Role, *, seed: str = "", take_index: int = 0
) -> View:
    """What ``role`` would be given at the end of this path, whosever move it is there."""
    state = PathState.of(project, steps)
    position = state.position
    turn = position.turns if role == "evaluator" else max(position.turns - 1, 0)
    call: ToolCall | None = position.open_calls[0] if position.open_calls else None
    ask = Ask(role, turn, call if role == "tool" else None)
    return state.view(ask, project, seed=seed, take_index=take_index)
