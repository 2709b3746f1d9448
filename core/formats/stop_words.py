"""Leaving the project's stop words out of what the evaluator said, where somebody wants that: they
are signs for the program, and nothing that a person would say.
"""

from __future__ import annotations

from ..model.messages import Part, Text, UserMessage
from ..model.project import Project
from .subject import Subject


def without_stop_words(message: UserMessage, project: Project) -> UserMessage:
    """The message without the project's stop words, found by the project's own rule; the very same
    where there is none. White space that stood between the text and a word goes with the word.
    """
    words = tuple(word for word in getattr(project.evaluator, "stop_words", ()) if word)
    contains = getattr(project.evaluator, "stop_match", "exact") == "contains"
    if not words:
        return message
    parts: list[Part] = []
    for part in message.parts:
        if not isinstance(part, Text):
            parts.append(part)
            continue
        text = _cut(part.text, words) if contains else _without_lines(part.text, words)
        parts += [part] if text == part.text else [Text(text)] * bool(text)
    if tuple(parts) == message.parts:
        return message
    return UserMessage(tuple(parts), message.reasoning, message.tool_calls)


def stop_word_steps(subject: Subject) -> list[int]:
    """Numbers of the steps whose texts hold stop words."""
    return [
        number
        for number, step in enumerate(subject.trajectory.steps, 1)
        if isinstance(step.payload, UserMessage)
        and without_stop_words(step.payload, subject.project_of(step)) is not step.payload
    ]


def _cut(text: str, words: tuple[str, ...]) -> str:
    for word in words:
        while word in text:
            before, _, after = text.partition(word)
            text = before + after if after.strip() else before.rstrip()
    return text


def _without_lines(text: str, words: tuple[str, ...]) -> str:
    if text.strip() in words:
        return ""
    lines = text.split("\n")
    kept = [line for line in lines if line.strip() not in words]
    return text if len(kept) == len(lines) else "\n".join(kept).rstrip()
