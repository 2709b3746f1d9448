"""Logs of Inspect (EvalLog, version 2), as one JSON document (``inspect``) and as a zip with a file
for each sample (``inspect-eval``).

It alone of the formats that others read has branches, human edits and their provenance as its own:
the branches of a rollout are one sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..reading.record import Imported, Reader, Record, Zipped

_LOG = frozenset({"status", "plan", "results", "stats", "samples", "version", "error"})
_SAMPLE = re.compile(r"samples/(.+)_epoch_(\d+)(?:/sample)?\.json")


def recognise(value: Any) -> int:
    """Whether it is a log, or one sample of a log."""
    if not isinstance(value, dict):
        return 0
    spec = value.get("eval")
    if isinstance(spec, dict) and value.keys() & _LOG:
        return 98 if "task" in spec or "samples" in value else 70
    if {"id", "epoch", "messages"} <= value.keys() and value.keys() & {"input", "target", "events"}:
        return 92
    return 0


def read(record: Record) -> Iterator[Imported]:
    """The samples of the record. What reads them is loaded when it is first needed."""
    from .reader import read_log

    return read_log(record)


def zipped(names: tuple[str, ...]) -> Zipped | None:
    """The samples of a zip by their names, in the order of epochs and ids, and its header. A log
    that was still being written has its header in the journal.
    """
    found = {name: match for name in names if (match := _SAMPLE.fullmatch(name))}
    known = set(names)
    around = next((n for n in ("header.json", "_journal/start.json") if n in known), "")
    if not around:
        return None
    ordered = sorted(found, key=lambda name: _order(found[name]))
    return Zipped(tuple(ordered), around)


def _order(match: re.Match[str]) -> tuple[int, str]:
    return int(match[2]), match[1].zfill(20) if match[1].isdigit() else match[1]


READER = Reader(recognise, read, samples=("samples",))

EVAL_READER = Reader(lambda value: 0, read, zipped=zipped)
"""Zips are known by the names in them, so nobody is asked to recognise a record."""
