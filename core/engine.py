"""Runs sessions on a thread and loop of their own, so that a stalled terminal stalls only the
picture, and no call, file or search runs on the screen's loop.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .casting import RolesFor
from .errors import InputError, StoreError, UsageError
from .events import CommandDone, Event, Unsaved
from .leases import Claim
from .model.project import Project
from .session import Session
from .store.change import Summary

if TYPE_CHECKING:
    from .store.library import Library

T = TypeVar("T")

_LOOK_EVERY = 1.0
"""Seconds between two looks at whether another program wrote to the library."""


class Engine:
    """A thread with an event loop, a library, and the session that is open.

    Everything but ``start``, ``submit`` and ``stop`` runs on the engine's own thread.
    """

    def __init__(
        self,
        library: Path | None = None,
        *,
        roles: RolesFor | None = None,
        author: str = "",
        open_library: Callable[[], Library] | None = None,
        at_end: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """``library`` is the file of the library; ``open_library`` opens another kind of one.
        ``at_end`` ends what the roles of all its sessions share.
        """
        self.library: Library | None = None
        self.session: Session | None = None
        self._path = library
        self._open_library = open_library
        self._roles = roles
        self._at_end = at_end
        self._author = author
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._watchers: list[Callable[[Event], None]] = []
        self._unwatch: Callable[[], None] | None = None
        self._looker: asyncio.Task[None] | None = None
        self._claim: Claim | None = None
        self._is_left = False
        """Whether the claim is to be given up when the command is over that is under way."""

    def start(self) -> concurrent.futures.Future[None]:
        """Start the thread and open the library; the future fails when it cannot be opened."""
        loop = self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_run, args=(loop,), name="engine", daemon=True)
        self._thread.start()
        return self.submit(self._open())

    @property
    def author(self) -> str:
        """The name that edits and marks carry."""
        return self._author

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run a coroutine on the engine's loop, from any thread."""
        if self._loop is None:
            work.close()
            raise UsageError("The engine is not running: call start() first.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def watch(self, callback: Callable[[Event], None]) -> None:
        """Be told of the open session's events, whichever it is; called on the engine's thread."""
        self._watchers.append(callback)

    def stop(self, timeout: float = 5.0) -> None:
        """Save what waits, close everything, and end the thread. May be called from any thread."""
        if self._loop is None or self._thread is None:
            return
        closing = self.submit(self._close())
        try:
            closing.result(timeout)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout)
            self._loop = self._thread = None

    async def open_project(
        self,
        project: Project,
        *,
        source: str = "",
        record: int | None = None,
        seed: int = 0,
    ) -> Session:
        """A new rollout of a project becomes the open session."""
        return await self._show(
            Session.start(
                project,
                library=self.library,
                seed=seed,
                source=source,
                record=record,
                roles=self._roles,
                author=self._author,
            )
        )

    async def open_rollout(self, rollout_id: str) -> Session:
        """A rollout of the library becomes the open session. Raises InputError, StoreError, and
        UsageError for an engine without a library.
        """
        if self.library is None:
            raise UsageError("This engine has no library to open a rollout from.")
        saved = self.library.load(rollout_id)
        session = await self._show(
            Session.reopen(saved, self.library, roles=self._roles, author=self._author)
        )
        self._claim = Claim(self.library, rollout_id, lambda: self._take_in(session))
        session.claim(self._claim)
        return session

    async def recent(self, limit: int = 50) -> list[Summary]:
        """The rollouts used last, newest first."""
        return self.library.recent(limit) if self.library is not None else []

    async def let_go(self) -> None:
        """The human has turned to something else: other programs may go on with the open rollout,
        as soon as the command is over that is under way in it.
        """
        self._is_left = True
        self._let_go_when_over()

    def _let_go_when_over(self) -> None:
        session, claim = self.session, self._claim
        if self._is_left and claim is not None and session is not None and not session.commanded:
            self._is_left = False
            claim.let_go()

    async def close_session(self) -> None:
        """Save and close the open session."""
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        if self.session is not None:
            session, self.session = self.session, None
            await session.close()
        self._is_left = False
        if self._claim is not None:
            self._claim.let_go()
            self._claim = None

    async def _show(self, session: Session) -> Session:
        await self.close_session()
        self.session = session
        self._unwatch = session.subscribe(self._tell)
        return session

    def _tell(self, event: Event) -> None:
        for watcher in tuple(self._watchers):
            watcher(event)
        if self._is_left and self.session is not None and self._loop is not None:
            if isinstance(event, CommandDone) and self.session.commanded:
                self._is_left = False  # the human is back, and has done something else meanwhile
            self._loop.call_soon(self._let_go_when_over)  # when what is told of has been saved

    async def _open(self) -> None:
        if self._open_library is not None:
            self.library = self._open_library()
        elif self._path is not None:
            from .store.library import Library

            self.library = Library.open(self._path)
        if self.library is not None:
            self._looker = asyncio.get_running_loop().create_task(self._look_for_others())

    async def _look_for_others(self) -> None:
        assert self.library is not None
        version = self.library.data_version()
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            session = self.session
            try:
                now = self.library.data_version()
                if now == version or session is None or session.busy or session.unsaved:
                    continue
                version = now
                self._take_in(session)
            except InputError:
                continue  # our rollout has no step yet: the library does not know it
            except StoreError as error:
                self._tell(Unsaved(str(error), session.unsaved if session else 0))

    def _take_in(self, session: Session) -> bool:
        """What others have made of the rollout; whether a step was among it."""
        assert self.library is not None
        # From before the first gap: another program's steps may lie below our newest.
        known, before = session.rollout.seqs_without_gap(), len(session.rollout)
        news = self.library.news(session.rollout.header.id, known)
        session.merge(news.steps, news)
        return len(session.rollout) > before

    async def _close(self) -> None:
        if self._looker is not None:
            self._looker.cancel()
        await self.close_session()
        if self.library is not None:
            self.library.close()
            self.library = None
        if self._at_end is not None:
            await self._at_end()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()
