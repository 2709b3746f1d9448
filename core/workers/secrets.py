"""Keys of the environment or the keyring never reach a library, a log, a traceback or the screen.

What a child process says of itself (error words, tracebacks, its output) goes through ``mask``. A
role's answer does not: a secret inside someone's text is data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH$", re.IGNORECASE)
_SHORTEST = 8
"""Shorter values are more likely words or numbers than keys, and would mask half a traceback."""

_remembered: dict[str, str] = {}
"""Secrets that are not in the environment, by value."""


def remember(name: str, value: str) -> None:
    """Mask this value too from now on."""
    _remembered[value] = name


def secret_values(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Every secret of the environment, and those remembered, by value, with its name: of several
    of one value the one that stands first.
    """
    found: dict[str, str] = {}
    for name, value in environ.items():
        if len(value) >= _SHORTEST and _SECRET_NAME.search(name):
            found.setdefault(value, name)
    found.update((value, name) for value, name in _remembered.items() if len(value) >= _SHORTEST)
    return found


def mask(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """The text with every secret value, of the environment or remembered, replaced by its name."""
    found = [(value, name) for value, name in secret_values(environ).items() if value in text]
    # The longest first: one secret may be the beginning of another.
    for value, name in sorted(found, key=lambda pair: -len(pair[0])):
        text = text.replace(value, f"[{name}]")
    return text
