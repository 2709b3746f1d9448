"""What is told of chat rows: all that is written in a way of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..model.messages import Stop, TargetReply
from .chat_messages import Message
from .jsonl import json_text, without_surrogates
from .source import odd_number_notes
from .stop_words import stop_word_steps
from .subject import Subject

AS_OBJECTS = "arguments of calls are written as objects, and no longer as the text that came"
"""What formats that have arguments as objects tell of every call."""


def chat_notes(
    subject: Subject, messages: Sequence[Message], formats: frozenset[str]
) -> Iterator[str]:
    """What is said of them in every dialect: renames, stop words, fields and parts left out.
    ``formats`` are those whose fields are written back.
    """
    if subject.options.strip_stop and (stripped := stop_word_steps(subject)):
        yield f"stop words are left out (step {listed(stripped)})"
    for ours, theirs in subject.options.renames:
        if any(tool.name == ours for tool in subject.project.tools):
            yield f"the tool {ours!r} is written as {theirs!r}"
    yield from odd_number_notes(subject, subject.format if subject.format in formats else "")
    dropped: dict[str, list[int]] = {}
    for message in messages:
        for key in message.dropped:
            dropped.setdefault(key, []).append(message.step)
    for key, steps in dropped.items():
        yield f"the field {key!r} of the source ({_places(steps)}) is not written"
    for message in messages:
        if message.no_parts:
            places = ", ".join(f"parts[{index}]" for index in message.no_parts)
            yield f"step {message.step} is written without its parts that are no text: {places}"


def has_calls_of_others(
    subject: Subject, messages: Sequence[Message], formats: frozenset[str]
) -> bool:
    """Whether there is a call that did not come as these formats have it."""
    steps, own = subject.trajectory.steps, subject.format in formats
    return any(
        message.body.get("tool_calls") and not (own and steps[message.step - 1].origin == "import")
        for message in messages
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


def after_last_reply(subject: Subject) -> Iterator[str]:
    """What rows that end with a reply each leave out: all that comes after the last one."""
    steps = subject.trajectory.steps
    replies = [n for n, step in enumerate(steps, 1) if isinstance(step.payload, TargetReply)]
    last = replies[-1] if replies else 0
    left = [n for n, step in enumerate(steps, 1) if n > last and not isinstance(step.payload, Stop)]
    if left:
        yield f"what comes after the last reply (step {listed(left)}) is in no row"


def undeclared_notes(subject: Subject) -> Iterator[str]:
    """The tools that are called and not declared."""
    declared = {tool.name for tool in subject.project.tools}
    called: dict[str, None] = {}
    for step in subject.trajectory.steps:
        if isinstance(step.payload, TargetReply):
            called.update(dict.fromkeys(call.name for call in step.payload.tool_calls))
    if missing := [name for name in called if name not in declared]:
        yield f"called, and declared by no tool: {', '.join(map(repr, missing))}"


def listed(numbers: Iterable[int]) -> str:
    """Numbers for people."""
    return ", ".join(map(str, numbers))


def _places(steps: Sequence[int]) -> str:
    words = [f"step {number}" if number else "the system message" for number in steps[:8]]
    more = f" and {len(steps) - 8} more" if len(steps) > 8 else ""
    return ", ".join(words) + more
