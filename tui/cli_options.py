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
TRUST = click.option("--trust", is_flag=True, help="Let projects run the code that they name.")
