"""What is done to trajectories that trainers would refuse, so that they take them: each with a note
in the report. Nothing of it is done where a file is only checked (``Subject.as_it_is``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ..model.messages import TargetReply
from ..model.project import Tool
from .chat_messages import Message
from .chat_notes import listed
from .subject import Subject

_replace = msgspec.structs.replace
_ASIDE = frozenset({"user", "system", "developer"})


def up_to_last_reply(subject: Subject, messages: Sequence[Message]) -> Sequence[Message]:
    """The messages without those of others after the last reply, from which nothing is learnt. All
    of them where there is no reply, or where results of tools stand after it.
    """
    if subject.as_it_is:
        return messages
    end = len(messages)
    while end and messages[end - 1].body["role"] in _ASIDE:
        end -= 1
    learnt = end > 0 and messages[end - 1].body["role"] == "assistant"
    return messages[:end] if learnt else messages


def left_notes(messages: Sequence[Message], kept: Sequence[Message]) -> Iterator[str]:
    """What of the messages was left out after the last reply."""
    if left := [message.step for message in messages[len(kept) :]]:
        yield f"what comes after the last reply (step {listed(left)}) is not written"


def with_called_tools(subject: Subject) -> Subject:
    """The subject with its tools declared from the calls, where its project declares none at all,
    as logs do that hold nothing but messages.
    """
    tools = called_tools(subject)
    if not tools:
        return subject
    project = _replace(subject.project, tools=tools)
    projects = tuple(project if each is subject.project else each for each in subject.projects)
    return _replace(subject, projects=projects)


def called_tools(subject: Subject) -> tuple[Tool, ...]:
    """A declaration for each tool that is called, where none is declared."""
    if subject.as_it_is or subject.project.tools:
        return ()
    names = {
        call.name: None
        for step in subject.trajectory.steps
        if isinstance(step.payload, TargetReply)
        for call in step.payload.tool_calls
    }
    return tuple(Tool(name, parameters='{"type": "object"}') for name in names)


def called_notes(subject: Subject) -> Iterator[str]:
    """That tools are declared from their calls."""
    if tools := called_tools(subject):
        names = ", ".join(repr(tool.name) for tool in tools)
        yield f"no tools are declared; from the calls these are: {names}"
