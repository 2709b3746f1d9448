"""What the app remembers between starts, and in which folders things stand."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rollstep.core.config.loading import Loaded

Place = str
"""Where the inspector stands: ``auto``, ``right``, ``below`` or ``hidden``."""

PLACES = ("auto", "right", "below", "hidden")


class Settings(NamedTuple):
    """The settings, each with what it means unless changed."""

    theme: str = "night"
    inspector: Place = "auto"
    """On a wide screen, of three panes."""
    inspector_narrow: Place = "auto"
    reasons: tuple[str, ...] = ()
    """Why flags were silenced, the last reason first; offered again."""


def config_folder() -> Path:
    """The user's configuration folder for rollstep."""
    from platformdirs import user_config_path

    return user_config_path("rollstep", appauthor=False)


def configuration() -> Loaded:
    """What the user has set, for work in the current folder. Raises ConfigError."""
    from rollstep.core.config.loading import load_config

    try:
        here: Path | None = Path.cwd()
    except OSError:  # somebody has deleted it
        here = None
    return load_config(config_folder(), here)


def data_folder() -> Path:
    """The user's data folder for rollstep: the library, crash reports."""
    from platformdirs import user_data_path

    return user_data_path("rollstep", appauthor=False)


def load_settings(config: Path | None) -> Settings:
    """The settings as saved; a missing or broken file means the usual ones."""
    if config is None:
        return Settings()
    try:
        found = json.loads((config / "settings.json").read_text("utf-8"))
    except (OSError, ValueError):
        return Settings()
    if not isinstance(found, dict):
        return Settings()
    theme = found.get("theme")
    wide, narrow = found.get("inspector"), found.get("inspector_narrow")
    reasons = found.get("reasons")
    kept = reasons if isinstance(reasons, list) else []
    return Settings(
        theme if isinstance(theme, str) else Settings().theme,
        wide if wide in PLACES else Settings().inspector,
        narrow if narrow in PLACES else Settings().inspector_narrow,
        tuple(reason for reason in kept if isinstance(reason, str)),
    )


def save_settings(config: Path | None, settings: Settings) -> None:
    """Write the settings, whole or not at all. Raises OSError where that cannot be done."""
    if config is None:
        return
    config.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=config, prefix="settings-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(settings._asdict(), file, indent=2)
            file.write("\n")
        os.replace(name, config / "settings.json")
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
