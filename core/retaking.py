"""Asking anew at a step's place: more takes, from the same role or from a variant of it."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import msgspec

from .asking import OFFLINE, Asker, Made, make
from .errors import RoleError, UsageError
from .model.messages import Payload, TargetReply, ToolResult, UserMessage
from .model.players import ROLE_NAMES
from .model.project import LlmEvaluator, LlmSimulator, LlmTarget, Project
from .model.steps import Role, Step
from .player import Player
from .roles.protocols import no_stream
from .rules.retakes import Unasked, asked_anew
from .rules.stepper import Ask
from .rules.templates import literal
from .rules.views import PathState
from .writer import TreeWriter

_replace = msgspec.structs.replace

AT_ONCE = 8
"""Takes that are asked for at the same time; further ones wait for these."""

_TRIES = 12
"""A script's alternatives come round again; after so many that are known, there is no other."""

_FIELDS: dict[Role, str] = {"evaluator": "evaluator", "target": "target", "tool": "tool_simulator"}
_INSTRUCTIONS: dict[Role, str] = {"evaluator": "instructions", "target": "system", "tool": "world"}
"""The field of each role's spec that an added instruction is appended to."""
_SOURCES = {
    "scripted": "script",
    "heuristic": "heuristic",
    "echo": "echo",
    "rules": "rule table",
}


class AskChange(msgspec.Struct, frozen=True):
    """What is otherwise when a model is asked for takes: another model, another temperature, an
    instruction added to the role's own. It holds for these takes only.
    """

    model: str | None = None
    temperature: float | None = None
    instruction: str = ""


class _Place(msgspec.Struct, frozen=True):
    """Where takes are asked for: what to ask, the path before it, and who answers."""

    parent: str | None
    ask: Ask
    state: PathState
    kind: str
    first: int
    """The take index of the next answer: how many were given here before."""


class Retaking:
    """Makes takes. The head stays until one is there, and then stands on the newest."""

    def __init__(self, writer: TreeWriter, asker: Asker, player: Player) -> None:
        self._writer = writer
        self._asker = asker
        self._player = player

    async def retake(
        self, parent: str | None, n: int, change: AskChange | None, call_id: str = ""
    ) -> tuple[Step, ...]:
        """Up to ``n`` new takes after ``parent`` (see ``Session.retake``); ``call_id`` is the call
        that a result there answers.
        """
        if n < 1:
            raise UsageError(f"{n} takes cannot be made: ask for 1 or more.")
        self._player.pause = False
        with self._player.being_busy():
            place = await self._place(parent, call_id)
            variant = varied(self._writer.project, place.ask.role, change)
            if place.kind in OFFLINE:
                return await self._offline(place, n)
            return await self._live(place, n, variant, change.instruction if change else "")

    async def alternatives(self, step: Step, n: int) -> tuple[Payload, ...]:
        """What the next ``n`` takes of a role that plays offline would say; nothing is made. Empty
        where a model or somebody's code would be asked.
        """
        place = await self._place(step.parent_id, call_of(step))
        if place.kind not in OFFLINE:
            return ()
        return tuple([made.payload async for _, made in self._new_answers(place, n)])

    async def _place(self, parent: str | None, call_id: str) -> _Place:
        writer = self._writer
        # A fold of its own: the writer's goes on with the first take.
        state = PathState.of(writer.project, writer.rollout.path(parent))
        roles = await self._asker.cast.of(writer.project)
        asked = asked_anew(state.position, writer.project, roles.kind, call_id)
        if isinstance(asked, Unasked):
            more = " Override the step to write another." if asked.writable else ""
            raise UsageError(asked.words + more)
        steps = writer.rollout.steps
        takes = writer.rollout.children(parent)
        given = sum(1 for take in takes if steps[take].origin != "human")
        last = max(steps[take].take for take in takes) if takes else 0
        first = max(given, last + 1) if takes else 0
        return _Place(parent, asked.ask, state, asked.kind, first)

    def _takes(self, place: _Place) -> list[Step]:
        rollout = self._writer.rollout
        return [rollout.steps[take] for take in rollout.children(place.parent)]

    def _put(
        self, made: Made, place: _Place, take: int, head: str | None, reason: str = ""
    ) -> Step:
        """A take is saved as it comes. It is late if the head is no longer where we left it."""
        writer = self._writer
        step = writer.put_made(
            made,
            place.parent,
            revision=writer.revision,
            late=writer.head != head,
            reason=reason,
            take=take,
        )
        writer.save()
        return step

    # by script or table

    async def _offline(self, place: _Place, n: int) -> tuple[Step, ...]:
        made: list[Step] = []
        head = self._writer.head
        try:
            async for take, answer in self._new_answers(place, n):
                made.append(self._put(answer, place, take, made[-1].id if made else head))
        except RoleError as error:
            self._player.fail(error, place.ask, place.parent)
            raise
        if not made:
            raise UsageError(_no_other(place, len(self._takes(place))))
        return tuple(made)

    async def _new_answers(self, place: _Place, n: int) -> AsyncIterator[tuple[int, Made]]:
        """Up to ``n`` answers that no take of this place gives yet, each with its take index."""
        project = self._writer.project
        roles = await self._asker.cast.of(project)
        known = {_said(take.payload) for take in self._takes(place)}
        index, idle = place.first, 0
        while n and idle < _TRIES:
            answer = await make(
                place.ask, place.state, project, roles, index, self._player.seed, no_stream
            )
            index += 1
            idle += 1
            if (said := _said(answer.payload)) not in known:
                known.add(said)
                n, idle = n - 1, 0
                yield index - 1, answer

    # by a model or somebody's code

    async def _live(
        self, place: _Place, n: int, variant: Project | None, reason: str
    ) -> tuple[Step, ...]:
        made: list[Step] = []
        failed: list[RoleError] = []
        head = self._writer.head

        def receive(take: int, answer: Made | RoleError) -> None:
            if isinstance(answer, RoleError):
                failed.append(answer)
                self._player.fail(answer, place.ask, place.parent)
            else:
                after = made[-1].id if made else head
                made.append(self._put(answer, place, take, after, reason))

        # An object in this process need not bear two questions at once; models and children do.
        most = 1 if place.kind == "object" else AT_ONCE
        for start in range(place.first, place.first + n, most):
            indices = range(start, min(start + most, place.first + n))
            await self._must_afford(place, len(indices), variant)
            await self._ask(place, indices, variant, receive)
            if failed or self._player.pause:
                break
        if failed:
            raise _failure(failed[0], len(made), n)
        return tuple(sorted(made, key=lambda step: step.take))

    async def _must_afford(self, place: _Place, count: int, variant: Project | None) -> None:
        """Raise UsageError where the budget has not enough for so many takes."""
        asks = (place.ask,) * count
        parent = place.parent
        if words := await self._player.too_dear(asks, place.state, parent, variant):
            raise UsageError(f"Not asked: {words}. Asked again, it goes on all the same.")

    async def _ask(
        self,
        place: _Place,
        indices: Sequence[int],
        variant: Project | None,
        receive: Callable[[int, Made | RoleError], None],
    ) -> None:
        ask, state, project = place.ask, place.state, self._writer.project
        parent, seed = place.parent, self._player.seed
        if len(indices) > 1:
            asks = [_replace(ask) for _ in indices]
            takes = {id(each): take for each, take in zip(asks, indices, strict=True)}

            def one_came(ask: Ask, answer: Made | RoleError) -> None:
                receive(takes[id(ask)], answer)

            def unfinished(ask: Ask, arrived: str) -> None:
                self._player.keep_arrived(arrived, ask, state, parent, variant or project)

            await self._asker.make_together(
                asks, state, project, seed, parent, one_came, unfinished, indices, variant
            )
            return
        try:
            made = await self._asker.make(ask, state, project, indices[0], seed, parent, variant)
        except RoleError as error:
            receive(indices[0], error)
        except asyncio.CancelledError:
            arrived = self._asker.arrived
            self._player.keep_arrived(arrived, ask, state, parent, variant or project)
            raise
        else:
            receive(indices[0], made)


def call_of(step: Step) -> str:
    """The id of the call that a step answers; empty for none."""
    return step.payload.call_id if isinstance(step.payload, ToolResult) else ""


def _failure(error: RoleError, made: int, wanted: int) -> RoleError:
    if not made:
        return error
    words = f"{made} of {wanted} takes came and {'is' if made == 1 else 'are'} kept. {error}"
    return RoleError(words, kind=error.kind, detail=error.detail, partial=error.partial)


def _no_other(place: _Place, takes: int) -> str:
    there = "the take that is there" if takes == 1 else f"the {takes} takes that are there"
    return (
        f"The {_SOURCES[place.kind]} has no other answer here than {there}: override the step to "
        "write one."
    )


def _said(payload: Payload) -> Payload:
    """What a payload says, whatever ids its calls were given."""
    if not isinstance(payload, TargetReply | UserMessage) or not payload.tool_calls:
        return payload
    bare = tuple(_replace(call, id="") for call in payload.tool_calls)
    return _replace(payload, tool_calls=bare)


# variants of a project


def varied(project: Project, role: Role, change: AskChange | None) -> Project | None:
    """The project with one role's model, temperature and instructions changed; None where nothing
    is. Raises UsageError for a role that no model plays, or a value that cannot be.
    """
    if change is None or change == AskChange():
        return None
    spec = getattr(project, _FIELDS[role])
    if not isinstance(spec, LlmEvaluator | LlmTarget | LlmSimulator):
        raise UsageError(
            f"No model plays the {ROLE_NAMES[role]}, so it takes no other model, temperature or "
            "instruction."
        )
    fields: dict[str, Any] = {}
    if change.model is not None:
        if not change.model.strip():
            raise UsageError("The model has no name: give one, such as openai/gpt-4.1-mini.")
        fields["model"] = change.model
    if change.temperature is not None:
        if not (math.isfinite(change.temperature) and change.temperature >= 0):
            raise UsageError(f"{change.temperature} is no temperature: give 0 or more.")
        params = {**json.loads(spec.params), "temperature": change.temperature}
        fields["params"] = json.dumps(params, ensure_ascii=False)
    if change.instruction and spec.prompt is not None:
        # A prompt of the project's own need not show the role's instructions.
        fields["prompt"] = _below(spec.prompt, literal(change.instruction))
    elif change.instruction:
        name = _INSTRUCTIONS[role]
        fields[name] = _below(getattr(spec, name), change.instruction)
    return _replace(project, **{_FIELDS[role]: _replace(spec, **fields)})


def _below(text: str | None, added: str) -> str:
    return f"{text}\n\n{added}" if text else added
