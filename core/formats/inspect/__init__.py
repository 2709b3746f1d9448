"""Logs of Inspect (EvalLog, version 2), as one JSON document (``inspect``) and as a zip with a file
for each sample (``inspect-eval``).

It alone of the formats that others read has branches, human edits and their provenance as its own:
the branches of a rollout are one sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import Fault
from ...model.messages import TargetReply, UserMessage
from ..reading.record import Imported, Reader, Record, Zipped
from ..report import FEATURES, surrogate_steps
from ..subject import Subject

HOLDS = frozenset(FEATURES) - {"later", "attempts", "system_changes", "source_fields"}
NAMES = ("inspect", "inspect-eval")
"""The formats whose own fields are given back."""

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


def holds_also(subject: Subject) -> frozenset[str]:
    """What came from a log goes back into one."""
    return frozenset({"source_fields"} if subject.format in NAMES else ())


def check(subject: Subject) -> tuple[Fault, ...]:
    """It takes every trajectory."""
    return ()


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    found = []
    if subject.branches:
        found.append(
            f"the other branches ({subject.branches}) are in the same sample where they are "
            "exported too (--branches all)"
        )
    if steps := surrogate_steps(subject):
        numbers = ", ".join(map(str, steps))
        found.append(f"lone surrogates (step {numbers}) are replaced by U+FFFD: Inspect reads none")
    for words, those in _odd_calls(subject):
        if those:
            found.append(f"{words} (step {', '.join(map(str, those))})")
    return tuple(found)


def _odd_calls(subject: Subject) -> Iterator[tuple[str, list[int]]]:
    from .values_out import parsed

    steps = list(enumerate(subject.trajectory.steps, 1))
    asked = [n for n, s in steps if isinstance(s.payload, UserMessage) and s.payload.tool_calls]
    odd = [
        n
        for n, step in steps
        if isinstance(step.payload, TargetReply)
        and not all(isinstance(parsed(call.arguments), dict) for call in step.payload.tool_calls)
    ]
    yield "the evaluator's tool calls are in the metadata: Inspect's users call no tools", asked
    yield "arguments that are no JSON object are written as parse errors, and in the metadata", odd


def collect(subjects: Iterable[Subject]) -> Iterable[bytes]:
    """One JSON document for all."""
    from .writer import collect_json

    return collect_json(subjects)


def collect_eval(subjects: Iterable[Subject]) -> Iterable[bytes]:
    """One zip for all."""
    from . import writer

    return writer.collect_eval(subjects)


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
