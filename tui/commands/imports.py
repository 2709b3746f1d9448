"""``rollstep import``: trajectories of other programs into the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rollstep.core.counting import counted, outcome, read_words
from rollstep.core.errors import UsageError
from rollstep.core.importing import ImportSummary, Left, import_files
from rollstep.core.store.library import Library
from rollstep.tui.import_look import own_words

from .file_progress import FileLine
from .interrupting import INTERRUPTED, stop_on_interrupt
from .progress import say

_FIRST = 10
"""So many records that were left out are named; the others are counted."""


def run_import(files: Sequence[Path], library: Path, format: str | None) -> int:
    """Import files and folders; 1 when something was left out, 2 when nothing could be used.

    Raises RollstepError.
    """
    for file in files:
        check_named(file)
    progress = FileLine()
    try:
        with Library.open(library, durable=False) as opened, stop_on_interrupt() as stop:
            summary = import_files(files, opened, format=format, progress=progress, stop=stop)
    finally:
        progress.clear()
    _say_summary(summary, library)
    if summary.stopped:
        say("Stopped. What was read is saved; the same command goes on from there.")
        return INTERRUPTED
    return exit_status(summary.refused, summary.written + summary.grown + summary.held)


def check_named(path: Path) -> None:
    """Raise UsageError for stdin, which is not read."""
    if str(path) == "-" and not path.exists():
        raise UsageError("Files are read by name, and stdin is not: write it to a file first.")


def exit_status(refused: int, good: int) -> int:
    """0 when nothing was refused, 1 when some were, 2 when there was nothing else."""
    if not refused:
        return 0
    return 1 if good > 0 else 2


def say_left(left: Sequence[Left], count: int, what: str) -> None:
    """The first ten of what was left out, or is odd, and how many more there are."""
    for each in left[:_FIRST]:
        say("\n".join(f"{what}: {line}" for line in each.render().splitlines()))
    if (more := count - min(len(left), _FIRST)) > 0:
        say(f"{what}: {more:,} more; `rollstep validate` names all of them")


def say_own(own: int) -> None:
    """That files were passed over which rollstep wrote beside exports."""
    if own:
        say(own_words(own))


def _say_summary(summary: ImportSummary, library: Path) -> None:
    say_left(summary.notes, summary.odd, "odd")
    say_left(summary.left, summary.refused, "skipped")
    say_own(summary.own)
    passed = counted(summary.passed_over, "file")
    words = outcome(
        read_words(summary.read, "record", summary.formats),
        f"wrote {counted(summary.written, 'rollout')}",
        f"added to {summary.grown:,} that were there" if summary.grown else "",
        f"{summary.held:,} were there already" if summary.held else "",
        skipped=summary.refused,
        further=[f"passed over {passed} that hold no JSON" if summary.passed_over else ""],
    )
    say(f"{words}; library {library}")
