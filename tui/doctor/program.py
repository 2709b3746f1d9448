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
from rollstep.core.workers.model_keys import KNOWN_KEYS

from .check import Check, note, ok, problem

_PYTHON = (3, 11)
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
    found = [
        name for names in KNOWN_KEYS.values() for name in names if environ.get(name, "").strip()
    ]
    empty = [
        name
        for names in KNOWN_KEYS.values()
        for name in names
        if name in environ and not environ[name].strip()
    ]
    if found:
        yield ok("keys", f"in the environment: {', '.join(dict.fromkeys(found))}")
    else:
        words = "none in the environment; everything but live models works without"
        yield note("keys", words, "Set OPENAI_API_KEY, say, or the one of your provider.")
    for name in dict.fromkeys(empty):
        yield note("keys", f"{name} is set and empty", "Set it or unset it.")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
