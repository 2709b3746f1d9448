"""The only place that talks to the engine. Never blocks the screen's loop.

One command runs at a time, so that neither a key nor a click can race a running step. Results and
events come back as messages; ``post`` must be safe to call from another thread.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rollstep.core.events import Event, Streamed
from rollstep.core.model.messages import Payload

from .snapshot import Snapshot

if TYPE_CHECKING:
    from rollstep.core.budget import Forecast
    from rollstep.core.engine import Engine
    from rollstep.core.model.debugging import Breakpoint
    from rollstep.core.model.history import Draft
    from rollstep.core.model.project import Project
    from rollstep.core.model.steps import Role
    from rollstep.core.roles.llm_requests import Spec
    from rollstep.core.session import Session
    from rollstep.core.store.change import Saved, Summary
    from rollstep.core.store.library import Library
    from textual.message import Message

    from .start import RoleMaker
    from .target import OpenTarget

T = TypeVar("T")
_RESCUE_SECONDS = 30.0
After = Any
"""``stay``, ``keep`` or ``rerun``; the session checks it."""


class Controller:
    """Opens rollouts, hands commands to the open session, and gathers its events."""

    def __init__(
        self,
        engine: Engine,
        maker: RoleMaker,
        started: Future[None],
        *,
        throwaway: bool = False,
        roles: Path | None = None,
    ) -> None:
        """``started`` is done when the library is open; ``roles`` is a file that gives seed rows
        their roles.
        """
        self.engine = engine
        self.throwaway = throwaway
        self.maker = maker
        self.started = started
        self.roles = roles
        self.post: Callable[[Message], object] | None = None
        self._events: deque[tuple[int, Event]] = deque()
        self._generation = 0
        self._session: Session | None = None
        self._told = False
        self._rest_until = 0.0
        self._lock = threading.Lock()
        self._running: Future[Any] | None = None
        self._label = ""
        self._rescued = ""
        self._opened_words = ""
        engine.watch(self._on_event)

    # events

    def _on_event(self, event: Event) -> None:
        if self.engine.session is not self._session:
            return  # of a rollout that is being opened: it is in the snapshot of it
        with self._lock:
            self._events.append((self._generation, event))
            if isinstance(event, Streamed) and time.monotonic() < self._rest_until:
                return  # whoever asked for the rest looks for it then
            tell, self._told = not self._told, True
        # Before the app listens, the screen's thread may be in the middle of importing Textual.
        if tell and self.post is not None:
            from .messages import EngineNews

            self.post(EngineNews())

    def rest(self, seconds: float) -> None:
        """Tell of no more text that only goes on, for so long: it comes many times as often as it
        is painted, and the caller will take it then by itself.
        """
        self._rest_until = time.monotonic() + seconds

    def take_events(self) -> list[Event]:
        """The events since the last call, of the session that is open now."""
        with self._lock:
            self._told = False
            events = [event for number, event in self._events if number == self._generation]
            self._events.clear()
        return events

    # opening

    def open(self, target: OpenTarget) -> Future[Snapshot]:
        """Open what the target names. The future fails with a RollstepError that says why not."""
        return self.engine.submit(self._open(target))

    def open_project(self, project: Project, source: str = "") -> Future[Snapshot]:
        """A new rollout of a project that was made in the app."""
        return self.engine.submit(self._shown(self.engine.open_project(project, source=source)))

    def open_copy(self, project: Project, up_to: str | None, source: str) -> Future[Snapshot]:
        """A new rollout with the steps of the open one up to here."""
        from .copying import open_copy

        return self.engine.submit(self._shown(open_copy(self.engine, project, up_to, source)))

    async def _open(self, target: OpenTarget) -> Snapshot:
        from .opening import open_target

        self.maker.folder = target.path.parent if target.path is not None else None
        told: list[str] = []
        snapshot = await self._shown(open_target(self.engine, target, self.roles, told))
        self._opened_words = " ".join(told)
        return snapshot

    async def _shown(self, opening: Coroutine[Any, Any, Session]) -> Snapshot:
        await self._rescue()
        session = await opening
        with self._lock:
            self._generation += 1
            self._session = session
            self._events.clear()
        return self._snapshot(session)

    def _snapshot(self, session: Session) -> Snapshot:
        rollout = session.rollout
        return Snapshot(
            rollout.header,
            tuple(rollout.projects),
            tuple(rollout),
            frozenset(rollout.hidden),
            session.head,
            _leaf(session),
            session.branches,
            session.marks,
            session.scores,
            session.attempts,
            self.throwaway,
            session.silences,
            session.breakpoints,
            session.hits,
            _parked(session),
            session.commands,
            session.revision,
        )

    async def _rescue(self) -> None:
        # Here, and not where it is used: most programs end without ever needing it.
        session = self.engine.session
        if session is not None and session.unsaved and not self.throwaway:
            from .rescue import rescue

            self._rescued = rescue(session, self.engine.library) or self._rescued

    def take_opened_words(self) -> str:
        """What is to be said of what was opened; told once."""
        words, self._opened_words = self._opened_words, ""
        return words

    def take_rescued(self) -> str:
        """Where the steps are that the library could not take; told once."""
        words, self._rescued = self._rescued, ""
        return words

    def stop(self) -> None:
        """Save what waits, in a file of its own where the library cannot take it, and end the
        engine.
        """
        # A library that is locked by another program holds each of the two up for five seconds.
        if self.engine.session is not None:
            with suppress(TimeoutError):
                self.engine.submit(self._rescue()).result(_RESCUE_SECONDS)
        with suppress(TimeoutError):
            self.engine.stop()

    def let_go(self) -> None:
        """The debugger is left: runs may go on with its rollout, as long as nothing is done."""
        self.engine.submit(self.engine.let_go())

    def recent(self, limit: int = 50) -> Future[list[Summary]]:
        """The rollouts used last."""
        from rollstep.core.listing.newest import newest_rollouts

        async def asking() -> list[Summary]:
            library = self.engine.library
            return newest_rollouts(library, limit) if library is not None else []

        return self.engine.submit(asking())

    # commands

    @property
    def busy(self) -> bool:
        """Whether a command is running."""
        return self._running is not None and not self._running.done()

    @property
    def doing(self) -> str:
        """The label of the command that is running; empty for none."""
        return self._label if self.busy else ""

    def command(self, label: str, work: Callable[[Session], Coroutine[Any, Any, object]]) -> bool:
        """Run one command of the human; False when another is running still."""
        session = self.engine.session
        if self.busy or session is None:
            return False
        self._label = label
        future = self._running = self.engine.submit(work(session))
        future.add_done_callback(lambda done: self._ended(label, done))
        return True

    def _ended(self, label: str, future: Future[Any]) -> None:
        if self.post is None:
            return
        from .messages import CommandEnded

        if future.cancelled():
            self.post(CommandEnded(label, None, CancelledError()))
            return
        error = future.exception()
        self.post(CommandEnded(label, None if error else future.result(), error))

    def follow(self, leaf_id: str) -> None:
        """Commands that go on along recorded steps take the path to this leaf from now on."""
        self._call(lambda session: session.follow(leaf_id))

    def step(self, at: str | None) -> bool:
        """One step from here."""
        return self.command("step", lambda session: session.step(at))

    def turn(self, at: str | None) -> bool:
        """To the end of the turn."""
        return self.command("turn", lambda session: session.turn(at))

    def run(self, at: str | None) -> bool:
        """To the end, a limit, a breakpoint, or a pause."""

        async def running(session: Session) -> None:
            async for _ in session.run(at):
                pass

        return self.command("run", running)

    def run_to(self, at: str | None, step_id: str) -> bool:
        """As ``run``, but no further than to this step."""

        async def running(session: Session) -> bool:
            last = None
            async for step in session.run(at, lambda step: step.id == step_id):
                last = step.id
            return last == step_id

        return self.command("run to", running)

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> Future[object] | None:
        """Let runs pause here and nowhere else; one that is going on takes notice."""
        return self._quiet(lambda session: session.set_breakpoints(breakpoints))

    def let_through(self, role: Role) -> None:
        """While replaying, ask this role itself for what is not recorded."""
        self._call(lambda session: session.let_through(role))

    def pause(self) -> None:
        """Let a run end after the step that is being made."""
        self._call(lambda session: session.pause())

    def cancel(self) -> None:
        """Cancel the call in flight, and the run that it belongs to."""

        def stop(session: Session) -> None:
            session.pause()
            session.cancel()

        self._call(stop)

    def _call(self, work: Callable[[Session], object]) -> None:
        """Something quick that may interrupt a running command."""
        session = self.engine.session

        async def calling() -> None:
            if session is not None:
                work(session)

        self.engine.submit(calling())

    def write(self, payload: Payload, at: str | None, reason: str = "") -> bool:
        """The next step by hand."""
        return self.command("write", lambda session: session.write(payload, at, reason))

    def override(
        self, step_id: str, payload: Payload, after: After, reason: str, state: str | None = None
    ) -> bool:
        """A step by hand in the place of another; ``state`` is a simulator's, if it is edited."""
        return self.command(
            "override", lambda session: session.override(step_id, payload, after, reason, state)
        )

    def insert(self, after: str | None, payloads: Sequence[Payload], reason: str = "") -> bool:
        """New steps after this one."""
        return self.command("insert", lambda session: session.insert(after, payloads, reason))

    def delete(self, step_ids: Sequence[str]) -> bool:
        """Leave steps out."""
        return self.command("delete", lambda session: session.delete(step_ids))

    def undo(self) -> bool:
        """Take the last command back."""
        return self.command("undo", lambda session: session.undo())

    def redo(self) -> bool:
        """Bring back what undo took."""
        return self.command("redo", lambda session: session.redo())

    def revise(self, project: Project) -> bool:
        """Make later steps from a changed project."""
        return self.command("revise", lambda session: session.revise(project))

    def name_branch(self, leaf_id: str, name: str) -> bool:
        """Name a branch."""
        return self.command("name", lambda session: session.name_branch(leaf_id, name))

    def alternatives(self, step_id: str, n: int) -> Future[tuple[Payload, ...]]:
        """What the next takes of a step would say, where a script gives them."""
        session = self.engine.session
        assert session is not None
        return self.engine.submit(session.alternatives(step_id, n))

    # drafts, requests, saving, exporting

    def save_draft(self, slot: str, body: str) -> Future[object] | None:
        """Keep text that is being typed; the future fails with a StoreError that says why not."""
        return self._quiet(lambda session: session.save_draft(slot, body))

    def drop_draft(self, slot: str) -> None:
        """The text was saved as a step, or thrown away."""
        self._quiet(lambda session: session.drop_draft(slot))

    def drafts(self) -> Future[tuple[Draft, ...]]:
        """Texts that were typed and not saved as steps."""
        return self.engine.submit(self._drafts())

    async def _drafts(self) -> tuple[Draft, ...]:
        session = self.engine.session
        return await session.drafts() if session is not None else ()

    def _quiet(
        self, work: Callable[[Session], Coroutine[Any, Any, object]]
    ) -> Future[object] | None:
        session = self.engine.session
        return self.engine.submit(work(session)) if session is not None else None

    def forecast(self, at: str | None) -> Future[Forecast | None]:
        """What asking here would cost; nobody is asked."""

        async def reckoning() -> Forecast | None:
            session = self.engine.session
            return await session.forecast(at) if session is not None else None

        return self.engine.submit(reckoning())

    def warm_up(self, spec: Spec) -> None:
        """Load what asking this model needs; nobody waits for it."""
        self.engine.submit(self.maker.warm_up(spec))

    def request(self, digest: str) -> Future[str | None]:
        """The stored body of a request."""
        return self.with_library(lambda library: library.request(digest))

    def with_library(self, work: Callable[[Library], T]) -> Future[T | None]:
        """Ask the library something on the engine's thread; None without one."""

        async def asking() -> T | None:
            library = self.engine.library
            return work(library) if library is not None else None

        return self.engine.submit(asking())

    def saved(self) -> Future[Saved]:
        """The open rollout whole, for exports."""
        session = self.engine.session
        assert session is not None

        async def whole() -> Saved:
            return session.saved()

        return self.engine.submit(whole())

    @property
    def library_path(self) -> Path | None:
        """Where the library is."""
        library = self.engine.library
        return library.path if library is not None else None

    def save_again(self) -> Future[int]:
        """Try once more to save what could not be saved; how much is only in memory after it."""
        session = self.engine.session

        async def saving() -> int:
            return 0 if session is None or session.save_again() else session.unsaved

        return self.engine.submit(saving())

    def save_elsewhere(self) -> Future[str]:
        """Write the open rollout as a bundle outside of the library; its path, or nothing."""
        from .rescue import save_elsewhere

        session = self.engine.session

        async def saving() -> str:
            path = save_elsewhere(session, self.engine.library) if session is not None else None
            return str(path or "")

        return self.engine.submit(saving())


def _parked(session: Session) -> str:
    why = session.why_parked
    return f"parked: {why}" if why else ""


def _leaf(session: Session) -> str | None:
    leaf = session.head
    while (following := session.recorded_next(leaf)) is not None:
        leaf = following
    return leaf
