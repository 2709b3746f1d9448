"""What all TRL rows have in common: their dialect, their checks, what is told of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import ExportError, Fault
from ..chat_messages import Dialect, Message, chat_messages, row_text
from ..chat_notes import (
    AS_OBJECTS,
    chat_notes,
    has_calls_of_others,
    listed,
    surrogate_notes,
    undeclared_notes,
)
from ..chat_rules import check_names, check_objects, fault
from ..jsonl import RawJson, line_bytes, without_surrogates
from ..rows import Row
from ..subject import Subject
from .columns import FORMATS, dangerous, source_columns

BASE = frozenset({"messages", "tool_traffic", "tool_schemas", "reasoning", "system_notes"})
"""What every TRL row holds."""
HEEDS = frozenset({"reasoning_key", "renames", "prune_nulls", "strip_stop"})


_DIGITS = re.compile(r"\d{19}")

COMPLETION = "$completion"
"""The key of ``Step.extra`` that says of how many messages the completion was that a reply ends."""


SIDES = "$sides"
"""The key of ``Subject.extra`` that says of how many messages the two sides were."""


SHAPE = "$shape"
"""The key of ``Subject.extra`` for rows of another shape: ``text`` (strings in place of lists of
messages), ``whole`` (sides that begin with the prompt)."""


def dialect(subject: Subject) -> Dialect:
    """How these rows have chat messages."""
    key = subject.options.reasoning_key
    return Dialect(FORMATS, objects=True, reasoning=key, empty="", parts=None)


def check_calls(subject: Subject, messages: Sequence[Message]) -> list[Fault]:
    """The rules that templates hold calls to."""
    faults = check_names(messages, subject.project.tools, subject.options, strict=False)
    for index, message in enumerate(messages):
        faults += check_objects(message, f"messages[{index}]")
        body = message.body
        if body.get("thinking") and body.get("tool_calls") and body.get("content"):
            where = f"messages[{index}].thinking"
            rule = "gpt-oss has no place for both beside a call"
            problem = "it stands beside a text"
            faults.append(fault(problem, message.step, where, rule))
    return faults


def message_notes(subject: Subject, messages: Sequence[Message]) -> Iterator[str]:
    """What of these messages is written in a way of its own."""
    yield from surrogate_notes(messages)
    yield from chat_notes(subject, messages, FORMATS)
    yield from undeclared_notes(subject)
    if has_calls_of_others(subject, messages, FORMATS):
        yield AS_OBJECTS
    if wide := [message.step for message in messages if _has_wide_numbers(message)]:
        yield f"whole numbers beyond 64 bits (step {listed(wide)}) are rounded by who loads them"
    if name := dangerous(source_columns(subject)):
        yield (
            f"the column {name!r} of the source is left out: with the others the file would be "
            "taken for an agent's traces"
        )


def _has_wide_numbers(message: Message) -> bool:
    """Whether a call's arguments hold a number that Arrow and many JSON parsers cannot hold."""
    for call in message.body.get("tool_calls", ()):
        arguments = call["function"]["arguments"]
        if not isinstance(arguments, RawJson) or not _DIGITS.search(arguments.text):
            continue
        if _is_wide(json.loads(arguments.text)):
            return True
    return False


def _is_wide(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_wide, value.values()))
    if isinstance(value, list):
        return any(map(_is_wide, value))
    return isinstance(value, int) and not -(2**63) <= value < 2**64


def parts_held(subject: Subject) -> frozenset[str]:
    """Parts that are no text, where the source is of this format and has them all."""
    messages = chat_messages(subject, dialect(subject))
    return frozenset() if any(each.no_parts for each in messages) else frozenset({"other_parts"})


def is_text(bodies: Sequence[dict[str, Any]]) -> bool:
    """Whether a row of strings can hold these messages."""
    return [(list(each), each["role"]) for each in bodies] == [
        (["role", "content"], "user"),
        (["role", "content"], "assistant"),
    ] and all(isinstance(each["content"], str) for each in bodies)


def text_list(texts: Sequence[str]) -> RawJson:
    """A list of what is JSON text already."""
    return RawJson(f"[{', '.join(texts)}]")


def row_of(row: dict[str, Any], steps: Sequence[int]) -> Row:
    """The line of a row, whose messages are of these steps."""
    return Row(line_bytes(without_surrogates(row_text(row))), tuple(steps))


def refuse(faults: tuple[Fault, ...]) -> None:
    """Raise ExportError where there are faults."""
    if faults:
        raise ExportError("\n".join(each.render() for each in faults))
