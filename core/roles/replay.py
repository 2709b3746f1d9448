"""Roles that answer from a recording: what was answered to an equal question is answered again.

Equal is, for the tool simulator, a call of the same tool with the same arguments (as JSON values):
the n-th such call of a path gets what the n-th got. For the target and the evaluator it is the same
conversation before it, as this role sees it, asked of the same description of the role. Call ids
and reasoning do not count. Where several answers are recorded, the branch that is played comes
first, then the others in the order in which they were recorded.

Nothing else is answered: no model is asked, nothing is made up, until a human lets a role through.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import NOT_RECORDED, RoleError
from ..model.messages import (
    OtherPart,
    Part,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    user_message,
)
from ..model.project import Project
from ..model.rollout import Rollout
from ..model.steps import ROLES, Role, Step
from ..model.view import View
from ..rules.json_values import MISSING, parse
from ..rules.stops import held_back
from ..rules.views import PathState
from .human import HumanNeeded
from .protocols import Answer, Stream, no_stream

if TYPE_CHECKING:
    from .registry import Roles

Own = Callable[[], Awaitable["Roles"]]
"""Gives the roles of the project itself, made when first needed."""

_NAMES: dict[Role, str] = {
    "evaluator": "evaluator's next message",
    "target": "target's reply to this",
    "tool": "result of {call}",
}


class NotRecorded(RoleError):
    """Nothing is recorded that answers this; ``role`` says who would have to."""

    def __init__(self, role: Role, call: ToolCall | None = None) -> None:
        what = _NAMES[role].format(call=f"{call.name} with these arguments" if call else "the call")
        super().__init__(
            f"The {what} is not recorded: write it by hand, script it, or ask live.",
            kind=NOT_RECORDED,
        )
        self.role: Role = role


class _Said(NamedTuple):
    """A conversation folded: a digest of all of it, and the ids of the last reply's calls."""

    digest: bytes = b""
    calls: tuple[str, ...] = ()


_Key = tuple[object, ...]


class Recording:
    """What a rollout holds now, to be asked for answers; what is made later is not in it."""

    def __init__(self, rollout: Rollout, leaf: str | None = None, *, same: bool = True) -> None:
        """``leaf`` ends the branch whose answers come first. ``same``: the answers go into this
        same rollout, and can name the steps that they repeat.
        """
        self._projects = tuple(rollout.projects)
        self._same = same
        self._answers: dict[_Key, list[Step]] = {}
        order = {step_id: place for place, step_id in enumerate(rollout.steps)}
        shown = {step.id for step in rollout.path(leaf)}
        for key, step in _Walk(rollout).entries():
            self._answers.setdefault(key, []).append(step)
        for steps in self._answers.values():
            steps.sort(key=lambda step: (step.id not in shown, order[step.id]))

    def answer(self, view: View) -> Answer | None:
        """What is recorded for this question, or None; a retake gets the next in order."""
        found = self._found(view)
        if not 0 <= view.take_index < len(found):
            return None
        step = found[view.take_index]
        payload = step.payload
        if isinstance(payload, Stop) and (held := held_back(payload)) is not None:
            payload = user_message(held)
        assert not isinstance(payload, SystemNote)
        return Answer(
            payload,
            step.script_index,
            step.state,
            origin=step.origin if self._same else "script",
            copied_from=step.id if self._same else None,
        )

    def _found(self, view: View) -> list[Step]:
        if view.call is not None:
            count = _calls_before(view.messages, view.call)
            return self._answers.get(("tool", *call_key(view.call), count), [])
        said = _Said()
        for message in view.messages:
            said = _after(said, message)
        steps = self._answers.get((view.role, said.digest), [])
        return [step for step in steps if self._asked_alike(step, view)]

    def _asked_alike(self, step: Step, view: View) -> bool:
        """Whether the role was described as it is now; a new limit of turns is no other role."""
        was, now = self._projects[min(step.revision, len(self._projects) - 1)], view.project
        if was is now:
            return True
        if view.role == "target":
            return was.target == now.target and was.tools == now.tools
        return was.evaluator == now.evaluator and was.goal == now.goal


class Replaying:
    """How a rollout is replayed: from what, and which roles the human let through to be asked
    themselves where nothing is recorded.
    """

    def __init__(self, recording: Recording, through: Iterable[Role] = ()) -> None:
        self.recording = recording
        self.through: set[Role] = set(through)


class _ReplayRole:
    """One of the three roles, answering from the recording first."""

    def __init__(self, role: Role, replaying: Replaying, own: Own | None, kind: str = "") -> None:
        self._role: Role = role
        self._replaying = replaying
        self._own = own
        self._kind = kind

    async def _answer(self, view: View, stream: Stream) -> Any:
        found = self._replaying.recording.answer(view)
        if found is not None:
            return found
        if self._kind == "human":
            raise HumanNeeded(self._role)
        if self._own is None:
            raise NotRecorded(self._role, view.call)
        roles = await self._own()
        if self._role == "evaluator":
            return await roles.evaluator.next(view, stream)
        if self._role == "target":
            return await roles.target.reply(view, stream)
        if roles.tool_simulator is None:
            raise NotRecorded(self._role, view.call)
        return await roles.tool_simulator.respond(view, stream)

    async def next(self, view: View, stream: Stream = no_stream) -> Any:
        """The evaluator's recorded message or stop. Raises NotRecorded."""
        return await self._answer(view, stream)

    async def reply(self, view: View, stream: Stream = no_stream) -> Any:
        """The target's recorded reply. Raises NotRecorded."""
        return await self._answer(view, stream)

    async def respond(self, view: View, stream: Stream = no_stream) -> Any:
        """The recorded result of an equal call. Raises NotRecorded."""
        return await self._answer(view, stream)


def replay_roles(project: Project, replaying: Replaying, own: Own) -> Roles:
    """The roles of a project that is replayed. Its own are not even made before one is let
    through.
    """
    from .registry import Roles, kind_of, name_of

    specs: dict[Role, Any] = {"evaluator": project.evaluator, "target": project.target}
    if project.tool_simulator is not None:
        specs["tool"] = project.tool_simulator
    kinds = {role: kind_of(spec) for role, spec in specs.items()}
    asked = replaying.through
    names = {role: name_of(spec) if role in asked else "recording" for role, spec in specs.items()}
    made = {
        role: _ReplayRole(role, replaying, own if role in asked else None, kinds.get(role, ""))
        for role in ROLES
    }
    return Roles(made["evaluator"], made["target"], made["tool"], names, kinds)


def with_recorded_tools(roles: Roles, recording: Recording) -> Roles:
    """The same roles, but equal calls are answered from the recording, and only the others by
    their own tool simulator.
    """
    from dataclasses import replace

    async def own() -> Roles:
        return roles

    return replace(roles, tool_simulator=_ReplayRole("tool", Replaying(recording, ("tool",)), own))


# what is equal


def call_key(call: ToolCall) -> tuple[str, str]:
    """The same for calls of the same tool whose arguments are the same JSON value."""
    return call.name, _same_arguments(call.arguments or "{}")


@lru_cache(maxsize=1024)
def _same_arguments(text: str) -> str:
    """A text that is the same for the same JSON value; of what is no JSON, the text itself."""
    value = parse(text)
    try:
        return text if value is MISSING else json.dumps(_plain(value), sort_keys=True)
    except RecursionError:
        return text


def _plain(value: Any) -> Any:
    """JSON has one kind of number: 1.0 is 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


def _calls_before(messages: tuple[Payload, ...], call: ToolCall) -> int:
    """How many equal calls the path has before this one."""
    key, count = call_key(call), 0
    last = len(messages) - 1
    while last >= 0 and not isinstance(messages[last], TargetReply):
        last -= 1
    for place, message in enumerate(messages):
        for each in _calls_of(message):
            if place == last and each.id == call.id:
                return count
            count += each.name == call.name and call_key(each) == key
    return count


def _calls_of(payload: Payload) -> tuple[ToolCall, ...]:
    return payload.tool_calls if isinstance(payload, TargetReply | UserMessage) else ()


def _after(said: _Said, payload: Payload) -> _Said:
    """The conversation with one more message."""
    calls = said.calls
    if isinstance(payload, ToolResult):
        place = calls.index(payload.call_id) if payload.call_id in calls else -1
        what: tuple[object, ...] = ("result", place, payload.is_error, _parts(payload.parts))
    elif isinstance(payload, TargetReply):
        calls = tuple(call.id for call in payload.tool_calls)
        keys = tuple(map(call_key, payload.tool_calls))
        what = ("reply", _parts(payload.parts), keys, payload.refusal)
    elif isinstance(payload, UserMessage):
        what = ("message", _parts(payload.parts), tuple(map(call_key, payload.tool_calls)))
    elif isinstance(payload, SystemNote):
        what = ("note", _parts(payload.parts))
    else:
        what = ("stop",)
    body = repr(what).encode("utf-8", "surrogatepass")
    return _Said(hashlib.blake2b(said.digest + body, digest_size=16).digest(), calls)


def _parts(parts: tuple[Part, ...]) -> tuple[str, ...]:
    return (parts_text(parts), *(part.raw for part in parts if isinstance(part, OtherPart)))


class _Walk:
    """Walks a tree once, and knows at each step what came before it."""

    def __init__(self, rollout: Rollout) -> None:
        self._rollout = rollout
        self._counts: Counter[tuple[str, str]] = Counter()
        self._open: dict[str, tuple[object, ...]] = {}

    def entries(self) -> Iterator[tuple[_Key, Step]]:
        """Each step that answers a question, and the key of that question."""
        start = (_Said(), _Said())
        # A step on its way in, with what was said before it; or the undoing of one on its way out.
        waiting: list[Callable[[], None] | tuple[str, _Said, _Said]]
        waiting = [(root, *start) for root in reversed(self._rollout.children(None))]
        while waiting:
            item = waiting.pop()
            if callable(item):
                item()
                continue
            step_id, target, evaluator = item
            step = self._rollout.steps[step_id]
            key = self._key(step, target, evaluator)
            if key is not None:
                yield key, step
            if calls := _calls_of(step.payload):
                waiting.append(self._enter(calls))
            alone = PathState(self._rollout.project)
            alone.extend(step)
            for message in alone.messages("target", self._rollout.project):
                target = _after(target, message)
            for message in alone.messages("evaluator", self._rollout.project):
                evaluator = _after(evaluator, message)
            following = reversed(self._rollout.children(step_id))
            waiting += [(child, target, evaluator) for child in following]

    def _key(self, step: Step, target: _Said, evaluator: _Said) -> _Key | None:
        """None for what nobody was asked for: copies, the opening, and stops by others."""
        payload = step.payload
        if step.copied_from in self._rollout.steps or isinstance(payload, SystemNote):
            return None
        if isinstance(payload, ToolResult):
            return self._open.get(payload.call_id)
        if isinstance(payload, TargetReply):
            return ("target", target.digest)
        if isinstance(payload, Stop) and payload.by != "evaluator" and held_back(payload) is None:
            return None
        return ("evaluator", evaluator.digest)

    def _enter(self, calls: tuple[ToolCall, ...]) -> Callable[[], None]:
        """Count these calls; the result takes that back."""
        before = {call.id: self._open.get(call.id) for call in calls}
        for call in calls:
            key = call_key(call)
            self._open[call.id] = ("tool", *key, self._counts[key])
            self._counts[key] += 1

        def leave() -> None:
            self._counts.subtract(map(call_key, calls))
            for call_id, was in before.items():
                if was is None:
                    del self._open[call_id]
                else:
                    self._open[call_id] = was

        return leave
