"""A question to a library that may take long, and that can be taken back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from typing import Generic, TypeVar

from ..errors import StoppedError
from .beside import LibraryBeside
from .library import Library

T = TypeVar("T")


class LongRead(Generic[T]):
    """``work`` is asked on a thread of its own, of the library beside the one that is in use, so
    that rows, marks and other questions go on meanwhile.

    ``future`` has its answer, or StoppedError from the moment on that it was stopped: what the
    thread still finds out then, nobody learns.
    """

    def __init__(self, work: Callable[[Library], T]) -> None:
        self.future: Future[T] = Future()
        self._work = work
        self._lock = threading.Lock()
        self._beside: LibraryBeside | None = None

    def start(self, library: Library) -> None:
        """Ask; returns at once. Once only, and not at all where it was stopped before."""
        threading.Thread(target=self._run, args=(library,), name="long read", daemon=True).start()

    def stop(self) -> None:
        """Nobody wants the answer any more. From any thread, at any time, also again."""
        with self._lock:
            if not self.future.done():
                self.future.set_exception(StoppedError("Nobody wants to know any more."))
            if self._beside is not None:
                self._beside.stop()

    def _run(self, library: Library) -> None:
        try:
            with closing(LibraryBeside.of(library)) as beside:
                try:
                    if self._reads_with(beside):
                        answer = self._work(beside)
                        self._settle(lambda: self.future.set_result(answer))
                finally:
                    self._reads_with(None)
        except BaseException as error:  # noqa: BLE001  # whoever waits for the answer is told
            failure = error
            self._settle(lambda: self.future.set_exception(failure))

    def _reads_with(self, beside: LibraryBeside | None) -> bool:
        """Let ``stop`` reach what is being read with, or no longer; whether it was not stopped."""
        with self._lock:
            self._beside = beside
            return not self.future.done()

    def _settle(self, settle: Callable[[], None]) -> None:
        with self._lock:
            if not self.future.done():
                settle()
