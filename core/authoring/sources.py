"""What projects are to be written from: a goal a line, seed rows, or runs of a benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..errors import Fault, InputError
from ..projects.seed_rows import BadRow, json_of, row_of, seed_record
from .shapes import SCORES, id_of, score_of, shortened, task_of, transcript_of

MAX_BYTES = 256 * 1024 * 1024

_LONGEST = 8_000
"""Characters of a goal or a seed row that a prompt holds."""

Kind = Literal["goal", "seed", "failure"]


class Source(msgspec.Struct, frozen=True):
    """One goal, seed row or failed run. ``text`` is what was wanted, ``more`` the seed's context as
    JSON, or the transcript; ``context`` is a seed row's, whole, as JSON text.
    """

    kind: Kind
    line: int
    text: str
    more: str = ""
    id: str = ""
    context: str = ""


class Sources(msgspec.Struct, frozen=True):
    """What a file holds. ``faults`` are lines that cannot be used; ``passed`` counts the runs that
    did not fail.
    """

    found: tuple[Source, ...]
    faults: tuple[Fault, ...] = ()
    passed: int = 0


def read_sources(path: Path, *, below: float = 1.0) -> Sources:
    """The file's goals (``.txt``: one a line) or rows (JSONL, each by what it holds). A run failed
    when its score is ``below`` this. Raises InputError when nothing in it can be used.
    """
    data = _read(path)
    lines = enumerate(data.split(b"\n"), 1)
    found = _goals(lines) if path.suffix.lower() in (".txt", ".md") else _rows(lines, below)
    if not found.found:
        message = "no line can be used."
        if found.passed:
            message = f"no run failed: all {found.passed} have a score of {below:g} or more."
        raise InputError(source=str(path), faults=(*found.faults, Fault(message)))
    return found


def _read(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(source=str(path), faults=(Fault(f"cannot be read: {reason}."),)) from error
    if len(data) > MAX_BYTES:
        message = f"larger than {MAX_BYTES // 1024**2} MB. Give a part of it."
        raise InputError(source=str(path), faults=(Fault(message),))
    return data.removeprefix(b"\xef\xbb\xbf")


def _goals(lines: Iterable[tuple[int, bytes]]) -> Sources:
    goals: list[Source] = []
    faults: list[Fault] = []
    for number, raw in lines:
        try:
            text = raw.decode().strip()
        except UnicodeDecodeError as error:
            faults.append(Fault("not UTF-8.", number, byte=error.start))
            continue
        if text and not text.startswith("#"):
            goals.append(Source("goal", number, shortened(text, _LONGEST)))
    return Sources(tuple(goals), tuple(faults))


def _rows(lines: Iterable[tuple[int, bytes]], below: float) -> Sources:
    found: list[Source] = []
    faults: list[Fault] = []
    passed = 0
    for number, raw in lines:
        try:
            record = seed_record(raw, number)
            if record is None:
                continue
            is_seed = record.get("user_text") and not any(name in record for name in SCORES)
            score = None if is_seed else score_of(record)
            if score is not None and not score < below:
                passed += 1
                continue
            found.append(_source(record, number, score))
        except BadRow as bad:
            faults.append(bad.fault)
    return Sources(tuple(found), tuple(faults), passed)


def _source(record: dict[str, Any], line: int, score: float | None) -> Source:
    """What a row is to us. Raises BadRow for one that holds nothing to write from."""
    if score is not None:
        task, transcript = task_of(record), transcript_of(record)
        if not task and not transcript:
            message = "a run with a score, but with neither a task nor a transcript."
            raise BadRow(Fault(message, line, hint="Name them task and messages."))
        return Source("failure", line, task, transcript, id_of(record))
    if record.get("user_text"):
        row = row_of(record, line)
        context = "" if row.context in ("{}", "null") else row.context
        more = shortened(context, _LONGEST)
        return Source("seed", line, shortened(row.user_text, _LONGEST), more, row.title, context)
    if goal := task_of(record):
        return Source("goal", line, shortened(goal, _LONGEST), "", id_of(record))
    known = ", ".join(sorted(record)[:8]) or "nothing"
    hint = "A seed row has user_text, a failed run has score and task, a goal has goal."
    raise BadRow(Fault(f"nothing to write from; the row has {json_of(known)}.", line, hint=hint))


def row_context(source: Source) -> Any:
    """A seed row's context as a value; None where there is none."""
    return json.loads(source.context) if source.context else None
