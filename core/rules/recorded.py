"""What is recorded on a path as roles that say it again: an evaluator and a target with scripts, a
tool simulator with a table. For going on from somebody else's log with what its roles said. Pure.

The evaluator's messages are tied to their turns, the target's replies to what they answered, and
results to the calls that they answered: an edit before them does not shift them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ..model.messages import (
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    payload_text,
    reasoning_text,
)
from ..model.project import (
    EvaluatorLine,
    Project,
    RulesSimulator,
    ScriptedCall,
    ScriptedTarget,
    TargetLine,
    ToolExample,
    ToolRule,
    When,
)
from ..model.steps import Role, Step
from .json_values import parse

PLAYED_BY = "played_by"
"""The key of a project's metadata that says how each role of an imported log is played."""

_TOLD = 300
"""Characters of what a reply answered by which it is known again."""


def is_recorded(project: Project, role: Role) -> bool:
    """Whether a person chose that the role says again what the log holds."""
    metadata = parse(project.metadata)
    played = metadata.get(PLAYED_BY) if isinstance(metadata, dict) else None
    return isinstance(played, dict) and played.get(role) == "recorded"


def evaluator_lines(path: Sequence[Step]) -> tuple[EvaluatorLine, ...]:
    """The evaluator's messages, each for its turn, and its stop. A message between which and the
    evaluator's stop nobody said anything is a part of that stop: there was no more to answer.
    """
    return tuple(_evaluator_lines(path))


def _evaluator_lines(path: Sequence[Step]) -> Iterator[EvaluatorLine]:
    turn = 0
    message: EvaluatorLine | None = None
    for step in path:
        payload = step.payload
        if isinstance(payload, Stop) and payload.by == "evaluator":
            texts = (message.text if message is not None else None, payload.note)
            text = "\n".join(filter(None, texts)) or None
            yield EvaluatorLine(text, payload.reason, When(turn=turn + (message is None)))
            message = None
            continue
        if message is not None:
            yield message
            message = None
        if isinstance(payload, UserMessage):
            turn += 1
            reasoning = reasoning_text(payload.reasoning) or None
            text = payload_text(payload)
            message = EvaluatorLine(text=text, when=When(turn=turn), reasoning=reasoning)
    if message is not None:
        yield message


def recorded_target(path: Sequence[Step], system: str | None) -> ScriptedTarget:
    """The target's replies, each to what it answered. One whose arguments are no JSON is left out:
    a script cannot hold it.
    """
    return ScriptedTarget(tuple(_target_lines(path)), system)


def _target_lines(path: Sequence[Step]) -> Iterator[TargetLine]:
    told = [text for _, text, _ in _answers(path)]
    for turn, text, reply in _answers(path):
        calls = tuple(ScriptedCall(call.name, call.arguments) for call in reply.tool_calls)
        if not all(_is_json(call.arguments) for call in calls):
            continue
        # Only where the text alone does not tell: a turn that is put in shifts those after it.
        number = turn if told.count(text) > 1 and turn else None
        when = When(text=text or None, turn=number) if text or number else None
        reasoning = reasoning_text(reply.reasoning) or None
        yield TargetLine(parts_text(reply.parts), reasoning, calls, when)


def _answers(path: Sequence[Step]) -> Iterator[tuple[int, str, TargetReply]]:
    """Each reply with its turn, and the beginning of what it answered."""
    turn, told = 0, ""
    for step in path:
        payload = step.payload
        turn += isinstance(payload, UserMessage)
        if isinstance(payload, TargetReply):
            yield turn, told, payload
        elif isinstance(payload, UserMessage | ToolResult):
            told = payload_text(payload)[:_TOLD]


def recorded_simulator(path: Sequence[Step]) -> RulesSimulator:
    """A rule for each call that was answered: equal calls get equal results. Where a call was
    answered in several ways, the later ones are takes of the first.
    """
    found: dict[tuple[str, str], list[ToolResult]] = {}
    for call, result in answered_calls(path):
        if isinstance(parse(call.arguments or "{}"), dict):
            found.setdefault((call.name, call.arguments or "{}"), []).append(result)
    rules = [_rule(name, arguments, results) for (name, arguments), results in found.items()]
    # A rule fits calls that have more arguments too, so that the one that asks most comes first.
    rules.sort(key=lambda rule: -len(parse(rule.when or "{}")))
    return RulesSimulator(tuple(rules))


def _rule(name: str, arguments: str, results: Sequence[ToolResult]) -> ToolRule:
    first = results[0]
    texts = list(dict.fromkeys(_as_json(result) for result in results))
    return ToolRule(name, texts[0], arguments, None, first.is_error, tuple(texts[1:]))


def recorded_examples(path: Sequence[Step], most: int = 20) -> tuple[ToolExample, ...]:
    """Calls and what they were answered, for a model that simulates the tools to go by."""
    examples = [
        ToolExample(call.name, _as_json(result), call.arguments or "{}")
        for call, result in answered_calls(path)
        if _is_json(call.arguments or "{}")
    ]
    return tuple(dict.fromkeys(examples))[:most]


def answered_calls(path: Sequence[Step]) -> Iterator[tuple[ToolCall, ToolResult]]:
    """Each result with the call that it answers, where there is one."""
    calls: dict[str, ToolCall] = {}
    for step in path:
        payload = step.payload
        if isinstance(payload, TargetReply | UserMessage):
            calls.update((call.id, call) for call in payload.tool_calls)
        elif isinstance(payload, ToolResult) and payload.call_id in calls:
            yield calls[payload.call_id], payload


def _as_json(result: ToolResult) -> str:
    """The text of a result as the JSON string that gives it back unchanged."""
    return json.dumps(payload_text(result), ensure_ascii=False)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
