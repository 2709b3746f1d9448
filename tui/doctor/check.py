"""One line of the doctor's report."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["ok", "note", "problem"]
"""All is well; it works, but not as well as it could; something will not work."""


class Check(NamedTuple):
    """What was looked at, how it is, in words, and what to do about it."""

    about: str
    level: Level
    words: str
    todo: str = ""


def ok(about: str, words: str) -> Check:
    """All is well."""
    return Check(about, "ok", words)


def note(about: str, words: str, todo: str = "") -> Check:
    """It works, but not as well as it could."""
    return Check(about, "note", words, todo)


def problem(about: str, words: str, todo: str) -> Check:
    """Something will not work."""
    return Check(about, "problem", words, todo)
