"""``rollstep diff``: two branches beside each other, as text or as JSON."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import msgspec
from rollstep.core.errors import RollstepError
from rollstep.tui.comparing.subjects import compare_subjects

from .diff_json import comparison_json
from .diff_text import Look, comparison_lines
from .progress import say
from .sources import source

_USUAL_WIDTH = 100
"""Columns where nobody says how wide the terminal is."""
_LEAST_WIDTH = 40


class DiffOptions(msgspec.Struct, frozen=True):
    """What the command line asked for. ``width`` is None where it did not say."""

    library: Path | None = None
    json: bool = False
    words: bool = False
    width: int | None = None


def run_diff(left: str, right: str, options: DiffOptions) -> int:
    """Compare what the two names mean, and print it: 0 when all steps are equal, 1 when some
    differ, 2 when they cannot be compared.
    """
    try:
        sides = source(left, options.library), source(right, options.library)
    except RollstepError as error:
        say(str(error))
        return 2
    comparison = compare_subjects(*sides)
    if options.json:
        sys.stdout.write(comparison_json(comparison, *sides))
    else:
        for line in comparison_lines(comparison, *sides, _look(options)):
            print(line)
    return 0 if comparison.equal else 1


def _look(options: DiffOptions) -> Look:
    width = options.width or shutil.get_terminal_size((_USUAL_WIDTH, 0)).columns
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    colours = colours and os.environ.get("TERM") != "dumb"
    return Look(max(width, _LEAST_WIDTH), options.words, colours)
