"""A project for playing a recorded path again with somebody else in a role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from ..model.messages import MAX_TURNS, OtherPart, Stop, UserMessage, parts_text, reasoning_text
from ..model.project import (
    EvaluatorLine,
    EvaluatorSpec,
    LlmEvaluator,
    LlmTarget,
    Project,
    PythonEvaluator,
    PythonTarget,
    ScriptedEvaluator,
    TargetSpec,
)
from ..model.steps import Step

_replace = msgspec.structs.replace

END_OF_RECORDING = "end_of_recording"
"""The reason of the stop where a recording ends that had not come to one."""

PYTHON = "python:"
"""``python:package.module:name`` names somebody's own object in the place of a model."""

Spec = TypeVar("Spec", LlmEvaluator, LlmTarget, PythonEvaluator, PythonTarget)


class Rerun(NamedTuple):
    """The project that is played, and what of the recording it cannot say, in words."""

    project: Project
    notes: tuple[str, ...] = ()


def other_target(old: TargetSpec, name: str, api_base: str | None = None) -> TargetSpec:
    """A target of this name in the place of another: with its system text and parameters."""
    if name.startswith(PYTHON):
        return _like(old, PythonTarget(name.removeprefix(PYTHON)))
    return _replace(_like(old, LlmTarget(name)), api_base=api_base)


def other_evaluator(old: EvaluatorSpec, name: str, api_base: str | None = None) -> EvaluatorSpec:
    """An evaluator of this name in the place of another: with its persona and all that is said of
    how to play.
    """
    if name.startswith(PYTHON):
        return _like(old, PythonEvaluator(name.removeprefix(PYTHON)))
    return _replace(_like(old, LlmEvaluator(name)), api_base=api_base)


def _like(old: Any, new: Spec) -> Spec:
    """``new`` with what is said of both kinds."""
    own = ("model", "object", "options", "timeout")
    fields = [field for field in new.__struct_fields__ if field not in own and hasattr(old, field)]
    return _replace(new, **{field: getattr(old, field) for field in fields})


def same_messages(project: Project, steps: Sequence[Step]) -> Rerun:
    """The project with an evaluator that says what it said in this path, in order, and then stops
    as it stopped, whatever it is told.
    """
    notes: list[str] = []
    said = [
        (place, s.payload) for place, s in enumerate(steps) if isinstance(s.payload, UserMessage)
    ]
    for place, payload in said:
        if payload.tool_calls or any(isinstance(part, OtherPart) for part in payload.parts):
            notes.append(f"step {place + 1}: only the text of this message can be said again")
    if steps and not isinstance(steps[0].payload, UserMessage | Stop):
        notes.append("what stood before the first message is not played again")
    messages = [payload for _, payload in said]
    opening = parts_text(messages[0].parts) if messages else None
    lines = (*map(_line, messages[1:]), *_ending(steps))
    evaluator = _like_script(project.evaluator, lines)
    # At the limit a script stops with max_turns, whatever lines are left.
    own_end = lines[-1].stop != MAX_TURNS
    turns = max(project.max_turns, len(messages) + own_end)
    changed = _replace(project, evaluator=evaluator, opening=opening, max_turns=turns)
    return Rerun(changed, tuple(notes))


def _like_script(old: EvaluatorSpec, lines: tuple[EvaluatorLine, ...]) -> ScriptedEvaluator:
    fields = [f for f in ScriptedEvaluator.__struct_fields__ if f != "messages" and hasattr(old, f)]
    return ScriptedEvaluator(lines, **{field: getattr(old, field) for field in fields})


def _line(message: UserMessage) -> EvaluatorLine:
    reasoning = reasoning_text(message.reasoning) if message.reasoning else None
    return EvaluatorLine(parts_text(message.parts), reasoning=reasoning)


def _ending(steps: Sequence[Step]) -> Iterator[EvaluatorLine]:
    last = steps[-1].payload if steps else None
    if not isinstance(last, Stop):
        yield EvaluatorLine(stop=END_OF_RECORDING)
    elif last.by == "evaluator":
        yield EvaluatorLine(last.note or None, stop=last.reason)
    else:
        yield EvaluatorLine(stop=last.reason)  # what a rule held back was not said
