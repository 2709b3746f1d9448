"""The commands about rollstep's own settings."""

from __future__ import annotations

import click


@click.command("config")
@click.option("--path", "what", flag_value="path", help="Only where your own file stands.")
@click.option("--keys", "what", flag_value="keys", help="The actions' ids, with their keys.")
@click.option("--write", "what", flag_value="write", help="Make your own file, to be filled in.")
def config_command(what: str | None) -> int:
    """Print every setting, what it means and what it is here.

    --write makes the file with every setting in it, each behind a #, where there is none yet.
    """
    from .commands.config import show_config, show_keys, show_path, write_config

    choices = {"path": show_path, "keys": show_keys, "write": write_config}
    return choices.get(what or "", show_config)()
