r"""Markdown for people to read: the project, then every step in order, with edits and reasoning.

Texts stand in fences longer than any in the text, so that nothing in them is taken for Markdown or
HTML and they can be copied out unchanged. UTF-8 cannot hold lone surrogates: they become the
six characters ``\udXXX``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..errors import Fault
from ..model.messages import (
    OtherPart,
    Part,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    UserMessage,
)
from ..model.steps import Step
from ..rules.scoring import score_words, standing
from .jsonl import escape_surrogates
from .mark_facts import mark_facts
from .report import surrogate_steps
from .subject import Subject

HOLDS = frozenset(
    {
        "messages",
        "tool_traffic",
        "tool_schemas",
        "reasoning",
        "evaluator_reasoning",
        "evaluator_calls",
        "is_error",
        "refusals",
        "finish_reasons",
        "system_notes",
        "stop",
        "stop_details",
        "edits",
        "faults",
        "train",
        "marks",
        "scores",
    }
)


def check(subject: Subject) -> tuple[Fault, ...]:
    """Markdown takes every trajectory."""
    return ()


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    if escaped := surrogate_steps(subject):
        steps = ", ".join(map(str, escaped))
        return (f"lone surrogates (step {steps}) are written as the six characters \\udXXX",)
    return ()


def render(subject: Subject) -> bytes:
    """The whole document."""
    blocks = [*_project_blocks(subject), *_score_blocks(subject), *_step_blocks(subject)]
    return escape_surrogates("\n\n".join(blocks) + "\n").encode("utf-8")


def fenced(text: str, language: str = "text") -> str:
    """A text in a fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _project_blocks(subject: Subject) -> Iterator[str]:
    project = subject.project
    yield f"# {_heading(subject.heading)}"
    if project.goal:
        yield "Goal:"
        yield fenced(project.goal)
    if project.target.system is not None:
        yield "System text of the target:"
        yield fenced(project.target.system)
    for tool in project.tools:
        yield f"Tool {_code(tool.name)}:"
        if tool.description:
            yield fenced(tool.description)
        yield fenced(tool.parameters, "json")


def _score_blocks(subject: Subject) -> Iterator[str]:
    numbers = {step.id: number for number, step in enumerate(subject.trajectory.steps, 1)}
    for score in subject.scores:
        failed = "FAILED, " if standing(score) == "failed" else ""
        steps = ", ".join(str(numbers[i]) for i in score.step_ids if i in numbers)
        cites = f" (step {steps})" if steps else ""
        yield f"Score: {failed}{_code(score_words(score))}{cites}"
        if score.explanation:
            yield fenced(score.explanation)


def _step_blocks(subject: Subject) -> Iterator[str]:
    marks = {mark.step_id: mark for mark in subject.marks}
    calls: dict[str, ToolCall] = {}
    turn = messages = 0
    for position, step in enumerate(subject.trajectory.steps):
        messages += isinstance(step.payload, UserMessage)
        if not isinstance(step.payload, Stop) and turn != (turn := messages or 1):
            yield f"## Turn {turn}"
        if isinstance(step.payload, TargetReply):
            calls = {call.id: call for call in step.payload.tool_calls}
        yield f"### {position + 1}. {_title(step.payload, calls)}"
        if edit := _edit(step):
            yield edit
        yield from _payload_blocks(step.payload)
        if step.id in marks:
            words = ", ".join(mark_facts(marks[step.id], _code))
            yield f"_Marked: {words}._"


def _title(payload: Payload, calls: dict[str, ToolCall]) -> str:
    if isinstance(payload, UserMessage):
        return "Evaluator"
    if isinstance(payload, TargetReply):
        return "Target"
    if isinstance(payload, SystemNote):
        return "System message"
    if isinstance(payload, Stop):
        return f"Stop: {_code(payload.reason)}, by {payload.by}"
    call = calls.get(payload.call_id)
    name = f" {_code(call.name)}" if call else ""
    return f"Tool result{name}{' (error)' if payload.is_error else ''}"


def _payload_blocks(payload: Payload) -> Iterator[str]:
    if isinstance(payload, Stop):
        if payload.note:
            yield fenced(payload.note)
        return
    if isinstance(payload, UserMessage | TargetReply):
        yield from _reasoning_blocks(payload.reasoning)
    shown = [*_part_blocks(payload.parts)]
    if isinstance(payload, UserMessage | TargetReply):
        for call in payload.tool_calls:
            shown += (
                f"Calls {_code(call.name)} ({_code(call.id)}):",
                fenced(call.arguments, "json"),
            )
    if isinstance(payload, TargetReply):
        if payload.refusal:
            shown += ("Refusal:", fenced(payload.refusal))
        if payload.finish_reason not in ("", "stop", "tool_calls"):
            shown.append(f"Ended by {_code(payload.finish_reason)}.")
    yield from shown or ["_Empty._"]


def _reasoning_blocks(blocks: Sequence[Reasoning]) -> Iterator[str]:
    for block in blocks:
        yield "Reasoning:"
        yield fenced(block.text)


def _part_blocks(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Text):
            yield fenced(part.text)
        else:
            assert isinstance(part, OtherPart)
            yield f"[{part.kind} {part.size} B {_code(part.media_type)}]"


def _edit(step: Step) -> str:
    facts = []
    if step.injected:
        facts.append(f"an injected fault, {_code(step.injected)}")
    if step.origin == "human":
        facts.append(f"by a human{f', {_code(step.author)}' if step.author else ''}")
    if step.replaces:
        facts.append("in place of another step")
    if step.copied_from:
        facts.append("copied from another branch")
    if step.reason:
        facts.append(f"reason: {_code(step.reason)}")
    return f"_{'; '.join(facts)}_" if facts else ""


def _heading(text: str) -> str:
    """A title on one line, its Markdown signs escaped."""
    return re.sub(r"([\\`*_{}\[\]<>#|~!&])", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """A short text as a code span, in which nothing is Markdown."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    ticks = "`" * (longest + 1)
    flat = re.sub(r"\s+", " ", text)
    pad = " " if flat.startswith("`") or flat.endswith("`") or not flat.strip() else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"
