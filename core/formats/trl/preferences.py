"""Pairs of answers as TRL preferences: prompt, chosen, rejected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ...errors import Fault
from ...model.rollout import Trajectory
from ..chat_messages import Message, chat_messages, subject_extra
from ..chat_rules import check_pairs, check_said, without_last_calls
from ..openai_preference import NONE, side_of, usable
from ..preference import Found, Pair, find_pairs, held_by
from ..rows import Row
from ..subject import Subject
from .columns import FORMATS, in_order, with_columns
from .messages import (
    BASE,
    HEEDS,
    SHAPE,
    SIDES,
    check_calls,
    dialect,
    is_text,
    message_notes,
    parts_held,
    refuse,
    row_of,
)

__all__ = ["HEEDS", "HOLDS", "check", "holds_also", "notes", "pairless", "rows"]

HOLDS = BASE


def rows(subject: Subject) -> Iterator[Row]:
    """A row for each pair. Raises ExportError."""
    found = _pairs(subject)
    refuse(found.faults(NONE))
    for pair in found.pairs:
        yield __row(subject, pair)


def check(subject: Subject) -> tuple[Fault, ...]:
    """Why there is no pair to write."""
    return _pairs(subject).faults(NONE)


def pairless(subject: Subject) -> bool:
    """Whether there is nothing in it to make a pair of."""
    return _pairs(subject).nothing


def notes(subject: Subject) -> tuple[str, ...]:
    """The pairs that are not made and why, and what is written in a way of its own."""
    found = _pairs(subject)
    said: dict[str, None] = {}
    for pair in found.pairs:
        for side in (pair.chosen, pair.rejected):
            whole = side_of(subject, pair, side)
            said.update(dict.fromkeys(message_notes(whole, chat_messages(whole, dialect(whole)))))
    return (*found.notes(), *said)


def holds_also(subject: Subject) -> frozenset[str]:
    """Verdicts and branches, where the pairs are all that there is to them."""
    return held_by(_pairs(subject).pairs, subject) | parts_held(subject)


def _pairs(subject: Subject) -> Found:
    return usable(subject, find_pairs(subject, reasoning=True), _pair_faults)


def _pair_faults(subject: Subject, pair: Pair) -> list[Fault]:
    faults: dict[Fault, None] = {}
    for side in (pair.chosen, pair.rejected):
        whole = side_of(subject, pair, side)
        messages = chat_messages(whole, dialect(whole))
        faults.update(dict.fromkeys(check_pairs(without_last_calls(messages))))
        faults.update(dict.fromkeys(check_said(messages)))
        faults.update(dict.fromkeys(check_calls(whole, messages)))
        if not any(message.body["role"] == "user" for message in messages[:-1]):
            words = "there is no user message before the answer."
            faults[Fault(words, where="prompt")] = None
    return list(faults)


def __row(subject: Subject, pair: Pair) -> Row:
    given = subject_extra(subject, FORMATS)
    chosen, rejected = _sides(subject, pair, given)
    start = len(chat_messages(side_of(subject, pair, pair.chosen), dialect(subject))) - 1
    prompt = [message.body for message in chosen[:start]]
    sides = {
        "chosen": [message.body for message in chosen[start:]],
        "rejected": [message.body for message in rejected[start:]],
    }
    row: dict[str, Any] = {"prompt": prompt, **sides}
    if given.get(SHAPE) == "whole":
        row = {key: [*prompt, *messages] for key, messages in sides.items()}
    elif given.get(SHAPE) == "text" and all(is_text([*prompt, *each]) for each in sides.values()):
        row = {"prompt": prompt[0]["content"]}
        row.update({key: messages[0]["content"] for key, messages in sides.items()})
    numbers = {step.id: number for number, step in enumerate(subject.trajectory.steps, 1)}
    steps = [message.step for message in chosen[:start]]
    steps += [numbers.get(side.id, 0) for side in (pair.chosen, pair.rejected)]
    return row_of(in_order(with_columns(row, subject), subject), steps)


def _sides(
    subject: Subject, pair: Pair, given: dict[str, Any]
) -> tuple[list[Message], list[Message]]:
    """History and answer of both sides; the answer is one message, or as many as the source has."""
    rollout = subject.rollout
    assert rollout is not None
    found = []
    for step, leaf in zip((pair.chosen, pair.rejected), pair.leaves, strict=True):
        whole = side_of(subject, pair, step)
        if SIDES in given and leaf:
            whole = msgspec.structs.replace(whole, trajectory=Trajectory(rollout.path(leaf)))
        found.append(chat_messages(whole, dialect(subject)))
    return found[0], found[1]
