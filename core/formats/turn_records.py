"""Turn records, strict: one JSON line for each turn, with the keys, their order and the shape of
the seed program's records.

A record holds its own turn only: the system text, the evaluator's message, and the target's final
reply. A turn without that reply is refused. Only the last record of a stopped trajectory has a
termination. Texts are written as they are; ids are derived (``ids``).
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..errors import ExportError, Fault
from ..model.messages import (
    MAX_TURNS,
    OtherPart,
    Part,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    UserMessage,
    parts_text,
)
from ..model.project import Project
from ..model.steps import Step
from .ids import project_id, root_key, turn_step_id
from .jsonl import json_string, line_bytes, one_line
from .report import payload_texts, surrogate_steps
from .subject import Subject

SYNTH_KIND = "multi_turn_project"

HOLDS = frozenset({"messages", "stop", "system_changes"})

RULE = "a record needs the turn's final reply, one that calls no tool"


def check(subject: Subject) -> tuple[Fault, ...]:
    """Every turn that cannot be a record, with the rule that it breaks."""
    faults = []
    for index, steps, complete in _turns(subject.trajectory.steps):
        first = steps[0][0] + 1
        if not isinstance(steps[0][1].payload, UserMessage):
            faults.append(
                Fault(
                    "no evaluator message begins this turn.",
                    where=f"turn {index + 1} (step {first})",
                    hint="A record needs one; leave the turn out.",
                )
            )
        elif not complete:
            faults.append(
                Fault(
                    f"it ends without its final reply; {RULE}.",
                    where=f"turn {index + 1} (step {first})",
                    hint="Play the turn to its end, or export up to the turn before.",
                )
            )
    if not subject.trajectory.steps:
        faults.append(Fault("there is no step to export.", hint="Make a step first."))
    return tuple(faults)


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    found = []
    if escaped := surrogate_steps(subject):
        found.append(
            f"lone surrogates (step {', '.join(map(str, escaped))}) are written as \\udXXX escapes"
        )
    if subject.trajectory.stop is None:
        found.append("the rollout has not stopped: the last record has no termination")
    if subject.project.target.system is None:
        found.append("the project sends no system text: the records have no system message")
    return tuple(found)


def render(subject: Subject) -> bytes:
    """The records as JSON lines. Raises ExportError where ``check`` finds a fault."""
    faults = check(subject)
    if faults:
        raise ExportError("\n".join(fault.render() for fault in faults))
    return complete_turns(subject).data


class Records(msgspec.Struct, frozen=True):
    """Records as JSON lines, how many they are, and how many turns the trajectory has."""

    data: bytes
    count: int
    turns: int


def complete_turns(subject: Subject) -> Records:
    """The records of the turns that are complete; the others are only counted.

    One pass, with each text encoded once: a batch spends most of its time here.
    """
    steps = subject.trajectory.steps
    own_id = project_id(subject.projects[0], subject.seed, subject.row)
    key = root_key(own_id, subject.seed, subject.row)
    parent = "null"
    revision = -1
    head = system = user = rest = ""
    lines: list[str] = []
    turns = 0
    waiting = False
    for step in steps:
        payload = step.payload
        if isinstance(payload, UserMessage):
            turns += 1
            waiting = True
            user = json_string(parts_text(payload.parts))
            rest = _other_parts(payload.parts)
        elif not waiting:
            turns += not isinstance(payload, Stop | SystemNote)
        elif isinstance(payload, TargetReply) and not payload.tool_calls:
            waiting = False
            if step.revision != revision:
                revision = step.revision
                head, system = _head(own_id, subject.projects[revision])
            agent = json_string(parts_text(payload.parts))
            step_id = turn_step_id(key, user, rest, agent)
            lines.append(
                f'{head}{len(lines)}, "parent_step_id": {parent}, "step_id": "{step_id}", '
                f'"messages": [{system}{{"role": "user", "content": {user}}}, '
                f'{{"role": "assistant", "content": {agent}}}], "user_text": {user}, '
                f'"agent_text": {agent}, "termination": '
            )
            key = step_id
            parent = f'"{step_id}"'
        else:
            rest += "".join(map(json_string, payload_texts(payload)))
    if not lines:
        return Records(b"", 0, turns)
    stop = subject.trajectory.stop
    ending = "null" if stop is None else f'{{"reason": {json_string(stop.reason or MAX_TURNS)}}}'
    return Records(line_bytes("null}\n".join(lines) + ending + "}"), len(lines), turns)


def _head(own_id: str, project: Project) -> tuple[str, str]:
    """All of a record up to the value of ``turn_index``, and its system message."""
    name = json_string(own_id)
    head = (
        f'{{"synth_kind": "{SYNTH_KIND}", "session_id": {name}, "project": {{"id": {name}, '
        f'"title": {json_string(project.title)}, "goal": {json_string(project.goal)}, '
        f'"metadata": {one_line(project.metadata)}}}, "turn_index": '
    )
    text = project.target.system
    system = "" if text is None else f'{{"role": "system", "content": {json_string(text)}}}, '
    return head, system


def _other_parts(parts: tuple[Part, ...]) -> str:
    """What of a message is no text: an edited picture makes another turn."""
    if not parts or (len(parts) == 1 and isinstance(parts[0], Text)):
        return ""
    return "".join(json_string(part.raw) for part in parts if isinstance(part, OtherPart))


def _turns(steps: tuple[Step, ...]) -> Iterator[tuple[int, list[tuple[int, Step]], bool]]:
    """The path cut at its evaluator messages: index, steps with their places, and whether a final
    reply ends the turn.
    """
    index = 0
    turn: list[tuple[int, Step]] = []
    for position, step in enumerate(steps):
        payload = step.payload
        if isinstance(payload, Stop):
            continue
        if isinstance(payload, UserMessage) and turn:
            yield index, turn, _closes(turn[-1][1])
            index += 1
            turn = []
        turn.append((position, step))
    if turn:
        yield index, turn, _closes(turn[-1][1])


def _closes(step: Step) -> bool:
    return isinstance(step.payload, TargetReply) and not step.payload.tool_calls
