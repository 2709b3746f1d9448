"""``rollstep stats``: the numbers of the rollouts that a query means."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rollstep.core.listing.stats import count_rollouts
from rollstep.core.store.library import Library

from .lists import library_path
from .slow_query import tell_if_slow


def show_stats(query: str, library: Path | None, *, as_json: bool) -> int:
    """Print them as tables, or as one JSON document. Raises QueryError, StoreError."""
    with Library.open(library_path(library), create=False) as opened:
        stats = count_rollouts(opened, query, _progress if sys.stderr.isatty() else None)
    tell_if_slow(query)
    status = 1 if stats.unreadable else 0
    if as_json:
        import json

        import msgspec

        # Escapes: lone surrogates are legal in our texts.
        click.echo(json.dumps(msgspec.to_builtins(stats), indent=2))
        return status
    from rich.console import Console
    from rollstep.tui.stats_tables import stats_tables

    Console(highlight=False, emoji=False, markup=False).print(stats_tables(stats, query))
    return status


def _progress(done: int, of: int) -> bool:
    if done % 500 == 0 and of > 1000:
        click.echo(f"\r{done:,} of {of:,}", err=True, nl=False)
    if done == of - 1 and of > 1000:
        click.echo("\r" + " " * 40 + "\r", err=True, nl=False)
    return True
