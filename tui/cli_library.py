"""The commands about the rollouts of a library."""

from __future__ import annotations

from pathlib import Path

import click

from .cli_options import LIBRARY


@click.command("stats")
@click.argument("query", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@LIBRARY
def stats_command(query: str, as_json: bool, library: Path | None) -> int:
    """Print numbers of rollouts: verdicts, stops, turns, tools, edits, models, scores.

    Of those that QUERY means (docs/query.md), or of all: rollstep stats 'verdict:accept turns>2'
    """
    from .commands.stats import show_stats

    return show_stats(query, library, as_json=as_json)
