"""Trajectories as TRL conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import Fault
from ...model.messages import TargetReply, UserMessage
from ..chat_messages import Message, chat_messages
from ..chat_notes import after_last_reply
from ..chat_rules import check_pairs, check_said
from ..options import Split
from ..rows import Row
from ..subject import Subject
from . import completions
from . import messages as shared
from .columns import in_order, other_marks, our_columns, with_columns
from .messages import check_calls, dialect, message_notes, parts_held, refuse, row_of

HOLDS = shared.BASE
HEEDS = shared.HEEDS | {"split"}


def suggested_split(subject: Subject) -> Split:
    """``replies`` where a target reasons: most chat templates drop the reasoning that stands before
    the last user message.
    """
    steps = subject.trajectory.steps
    reasons = any(isinstance(s.payload, TargetReply) and s.payload.reasoning for s in steps)
    return "replies" if reasons else ""


def rows(subject: Subject) -> Iterator[Row]:
    """The row of a trajectory, or one for each reply. Raises ExportError."""
    if subject.options.split == "replies":
        yield from completions.rows(subject)
        return
    messages = chat_messages(subject, dialect(subject))
    refuse(_faults(subject, messages))
    row: dict[str, Any] = {"messages": [message.body for message in messages]}
    found = with_columns(row, subject, our_columns(subject))
    yield row_of(in_order(found, subject), [m.step for m in messages])


def check(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which a trainer would fail on this row."""
    if subject.options.split == "replies":
        return completions.check(subject)
    return _faults(subject, chat_messages(subject, dialect(subject)))


def _faults(subject: Subject, messages: Sequence[Message]) -> tuple[Fault, ...]:
    faults = [*check_pairs(messages), *check_said(messages), *check_calls(subject, messages)]
    if not any(message.body["role"] == "assistant" for message in messages):
        hint = "Play on to the target's reply."
        faults.append(Fault("there is no reply to learn from.", where="messages", hint=hint))
    return tuple(faults)


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    messages = chat_messages(subject, dialect(subject))
    found = list(message_notes(subject, messages))
    whole = subject.options.split != "replies" and not subject.as_it_is
    if whole and _early_reasoning(subject):
        found.append(
            "most chat templates drop the reasoning before the last user message; a row for each "
            "reply keeps it (--split replies)"
        )
    if subject.options.split == "replies":
        found += after_last_reply(subject)
    return tuple(found)


def holds_also(subject: Subject) -> frozenset[str]:
    """The stop, and verdicts and ratings, which have columns; train marks in split rows."""
    if subject.options.split == "replies":
        return frozenset({"train"}) | parts_held(subject)
    steps = subject.trajectory.steps
    marks = () if other_marks(subject, steps[-1] if steps else None) else ("marks",)
    return frozenset({"stop", *marks}) | parts_held(subject)


def _early_reasoning(subject: Subject) -> bool:
    """Whether a reply reasons before the last user message."""
    seen = False
    for step in subject.trajectory.steps:
        if isinstance(step.payload, UserMessage) and seen:
            return True
        if isinstance(step.payload, TargetReply) and step.payload.reasoning:
            seen = True
    return False
