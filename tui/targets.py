"""What an argument of ``rollstep open`` names: a file of some kind, or a rollout in the library.

A file is known by its suffix, else by how it begins. ``#N`` behind a name is a step of a rollout or
bundle, or a line of a seed file; a file whose own name holds a ``#`` comes first.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from rollstep.core.errors import InputError, SeedFileError

from .target import OpenTarget, parse_link

Kind = Literal["project", "seeds", "bundle"]

_PEEK = 4096
_BUNDLE_SUFFIX = ".rollstep.jsonl"
_SUFFIXES: dict[str, Kind] = {".yaml": "project", ".yml": "project"}


def parse_target(text: str) -> OpenTarget:
    """What ``text`` names. Raises InputError for a file that is not there or of no known kind.

    For a seed file the number behind the ``#`` is a line; the row there is looked up.
    """
    path = Path(text)
    if path.exists():
        return _file(path, None)
    name, number = parse_link(text)
    if number is not None and Path(name).exists():
        return _file(Path(name), number)
    if os.sep in name or Path(name).suffix:
        raise InputError(f"{name}: there is no such file.")
    return OpenTarget(rollout=name, step=number)


def file_kind(path: Path) -> Kind:
    """What kind of file this is. Raises InputError for a folder, or a file of no known kind."""
    if path.is_dir():
        raise InputError(f"{path}: a folder. Name a project file, a seed JSONL or a bundle in it.")
    if path.name.endswith(_BUNDLE_SUFFIX):
        return "bundle"
    try:
        with open(path, "rb") as file:
            start = file.read(_PEEK)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    if start.startswith(b'{"rollstep_bundle"'):
        return "bundle"
    known = _SUFFIXES.get(path.suffix.lower())
    if known:
        return known
    if path.suffix.lower() == ".jsonl" or start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        return "seeds"
    raise InputError(
        f"{path}: no file that rollstep opens. It opens project files (.yaml), seed rows (.jsonl) "
        "and bundles (.rollstep.jsonl)."
    )


def _file(path: Path, number: int | None) -> OpenTarget:
    if file_kind(path) == "seeds":
        return OpenTarget(path, record=_record(path, number))
    return OpenTarget(path, step=number)


def _record(path: Path, line: int | None) -> int:
    """The place, among a seed file's rows, of the one on this line; of the first one with a text
    when no line is given.
    """
    from rollstep.core.projects.seeds import read_seeds

    seeds = read_seeds(path)
    for place, row in enumerate(seeds.rows):
        if row.user_text and line in (None, row.line):
            return place
    if line is None:
        faults = sorted((*seeds.faults, *seeds.notes), key=lambda fault: fault.line)
        raise SeedFileError(source=str(path), faults=tuple(faults))
    here = tuple(f for f in (*seeds.faults, *seeds.notes) if f.line == line)
    raise SeedFileError(
        "" if here else f"{path}: line {line} is no row that can be opened.",
        source=str(path),
        faults=here,
    )
