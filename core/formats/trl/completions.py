"""Trajectories as TRL prompts with completions: a row for each reply of the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import Fault
from ..chat_messages import Message, body_text, chat_messages, subject_extra
from ..chat_notes import after_last_reply
from ..chat_rules import check_pairs, check_said, without_last_calls
from ..reading.json_in import JsonReader
from ..rows import Row
from ..subject import Subject
from .columns import FORMATS, in_order, with_columns
from .messages import (
    BASE,
    COMPLETION,
    HEEDS,
    SHAPE,
    check_calls,
    dialect,
    is_text,
    message_notes,
    refuse,
    row_of,
    text_list,
)

__all__ = ["HEEDS", "HOLDS", "check", "notes", "rows"]

HOLDS = BASE | {"train"}


def rows(subject: Subject) -> Iterator[Row]:
    """A row for each reply that is to be learnt. Raises ExportError."""
    messages = chat_messages(subject, dialect(subject))
    places = _completions(subject, messages)
    refuse(_faults(subject, messages, places))
    as_text = subject_extra(subject, FORMATS).get(SHAPE) == "text"
    texts = [body_text(message.body) for message in messages]
    columns = with_columns({}, subject)
    steps = [message.step for message in messages]
    for begin, end in places:
        row: dict[str, Any] = {
            "prompt": text_list(texts[:begin]),
            "completion": text_list(texts[begin:end]),
        }
        if as_text and is_text([m.body for m in messages[:end]]):
            row = {"prompt": messages[0].body["content"], "completion": messages[1].body["content"]}
        row.update(columns)
        if more := _row_extra(subject, messages[end - 1]):
            row = with_columns(row, subject, more)
        yield row_of(in_order(row, subject), steps[:end])


def check(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which a trainer would fail on one of the rows."""
    messages = chat_messages(subject, dialect(subject))
    return _faults(subject, messages, _completions(subject, messages))


def _faults(
    subject: Subject, messages: Sequence[Message], places: Sequence[tuple[int, int]]
) -> tuple[Fault, ...]:
    if not places:
        hint = "Play on to the target's reply, or switch a train mark on."
        problem = "there is no reply that follows a user message and is to be learnt."
        return (Fault(problem, where="messages", hint=hint),)
    # What is wrong with one row is wrong with the longest, which holds all the others.
    longest = messages[: places[-1][1]]
    return (
        *check_pairs(without_last_calls(longest)),
        *check_said(longest),
        *check_calls(subject, longest),
    )


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    messages = chat_messages(subject, dialect(subject))
    return (*message_notes(subject, messages), *after_last_reply(subject))


def _completions(subject: Subject, messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Where the completion begins and ends of each reply that follows a user message and is to be
    learnt; its prompt is all before it.
    """
    steps = subject.trajectory.steps
    off = {mark.step_id for mark in subject.marks if mark.train is False}
    found = []
    asked = len(messages)
    for index, message in enumerate(messages):
        if message.body["role"] == "user":
            asked = min(asked, index)
        step = steps[message.step - 1] if message.step else None
        if step is None or message.body["role"] != "assistant" or step.id in off:
            continue
        size = _completion_size(subject, message)
        if size and asked < index + 1 - size:
            found.append((index + 1 - size, index + 1))
    return found


def _completion_size(subject: Subject, message: Message) -> int:
    """Messages of the completion that this reply ends; 0 where the source has no row for it."""
    step = subject.trajectory.steps[message.step - 1]
    if subject.format != "trl-prompt-completion" or step.origin != "import":
        return 1
    size = _step_extra(step.extra).get(COMPLETION, 0)
    return size if isinstance(size, int) else 1


def _row_extra(subject: Subject, message: Message) -> dict[str, Any]:
    step = subject.trajectory.steps[message.step - 1]
    if subject.format != "trl-prompt-completion" or step.origin != "import":
        return {}
    found = _step_extra(step.extra).get("$row", {})
    return found if isinstance(found, dict) else {}


def _step_extra(extra: str) -> dict[str, Any]:
    found = JsonReader().parse(extra)[0] if extra else {}
    return found if isinstance(found, dict) else {}
