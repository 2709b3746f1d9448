"""``rollstep review``: a queue begun or gone on with, then its screen."""

from __future__ import annotations

import sys
import time
from datetime import datetime
from pathlib import Path

import click
from rollstep.core.review.keeping import (
    ListedQueue,
    begin_queue,
    listed_queues,
    unfinished_queue,
)
from rollstep.core.store.library import Library
from rollstep.tui.sanitize import one_line
from rollstep.tui.settings import configuration

from .lists import library_path
from .slow_query import tell_if_slow


def review(query: str, library: Path | None, name: str | None, *, new: bool) -> int:
    """Raises QueryError, InputError and StoreError before any screen is shown. A queue that was
    begun in the library on a selection is gone on with by the words that it is listed by.
    """
    from rollstep.tui.app import author_of, run_app

    by = author_of(configuration().config) if name is None else name
    path = library_path(library)
    with Library.open(path, create=False) as opened:
        looked_at = time.time()
        queue = None if new else unfinished_queue(opened, query, by)
        if queue is None:
            from rollstep.core.listing.rollout_list import parse_query

            parse_query(query)
            _look_through(opened)
            since = None if new else looked_at
            queue = begin_queue(opened, query, by, time.time(), since=since)
            tell_if_slow(query)
    return run_app(library=path, review=queue)


def list_queues(library: Path | None) -> int:
    """Print one line for each queue, the last begun first."""
    with Library.open(library_path(library), create=False) as opened:
        queues = listed_queues(opened)
    for queue in queues:
        click.echo(_line(queue))
    if not queues:
        click.echo("No queue was begun yet: rollstep review QUERY begins one.", err=True)
    return 0


def _line(listed: ListedQueue) -> str:
    queue, done = listed
    frozen = datetime.fromtimestamp(queue.frozen_at).strftime("%Y-%m-%d %H:%M")
    left = f"{done.left:,} of {done.total:,} left" if done.left else f"all {done.total:,} decided"
    counts = f"A {done.accepted:,}  R {done.rejected:,}  M {done.unsure:,}"
    by = one_line(queue.by) or "nobody named"
    if listed.is_foreign:
        counts = "kept by another version of rollstep"
        return f"{frozen}  {by}  {one_line(queue.query or 'all rollouts')}  ({counts})"
    return f"{frozen}  {by}  {one_line(queue.query or 'all rollouts')}  ({left}; {counts})"


def _look_through(library: Library) -> None:
    """Work out what queries ask of rollouts that have changed, and say so where it takes long."""
    from rollstep.core.listing.up_to_date import looking_through

    of, told = 0, False
    for left in looking_through(library):
        of = max(of, left)
        told = of > 500 and sys.stderr.isatty()
        if told:
            click.echo(f"\rlooking through {of - left:,} of {of:,}", err=True, nl=False)
    if told:
        click.echo("\r" + " " * 50 + "\r", err=True, nl=False)
