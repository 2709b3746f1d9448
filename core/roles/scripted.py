"""Scripted roles: each time the first unused line whose ``when`` holds.

Which lines are used up is data of the path (``view.used``), so going back, forking and overriding
need no state here. A line's own text is take 0, its ``takes`` follow, and then it starts over.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from ..errors import RoleError, UsageError
from ..model.messages import (
    GOAL_REACHED,
    MAX_TURNS,
    Payload,
    Reasoning,
    Stop,
    TargetReply,
    ToolCall,
    UserMessage,
    payload_text,
    text_parts,
)
from ..model.project import (
    EvaluatorLine,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
    When,
)
from ..model.view import View
from ..rules.conditions import holds, just_told, problem
from .call_ids import made_ids
from .protocols import Answer, Stream, no_stream

_END = Answer(Stop(GOAL_REACHED, "evaluator"))
_LIMIT = Answer(Stop(MAX_TURNS, "evaluator"))


class ScriptedEvaluatorRole:
    """Says its lines. After the last permitted turn it stops with max_turns, whatever lines are
    left; at the end of the script with goal_reached.
    """

    def __init__(self, spec: ScriptedEvaluator) -> None:
        self._whens = _checked([line.when for line in spec.messages], "evaluator.messages")
        self._answers = [
            [Answer(payload, script_index=index) for payload in _evaluator_takes(line)]
            for index, line in enumerate(spec.messages)
        ]

    async def next(self, view: View, stream: Stream = no_stream) -> Answer:
        """The next line, or the stop that it stands for."""
        if view.turn_index >= view.max_turns:
            return _LIMIT
        index = _first_fitting(self._whens, view)
        if index is None:
            return _END
        takes = self._answers[index]
        return takes[view.take_index % len(takes)]


class ScriptedTargetRole:
    """Gives its replies. Raises RoleError ``not_ready`` when no line is left that fits."""

    def __init__(self, spec: ScriptedTarget) -> None:
        self._whens = _checked([line.when for line in spec.replies], "target.replies")
        self._lines = spec.replies
        self._answers = [
            [Answer(payload, script_index=index) for payload in _target_takes(line)]
            for index, line in enumerate(spec.replies)
        ]

    async def reply(self, view: View, stream: Stream = no_stream) -> Answer:
        """The next reply of the script."""
        index = _first_fitting(self._whens, view)
        if index is None:
            raise RoleError(_no_reply(view, len(self._lines)), kind="not_ready")
        takes = self._answers[index]
        answer = takes[view.take_index % len(takes)]
        scripted = self._lines[index].tool_calls
        if not scripted:
            return answer
        ids = made_ids(view, len(scripted))
        calls = tuple(
            ToolCall(call_id, call.name, call.arguments)
            for call_id, call in zip(ids, scripted, strict=True)
        )
        bare = answer.payload
        return Answer(TargetReply(bare.parts, bare.reasoning, calls), script_index=index)  # type: ignore[union-attr]


def _first_fitting(whens: Sequence[When | None], view: View) -> int | None:
    used: Container[int] = view.used if len(view.used) < 8 else frozenset(view.used)
    for index, when in enumerate(whens):
        if index in used:
            continue
        if when is None or holds(when, view.messages, view.turn_index):
            return index
    return None


def _checked(whens: list[When | None], where: str) -> list[When | None]:
    for index, when in enumerate(whens):
        wrong = problem(when) if when is not None else ""
        if wrong:
            raise UsageError(f"{where}[{index}].when: {wrong}")
    return whens


def _evaluator_takes(line: EvaluatorLine) -> list[UserMessage | Stop]:
    if line.stop is not None:
        return [Stop(line.stop, "evaluator", line.text or "")]
    if line.text is None and not line.takes:
        return [Stop(GOAL_REACHED, "evaluator")]
    reasoning = _reasoning(line.reasoning)
    return [UserMessage(text_parts(text), reasoning) for text in (line.text or "", *line.takes)]


def _target_takes(line: TargetLine) -> list[TargetReply]:
    reasoning = _reasoning(line.reasoning)
    return [TargetReply(text_parts(text), reasoning) for text in (line.text, *line.takes)]


def _reasoning(text: str | None) -> tuple[Reasoning, ...]:
    return () if text is None else (Reasoning(text),)


def _no_reply(view: View, lines: int) -> str:
    told = just_told(view.messages)
    last: Payload | None = told[-1] if told else None
    said = payload_text(last) if last is not None else ""
    shown = f"“{said[:80]}…”" if len(said) > 80 else f"“{said}”"
    used = f"{len(set(view.used))} of its {lines} replies are used up in this path"
    return (
        f"The target's script has no reply left that fits {shown} ({used}). Write the reply by "
        "hand, or add a line to target.replies in the project."
    )
