"""Saved rollouts and formats of which the tests of exports know every byte."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import ExportError, Fault
from rollstep.core.exporting.items import Item
from rollstep.core.exporting.plan import Plan
from rollstep.core.formats import table
from rollstep.core.formats.report import FEATURES
from rollstep.core.formats.rows import Row
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import Format
from rollstep.core.model.messages import Payload, Stop, payload_text, target_reply, user_message
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Step, role_of
from rollstep.core.store.change import Saved

PROJECT = Project("Greet", EchoTarget("Be kind."), HeuristicEvaluator(), opening="Hi.")


def step(step_id: str, parent: str | None, payload: Payload, **fields: Any) -> Step:
    fields = {"origin": "script", **fields}
    return Step(step_id, parent, role_of(payload), payload, **fields)


def saved(rollout_id: str = "r1", *, title: str = "Greet", **fields: Any) -> Saved:
    """Two turns, and a second take of the second reply: the leaves ``d`` (shown) and ``e``."""
    steps = [
        step("a", None, user_message("Hi."), seq=1),
        step("b", "a", target_reply(f"Hello from {rollout_id}."), seq=2),
        step("c", "b", user_message("Bye."), seq=3),
        step("e", "c", target_reply("No."), seq=4),
        step("d", "c", target_reply("So long."), seq=5),
    ]
    header = RolloutHeader(rollout_id, title, source="seeds.jsonl", record=2)
    return msgspec.structs.replace(
        Saved(header, (PROJECT,), tuple(steps), head="d", status="ended"), **fields
    )


def items(*ids: str) -> Iterator[Item]:
    return (Item(saved(rollout_id)) for rollout_id in ids)


def _rows(subject: Subject) -> Iterator[Row]:
    """A row for each turn: the texts of the turn. Refuses a trajectory that says "refuse"."""
    if faults := _check(subject):
        raise ExportError(faults[0].render())
    places = [
        (place, payload_text(step.payload))
        for place, step in enumerate(subject.trajectory.steps, 1)
        if not isinstance(step.payload, Stop)
    ]
    for at in range(0, len(places), 2):
        turn = places[at : at + 2]
        data = json.dumps([text for _, text in turn]).encode() + b"\n"
        yield Row(data, tuple(place for place, _ in turn))


def _check(subject: Subject) -> tuple[Fault, ...]:
    texts = [payload_text(step.payload) for step in subject.trajectory.steps]
    if "refuse" not in texts:
        return ()
    where = f"messages[{texts.index('refuse')}].content"
    return (Fault("this is refused; rule: no refusing", where=where),)


def _document(subject: Subject) -> bytes:
    return b"".join(row.data for row in _rows(subject))


def _collect(subjects: Iterable[Subject]) -> Iterator[bytes]:
    yield b"<"
    for subject in subjects:
        yield _document(subject)
    yield b">"


FORMATS = (
    Format("turns", ".jsonl", "", rows=_rows, check=_check, unique=True, training=True),
    Format("repeats", ".jsonl", "", rows=_rows, check=_check, training=True),
    Format("page", ".txt", "", frozenset({"edits"}), render=_document, check=_check),
    Format("book", ".txt", "", frozenset(FEATURES), collect=_collect, check=_check, training=True),
)


@pytest.fixture
def formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """The formats above are in the table."""
    for fmt in FORMATS:
        monkeypatch.setitem(table.FORMATS, fmt.name, fmt)


def plan(name: str = "turns", **fields: Any) -> Plan:
    return Plan(format=name, **fields)
