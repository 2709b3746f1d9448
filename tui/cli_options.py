"""Options that several commands take."""

from __future__ import annotations

import re
from pathlib import Path

import click

FILE = click.Path(path_type=Path)

LIBRARY = click.option(
    "--library", type=FILE, metavar="FILE", help="The library to use, in place of your own."
)
ROLES = click.option(
    "--roles", type=FILE, metavar="FILE", help="A project file whose roles play seed rows."
)
MAX_COST = click.option(
    "--max-cost",
    type=click.FloatRange(min=0),
    metavar="DOLLARS",
    help="Make no call that could take all of it past so many dollars.",
)
MAX_TOKENS = click.option(
    "--max-tokens",
    type=click.IntRange(min=0),
    metavar="N",
    help="Make no call that could take all of it past so many tokens.",
)
TRUST = click.option("--trust", is_flag=True, help="Let projects run the code that they name.")


class QueryCommand(click.Command):
    """Takes a query that begins with a minus (``-tag:done``) for a query, and not for options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options first; then what the command is given."""
        queries = [each for each in args if _NEGATED.match(each)]
        if queries and "--" not in args:
            args = [*(each for each in args if each not in queries), "--", *queries]
        return super().parse_args(ctx, args)


_NEGATED = re.compile(r'-["(]|-[a-z_]{2,}')
"""No option of such a command begins so: those of one letter stand alone, others have two signs."""

READ_AS = "Read all as this format, in place of telling each record's from what is in it."
BESIDE_CALL = click.option(
    "--beside-call",
    type=click.Choice(["refuse", "think"]),
    help="What becomes of text beside a call, where the format has no place for it.",
)
GREETING = click.option(
    "--greeting",
    type=click.Choice(["refuse", "drop", "system"]),
    help="What becomes of the words with which the target begins, where the user has to begin: "
    "refused, left out, or told in the system text.",
)
