"""Secrets and hidden characters in what an export writes, each with its place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from ..formats.subject import Subject
from ..model.marks import Mark
from ..model.messages import (
    OtherPart,
    Payload,
    Stop,
    TargetReply,
    Text,
    ToolResult,
    UserMessage,
)
from ..model.project import Project
from ..model.steps import Step
from ..rules.hidden import belongs, has_hidden, unsafe
from ..rules.secrets_in_text import find_secrets
from ..workers.secrets import secret_values

Kind = Literal["secret", "hidden"]

_BESIDE = "beside"
"""In the place of a feature: what provenance holds."""


class Found(msgspec.Struct, frozen=True):
    """A secret, or a text's hidden characters (``count`` of them). ``step`` is the step's number in
    its trajectory (0: the project), ``seq`` its number in the library, ``where`` the field, ``at``
    the character of it, from 1.
    """

    kind: Kind
    name: str
    rollout: str
    step: int
    seq: int
    where: str
    at: int
    count: int = 1

    def render(self) -> str:
        """What, and where; never how a secret reads."""
        place = f"{self.rollout}, step {self.step}" if self.step else f"{self.rollout}, project"
        many = f" and {self.count - 1:,} more" if self.count > 1 else ""
        return f"{self.name}{many} ({place}, {self.where}, character {self.at:,})"


_Place = tuple[str, str, str]
"""The field's name, the features of formats (one of which will do) that it belongs to, and its
text."""


def known_secrets(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The keys of the environment, and those that were fetched from the keyring, by value."""
    return secret_values(environ)


class Searcher:
    """Looks through the trajectories of one rollout; a step that branches share is told once.

    ``holds`` are the features that the format has a place for: what it leaves out is not looked at.
    ``beside``: provenance is written beside it, which has a place for what was replaced, and for
    reasons, marks and the title.
    """

    def __init__(
        self, holds: frozenset[str], known: Mapping[str, str], *, beside: bool = False
    ) -> None:
        self._holds = holds
        self._known = known
        self._beside = beside
        self._told: set[tuple[str, int]] = set()

    def look(self, subject: Subject, before: Mapping[str, Step] | None = None) -> Iterator[Found]:
        """What has not been told yet. ``before`` are all steps of the rollout, by id."""
        rollout = subject.rollout_id
        for number, step in enumerate(subject.trajectory.steps, 1):
            if self._first(step.id, 0):
                for place in _step_places(step):
                    yield from self._found(place, rollout, number, step.seq)
                for place in self._other_places(step, subject.marks, before or {}):
                    yield from self._found(place, rollout, number, step.seq)
            if self._first("", step.revision):
                whole = "project" in self._holds
                for place in _project_places(subject.project_of(step), whole=whole):
                    yield from self._found(place, rollout, 0, 0)
        if self._first("title", 0):
            yield from self._found(self._place("title", "edits", subject.title), rollout, 0, 0)

    def _other_places(
        self, step: Step, marks: Iterable[Mark], before: Mapping[str, Step]
    ) -> Iterator[_Place]:
        """What is said of a step: why it was edited, what stood there, a human's notes."""
        yield self._place("reason of the edit", "edits", step.reason)
        for mark in marks:
            if mark.step_id == step.id:
                yield self._place("note on it", "marks", mark.note)
        replaced = before.get(step.replaces or "")
        if replaced is not None and self._beside:
            for where, _, text in _step_places(replaced):
                yield self._place(f"{where} of what it replaced", "", text)

    def _place(self, where: str, feature: str, text: str) -> _Place:
        return where, f"{feature} {_BESIDE}" if self._beside else feature, text

    def _first(self, step_id: str, revision: int) -> bool:
        key = (step_id, revision)
        if key in self._told:
            return False
        self._told.add(key)
        return True

    def _found(self, place: _Place, rollout: str, step: int, seq: int) -> Iterator[Found]:
        where, feature, text = place
        features = feature.split()
        if not text or (_BESIDE not in features and self._holds.isdisjoint(features)):
            return
        for secret in find_secrets(text, self._known):
            yield Found("secret", secret.name, rollout, step, seq, where, secret.start + 1)
        if has_hidden(text):
            yield from self._hidden(text, where, rollout, step, seq)

    @staticmethod
    def _hidden(text: str, where: str, rollout: str, step: int, seq: int) -> Iterator[Found]:
        # Line ends of another system hide nothing.
        marks = [
            match
            for match in unsafe().finditer(text)
            if not belongs(match) and not _is_line_end(match.group(), text, match.start())
        ]
        if marks:
            name = f"hidden character U+{ord(marks[0].group()[0]):04X}"
            at = marks[0].start() + 1
            yield Found("hidden", name, rollout, step, seq, where, at, len(marks))


def _is_line_end(found: str, text: str, at: int) -> bool:
    return found == "\r" and text[at + 1 : at + 2] == "\n"


def _step_places(step: Step) -> Iterator[_Place]:
    payload = step.payload
    if isinstance(payload, Stop):
        yield "reason", "stop", payload.reason
        yield "note", "stop_details", payload.note
        return
    yield from _part_places(payload)
    if isinstance(payload, UserMessage | TargetReply):
        target = isinstance(payload, TargetReply)
        for block in payload.reasoning:
            feature = "reasoning" if target else "evaluator_reasoning"
            yield "reasoning", feature, block.text
        for call in payload.tool_calls:
            feature = "tool_traffic" if target else "evaluator_calls"
            yield f"arguments of {call.name}", feature, call.arguments
            if not call.made_id:
                yield f"id of a call of {call.name}", feature, call.id
    if isinstance(payload, TargetReply):
        yield "refusal", "refusals", payload.refusal
    if step.extra:
        yield "fields of the source", "source_fields", step.extra


def _part_places(payload: Payload) -> Iterator[_Place]:
    assert not isinstance(payload, Stop)
    feature = "tool_traffic" if isinstance(payload, ToolResult) else "messages"
    for part in payload.parts:
        if isinstance(part, Text):
            yield "text", feature, part.text
        else:
            assert isinstance(part, OtherPart)
            yield f"part of kind {part.kind}", "other_parts", part.raw


def _project_places(project: Project, *, whole: bool) -> Iterator[_Place]:
    """What a target is told by its project; with ``whole`` all texts of it."""
    yield "system text", "messages project", getattr(project.target, "system", None) or ""
    for tool in project.tools:
        yield f"description of {tool.name}", "tool_schemas", tool.description
        yield f"parameters of {tool.name}", "tool_schemas", tool.parameters
    for where, text in _texts(project) if whole else ():
        if where != "target system" and not where.startswith("tools "):
            yield where, "project", text


def _texts(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value, with the names of the fields that lead to it."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _texts(getattr(value, name), f"{where} {name}".strip())
    elif isinstance(value, tuple):
        for number, each in enumerate(value, 1):
            yield from _texts(each, f"{where} {number}")
