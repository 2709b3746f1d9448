"""``rollstep list`` and ``rollstep samples``, and which library a command uses."""

from __future__ import annotations

from pathlib import Path

import click
from rollstep.core.samples import list_samples as all_samples
from rollstep.core.store.change import Summary
from rollstep.core.store.library import Library
from rollstep.tui.sanitize import one_line, visible
from rollstep.tui.settings import configuration, data_folder

from .progress import counted

LIBRARY_NAME = "library.sqlite"


def library_path(given: Path | None) -> Path:
    """The library that was named, or that of the configuration, or the user's own."""
    if given is not None:
        return given
    named = configuration().config.library
    return Path(named).expanduser() if named else data_folder() / LIBRARY_NAME


def list_rollouts(library: Path | None, limit: int) -> int:
    """Print one line for each rollout, the newest first."""
    path = library_path(library)
    if library is None and not path.exists():
        click.echo("There are no rollouts yet. `rollstep demo --keep` makes one.", err=True)
        return 0
    with Library.open(path, create=False) as opened:
        summaries = opened.recent(limit)
    for summary in summaries:
        click.echo(_line(summary))
    if not summaries:
        click.echo(f"The library {visible(str(path))} holds no rollouts yet.", err=True)
    return 0


def list_samples() -> int:
    """Print one line for each sample."""
    for sample in all_samples():
        click.echo(f"{sample.name:<22} {one_line(sample.title)}")
        click.echo(f"{'':<22} {one_line(sample.learn)}")
    return 0


def _line(summary: Summary) -> str:
    facts = ", ".join(
        (
            counted(summary.turns, "turn"),
            counted(summary.steps, "step"),
            counted(summary.edits, "edit"),
        )
    )
    title, source = one_line(summary.title), one_line(summary.source)
    return f"{one_line(summary.id)}  {title}  ({facts}; {one_line(summary.ending)})" + (
        f"  {source}" if source else ""
    )
