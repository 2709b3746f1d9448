"""``rollstep convert``: from one format to another, without a library."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from rollstep.core.counting import read_words
from rollstep.core.errors import InputError, UsageError
from rollstep.core.exporting.items import several
from rollstep.core.exporting.many import export_many
from rollstep.core.exporting.plan import Plan
from rollstep.core.exporting.tally import ExportSummary
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.table import FORMATS
from rollstep.core.importing.items import items_of
from rollstep.core.importing.tally import Tally
from rollstep.core.importing.walking import Walk
from rollstep.core.workers.keyring_keys import remember_kept

from .export import STDOUT, check_stdout, print_file, say_secrets, say_written
from .file_progress import FileLine
from .imports import check_named, exit_status, say_left, say_own
from .interrupting import INTERRUPTED, stop_on_interrupt
from .progress import say


class ConvertOptions(msgspec.Struct, frozen=True):
    """``format`` is told from the name of the output where it is empty; ``source`` is the format
    that everything is read as, where it is not to be recognised. ``redact`` puts markers where
    secrets stand. ``choices`` are those of ``WriteOptions`` that are made.
    """

    format: str = ""
    source: str | None = None
    force: bool = False
    redact: bool = False
    choices: dict[str, Any] = {}


class _Stopped(Exception):
    """Somebody has said stop, and what is written so far is not to be kept."""


def run_convert(path: Path, output: str, options: ConvertOptions) -> int:
    """Convert a file or a folder; 1 when something was left out. ``output`` is a file, a folder
    where it ends in a slash, or - for stdout. Raises RollstepError.
    """
    check_named(path)
    plan = Plan(
        format=options.format or format_by_name(Path(output)),
        redact=options.redact,
        options=WriteOptions(**options.choices),
    )
    if plan.fmt.rows is not None:  # rows that were read as branches of a tree are rows again
        plan = msgspec.structs.replace(plan, branches="kept")
    elif plan.fmt.collect is not None:  # and what holds branches gets them all
        plan = msgspec.structs.replace(plan, branches="all")
    if words := remember_kept():
        say(words)
    progress, tally = FileLine(), Tally()

    def before(summary: ExportSummary) -> None:
        progress.clear()
        if walk.stopped:
            raise _Stopped
        say_own(walk.own)
        _say_report(summary, tally)

    with stop_on_interrupt() as stop:
        walk = Walk([path], tally, format=options.source, progress=progress, stop=stop)
        try:
            many, items = several(items_of(walk, forced=options.source is not None))
        except InputError:
            progress.clear()
            return _nothing(tally, walk)
        try:
            with _place(output, plan, many) as place:
                summary = export_many(
                    plan,
                    items,
                    place,
                    several=many,
                    force=options.force,
                    stop=lambda: walk.stopped,
                    before=before,
                )
                if output == STDOUT and not summary.stopped:
                    print_file(Path(place))
        except _Stopped:
            summary = ExportSummary(plan.format, stopped=True)
        finally:
            progress.clear()
    if summary.stopped:
        say("Stopped. Nothing was written.")
        return INTERRUPTED
    if output != STDOUT:
        say_written(summary)
    read = read_words(tally.read, "record", tally.formats.most_common())
    say(summary.counts(read, tally.refused))
    return exit_status(tally.refused + summary.refused, summary.rows)


@contextmanager
def _place(output: str, plan: Plan, many: bool) -> Iterator[str]:
    """Where it is written: for stdout a file that is then printed, and nothing beside it."""
    if output != STDOUT:
        yield output
        return
    check_stdout(plan, many)
    with tempfile.TemporaryDirectory(prefix="rollstep-") as folder:
        yield str(Path(folder) / "converted")


def _nothing(tally: Tally, walk: Walk) -> int:
    """Nothing can be read: why, and the exit status."""
    say_own(walk.own)
    say_left(tally.left, tally.refused, "skipped")
    say("Nothing was written.")
    return INTERRUPTED if walk.stopped else 2


def format_by_name(output: Path) -> str:
    """The format whose files are named so. Raises UsageError where none is, or several are."""
    name = output.name
    fits = {fmt.name: fmt for fmt in FORMATS.values() if fmt.writes and name.endswith(fmt.suffix)}
    longest = max((len(fmt.suffix) for fmt in fits.values()), default=0)
    found = [fmt.name for fmt in fits.values() if len(fmt.suffix) == longest]
    if len(found) == 1:
        return found[0]
    names = found or [fmt.name for fmt in FORMATS.values() if fmt.writes]
    raise UsageError(f"Name the format with --format: {', '.join(names)}.")


def _say_report(summary: ExportSummary, tally: Tally) -> None:
    say_left(tally.notes, tally.odd, "odd")
    say_left(tally.left, tally.refused, "skipped")
    for skipped in summary.skipped[:10]:
        say(f"skipped {skipped.render()}")
    if (more := summary.refused - min(len(summary.skipped), 10)) > 0:
        say(f"skipped: {more:,} more")
    for line in summary.report():
        say(line)
    say_secrets(summary)
