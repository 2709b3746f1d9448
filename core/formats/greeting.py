"""The words with which the target begins, before the user has said anything, as agents greet in
some benchmarks. Where the first message has to be the user's they have no place: the row is refused
or, where the person says so, they are left out, or told in the system text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model.messages import TargetReply, Text, parts_text
from .chat_messages import Message
from .chat_notes import listed
from .subject import Subject

HINT = "Have the greeting left out (--greeting drop), or told in the system text (system)."

_NOTES = {
    "drop": "the greeting with which the target begins is left out",
    "system": "the greeting with which the target begins is told in the system text",
}
_TOLD = "You began this conversation, with these words:"


def is_greeting(payload: TargetReply) -> bool:
    """Whether a reply that comes first is nothing but words."""
    return not payload.tool_calls and all(isinstance(part, Text) for part in payload.parts)


class Greetings:
    """What becomes of the greetings of a trajectory, one after the other."""

    def __init__(self, subject: Subject) -> None:
        self.choice = "refuse" if subject.as_it_is else subject.options.greeting
        self._texts: list[str] = []

    def take(self, payload: TargetReply) -> str:
        """Take a reply that comes first; what is to be said of that, or nothing where it is not
        taken.
        """
        if self.choice == "refuse" or not is_greeting(payload):
            return ""
        self._texts.append(parts_text(payload.parts))
        return _NOTES[self.choice]

    def told(self) -> tuple[str, ...]:
        """What the system text is to say of them: one more paragraph, or none."""
        if self.choice != "system" or not self._texts:
            return ()
        return ("\n\n".join((_TOLD, *self._texts)),)


def greeted(subject: Subject, messages: Sequence[Message]) -> list[Message]:
    """The messages, with the greetings as the person wants them."""
    first, end = _greetings(messages)
    choice = "refuse" if subject.as_it_is else subject.options.greeting
    if choice == "refuse" or first == end:
        return list(messages)
    before, rest = list(messages[:first]), list(messages[end:])
    if choice == "drop":
        return [*before, *rest]
    texts = [message.body["content"] for message in messages[first:end]]
    system = [message.body["content"] for message in before]
    body = {"role": "system", "content": "\n\n".join((*system, _TOLD, *texts))}
    return [Message(body, 0), *rest]


def greeting_notes(subject: Subject, messages: Sequence[Message]) -> Iterator[str]:
    """What is done with them."""
    first, end = _greetings(messages)
    choice = "refuse" if subject.as_it_is else subject.options.greeting
    if choice != "refuse" and first != end:
        yield f"{_NOTES[choice]} (step {listed([m.step for m in messages[first:end]])})"


def begins_with_greeting(messages: Sequence[Message]) -> bool:
    """Whether the target greets before the user has said anything."""
    first, end = _greetings(messages)
    return first != end


def _greetings(messages: Sequence[Message]) -> tuple[int, int]:
    """Which messages are the greetings: those of the target, between a system text that is text
    and the first message of the user; none where something else stands there.
    """
    first = 0
    if messages and messages[0].body["role"] == "system":
        if not isinstance(messages[0].body["content"], str):
            return 0, 0
        first = 1
    end = first
    while end < len(messages) and _is_words(messages[end]):
        end += 1
    if end == len(messages) or messages[end].body["role"] != "user":
        return first, first
    return first, end


def _is_words(message: Message) -> bool:
    body = message.body
    text = body["content"]
    return bool(
        body["role"] == "assistant"
        and not body.get("tool_calls")
        and isinstance(text, str)
        and text
    )
