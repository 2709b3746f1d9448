"""Deltas put together, so that neither the pipe nor the screen is flooded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .model_reply import split_thinking

_SECONDS = 0.04
"""Between two pieces: as often as the screen may paint, and a little more."""


class Coalescing:
    """Passes text on at once, and then at most every 40 ms; what stands between think tags at the
    head of it is no text, and is not passed on.
    """

    def __init__(self, stream: Callable[[str], None]) -> None:
        self._stream = stream
        self._pieces: list[str] = []
        self._open = True  # may the text still be inside think tags?
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str) -> None:
        """More text."""
        self._pieces.append(text)
        if self._timer is None:
            self._pass_on()
            self._timer = asyncio.get_running_loop().call_later(_SECONDS, self._due)

    def flush(self) -> None:
        """Pass on what is left: there will be no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._pass_on(ended=True)

    def _due(self) -> None:
        self._timer = None
        if self._pass_on():
            self._timer = asyncio.get_running_loop().call_later(_SECONDS, self._due)

    def _pass_on(self, *, ended: bool = False) -> bool:
        text = "".join(self._pieces)
        if self._open and text:
            _, rest = split_thinking(text, ended=ended)
            if not rest:
                self._pieces = [text]
                return False
            self._open, text = False, rest
        self._pieces.clear()
        if text:
            self._stream(text)
        return bool(text)
