"""The command that goes through rollouts one after the other."""

from __future__ import annotations

from pathlib import Path

import click

from .cli_options import LIBRARY, QueryCommand


@click.command("review", cls=QueryCommand)
@click.argument("query", default="verdict:none")
@click.option("--as", "name", metavar="NAME", help="Who reviews.  [default: your own name]")
@click.option("--new", is_flag=True, help="Begin another queue; the unfinished one stays.")
@click.option("--list", "listing", is_flag=True, help="Only list the queues there are.")
@LIBRARY
def review_command(
    query: str, name: str | None, new: bool, listing: bool, library: Path | None
) -> int:
    """Go through rollouts one after the other: read, accept, reject, mark.

    QUERY (docs/query.md) says which, as they are now; without it, all that have no verdict yet. The
    same command goes on with the queue where it was left. docs/review.md tells more.
    """
    from .commands.review import list_queues, review

    if listing:
        return list_queues(library)
    return review(query, library, name, new=new)
