"""What is said in a member of a JSON object that arrives in pieces: told as it comes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_WHOLE = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
"""Characters of a JSON string, escapes only when all of them is there."""

_HALF_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")

_WITHIN = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)
"""Characters of a JSON string that nobody is told of."""

_BETWEEN = re.compile(r'[^"{}\[\],:]*')
"""What stands between the strings and the marks of a JSON text."""


class Spoken:
    """Listens to an object's JSON text; ``tell`` gets what its ``member`` says: the text of a
    string, the JSON of any other value but null. Members within its other members are not heard.
    """

    def __init__(self, member: str, tell: Callable[[str], None]) -> None:
        self._member = member
        self._tell = tell
        self._rest = ""
        self._said: list[str] = []
        self._depth = 0
        self._name = ""
        self._inner = 0
        self._in_string = False
        self._go_on: Callable[[], bool] | None = self._seek

    @property
    def text(self) -> str:
        """What was said so far."""
        return "".join(self._said)

    def add(self, piece: str) -> None:
        """Take the next piece of the object."""
        if self._go_on is None:
            return
        self._rest += piece
        while self._rest and self._go_on is not None and self._go_on():
            pass

    def _take(self, count: int) -> str:
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken

    def _say(self, text: str) -> None:
        if text:
            self._said.append(text)
            self._tell(text)

    # each of these takes what it can of the rest; whether another may go on with it

    def _seek(self) -> bool:
        """Between the strings of what is not told, up to the value of the member."""
        self._take(_end(_BETWEEN, self._rest))
        mark = self._take(1)
        if mark == '"':
            self._name, self._go_on = "", self._pass
        elif mark in ("{", "["):
            self._depth += 1
        elif mark in ("}", "]"):
            self._depth -= 1
        elif mark == ":" and self._depth == 1 and self._name == self._member:
            self._go_on = self._begin
        return True

    def _pass(self) -> bool:
        """Within a string that is not told: the name of a member, or its value."""
        passed = self._take(_end(_WITHIN, self._rest))
        self._name = (self._name + passed)[: len(self._member) + 1]
        if not self._rest.startswith('"'):
            return False
        self._take(1)
        self._go_on = self._seek
        return True

    def _begin(self) -> bool:
        self._rest = self._rest.lstrip()
        if self._rest.startswith('"'):
            self._take(1)
            self._go_on = self._read
        elif self._rest:
            self._go_on = self._seek if self._rest.startswith("n") else self._copy
        return bool(self._rest)

    def _read(self) -> bool:
        """The text of a string."""
        end = _end(_WHOLE, self._rest)
        said, ended = self._rest[:end], self._rest.startswith('"', end)
        ready = said if ended else _HALF_PAIR.sub("", said)
        self._take(len(ready))
        self._say(json.loads(f'"{ready}"', strict=False))
        if ended:
            self._go_on = None
        return False

    def _copy(self) -> bool:
        """A value as it is written."""
        if self._in_string:
            copied = _end(_WITHIN, self._rest)
            self._in_string = not self._rest.startswith('"', copied)
            self._say(self._take(copied if self._in_string else copied + 1))
            return not self._in_string
        copied = _end(_BETWEEN, self._rest)
        mark = self._rest[copied : copied + 1]
        if not self._inner and (not mark or mark in ",}]"):
            self._say(self._take(len(self._rest[:copied].rstrip())))
            if mark:
                self._go_on = None
            return False
        self._inner += (mark in ("{", "[")) - (mark in ("}", "]"))
        self._in_string = mark == '"'
        self._say(self._take(copied + 1))
        if not self._inner and mark in ("}", "]"):
            self._go_on = None
        return True


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    assert found is not None
    return found.end()
