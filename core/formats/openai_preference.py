"""OpenAI's preference JSONL: a row for each pair of answers to the same history,
``{"input": {"messages", "tools"}, "preferred_output", "non_preferred_output"}``.

Pairs come from edits and from takes with verdicts (``preference``). One that OpenAI would refuse,
or that says nothing (equal sides, other histories, white space only), is not made, and the report
says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..errors import ExportError, Fault
from ..model.rollout import Trajectory
from .chat_messages import Message, chat_messages
from .chat_rules import check_names, check_pairs, check_said, without_last_calls
from .jsonl import json_text, line_bytes
from .openai_chat import (
    CallIds,
    dialect,
    id_notes,
    openai_notes,
    tools_and_more,
    top_notes,
)
from .preference import Found, NoPair, Pair, find_pairs, held_by
from .reading.pair_rows import PairRows
from .reading.record import Imported, Reader, Record
from .rows import Row
from .subject import Subject

HOLDS = frozenset({"messages", "tool_traffic", "tool_schemas", "system_notes", "refusals"})
HEEDS = frozenset({"renames", "prune_nulls", "strip_stop"})
NONE = "no reply of the target was overridden, and no take was accepted where another was rejected"

_KEYS = ("input", "preferred_output", "non_preferred_output")


def rows(subject: Subject) -> Iterator[Row]:
    """A row for each pair. Raises ExportError where ``check`` finds a fault."""
    found = _found(subject)
    if not found.pairs:
        raise ExportError("\n".join(fault.render() for fault in found.faults(NONE)))
    for pair in found.pairs:
        yield _row(subject, pair)


def check(subject: Subject) -> tuple[Fault, ...]:
    """Why there is no pair to write."""
    return _found(subject).faults(NONE)


def pairless(subject: Subject) -> bool:
    """Whether there is nothing in it to make a pair of."""
    return _found(subject).nothing


def notes(subject: Subject) -> tuple[str, ...]:
    """The pairs that are not made and why, and what is written in a way of its own."""
    found = _found(subject)
    ids = CallIds()
    said: dict[str, None] = {}
    for pair in found.pairs:
        for side in (pair.chosen, pair.rejected):
            whole = side_of(subject, pair, side)
            said.update(dict.fromkeys(openai_notes(whole, chat_messages(whole, dialect(ids)))))
    said.update(dict.fromkeys(id_notes(ids)))
    return (*found.notes(), *said, *top_notes(subject))


def holds_also(subject: Subject) -> frozenset[str]:
    """Verdicts and branches, where the pairs are all that there is to them."""
    return held_by(_found(subject).pairs, subject)


def side_of(subject: Subject, pair: Pair, side: Any) -> Subject:
    """The subject of one side: the history and its answer."""
    return msgspec.structs.replace(subject, trajectory=Trajectory((*pair.prefix, side)))


def usable(subject: Subject, found: Found, faults_of: Any) -> Found:
    """Without the pairs that break a rule of the format; ``faults_of`` gives its faults."""
    pairs: list[Pair] = []
    refused: list[NoPair] = list(found.refused)
    numbers = {step.id: number for number, step in enumerate(subject.trajectory.steps, 1)}
    for pair in found.pairs:
        faults: Iterable[Fault] = faults_of(subject, pair)
        why = "; ".join(fault.render().rstrip(".") for fault in faults)
        if not why:
            pairs.append(pair)
            continue
        number = numbers.get(pair.chosen.id) or numbers.get(pair.rejected.id, 0)
        refused.append(NoPair(pair.chosen.id, pair.rejected.id, why, number))
    return Found(tuple(pairs), tuple(refused))


def _found(subject: Subject) -> Found:
    return usable(subject, find_pairs(subject), _faults)


def _faults(subject: Subject, pair: Pair) -> list[Fault]:
    faults: list[Fault] = []
    for side in (pair.chosen, pair.rejected):
        whole = side_of(subject, pair, side)
        faults += side_faults(whole, chat_messages(whole, dialect()))
    return list(dict.fromkeys(faults))


def side_faults(whole: Subject, messages: list[Message]) -> list[Fault]:
    """Everything for which a history with its answer would be refused."""
    *history, answer = messages
    faults = check_pairs(without_last_calls(messages))
    faults += check_said(messages)
    faults += check_names(messages, whole.project.tools, whole.options)
    if answer.body["role"] != "assistant":
        faults.append(Fault("the answer is no reply of the target."))
    if not any(message.body["role"] == "user" for message in history):
        faults.append(Fault("there is no user message before the answer.", where="messages"))
    elif history[-1].body["role"] == "assistant":
        faults.append(Fault("it answers an assistant message and nobody else.", where="messages"))
    return faults


def _row(subject: Subject, pair: Pair) -> Row:
    chosen = chat_messages(side_of(subject, pair, pair.chosen), dialect())
    rejected = chat_messages(side_of(subject, pair, pair.rejected), dialect())
    history = [_unweighted(message.body) for message in chosen[:-1]]
    row = {
        "input": {"messages": history, **tools_and_more(subject)},
        "preferred_output": [_unweighted(chosen[-1].body)],
        "non_preferred_output": [_unweighted(rejected[-1].body)],
    }
    numbers = {step.id: number for number, step in enumerate(subject.trajectory.steps, 1)}
    steps = [message.step for message in chosen[:-1]]
    steps += [numbers.get(pair.chosen.id, 0), numbers.get(pair.rejected.id, 0)]
    return Row(line_bytes(json_text(row)), tuple(steps))


def _unweighted(body: dict[str, Any]) -> dict[str, Any]:
    """Without the loss mask, which has no place in a pair."""
    return {key: value for key, value in body.items() if key != "weight"}


def recognise(value: Any) -> int:
    """How surely a record is a preference row."""
    if not isinstance(value, dict):
        return 0
    given = value.get("input")
    sides = "preferred_output" in value or "non_preferred_output" in value
    if isinstance(given, dict) and "messages" in given and sides:
        return 95
    return 60 if sides else 0


def read(record: Record) -> Iterable[Imported]:
    """The history with its two answers as takes, and a verdict on each. Raises FormatError."""
    row = record.value
    taken = PairRows(record)
    given = row.get("input") if isinstance(row, dict) else None
    if not isinstance(given, dict):
        raise taken.refuse("there is no input with messages.", "input")
    extra = {key: value for key, value in row.items() if key not in _KEYS}
    extra |= {key: value for key, value in given.items() if key not in ("messages", "tools")}
    taken.take_tools(given.get("tools"), "input.tools", extra)
    taken.history(given.get("messages"), "input.messages")
    chosen = taken.answer(row.get("preferred_output"), "preferred_output", "accept")
    taken.answer(row.get("non_preferred_output"), "non_preferred_output", "reject")
    yield taken.imported(extra, head=chosen)


READER = Reader(recognise, read)
