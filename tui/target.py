"""What the app is to open."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class OpenTarget(NamedTuple):
    """One of: a file, a rollout of the library (its id or the beginning of it), a sample.

    ``step`` is the number behind the ``#`` of a link: a step's ``seq``, which stays what it is
    whatever is forked; ``record`` the row of a seed file, counted from 0. ``recorded`` opens a
    sample's recorded rollout, at its first step, instead of the project afresh. ``beside`` is
    another rollout, and the end of a branch of it, to be compared with it at once. ``number`` is
    the sample of a log of another program, as people count, and ``nth`` its trajectory, from 0;
    without a number it is the only one that there is. ``read_as`` is the format that the log is
    read as, None to know it by what is in it.
    """

    path: Path | None = None
    rollout: str = ""
    sample: str = ""
    step: int | None = None
    record: int = 0
    recorded: bool = False
    beside: tuple[str, str | None] | None = None
    number: int | None = None
    nth: int = 0
    read_as: str | None = None


def parse_link(text: str) -> tuple[str, int | None]:
    """``ROLLOUT#20`` cut in two; without a number the step is None."""
    name, sharp, number = text.rpartition("#")
    if sharp and number.isdigit() and name:
        return name, int(number)
    return text, None
