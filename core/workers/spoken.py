"""What is said in a member of a JSON object that arrives in pieces: told as it comes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_WHOLE = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
"""Characters of a JSON string, escapes only when all of them is there."""

_HALF_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")

_SPACE = 100
"""Characters that may stand between a member's name and its text."""


class Spoken:
    """Listens to an object's JSON text; ``tell`` gets what its ``member`` says."""

    def __init__(self, member: str, tell: Callable[[str], None]) -> None:
        self._begins = re.compile(rf'"{re.escape(member)}"\s*:\s*"')
        self._reach = len(member) + _SPACE
        self._tell = tell
        self._rest = ""
        self._within = False
        self._said: list[str] = []

    @property
    def text(self) -> str:
        """What was said so far."""
        return "".join(self._said)

    def add(self, piece: str) -> None:
        """Take the next piece of the object."""
        self._rest += piece
        if not self._within:
            begun = self._begins.search(self._rest)
            if begun is None:
                self._rest = self._rest[-self._reach :]
                return
            self._within, self._rest = True, self._rest[begun.end() :]
        said = _WHOLE.match(self._rest)
        assert said is not None
        ended = self._rest.startswith('"', said.end())
        ready = said[0] if ended else _HALF_PAIR.sub("", said[0])
        self._rest = self._rest[len(ready) :]
        if ready:
            text: str = json.loads(f'"{ready}"', strict=False)
            self._said.append(text)
            self._tell(text)
        self._within = not ended
