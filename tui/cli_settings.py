"""The commands about rollstep's own settings."""

from __future__ import annotations

import click


@click.command("config")
@click.option("--path", "what", flag_value="path", help="Only where your own file stands.")
@click.option("--keys", "what", flag_value="keys", help="The actions' ids, with their keys.")
def config_command(what: str | None) -> int:
    """Print every setting, what it means and what it is here.

    As a file to start from: rollstep config > "$(rollstep config --path)"
    """
    from .commands.config import show_config, show_keys, show_path

    return {"path": show_path, "keys": show_keys}.get(what or "", show_config)()
