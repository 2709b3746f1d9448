"""Writing the shared set, as far as each format takes it."""

from __future__ import annotations

import functools
import json
from typing import Any

import msgspec
from rollstep.core.export import export_report, render
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS

from tests.formats.trajectories import NAMES, subject

PLAIN = ("plain", "three_turns", "many_turns", "unicode", "no_system", "edited_reply")
"""Trajectories that every format for conversations takes."""


@functools.cache
def taken(fmt: str) -> tuple[str, ...]:
    """Names of the trajectories that the format does not refuse."""
    assert fmt in FORMATS
    return tuple(name for name in NAMES if not export_report(subject(name), fmt).refused)


def data(fmt: str, name: str) -> bytes:
    """What the format writes of this trajectory."""
    return render(subject(name), fmt)


def rows(fmt: str, name: str) -> list[Any]:
    """Its rows, parsed as strict JSON."""
    text = data(fmt, name).decode("utf-8")
    return [json.loads(line, parse_constant=_refuse) for line in text.split("\n") if line]


def rows_with(fmt: str, name: str, **choices: Any) -> list[Any]:
    """Its rows, written as the person chooses."""
    chosen = msgspec.structs.replace(subject(name), options=WriteOptions(**choices))
    text = render(chosen, fmt).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def document(fmt: str, name: str) -> Any:
    """Its document, parsed as strict JSON."""
    return json.loads(data(fmt, name), parse_constant=_refuse)


def subject_named(name: str) -> Subject:
    """The trajectory itself."""
    return subject(name)


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")
