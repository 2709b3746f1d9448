"""``rollstep export``: one branch of a rollout to a file, with a report of what is lost."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
from rollstep.core.errors import ExportError, InputError, UsageError
from rollstep.core.export import (
    Requests,
    export,
    export_report,
    format_named,
    provenance_beside,
    render,
    subject_of,
)
from rollstep.core.finding import find_rollout
from rollstep.core.provenance import provenance_of
from rollstep.core.session import Session
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library
from rollstep.tui.sanitize import visible
from rollstep.tui.target import OpenTarget
from rollstep.tui.targets import file_kind, parse_target

from .progress import say
from .rollouts import leaf_named


class ExportOptions(msgspec.Struct, frozen=True):
    """What the command line asked for. ``up_to`` is a number of steps, ``branch`` a name."""

    format: str
    output: Path
    library: Path
    up_to: int | None = None
    branch: str | None = None
    force: bool = False


def run_export(name: str, options: ExportOptions) -> int:
    """Export a rollout of the library, or of a bundle. Raises RollstepError."""
    if format_named(options.format).whole and str(options.output) == "-":
        raise UsageError("A bundle is written to a file. Name one that ends in .rollstep.jsonl.")
    target = parse_target(name)
    if target.path is not None:
        if file_kind(target.path) != "bundle":
            raise InputError(f"{name}: not a rollout. Name one of the library, or a bundle.")
        saved, requests = _from_bundle(target)
        return _write(saved, requests, target, options)
    with Library.open(options.library, create=False) as library:
        saved = library.load(find_rollout(library, target.rollout))
        return _write(saved, library.request, target, options)


def _from_bundle(target: OpenTarget) -> tuple[Saved, Requests]:
    from rollstep.core.store.bundle_reader import read_bundle

    assert target.path is not None
    warnings: list[str] = []
    rollouts = list(read_bundle(target.path, warnings))
    for warning in warnings:
        say(warning)
    if len(rollouts) != 1:
        lines = [f"  {saved.header.id}  {saved.header.title}" for saved, _ in rollouts]
        raise InputError(
            f"{target.path}: it holds {len(rollouts)} rollouts. Open it once, then export each "
            "from the library:\n" + "\n".join(lines)
        )
    saved, requests = rollouts[0]
    return saved, requests.get


def _write(saved: Saved, requests: Requests, target: OpenTarget, options: ExportOptions) -> int:
    session = Session.reopen(saved)
    leaf = _leaf(session, options.branch)
    up_to = options.up_to if options.up_to is not None else target.step
    subject = subject_of(
        session.rollout,
        leaf,
        up_to=up_to,
        marks=session.marks,
        scores=saved.scores,
        attempts=len(saved.attempts),
    )
    report = export_report(subject, options.format)
    say(report.render())
    if report.refused:
        raise ExportError("Nothing was written.")
    if str(options.output) == "-":
        _print(render(subject, options.format))
        return 0
    provenance = provenance_of(
        session.rollout, leaf, commands=saved.commands, silences=session.silences, up_to=up_to
    )
    export(
        subject,
        options.format,
        options.output,
        saved=saved,
        requests=requests,
        provenance=provenance,
        force=options.force,
    )
    say(f"wrote {options.output}")
    beside = provenance_beside(options.format, options.output)
    if beside is not None:
        say(f"wrote {beside}: {provenance.words() or 'no edits, no flags'}")
    return 0


def _print(data: bytes) -> None:
    """Write an export to stdout: as it is, but on a terminal nothing of it acts."""
    if sys.stdout.isatty():
        print(visible(data.decode("utf-8")), end="")
    else:
        sys.stdout.buffer.write(data)


def _leaf(session: Session, branch: str | None) -> str | None:
    """The leaf of the named branch, or of the branch that the head is on."""
    if branch is None:
        return session.rollout.newest_leaf(session.head)
    return leaf_named(session.branches, branch)
