"""What the app is to open."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class OpenTarget(NamedTuple):
    """One of: a file, a rollout of the library (its id or the beginning of it), a sample.

    ``step`` is the number behind the ``#`` of a link: a step's ``seq``, which stays what it is
    whatever is forked; ``record`` the row of a seed file, counted from 0. ``recorded`` opens a
    sample's recorded rollout, at its first step, instead of the project afresh. ``beside`` is
    another rollout, and the end of a branch of it, to be compared with it at once.
    """

    path: Path | None = None
    rollout: str = ""
    sample: str = ""
    step: int | None = None
    record: int = 0
    recorded: bool = False
    beside: tuple[str, str | None] | None = None


def parse_link(text: str) -> tuple[str, int | None]:
    """``ROLLOUT#20`` cut in two; without a number the step is None."""
    name, sharp, number = text.rpartition("#")
    if sharp and number.isdigit() and name:
        return name, int(number)
    return text, None
