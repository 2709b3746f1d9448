"""The commands about the rollouts of a library."""

from __future__ import annotations

from pathlib import Path

import click

from .cli_options import FILE, LIBRARY, QueryCommand


@click.command("stats", cls=QueryCommand)
@click.argument("query", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@LIBRARY
def stats_command(query: str, as_json: bool, library: Path | None) -> int:
    """Print numbers of rollouts: verdicts, stops, turns, tools, edits, models, scores.

    Of those that QUERY means (docs/query.md), or of all: rollstep stats 'verdict:accept turns>2'
    """
    from .commands.stats import show_stats

    return show_stats(query, library, as_json=as_json)


@click.group("library", invoke_without_command=True)
@click.option("-w", "--where", default="", metavar="QUERY", help="List what this query means.")
@LIBRARY
@click.pass_context
def library_group(context: click.Context, where: str, library: Path | None) -> int:
    """All rollouts in a table: filter, sort, mark. Also: check, backup, compact.

    rollstep library -w 'verdict:none turns>6'   (docs/query.md)
    """
    if context.invoked_subcommand is not None:
        return 0
    from .commands.show import show_library

    return show_library(library, where)


@library_group.command("check")
@LIBRARY
def check_command(library: Path | None) -> int:
    """Check the file and read every rollout; nothing is changed.

    The exit status is 1 when something cannot be read.
    """
    from .commands.upkeep import check_library

    return check_library(library)


@library_group.command("backup")
@click.argument("to", type=FILE)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@LIBRARY
def backup_command(to: Path, force: bool, library: Path | None) -> int:
    """Copy the library to TO, also while other programs use it.

    The copy holds what was saved at one moment, and is checked before it gets its name.
    """
    from .commands.upkeep import back_up_library

    return back_up_library(to, library, force=force)


@library_group.command("compact")
@LIBRARY
def compact_command(library: Path | None) -> int:
    """Put the search index in order and give unused room back to the disk."""
    from .commands.upkeep import compact_library

    return compact_library(library)
