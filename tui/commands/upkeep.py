"""``rollstep library check``, ``backup`` and ``compact``."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rollstep.core.store.upkeep import Progress, back_up, check, compact
from rollstep.tui.sanitize import one_line, visible

from .lists import library_path
from .progress import counted

_LISTED = 20


def check_library(library: Path | None) -> int:
    """Say how the library is; 1 where something in it cannot be read."""
    path = library_path(library)
    found = check(path, _progress("Checking"))
    _clear()
    for words in found.damage[:_LISTED]:
        click.echo(f"damaged: {one_line(words)}")
    for rollout_id, words in found.unreadable[:_LISTED]:
        click.echo(f"cannot be read: {one_line(rollout_id)}: {one_line(words)}")
    more = len(found.unreadable) - _LISTED
    if more > 0:
        click.echo(f"  … and {more:,} more")
    read = f"{counted(found.rollouts, 'rollout')}, {counted(found.steps, 'step')}"
    if found.well:
        click.echo(f"{visible(str(path))}: all is well; {read} read.")
        return 0
    click.echo(
        f"{visible(str(path))}: {read} read. Keep a copy of the file and of its -wal file. What can"
        " be read can be exported as bundles and imported into a new library.",
        err=True,
    )
    return 1


def back_up_library(to: Path, library: Path | None, *, force: bool) -> int:
    """Copy the library to a file."""
    path = library_path(library)
    size = back_up(path, to, force=force, progress=_progress("Copying"))
    _clear()
    click.echo(f"Copied {visible(str(path))} to {visible(str(to))}, {_megabytes(size)}, checked.")
    return 0


def compact_library(library: Path | None) -> int:
    """Give unused room back."""
    path = library_path(library)
    found = compact(path)
    click.echo(
        f"{visible(str(path))}: {_megabytes(found.before)} before, {_megabytes(found.after)} now."
    )
    return 0


def _progress(words: str) -> Progress | None:
    if not sys.stderr.isatty():
        return None

    def tell(done: int, of: int) -> None:
        if done % 100 == 0:
            click.echo(f"\r{words} {done:,} of {of:,} ", err=True, nl=False)

    return tell


def _clear() -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{' ' * 48}\r", err=True, nl=False)


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"
