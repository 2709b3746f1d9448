"""What an argument of ``rollstep open`` names: a file of some kind, or a rollout in the library.

A file is known by how it begins, and project files by their suffix. ``#N`` behind a name is a step
of a rollout or bundle, a line of a seed file, or a sample of another program's log; a file whose
own name holds a ``#`` comes first.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Literal

from rollstep.core.errors import InputError, SeedFileError

from .target import OpenTarget, parse_link

Kind = Literal["project", "seeds", "bundle", "log"]

_PEEK = 65_536
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_SEED_KEYS = frozenset({"task_id", "user_text", "benchmark"})
_LOG_KEYS = frozenset(
    {"messages", "agent_text", "conversations", "trajectory", "role", "session_id", "prompt"}
)
_KEYS = re.compile(r'"([a-z_]{1,40})"\s*:')
_BUNDLE_SUFFIX = ".rollstep.jsonl"
_SUFFIXES: dict[str, Kind] = {".yaml": "project", ".yml": "project"}


def parse_target(text: str, read_as: str | None = None) -> OpenTarget:
    """What ``text`` names. Raises InputError for a file that is not there or of no known kind.

    For a seed file the number behind the ``#`` is a line; the row there is looked up. ``read_as``
    names a format that is read: then it is a log in that format. Raises UsageError for another.
    """
    path = Path(text)
    if path.exists():
        return _file(path, None, read_as)
    name, number = parse_link(text)
    if number is not None and Path(name).exists():
        return _file(Path(name), number, read_as)
    if os.sep in name or Path(name).suffix:
        raise InputError(f"{name}: there is no such file.")
    return OpenTarget(rollout=name, step=number)


def file_kind(path: Path) -> Kind:
    """What kind of file this is. Raises InputError for a folder, or a file of no known kind."""
    if path.is_dir():
        raise InputError(
            f"{path}: a folder. Name a project file, a seed JSONL, a bundle or a log in it; "
            "rollstep import takes in all the logs of a folder."
        )
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
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] == b"{" and _is_seed(text):
        return "seeds"
    if start.startswith((*_PACKED, *_WIDE)) or text[:1] in (b"{", b"["):
        return "log"
    if path.suffix.lower() == ".jsonl":
        return "log" if text else "seeds"
    from rollstep.core.formats.reading.files import readers

    raise InputError(
        f"{path}: no file that rollstep opens. Looked for project files (.yaml), seed rows, "
        f"bundles (.rollstep.jsonl), and logs and datasets as JSON, JSON Lines, .eval or gzip: "
        f"{', '.join(readers())}."
    )


def _is_seed(start: bytes) -> bool:
    """Whether the first row has keys of a seed row and none that a log's record has."""
    line = start.split(b"\n", 1)[0].decode("utf-8", "replace")
    try:
        row = json.loads(line)
        keys = set(row) if isinstance(row, dict) else set()
    except (ValueError, RecursionError):
        keys = set(_KEYS.findall(line))
    return bool(keys & _SEED_KEYS) and not keys & _LOG_KEYS


def _file(path: Path, number: int | None, read_as: str | None) -> OpenTarget:
    if read_as is not None:
        return _log_as(path, number, read_as)
    kind = file_kind(path)
    if kind == "seeds":
        return OpenTarget(path, record=_record(path, number))
    if kind == "log":
        return OpenTarget(path, number=number)
    return OpenTarget(path, step=number)


def _log_as(path: Path, number: int | None, read_as: str) -> OpenTarget:
    from rollstep.core.formats.reading.files import readers
    from rollstep.core.formats.reading.recognise import chosen

    chosen(readers(), read_as)
    if path.is_dir():
        file_kind(path)
    return OpenTarget(path, number=number, read_as=read_as)


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
