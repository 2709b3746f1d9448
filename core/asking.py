"""Carrying out what the stepper says: from an action to a payload, by script, rule or role."""

from __future__ import annotations

import asyncio
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import msgspec

from .casting import Cast, RolesFor
from .errors import RoleError, RollstepError
from .events import AskEnded, AskStarted, Event, Noticed, Streamed
from .model.messages import Payload, Stop, TargetReply, ToolResult, UserMessage, user_message
from .model.project import Project
from .model.steps import Call, Origin
from .model.view import View
from .roles.protocols import Answer, Stream, no_stream
from .rules.stepper import Action, Ask, Opening, RuleStop
from .rules.stops import settle
from .rules.views import PathState

if TYPE_CHECKING:
    from .roles.registry import Roles

OFFLINE = frozenset({"scripted", "heuristic", "echo", "rules"})
"""Kinds of roles that answer by a script or a table: the same answer to the same take."""

_FREE = OFFLINE | {"human", ""}


class Made(msgspec.Struct, frozen=True):
    """A payload and how it was made; ``request`` is the digest and body of what was sent,
    ``injected`` the fault that stands in the simulator's place, ``copied_from`` the recorded step
    that is repeated.
    """

    payload: Payload
    origin: Origin
    script_index: int | None = None
    state: str | None = None
    call: Call | None = None
    request: tuple[str, str] | None = None
    injected: str = ""
    copied_from: str | None = None


Receive = Callable[[Ask, "Made | RoleError"], None]
"""Gets the answer to a question, or the failure in its place."""


class BeforeAsking(Protocol):
    """Looks whether a role may be asked."""

    def __call__(self, *, paid: bool) -> None:
        """``paid``: the answer may cost something."""
        ...


Unfinished = Callable[[Ask, str], None]
"""Gets what had come of the answer to a question when the asking was cancelled."""


class Asker:
    """Asks a project's roles, and tells those who watch.

    With a ``variant`` of the project given, its roles are asked in the place of the project's own.
    """

    def __init__(self, roles_for: RolesFor | None, emit: Callable[[Event], None]) -> None:
        self.cast = Cast(roles_for)
        self._emit = emit
        self._stream: _Telling | None = None
        self.before: BeforeAsking | None = None
        """Called before a role is asked; what it raises keeps it from being asked."""

    @property
    def arrived(self) -> str:
        """The text that has come so far of the answer that was asked for last."""
        return self._stream.arrived if self._stream is not None else ""

    async def make(
        self,
        action: Action,
        state: PathState,
        project: Project,
        take_index: int,
        seed: str,
        parent_id: str | None,
        variant: Project | None = None,
    ) -> Made:
        """The payload that this action calls for. Raises RoleError and HumanNeeded."""
        if not isinstance(action, Ask):
            return await _by_script(action)

        roles = await self.cast.of(project, variant)
        self._look_first(action, roles)
        stream = self._stream = _Telling(self._emit, parent_id)
        with self._told(action, roles, parent_id):
            asked = variant or project
            return await make(action, state, asked, roles, take_index, seed, stream)

    async def make_together(
        self,
        asks: Sequence[Ask],
        state: PathState,
        project: Project,
        seed: str,
        parent_id: str | None,
        receive: Receive,
        unfinished: Unfinished,
        takes: Sequence[int] = (),
        variant: Project | None = None,
    ) -> None:
        """Ask all of these at once (see the function). Their texts are not told, because they would
        run into one another; ``unfinished`` gets those that are there when it is cancelled.
        """
        roles = await self.cast.of(project, variant)
        self._look_first(asks[0], roles)
        waiting = {id(ask): (ask, _Telling(self._emit, parent_id, text=False)) for ask in asks}
        streams = [stream for _, stream in waiting.values()]

        def received(ask: Ask, outcome: Made | RoleError) -> None:
            del waiting[id(ask)]
            receive(ask, outcome)

        try:
            with self._told(asks[0], roles, parent_id, len(takes) or 1):
                asked = variant or project
                await make_together(asks, state, asked, roles, seed, received, takes, streams)
        except asyncio.CancelledError:
            for ask, stream in waiting.values():
                if stream.arrived:
                    unfinished(ask, stream.arrived)
            raise

    def _look_first(self, ask: Ask, roles: Roles) -> None:
        if self.before is not None and self.cast.replaying is None:
            self.before(paid=roles.kind(ask.role) not in _FREE)

    @contextmanager
    def _told(
        self, ask: Ask, roles: Roles, parent_id: str | None, takes: int = 1
    ) -> Iterator[None]:
        """Those who watch are told that the asking starts and ends."""
        self._emit(AskStarted(ask.role, parent_id, roles.name(ask.role), takes))
        try:
            yield
        finally:
            self._emit(AskEnded(parent_id))

    async def close(self) -> None:
        """Let the roles go: child processes end."""
        await self.cast.close()


class _Telling:
    """A role's stream, whose notices become events, and whose text does where it is to."""

    def __init__(
        self, emit: Callable[[Event], None], parent_id: str | None, *, text: bool = True
    ) -> None:
        self.arrived = ""
        self._emit = emit
        self._parent_id = parent_id
        self._text = text

    def __call__(self, text: str) -> None:
        self.arrived += text
        if self._text:
            self._emit(Streamed(self._parent_id, text))

    def notice(self, words: str) -> None:
        """How the answer is being made. What came before a further try is no part of it."""
        self.arrived = ""
        self._emit(Noticed(self._parent_id, words))


def make(
    action: Action,
    state: PathState,
    project: Project,
    roles: Roles,
    take_index: int,
    seed: str,
    stream: Stream,
) -> Awaitable[Made]:
    """The payload that an action calls for, by script, rule or role.

    Raises RoleError when the role fails, HumanNeeded when a human plays it.
    """
    if isinstance(action, Ask):
        view = state.view(action, project, take_index=take_index, seed=seed)
        if project.faults and action.call is not None:
            from .faulting import at_hand, fault_made

            if (fault := fault_made(view, state.injected)) is not None:
                return at_hand(fault)
        return _asked(action, view, roles, stream)
    return _by_script(action)


async def make_together(
    asks: Sequence[Ask],
    state: PathState,
    project: Project,
    roles: Roles,
    seed: str,
    receive: Receive,
    takes: Sequence[int] = (),
    streams: Sequence[Stream] = (),
) -> None:
    """Ask all of these at once; ``receive`` gets each answer, or the RoleError in its place.
    In the order of the questions, so that equal runs give equal bytes; an answer that has come
    while an earlier one is waited for is kept when that waiting is cancelled.

    ``takes`` are their take indices, where these are not first answers: then each is received as
    it comes. ``streams`` get their texts as they come, each its own.
    """
    numbered = zip(asks, takes or (0,) * len(asks), strict=True)
    views = [state.view(ask, project, take_index=take, seed=seed) for ask, take in numbered]
    faults: list[Made | None] = [None] * len(asks)
    if project.faults and asks[0].call is not None:
        from .faulting import faults_together

        faults = faults_together(views, state.injected, takes=bool(takes))
    waiting = deque(
        (ask, asyncio.create_task(_outcome(ask, view, roles, fault, stream)))
        for ask, view, fault, stream in zip(
            asks, views, faults, streams or (no_stream,) * len(asks), strict=True
        )
    )
    try:
        while waiting:
            if takes:
                await asyncio.wait([t for _, t in waiting], return_when=asyncio.FIRST_COMPLETED)
                while not waiting[0][1].done():
                    waiting.rotate(-1)
            ask, task = waiting[0]
            outcome = await task
            waiting.popleft()
            receive(ask, outcome)
    finally:
        for _, task in waiting:
            task.cancel()  # does nothing to one that is done
        await asyncio.gather(*(task for _, task in waiting), return_exceptions=True)
        for ask, task in waiting:
            if not task.cancelled() and task.exception() is None:
                receive(ask, task.result())


async def _outcome(
    ask: Ask, view: View, roles: Roles, fault: Made | None, stream: Stream
) -> Made | RoleError:
    try:
        return await _asked(ask, view, roles, stream) if fault is None else fault
    except RoleError as error:
        return error


async def _asked(ask: Ask, view: View, roles: Roles, stream: Stream) -> Made:
    try:
        answer = await _ask(roles, view, stream)
    except RollstepError:
        raise
    except Exception as error:
        raise _raised(error, ask, roles) from error
    return _made(answer, ask, roles, view.project)


def _raised(error: Exception, ask: Ask, roles: Roles) -> RoleError:
    """What a role of one's own raised in this process, as that role's failure."""
    return RoleError(
        f"The {ask.role} ({roles.name(ask.role)}) raised {type(error).__name__}: {error}",
        detail="".join(traceback.format_exception(error)),
    )


async def _by_script(action: Action) -> Made:
    """The payload of an action that asks nobody: the opening, or a stop by rule."""
    if isinstance(action, Opening):
        return Made(user_message(action.text), "script")
    assert isinstance(action, RuleStop)
    return Made(Stop(action.reason, "rule"), "rule")


def _ask(roles: Roles, view: View, stream: Stream) -> Awaitable[object]:
    if view.role == "target":
        return roles.target.reply(view, stream)
    if view.role == "evaluator":
        return roles.evaluator.next(view, stream)
    if roles.tool_simulator is None:
        name = view.call.name if view.call else "the call"
        raise RoleError(
            f"The project has no tool simulator to answer {name}. "
            "Write the result by hand, or give the project a tool_simulator.",
            kind="not_ready",
        )
    return roles.tool_simulator.respond(view, stream)


def _made(answer: object, ask: Ask, roles: Roles, project: Project) -> Made:
    origin: Origin = "script" if roles.kind(ask.role) in OFFLINE else "model"
    if not isinstance(answer, Answer):
        return Made(_checked(answer, ask, roles, project), origin)
    payload = _checked(answer.payload, ask, roles, project)
    if answer.origin is not None:
        copied = answer.copied_from
        index, state = answer.script_index, answer.state
        return Made(payload, answer.origin, index, state, copied_from=copied)
    if not answer.request:
        return Made(payload, origin, answer.script_index, answer.state, answer.call)
    from hashlib import blake2b  # OpenSSL stands behind it: not while the program starts

    body = answer.request.encode("utf-8", "surrogatepass")
    digest = blake2b(body, digest_size=16).hexdigest()
    call = answer.call
    if call is not None:
        call = msgspec.structs.replace(call, request=digest)
    request = (digest, answer.request)
    return Made(payload, origin, answer.script_index, answer.state, call, request)


def _checked(payload: object, ask: Ask, roles: Roles, project: Project) -> Payload:
    if ask.role == "target":
        if isinstance(payload, TargetReply):
            return payload
    elif ask.role == "tool":
        if isinstance(payload, ToolResult):
            return _for_call(payload, ask)
    elif isinstance(payload, UserMessage) or isinstance(payload, Stop):  # noqa: SIM101
        # One after the other: a union would be made anew, once a turn of every batch.
        return settle(payload, ask, project)
    raise RoleError(
        f"The {ask.role} ({roles.name(ask.role)}) gave a {type(payload).__name__}, "
        "which is no answer of its kind. Ask again, or write the step by hand.",
        kind="bad_reply",
        detail=repr(payload)[:2000],
    )


def _for_call(result: ToolResult, ask: Ask) -> ToolResult:
    assert ask.call is not None
    if result.call_id == ask.call.id:
        return result
    return msgspec.structs.replace(result, call_id=ask.call.id)
