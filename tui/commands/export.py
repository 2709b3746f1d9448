"""``rollstep export``: branches of rollouts to files, with a report of what is lost."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from rollstep.core.errors import InputError, UsageError
from rollstep.core.exporting.items import AnyItem, Item, from_bundle, several, where
from rollstep.core.exporting.many import export_many
from rollstep.core.exporting.plan import Plan, check_plan, is_document
from rollstep.core.exporting.provenance import provenance_path
from rollstep.core.exporting.tally import ExportSummary
from rollstep.core.finding import find_rollout
from rollstep.core.store.library import Library
from rollstep.core.workers.keyring_keys import remember_kept
from rollstep.tui.sanitize import visible
from rollstep.tui.target import OpenTarget
from rollstep.tui.targets import file_kind, parse_target

from .interrupting import INTERRUPTED, stop_on_interrupt
from .progress import StatusLine, say
from .slow_query import tell_if_slow

STDOUT = "-"
_NAMED = 8
"""Files of a folder that are named; more are counted."""


class ExportOptions(msgspec.Struct, frozen=True):
    """What the command line asked for, besides the plan. ``look`` writes nothing."""

    output: str
    library: Path
    where: str = ""
    force: bool = False
    look: bool = False


def run_export(names: tuple[str, ...], plan: Plan, options: ExportOptions) -> int:
    """Export rollouts of the library, or of bundles; the exit status. Raises RollstepError."""
    check_plan(plan)  # before anything is read
    if words := remember_kept():
        say(words)
    warnings: list[str] = []
    if options.where:
        with Library.open(options.library, create=False) as library:
            count, found = where(library, options.where)
            tell_if_slow(options.where)
            if not count:
                raise InputError(f"No rollout in {library.path} is meant by {options.where!r}.")
            return _export(found, True, count, plan, options)
    targets = [parse_target(name) for name in names]
    items = _named(targets, options.library, warnings)
    many, items = several(items)
    known = all(target.path is None for target in targets)
    status = _export(items, many, len(names) if known else 0, plan, options)
    for warning in warnings:
        say(warning)
    return status


def _named(targets: list[OpenTarget], path: Path, warnings: list[str]) -> Iterator[Item]:
    """The rollouts that were named; all names are looked up before the first one is given."""
    for target in targets:
        if target.path is not None and file_kind(target.path) != "bundle":
            words = "not a rollout. Name one of the library, or a bundle."
            raise InputError(f"{target.path}: {words}")
    if all(target.path is not None for target in targets):
        for target in targets:
            yield from _in_bundle(target, warnings)
        return
    with Library.open(path, create=False) as library:
        ids = [find_rollout(library, t.rollout) if t.path is None else "" for t in targets]
        for target, rollout_id in zip(targets, ids, strict=True):
            if target.path is not None:
                yield from _in_bundle(target, warnings)
            else:
                yield Item(library.load(rollout_id), library.request, target.step)


def _in_bundle(target: OpenTarget, warnings: list[str]) -> Iterator[Item]:
    assert target.path is not None
    for item in from_bundle(target.path, warnings):
        yield msgspec.structs.replace(item, up_to=target.step)


def _export(
    items: Iterable[AnyItem], many: bool, total: int, plan: Plan, options: ExportOptions
) -> int:
    if options.look:
        return _look(items, many, plan)
    if options.output == STDOUT:
        return _to_stdout(items, many, plan)
    line = StatusLine()

    def told(summary: ExportSummary) -> None:
        of = f" of {total:,}" if total > 1 else ""
        words = f"{summary.rollouts:,}{of} rollouts, {summary.rows:,} rows"
        line.tell(lambda seconds: f"{words}, {summary.rollouts / max(seconds, 0.1):,.0f}/s")

    def before(summary: ExportSummary) -> None:
        line.clear()
        _say_report(summary)

    with stop_on_interrupt() as stop:
        try:
            summary = export_many(
                plan,
                items,
                options.output,
                several=many,
                force=options.force,
                progress=told,
                stop=stop,
                before=before,
            )
        finally:
            line.clear()
    if summary.stopped:
        say("Stopped. Nothing was written.")
        return INTERRUPTED
    say_written(summary)
    if many or summary.trajectories > 1:
        say(summary.counts())
    return summary.exit_status


def _look(items: Iterable[AnyItem], many: bool, plan: Plan) -> int:
    from rollstep.core.exporting.many import survey

    summary = survey(plan, items, several=many)
    _say_report(summary)
    say(summary.counts().replace("wrote", "would write"))
    return summary.exit_status


def _to_stdout(items: Iterable[AnyItem], many: bool, plan: Plan) -> int:
    """One file of rows, or one document, to stdout; its provenance has no place there."""
    check_stdout(plan, many)
    with tempfile.TemporaryDirectory(prefix="rollstep-") as folder:
        path = Path(folder) / "export"
        summary = export_many(plan, items, path, several=many, before=_say_report)
        print_file(path)
    return summary.exit_status


def check_stdout(plan: Plan, many: bool) -> None:
    """Raise UsageError for what is no one file of text."""
    fmt = plan.fmt
    if fmt.whole:
        raise UsageError("A bundle is written to a file. Name one that ends in .rollstep.jsonl.")
    if plan.train_split is not None or (many and is_document(fmt) and fmt.collect is None):
        raise UsageError("That makes several files: name a folder for them, not stdout.")


def say_written(summary: ExportSummary) -> None:
    """The files that are there now, with what stands beside them."""
    for path in summary.files:
        inside = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else []
        said = inside or [path, *(each for each in [provenance_path(path)] if each.exists())]
        if len(inside) > _NAMED:
            say(f"wrote {len(inside):,} files to {path}")
            said = [each for each in inside if _is_provenance(each)]
        for each in said:
            say(f"wrote {each}{f': {_told(summary)}' if _is_provenance(each) else ''}")


def _is_provenance(path: Path) -> bool:
    return path.name.endswith("provenance.jsonl")


def _say_report(summary: ExportSummary) -> None:
    for line in summary.skips() if summary.rollouts > 1 or summary.trajectories > 1 else ():
        say(line)
    for line in summary.report():
        say(line)
    say_secrets(summary)


def say_secrets(summary: ExportSummary) -> None:
    """That secrets were found, and what is done with them."""
    if summary.secrets and not summary.redacted:
        say("Secrets are written as they stand; --redact replaces them.")


def _told(summary: ExportSummary) -> str:
    counts = ((summary.edits, "edit"), (summary.flags, "flag"))
    words = [f"{n:,} {what}{'' if n == 1 else 's'}" for n, what in counts if n]
    return " and ".join(words) or "no edits, no flags"


def print_file(path: Path) -> None:
    """Write an export to stdout: as it is, but on a terminal nothing of it acts."""
    if sys.stdout.isatty():
        print(visible(path.read_text("utf-8")), end="")
        return
    with open(path, "rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
