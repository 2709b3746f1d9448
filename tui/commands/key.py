"""``rollstep key``: keys of model providers in the operating system's keyring."""

from __future__ import annotations

import difflib
import os
import re
import sys

import click
from rollstep.core.errors import InputError
from rollstep.core.workers import keyring_keys
from rollstep.core.workers.model_keys import KNOWN_KEYS
from rollstep.tui.sanitize import one_line

_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,80}")
_LONGEST = 10_000


def set_key(name: str) -> int:
    """Keep a key that is typed without being shown, or that comes on stdin."""
    _check(name)
    key = _typed(name) if sys.stdin.isatty() else sys.stdin.readline(_LONGEST)
    key = key.strip()
    if not key:
        raise InputError(f"{name}: no key was given. Nothing was kept.")
    if not key.isprintable() or " " in key:
        raise InputError(
            f"{name}: a key has no spaces and no control characters. Nothing was kept."
        )
    where = keyring_keys.keep(name, key)
    click.echo(f"{name} is in the keyring ({one_line(where)}).")
    if os.environ.get(name):
        click.echo(f"{name} is in the environment too, and that one is used.", err=True)
    return 0


def remove_key(name: str) -> int:
    """Take a key out of the keyring; 1 when there was none."""
    _check(name)
    if keyring_keys.forget(name):
        click.echo(f"{name} is no longer in the keyring.")
        return 0
    click.echo(f"The keyring has no {name}.", err=True)
    return 1


def list_keys() -> int:
    """Print the names of the keys that are kept, one a line."""
    names = keyring_keys.names()
    for name in names:
        click.echo(name)
    if not names:
        click.echo(
            "The keyring has no keys for rollstep. rollstep key set NAME keeps one.", err=True
        )
    return 0


def _typed(name: str) -> str:
    return str(click.prompt(f"{name} (not shown)", hide_input=True, err=True))


def _check(name: str) -> None:
    """Whoever gives the key itself in the place of the name must not see it again."""
    if not _NAME.fullmatch(name):
        raise InputError(
            "A key is named like the variable that holds it: capitals, digits and _, as in "
            "OPENAI_API_KEY. The key itself is asked for, and is never an argument."
        )
    known = {name for names in KNOWN_KEYS.values() for name in names}
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
    if name not in known and near:
        click.echo(f"No provider known here uses {name}. Did you mean {near[0]}?", err=True)
