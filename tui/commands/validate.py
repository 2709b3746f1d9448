"""``rollstep validate``: whether every record of a file is what its format asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rollstep.core.counting import read_words
from rollstep.core.importing.validating import Validation
from rollstep.tui.sanitize import visible

from .file_progress import FileLine
from .imports import check_named, exit_status, say_own
from .interrupting import INTERRUPTED, stop_on_interrupt
from .progress import say

_ODD_SHOWN = 10
"""So many records that are odd and still good are printed; the others are counted."""
_NAMED = 5
"""So many files that were passed over are named."""


def run_validate(files: Sequence[Path], format: str | None) -> int:
    """Print what is wrong, record by record, and the first that is odd; 1 when some would be
    refused, 2 when all. Raises RollstepError.
    """
    for file in files:
        check_named(file)
    progress, told = FileLine(), 0
    with stop_on_interrupt() as stop:
        work = Validation(files, format=format, progress=progress, stop=stop)
        try:
            for verdict in work.verdicts():
                progress.clear()
                word = "refused" if verdict.refused else "odd"
                told += not verdict.refused
                if verdict.refused or told <= _ODD_SHOWN:
                    for line in verdict.left.render().splitlines():
                        click.echo(visible(f"{word}: {line}"))
        finally:
            progress.clear()
    if told > _ODD_SHOWN:
        click.echo(f"odd: {told - _ODD_SHOWN:,} more")
    if names := [str(path) for path in work.walk.passed_over]:
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        say(f"passed over, for they hold no JSON: {', '.join(names[:_NAMED])}{more}")
    say_own(work.walk.own)
    tally = work.tally
    read = read_words(tally.read, "record", tally.formats.most_common())
    say(f"{read}: {tally.refused:,} refused, {tally.odd:,} odd")
    if work.walk.stopped:
        say("Stopped; what follows was not looked at.")
        return INTERRUPTED
    return exit_status(tally.refused, tally.read - tally.refused)
