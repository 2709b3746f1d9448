"""The library, the settings and the themes."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from rollstep.core.config.loading import USER_FILE, load_config
from rollstep.core.errors import ConfigError
from rollstep.core.store.health import NEWEST, Health, look_at
from rollstep.tui.remapping import remapped
from rollstep.tui.settings import PLACES, Settings
from rollstep.tui.themes import read_themes, theme_files

from .check import Check, note, ok, problem

_LITTLE = 200_000_000
"""Bytes of free disk; with less, a word about it."""

_NONE = 5_000_000
"""Bytes of free disk that a session may fill."""


def check_library(path: Path) -> Iterator[Check]:
    """How the library is, and the disk it is on."""
    health = look_at(path)
    about = "library"
    name = shlex.quote(str(health.path))
    elsewhere = "Name another file with --library."
    if health.trouble:
        yield problem(about, health.trouble, "")
    elif health.damage:
        yield problem(
            about,
            f"{health.path} is damaged: {'; '.join(health.damage)}",
            f"Keep a copy of it. `sqlite3 {name} .recover` may save what is readable. {elsewhere}",
        )
    elif not health.exists and not health.writable:
        yield problem(about, f"{health.path} cannot be made: no permission there", elsewhere)
    elif not health.exists:
        yield ok(about, f"none yet; it will be made when first needed: {health.path}")
    else:
        yield from _usable(health, about, elsewhere)
    yield from _disk(health)


def _usable(health: Health, about: str, elsewhere: str) -> Iterator[Check]:
    words = f"{health.path}: {_many(health.rollouts, 'rollout')}, {_many(health.steps, 'step')}, "
    words += f"{_size(health.bytes)}, version {health.version} of {NEWEST}"
    if not health.checked:
        words += "; so large that not all of it was checked for damage"
    if not health.writable:
        todo = f"Give yourself write permission on it and on its folder. {elsewhere}"
        yield problem(about, f"{words}; read-only: nothing can be saved", todo)
    elif health.locked_by:
        todo = "Let it finish, or end it; rollstep waits 5 seconds for it at each step."
        yield problem(about, f"{words}; {health.locked_by} holds its lock", todo)
    elif 0 < health.version < NEWEST:
        todo = (
            "It is brought up to date when it is next opened; older programs cannot read it then."
        )
        yield note(about, words, todo)
    elif health.open_to_others:
        todo = f"chmod 600 {shlex.quote(str(health.path))}"
        yield note(about, f"{words}; others on this machine may read it", todo)
    else:
        yield ok(about, words)


def _disk(health: Health) -> Iterator[Check]:
    if health.free_bytes is None:
        return
    words = f"{_size(health.free_bytes)} free where the library is"
    todo = "Make room, or name a library on another disk with --library."
    if health.free_bytes < _NONE:
        yield problem("disk", words, todo)
    elif health.free_bytes < _LITTLE:
        yield note("disk", words, todo)
    else:
        yield ok("disk", words)


def check_config(config: Path) -> Iterator[Check]:
    """The settings, the folder that holds them, and every theme."""
    yield _settings(config)
    yield _configuration(config)
    yield from _themes(config)


def _configuration(config: Path) -> Check:
    """The user's own configuration file, the folder's, and the keys that they give."""
    about, path = "configuration", config / USER_FILE
    try:
        loaded = load_config(config, Path.cwd())
        remapped(loaded)
    except ConfigError as error:
        return problem(about, str(error), "Mend it; `rollstep config` tells what there is.")
    except OSError as error:
        return note(about, f"the current folder cannot be looked at: {error.strerror}")
    files = sorted(set(loaded.sources.values()))
    return ok(about, ", ".join(files) if files else f"nothing set; {path} would be your own file")


def _settings(config: Path) -> Check:
    about, path = "settings", config / "settings.json"
    remedy = "Mend it or delete it; until then the usual settings hold."
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return _folder(about, config, f"none yet, the usual ones hold: {path}")
    except OSError as error:
        return problem(about, f"{path} cannot be read: {error.strerror}", remedy)
    except (ValueError, RecursionError) as error:
        return problem(about, f"{path} is no JSON: {error}", remedy)
    if not isinstance(found, dict):
        return problem(about, f"{path} holds no JSON object", remedy)
    wrong = [f"{name} is {_short(found[name])}" for name in found if not _fits(name, found[name])]
    if wrong:
        todo = "Mend it or take it out; what is usual holds in its place."
        return note(about, f"{path}: {'; '.join(wrong)}", todo)
    return _folder(about, config, str(path))


def _fits(name: str, value: object) -> bool:
    if name in ("inspector", "inspector_narrow"):
        return value in PLACES
    usual = Settings._field_defaults.get(name)
    if isinstance(usual, tuple):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return usual is None or isinstance(value, type(usual))  # a newer rollstep may know more


def _folder(about: str, config: Path, words: str) -> Check:
    """Whether what is set in the app can be remembered."""
    there = next(folder for folder in (config, *config.absolute().parents) if folder.is_dir())
    if os.access(there, os.W_OK | os.X_OK):
        return ok(about, words)
    todo = f"Give yourself write permission on {there}."
    return note(about, f"{words}; changes in the app will not be remembered", todo)


def _themes(config: Path) -> Iterator[Check]:
    themes, problems = read_themes(config)
    for error in problems:
        yield problem("theme", str(error), "Until then another theme is shown.")
    wanted = _theme_wanted(config)
    if wanted and wanted not in theme_files(config):
        todo = "F2 in the app chooses one that is there."
        yield note("theme", f"the settings name {wanted!r}, which is not there", todo)
    names = ", ".join(theme.id for theme in themes)
    yield ok("themes", names) if themes else problem("themes", "none", "Install rollstep anew.")


def _theme_wanted(config: Path) -> str:
    try:
        found = json.loads((config / "settings.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    theme = found.get("theme") if isinstance(found, dict) else None
    return theme if isinstance(theme, str) else ""


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _size(count: int) -> str:
    for factor, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= factor:
            return f"{count / factor:,.1f} {unit}"
    return f"{count} bytes"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
