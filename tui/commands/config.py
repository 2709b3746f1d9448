"""``rollstep config``: every key with what it means, as it stands here."""

from __future__ import annotations

import click
from rollstep.core.config.keys import Config
from rollstep.core.config.loading import USER_FILE, Loaded
from rollstep.core.config.page import config_page
from rollstep.core.errors import ConfigError
from rollstep.core.files import must_be_free, write_whole
from rollstep.tui.remapping import remapped
from rollstep.tui.sanitize import visible
from rollstep.tui.settings import config_folder, configuration


def show_config() -> int:
    """Print the configuration as a file that can be kept. Raises ConfigError for a wrong one."""
    loaded = configuration()
    remapped(loaded)
    click.echo(visible(config_page(loaded)), nl=False)
    return 0


def show_path() -> int:
    """Print where the user's own file stands, or would."""
    click.echo(visible(str(config_folder() / USER_FILE)))
    return 0


def write_config() -> int:
    """Make the user's own file, with the defaults. Raises ExportError where there is one."""
    path = config_folder() / USER_FILE
    must_be_free(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, config_page().encode())
    click.echo(f"Made {visible(str(path))}")
    return 0


def show_keys() -> int:
    """Print the ids of all actions, with the keys that they have here."""
    faults = ""
    try:
        found = remapped(configuration())
    except ConfigError as error:
        # Who is told that there is no such key comes here to see which there are.
        found, faults = remapped(Loaded(Config(), {})), str(error)
    actions = (*found.registry, *found.library)
    width = max(len(action.id) for action in actions)
    for action in actions:
        click.echo(f"{action.id:<{width}}  {' '.join(action.keys) or '-':<28}  {action.help}")
    if faults:
        click.echo(f"{visible(faults)}\nAbove are the keys without a configuration.", err=True)
    return 2 if faults else 0
