"""Options that several commands take."""

from __future__ import annotations

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
