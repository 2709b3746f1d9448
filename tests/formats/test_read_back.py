"""What a format writes of the shared set is recognised as that format and read back: every message,
call and result that it holds, in order.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.errors import ExportError
from rollstep.core.export import export_report, render
from rollstep.core.formats.reading.files import read_records
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.messages import Stop, TargetReply, ToolResult, UserMessage, payload_text
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Step

from .trajectories import NAMES, about, subject

_ALIKE = {
    "trl": {"openai", "trl"},
    "openai": {"openai", "trl"},
    "anthropic": {"anthropic", "openai"},
    "trl-prompt-completion": {"trl-prompt-completion"},
}
"""Formats whose plain rows are rows of the other, too."""

BACK = [
    name
    for name, fmt in FORMATS.items()
    if fmt.writes and fmt.reader is not None and "preference" not in name
]


def said(steps: tuple[Step, ...], fmt: str) -> list[Any]:
    """What everybody said, as far as this format tells it."""
    found: list[Any] = []
    for step in steps:
        payload = step.payload
        if isinstance(payload, Stop):
            continue
        text = payload_text(payload)
        if isinstance(payload, TargetReply | UserMessage):
            calls = [(call.name, _value(call.arguments)) for call in payload.tool_calls]
            found.append((step.role, text, calls))
        elif isinstance(payload, ToolResult):
            found.append((step.role, text, payload.is_error and "is_error" in FORMATS[fmt].holds))
        else:
            found.append((step.role, text, None))
    return found


def _value(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def written(fmt: str, name: str, path: Path) -> Subject | None:
    """The trajectory, written; None where the format refuses it."""
    one = subject(name)
    if export_report(one, fmt).refused:
        return None
    try:
        path.write_bytes(render(one, fmt))
    except ExportError:
        return None
    return one


@pytest.mark.parametrize("fmt", BACK)
def test_what_is_written_is_recognised(fmt: str, tmp_path: Path) -> None:
    for name in ("plain", "three_turns", "many_turns", "unicode", "no_system"):
        path = tmp_path / f"{name}{FORMATS[fmt].suffix}"
        if written(fmt, name, path) is None:
            continue
        found = list(read_records(path))
        assert {each.format for each in found} <= _ALIKE.get(fmt, {fmt}), name
        assert [fault for each in found for fault in each.faults] == []


@pytest.mark.parametrize("fmt", BACK)
def test_every_message_comes_back(fmt: str, tmp_path: Path) -> None:
    for name in NAMES:
        with about(name):
            _comes_back(fmt, name, tmp_path / f"{name}{FORMATS[fmt].suffix}")


def _comes_back(fmt: str, name: str, path: Path) -> None:
    one = written(fmt, name, path)
    if one is None or not one.trajectory.steps:
        return
    read = [each for record in read_records(path, fmt) for each in record.imported]
    assert read
    wanted, found = said(one.trajectory.steps, fmt), said(_longest(read), fmt)
    if found != wanted:
        report = export_report(one, fmt).render()
        assert any(words in report for words in _SAID_BEFORE), report
    texts = [text for _, text, *_ in wanted]
    assert not [text for _, text, *_ in found if not _from(text, texts)]


_SAID_BEFORE = (
    *("not kept: tool calls", "not kept: system messages in mid-conversation"),
    *("comes after the last reply", "are replaced by U+FFFD", "are one observation"),
    *("in a row are written as one", "the system text alone"),
)
"""What the report says where a format holds less, or in another shape."""


def _from(text: str, texts: list[str]) -> bool:
    """Whether this is one of the texts, or several of them together."""
    bare = text.replace("\ufffd", "")
    return any(bare in each or (each and each in bare) for each in texts) or not bare


def _longest(read: list[Any]) -> tuple[Step, ...]:
    """The branch that would be opened."""
    imported = max(read, key=lambda each: len(each.steps))
    rollout = Rollout(RolloutHeader("x", ""), [imported.project])
    rollout.add_all(imported.steps)
    return rollout.path(rollout.newest_leaf(imported.head))
