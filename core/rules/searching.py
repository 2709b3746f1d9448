"""Searching with a regular expression that somebody typed, in a text that anybody may have made.

Python's own search can take longer than a lifetime, lets nobody interrupt it and holds up every
thread meanwhile, so that neither the screen nor Esc would answer. How long an expression can take
for a text of some length is worked out from its repeats: what is surely quick is searched here,
anything else by a child process that is ended after ``PATIENCE`` seconds.
"""

from __future__ import annotations

import atexit
import importlib
import re
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

Search = Callable[..., Any]
"""Like ``re.Pattern.search``; what it gives is true or false."""

PATIENCE = 1.0
"""Seconds for one search in the child process. An expression that took longer is not tried again
on texts that it could take long for."""

_STEPS = 4_000_000
"""So many steps of Python's search take a few hundredths of a second."""

_SHORT = 14
"""Characters for which even repeats in repeats are quick."""

_MANY = 50
"""A repeat of up to so many times or more counts as one without an end."""

_ONE = {"LITERAL", "NOT_LITERAL", "IN", "ANY", "CATEGORY", "AT", "RANGE"}
"""What matches one character, or none, in one way."""

_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}

_too_slow: set[str] = set()


def is_too_slow(regex: str) -> bool:
    """Whether a search for this has run out of time in this process."""
    return regex in _too_slow


@lru_cache(maxsize=512)
def searcher(regex: str, otherwise: bool) -> Search:
    """The search for an expression that compiles; it gives ``otherwise`` for a text that it would
    take too long for.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what may mean something else one day
        compiled = re.compile(regex)
        longest, needed = _quick_up_to(regex, compiled.flags)
    search = compiled.search
    if longest > 1_000_000:
        return search

    def bounded(text: str, start: int = 0, end: int = sys.maxsize) -> Any:
        if min(len(text), end) - start <= longest:
            return search(text, start, end)
        if needed not in text:
            return False
        if regex in _too_slow:
            return otherwise
        found = _beside.search(regex, text[start:end])
        if found is None:
            _too_slow.add(regex)
            return otherwise
        return found

    return bounded


@lru_cache(maxsize=512)
def quick_up_to(regex: str) -> int:
    """Up to how many characters a search for an expression that compiles is surely quick."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _quick_up_to(regex, re.compile(regex).flags)[0]


def _quick_up_to(regex: str, flags: int) -> tuple[int, str]:
    """Up to how many characters a search is surely quick, and a text without which nothing is
    found.
    """
    parts = list(importlib.import_module("re._parser").parse(regex))
    weight = _Weight()
    weight.add(parts)
    if weight.nested:
        longest = _SHORT
    else:
        anchored = bool(parts) and str(parts[0][0]) == "AT" and not flags & re.MULTILINE
        power = weight.repeats + (0 if anchored and "BEGINNING" in str(parts[0][1]) else 1)
        longest = int((_STEPS / weight.ways) ** (1 / power)) if power else _STEPS
    return longest, "" if flags & re.IGNORECASE else _needed(parts)


class _Weight:
    """What makes an expression slow: its endless repeats, and the ways to try at one place."""

    def __init__(self) -> None:
        self.repeats = 0
        self.ways = 1.0
        self.nested = False

    def add(self, parts: Iterable[Any]) -> None:
        """These parts, one after the other, are in it."""
        for op, value in parts:
            name = str(op)
            if name in _REPEATS:
                self._add_repeat(*value)
            elif name == "BRANCH":
                self.ways = min(self.ways * len(value[1]), 1e12)
                for each in value[1]:
                    self.add(each)
            elif name not in _ONE:
                self.add_inner(value)

    def add_inner(self, value: Any) -> None:
        """Groups and conditions, whatever their kind: their parts are in there somewhere."""
        inner = value if isinstance(value, tuple) else (value,)
        for each in inner:
            if hasattr(each, "getwidth"):
                self.add(each)

    def _add_repeat(self, least: int, most: int, parts: Any) -> None:
        if not _one_way(parts):
            # Each time round may end in several places, and so on for the next.
            self.nested = self.nested or most > 1
            self.ways *= 2
            self.add(parts)
        elif most >= _MANY and most != least:
            self.repeats += 1
        else:
            self.ways = min(self.ways * (most - least + 1), 1e12)


def _one_way(parts: Iterable[Any]) -> bool:
    """Whether these match in one way only, where they match."""
    for op, value in parts:
        name = str(op)
        if name in _ONE:
            continue
        if name == "SUBPATTERN" and _one_way(value[-1]):
            continue
        if name in _REPEATS and value[0] == value[1] and _one_way(value[2]):
            continue
        return False
    return True


def _needed(parts: Iterable[Any]) -> str:
    """The longest run of letters that stands in every match."""
    longest = run = ""
    for op, value in parts:
        run = run + chr(value) if str(op) == "LITERAL" else ""
        longest = max(longest, run, key=len)
    return longest


class _Beside:
    """The child process that searches; one at a time asks it."""

    _CODE = """
import re, signal, struct, sys
take, give = sys.stdin.buffer, sys.stdout.buffer
while len(head := take.read(8)) == 8:
    words = [take.read(n).decode("utf-8", "surrogatepass") for n in struct.unpack(">II", head)]
    signal.alarm(5)  # if whoever asked was killed meanwhile, this process ends by itself
    give.write(b"1" if re.search(*words) else b"0")
    signal.alarm(0)
    give.flush()
"""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def search(self, regex: str, text: str) -> bool | None:
        """Whether it is found; None when that took too long."""
        words = [each.encode("utf-8", "surrogatepass") for each in (regex, text)]
        with self._lock:
            try:
                child = self._started()
                assert child.stdin is not None
                child.stdin.write(struct.pack(">II", *map(len, words)) + b"".join(words))
                child.stdin.flush()
                answer = _answer(child)
            except OSError:  # no process to be had, or it was ended by somebody
                answer = b""
            if not answer:
                self.end()
                return None
            return answer == b"1"

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            import subprocess

            command = [sys.executable, "-I", "-S", "-c", self._CODE]
            pipe = subprocess.PIPE
            self._child = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
            )
            atexit.register(self.end)
        return self._child

    def end(self) -> None:
        """End the child process; the next search starts another."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            with suppress(OSError):
                child.communicate()
            atexit.unregister(self.end)


def _answer(child: subprocess.Popen[bytes]) -> bytes:
    import select

    assert child.stdout is not None
    ready, _, _ = select.select([child.stdout], [], [], PATIENCE)
    return child.stdout.read(1) if ready else b""


_beside = _Beside()
