"""Trajectories as TRL rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ...errors import ExportError, Fault
from ...model.messages import TargetReply, UserMessage
from ...model.rollout import Trajectory
from ..chat_messages import (
    Dialect,
    Message,
    body_text,
    chat_messages,
    row_text,
    subject_extra,
)
from ..chat_rules import (
    check_names,
    check_objects,
    check_pairs,
    check_said,
    fault,
    without_last_calls,
)
from ..jsonl import RawJson, json_text, line_bytes, without_surrogates
from ..openai_chat import chat_notes, listed
from ..openai_preference import NONE, side_of, usable
from ..options import Split
from ..preference import Found, Pair, find_pairs
from ..reading.json_in import JsonReader
from ..rows import Row
from ..subject import Subject
from .columns import (
    FORMATS,
    dangerous,
    in_order,
    other_marks,
    our_columns,
    source_columns,
    with_columns,
)

_BASE = {"messages", "tool_traffic", "tool_schemas", "reasoning", "system_notes"}
HOLDS = frozenset(_BASE)
COMPLETION_HOLDS = frozenset({*_BASE, "train"})
HEEDS = frozenset({"split", "reasoning_key", "renames", "prune_nulls", "strip_stop"})
SPLIT_HEEDS = HEEDS - {"split"}
COMPLETION = "$completion"
"""The key of ``Step.extra`` that says of how many messages the completion was that a reply ends."""
SIDES = "$sides"
"""The key of ``Subject.extra`` that says of how many messages the two sides were."""
SHAPE = "$shape"
"""The key of ``Subject.extra`` for rows of another shape: ``text`` (strings in place of lists of
messages), ``whole`` (sides that begin with the prompt)."""

AS_OBJECTS = "arguments of calls are written as objects, and no longer as the text that came"


def dialect(subject: Subject) -> Dialect:
    """How these rows have chat messages."""
    key = subject.options.reasoning_key
    return Dialect(FORMATS, objects=True, reasoning=key, empty="", parts=None)


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
        yield from completion_rows(subject)
        return
    messages = chat_messages(subject, dialect(subject))
    _refuse(_faults(subject, messages))
    row = {"messages": _list([body_text(message.body) for message in messages])}
    found = with_columns(row, subject, our_columns(subject))
    yield _row(in_order(found, subject), [m.step for m in messages])


def check(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which a trainer would fail on this row."""
    if subject.options.split == "replies":
        return check_completions(subject)
    return _faults(subject, chat_messages(subject, dialect(subject)))


def _faults(subject: Subject, messages: Sequence[Message]) -> tuple[Fault, ...]:
    faults = [*check_pairs(messages), *check_said(messages), *_check_calls(subject, messages)]
    if not any(message.body["role"] == "assistant" for message in messages):
        hint = "Play on to the target's reply."
        faults.append(Fault("there is no reply to learn from.", where="messages", hint=hint))
    return tuple(faults)


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    messages = chat_messages(subject, dialect(subject))
    found = list(_notes(subject, messages))
    if subject.options.split != "replies" and _early_reasoning(subject):
        found.append(
            "most chat templates drop the reasoning before the last user message; a row for each "
            "reply keeps it (--split replies)"
        )
    return tuple(found)


def holds_also(subject: Subject) -> frozenset[str]:
    """The stop, and verdicts and ratings, which have columns; train marks in split rows."""
    if subject.options.split == "replies":
        return frozenset({"train"}) | _parts_held(subject)
    steps = subject.trajectory.steps
    marks = () if other_marks(subject, steps[-1] if steps else None) else ("marks",)
    return frozenset({"stop", *marks}) | _parts_held(subject)


def completion_rows(subject: Subject) -> Iterator[Row]:
    """A row for each reply that is to be learnt. Raises ExportError."""
    messages = chat_messages(subject, dialect(subject))
    places = _completions(subject, messages)
    _refuse(_completion_faults(subject, messages, places))
    as_text = subject_extra(subject, FORMATS).get(SHAPE) == "text"
    texts = [body_text(message.body) for message in messages]
    columns = with_columns({}, subject)
    steps = [message.step for message in messages]
    for begin, end in places:
        row: dict[str, Any] = {
            "prompt": _list(texts[:begin]),
            "completion": _list(texts[begin:end]),
        }
        if as_text and is_text([m.body for m in messages[:end]]):
            row = {"prompt": messages[0].body["content"], "completion": messages[1].body["content"]}
        row.update(columns)
        if more := _row_extra(subject, messages[end - 1]):
            row = with_columns(row, subject, more)
        yield _row(in_order(row, subject), steps[:end])


def check_completions(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which a trainer would fail on one of the rows."""
    messages = chat_messages(subject, dialect(subject))
    return _completion_faults(subject, messages, _completions(subject, messages))


def _completion_faults(
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
        *_check_calls(subject, longest),
    )


def completion_notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    return tuple(_notes(subject, chat_messages(subject, dialect(subject))))


def preference_rows(subject: Subject) -> Iterator[Row]:
    """A row for each pair. Raises ExportError."""
    found = _pairs(subject)
    _refuse(found.faults(NONE))
    for pair in found.pairs:
        yield _preference_row(subject, pair)


def check_preference(subject: Subject) -> tuple[Fault, ...]:
    """Why there is no pair to write."""
    return _pairs(subject).faults(NONE)


def preference_notes(subject: Subject) -> tuple[str, ...]:
    """The pairs that are not made and why, and what is written in a way of its own."""
    found = _pairs(subject)
    said: dict[str, None] = {}
    for pair in found.pairs:
        for side in (pair.chosen, pair.rejected):
            whole = side_of(subject, pair, side)
            said.update(dict.fromkeys(_notes(whole, chat_messages(whole, dialect(whole)))))
    return (*found.notes(), *said)


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


def _pairs(subject: Subject) -> Found:
    return usable(subject, find_pairs(subject, reasoning=True), _pair_faults)


def _pair_faults(subject: Subject, pair: Pair) -> list[Fault]:
    faults: dict[Fault, None] = {}
    for side in (pair.chosen, pair.rejected):
        whole = side_of(subject, pair, side)
        messages = chat_messages(whole, dialect(whole))
        faults.update(dict.fromkeys(check_pairs(without_last_calls(messages))))
        faults.update(dict.fromkeys(check_said(messages)))
        faults.update(dict.fromkeys(_check_calls(whole, messages)))
        if not any(message.body["role"] == "user" for message in messages[:-1]):
            words = "there is no user message before the answer."
            faults[Fault(words, where="prompt")] = None
    return list(faults)


def _preference_row(subject: Subject, pair: Pair) -> Row:
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
    return _row(in_order(with_columns(row, subject), subject), steps)


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


def _check_calls(subject: Subject, messages: Sequence[Message]) -> list[Fault]:
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


def _notes(subject: Subject, messages: Sequence[Message]) -> Iterator[str]:
    yield from surrogate_notes(messages)
    yield from chat_notes(subject, messages)
    yield from undeclared_notes(subject)
    if any(message.body.get("tool_calls") for message in messages):
        yield AS_OBJECTS
    if name := dangerous(source_columns(subject)):
        yield (
            f"the column {name!r} of the source is left out: with the others the file would be "
            "taken for an agent's traces"
        )


def surrogate_notes(messages: Sequence[Message]) -> Iterator[str]:
    """In which messages lone surrogates are replaced."""
    broken = [
        message.step
        for message in messages
        if (text := json_text(message.body)) != without_surrogates(text)
    ]
    if broken:
        yield f"lone surrogates (step {listed(broken)}) are replaced by U+FFFD"


def undeclared_notes(subject: Subject) -> Iterator[str]:
    """The tools that are called and not declared."""
    declared = {tool.name for tool in subject.project.tools}
    called: dict[str, None] = {}
    for step in subject.trajectory.steps:
        if isinstance(step.payload, TargetReply):
            called.update(dict.fromkeys(call.name for call in step.payload.tool_calls))
    if missing := [name for name in called if name not in declared]:
        yield f"called, and declared by no tool: {', '.join(map(repr, missing))}"


def _early_reasoning(subject: Subject) -> bool:
    """Whether a reply reasons before the last user message."""
    seen = False
    for step in subject.trajectory.steps:
        if isinstance(step.payload, UserMessage) and seen:
            return True
        if isinstance(step.payload, TargetReply) and step.payload.reasoning:
            seen = True
    return False


def _parts_held(subject: Subject) -> frozenset[str]:
    messages = chat_messages(subject, dialect(subject))
    return frozenset() if any(each.no_parts for each in messages) else frozenset({"other_parts"})


def is_text(bodies: Sequence[dict[str, Any]]) -> bool:
    """Whether a row of strings can hold these messages."""
    return [(list(each), each["role"]) for each in bodies] == [
        (["role", "content"], "user"),
        (["role", "content"], "assistant"),
    ] and all(isinstance(each["content"], str) for each in bodies)


def _list(texts: Sequence[str]) -> RawJson:
    return RawJson(f"[{', '.join(texts)}]")


def _row(row: dict[str, Any], steps: Sequence[int]) -> Row:
    return Row(line_bytes(without_surrogates(row_text(row))), tuple(steps))


def _refuse(faults: tuple[Fault, ...]) -> None:
    if faults:
        raise ExportError("\n".join(each.render() for each in faults))
