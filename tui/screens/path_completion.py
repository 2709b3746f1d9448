"""Completion of a path that is being typed. Pure but for reading one folder: call it off the
screen's loop.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MOST = 200
"""Names that are offered at most."""
_LOOKED_AT = 20_000


@dataclass(frozen=True)
class Completion:
    """``text`` is what was typed, as far as it can be completed for certain; ``names`` are the ways
    to go on, folders with a slash; ``problem`` says why there are none.
    """

    text: str
    names: tuple[str, ...] = ()
    problem: str = ""


def complete(typed: str, *, suffixes: Iterable[str] = (), base: Path | None = None) -> Completion:
    """What ``typed`` may go on as. Files whose name ends in one of ``suffixes`` only, if any are
    given; hidden names only once a dot is typed. A relative path starts at ``base``.
    """
    folder_text, name = _split(typed)
    folder = Path(os.path.expanduser(folder_text or "."))
    if base is not None and not folder.is_absolute():
        folder = base / folder
    try:
        found = _names(folder, name, tuple(suffixes))
    except OSError as error:
        return Completion(typed, (), error.strerror or str(error))
    common = _common_start(found) if found else name
    text = folder_text + (common if len(common) > len(name) else name)
    return Completion(text, tuple(found[:MOST]))


def _split(typed: str) -> tuple[str, str]:
    if typed in ("~", ".", ".."):
        return f"{typed}/", ""
    at = typed.rfind("/") + 1
    return typed[:at], typed[at:]


def _names(folder: Path, start: str, suffixes: tuple[str, ...]) -> list[str]:
    folders: list[str] = []
    files: list[str] = []
    with os.scandir(folder) as entries:
        for count, entry in enumerate(entries):
            if count >= _LOOKED_AT:
                break
            name = entry.name
            if not name.startswith(start) or (name.startswith(".") and not start):
                continue
            if _is_folder(entry):
                folders.append(f"{name}/")
            elif not suffixes or name.endswith(suffixes):
                files.append(name)
    return sorted(folders) + sorted(files)


def _common_start(names: list[str]) -> str:
    first, last = min(names), max(names)
    for at, char in enumerate(first):
        if last[at : at + 1] != char:
            return first[:at]
    return first


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
