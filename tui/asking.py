"""Questions to the library that may take long: one at a time for each who asks, and the one before
is taken back. Imports no Textual.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from rollstep.core.errors import StoppedError

if TYPE_CHECKING:
    from rollstep.core.store.library import Library
    from rollstep.core.store.long_read import LongRead
    from textual.screen import Screen

    from .rollstep_app import RollstepApp

T = TypeVar("T")

LONG_SECONDS = 0.3
"""What takes longer is said to be under way."""


class Asking:
    """Asks for one screen, beside all that the engine does meanwhile; ``changed`` is called when a
    question begins to take long, and when such a one is over.
    """

    def __init__(
        self, app: RollstepApp, screen: Screen[Any], changed: Callable[[], object] = bool
    ) -> None:
        self.takes_long = False
        """Whether an answer has been waited for longer than ``LONG_SECONDS``."""
        self._app = app
        self._screen = screen
        self._changed = changed
        self._read: LongRead[Any] | None = None

    @property
    def under_way(self) -> bool:
        """Whether an answer is waited for."""
        return self._read is not None

    def ask(self, work: Callable[[Library], T], then: Callable[[T], None]) -> None:
        """Have ``work`` done with the library, and ``then`` told its answer; unless another one is
        asked for before, or this one is taken back.
        """
        from rollstep.core.store.long_read import LongRead

        self.stop()
        read = self._read = LongRead(work)
        begun = self._app.controller.with_library(read.start)

        async def waiting() -> None:
            try:
                await asyncio.wrap_future(begun)
                answer = await asyncio.wrap_future(read.future)
                wanted = read is self._read
            except StoppedError:
                return
            finally:
                if read is self._read:
                    self._forget()
            if wanted:
                then(answer)

        self._app.later(waiting())
        self._screen.set_timer(LONG_SECONDS, lambda: self._is_long(read))

    def stop(self) -> bool:
        """Take back what is under way; whether something was."""
        read = self._read
        if read is None:
            return False
        self._forget()
        read.stop()
        return True

    def _forget(self) -> None:
        self._read = None
        if self.takes_long:
            self.takes_long = False
            self._changed()

    def _is_long(self, read: LongRead[Any]) -> None:
        if read is self._read:
            self.takes_long = True
            self._changed()
