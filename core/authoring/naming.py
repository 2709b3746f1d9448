"""Names of project files: of the title, without anything that a shell or a disk minds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_LONGEST = 60
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)")
"""Names that are no files on Windows."""


def file_name(title: str, taken: Callable[[str], bool]) -> str:
    """A name that is not taken, numbered where it must be."""
    stem = stem_of(title)
    name, number = f"{stem}.yaml", 1
    while taken(name):
        number += 1
        name = f"{stem}-{number}.yaml"
    return name


def stem_of(title: str) -> str:
    """The title in small letters, digits and hyphens; ``project`` where nothing is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().casefold()
    stem = _NOT_PLAIN.sub("-", plain).strip("-")[:_LONGEST].strip("-")
    if not stem:
        return "project"
    return f"project-{stem}" if _DEVICES.fullmatch(stem) else stem
