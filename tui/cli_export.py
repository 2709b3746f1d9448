"""``rollstep export``: its arguments and options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .cli_options import BESIDE_CALL, GREETING, LIBRARY


class _Export(click.Command):
    """Its help ends with the formats, each with what it is."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table of formats, which nothing loads before it is asked for."""
        from rollstep.core.formats.table import FORMATS

        with formatter.section("Formats"):
            formatter.write_dl([(fmt.name, fmt.what) for fmt in FORMATS.values() if fmt.writes])


@click.command("export", cls=_Export)
@click.argument("rollouts", nargs=-1, metavar="[ROLLOUT]...")
@click.option("--where", metavar="QUERY", help="The rollouts of the library that this query finds.")
@click.option("--format", "format_name", required=True, metavar="FORMAT", help="What to write.")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="PATH",
    help="The file, or a folder for several; - for stdout.",
)
@click.option(
    "--branches",
    type=click.Choice(["this", "accepted", "all"]),
    default="this",
    show_default=True,
    help="The branch that would be opened, those with a verdict accept that stands, or all.",
)
@click.option("--branch", metavar="NAME", help="The branch of this name or number.")
@click.option("--up-to", type=click.IntRange(min=1), metavar="N", help="Only the first N steps.")
@click.option(
    "--split", type=click.Choice(["replies"]), help="One row for each reply, not for all of them."
)
@click.option(
    "--role",
    type=click.Choice(["target", "evaluator", "tool"]),
    default="target",
    show_default=True,
    help="Whose replies are the assistant's: one row for each, as that role was asked.",
)
@click.option(
    "--train-split",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Two files: this share of the rollouts to train on, the rest to test.",
)
@click.option(
    "--by",
    type=click.Choice(["rollout", "source"]),
    default="rollout",
    show_default=True,
    help="What stays together on one side: a rollout, or all rollouts of one record of a source.",
)
@click.option(
    "--reasoning",
    type=click.Choice(["keep", "strip"]),
    default="keep",
    show_default=True,
    help="Whether reasoning is written, where the format has a place for it.",
)
@click.option("--reasoning-key", metavar="KEY", help="Under which key rows hold reasoning.")
@click.option(
    "--history",
    type=click.Choice(["turn", "full"]),
    help="Turn records of their own turn, or with all before it.",
)
@BESIDE_CALL
@GREETING
@click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="OLD=NEW",
    help="Write this tool's name differently. May be given again.",
)
@click.option("--strip-stop", is_flag=True, help="Leave stop words out of the user's messages.")
@click.option("--prune-nulls", is_flag=True, help="Leave out arguments that are null.")
@click.option("--redact", is_flag=True, help="Put a marker where a secret stands.")
@click.option("--look", is_flag=True, help="Only say what would be written, lost and found.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@LIBRARY
def export_command(
    rollouts: tuple[str, ...],
    where: str | None,
    format_name: str,
    output: str,
    look: bool,
    force: bool,
    library: Path | None,
    **chosen: Any,
) -> int:
    """Write branches of rollouts to a file, or to a folder.

    What the format cannot hold, and what it refuses, is said before anything is written; beside
    training data goes a file that says who made each message.

    ROLLOUT is an id (or the beginning of it) or a bundle; ROLLOUT#20 stops at step 20.
    """
    from .commands.export import ExportOptions, run_export
    from .commands.lists import library_path

    if bool(rollouts) == bool(where):
        raise click.UsageError("Name rollouts, or give --where with a query.")
    options = ExportOptions(output, library_path(library), where or "", force, look)
    return run_export(rollouts, _plan(format_name, **chosen), options)


def _plan(
    format_name: str, renames: tuple[str, ...], branch: str | None, split: str | None, **chosen: Any
) -> Any:
    from rollstep.core.exporting.plan import Plan
    from rollstep.core.formats.options import WriteOptions

    names = ("reasoning_key", "history", "beside_call", "greeting", "strip_stop", "prune_nulls")
    options = {name: chosen.pop(name) for name in names}
    given: dict[str, Any] = {**options, "split": split}
    given = {name: value for name, value in given.items() if value}
    write = WriteOptions(renames=_pairs(renames), **given)
    return Plan(format=format_name, branch=branch or "", options=write, **chosen)


def _pairs(renames: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for rename in renames:
        old, sign, new = rename.partition("=")
        if not (old and sign and new):
            raise click.BadParameter(
                f"{rename!r} is not of the form OLD=NEW.", param_hint="--rename"
            )
        pairs.append((old, new))
    return tuple(pairs)
