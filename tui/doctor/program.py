"""The program itself: Python, the libraries it stands on, the kinds of roles, and keys by name."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import get_args

from rollstep.core.model.steps import Role
from rollstep.core.roles.registry import kinds
from rollstep.core.workers.keyring_keys import KeyringError, backend, within
from rollstep.core.workers.keyring_keys import names as stored_names
from rollstep.core.workers.model_keys import KNOWN_KEYS

from .check import Check, note, ok, problem

_PYTHON = (3, 11)
_KEYRING_SECONDS = 5.0
_SQLITE = (3, 34, 0)
"""The first with the tokenizer that finds Chinese and parts of words."""


def check_program() -> Iterator[Check]:
    """Versions."""
    yield ok("rollstep", _version("rollstep") or "not installed as a package")
    python = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info < _PYTHON:
        yield problem("Python", python, "rollstep needs 3.11 or later.")
    else:
        yield ok("Python", python)
    if sqlite3.sqlite_version_info < _SQLITE:
        todo = "The library needs 3.34 or later: use a Python that brings a newer one."
        yield problem("SQLite", sqlite3.sqlite_version, todo)
    else:
        yield ok("SQLite", sqlite3.sqlite_version)
    litellm = _version("litellm")
    if litellm:
        yield ok("litellm", f"{litellm} (loaded when a model is first asked)")
    else:
        words = "not installed: of models only servers of your own can be asked (api_base)"
        yield note("litellm", words, "Install rollstep anew, with all that it needs.")


def check_roles() -> Iterator[Check]:
    """Who can play what."""
    for role in get_args(Role):
        if known := kinds(role):
            yield ok(f"{role} kinds", ", ".join(known))


def check_keys(environ: Mapping[str, str] = os.environ) -> Iterator[Check]:
    """Which keys are there, by name. Their values are nobody's business, not even in part."""
    known = list(dict.fromkeys(name for names in KNOWN_KEYS.values() for name in names))
    found = [name for name in known if environ.get(name, "").strip()]
    if found:
        yield ok("keys", f"in the environment: {', '.join(found)}")
    else:
        words = "none in the environment; everything but live models works without"
        todo = "Set OPENAI_API_KEY, say, or the one of your provider."
        yield note("keys", words, todo)
    for name in known:
        if name in environ and not environ[name].strip():
            yield note("keys", f"{name} is set and empty", "Set it or unset it.")
    yield _keyring()


def _keyring() -> Check:
    try:
        where, names = within(_KEYRING_SECONDS, lambda: (backend(), stored_names()))
    except KeyringError as error:
        return note("keyring", str(error))
    except TimeoutError:
        words = f"no answer in {_KEYRING_SECONDS:g} seconds; it may wait for you to unlock it"
        return note("keyring", words, "Unlock it, then try again.")
    kept = ", ".join(names) or "no keys (rollstep key set NAME keeps one)"
    return ok("keyring", f"{where}: {kept}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
