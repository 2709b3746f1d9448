"""Turn records, strict: one JSON line for each turn, with the keys, their order and the shape of
the seed program's records.

A record holds its own turn only: the system text, the evaluator's message, and the target's final
reply. A turn without that reply is refused. Only the last record of a stopped trajectory has a
termination. Texts are written as they are; ids are derived (``ids``).
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ...errors import ExportError, Fault
from ...model.messages import (
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
from ...model.project import Project
from ...model.steps import Step
from ..ids import project_id, root_key, turn_step_id
from ..jsonl import json_string, line_bytes, one_line
from ..report import payload_texts, surrogate_steps
from ..source import has_odd_numbers, odd_number_notes
from ..subject import Subject

SYNTH_KIND = "multi_turn_project"

HOLDS = frozenset({"messages", "stop", "system_changes"})

HOLDS_IN_FULL = frozenset(
    {
        *("tool_traffic", "tool_schemas", "reasoning", "is_error", "refusals", "system_notes"),
        *("stop_details", "edits", "faults", "train"),
    }
)
"""What records with the whole history hold besides."""

RULE = "a record needs the turn's final reply, one that calls no tool"


def is_full(subject: Subject) -> bool:
    """Whether each record is to hold the whole history before its turn."""
    return subject.options.history == "full"


def holds_also(subject: Subject) -> frozenset[str]:
    """What records hold beside ``HOLDS``."""
    return HOLDS_IN_FULL if is_full(subject) else frozenset()


def check(subject: Subject) -> tuple[Fault, ...]:
    """Every turn that cannot be a record, with the rule that it breaks."""
    full = is_full(subject)
    faults = [
        Fault(words, where=f"turn {index} (step {turn[0][0]})", hint=hint)
        for index, turn in enumerate(cut(subject.trajectory.steps, joined=full), 1)
        for words, hint in _faults(turn, full)
    ]
    if not subject.trajectory.steps:
        faults.append(Fault("there is no step to export.", hint="Make a step first."))
    return tuple(faults)


def _faults(turn: Numbered, full: bool) -> Iterator[tuple[str, str]]:
    steps = [step for _, step in turn]
    said = [step for step in steps if full or not isinstance(step.payload, SystemNote)]
    if not any(isinstance(step.payload, UserMessage) for step in steps):
        yield "no evaluator message begins this turn.", "A record needs one; leave the turn out."
    elif not closes(said[-1]):
        hint = "Play the turn to its end, or export up to the turn before."
        yield f"it ends without its final reply; {RULE}.", hint
    elif not full and sum(map(closes, steps)) > 1:
        hint = "Write the records with the whole history."
        yield "it has more than one final reply; a record holds one.", hint


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    found = []
    if escaped := surrogate_steps(subject):
        found.append(
            f"lone surrogates (step {', '.join(map(str, escaped))}) are written as \\udXXX escapes"
        )
    if any(has_odd_numbers(project.metadata) for project in subject.projects):
        found.append("NaN and infinities in the metadata, which are no JSON, are written as null")
    found += odd_number_notes(subject, "turn-records")
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


Numbered = list[tuple[int, Step]]
"""Steps with their numbers in the trajectory, counted from 1."""


def cut(steps: tuple[Step, ...], *, joined: bool) -> list[Numbered]:
    """The path cut at its evaluator messages, without the stop. System notes behind a turn's final
    reply go with the turn that follows. What stands before the first evaluator message is a turn of
    its own, or goes with the first one (``joined``).
    """
    turns: list[Numbered] = [[]]
    begun = not joined
    for number, step in enumerate(steps, 1):
        if isinstance(step.payload, Stop):
            continue
        if isinstance(step.payload, UserMessage):
            if turns[-1] and begun:
                turns.append(_notes_at_the_end(turns[-1]))
            begun = True
        turns[-1].append((number, step))
    return [turn for turn in turns if turn]


def _notes_at_the_end(turn: Numbered) -> Numbered:
    """Takes the notes away that stand behind the turn's final reply."""
    place = len(turn)
    while place and isinstance(turn[place - 1][1].payload, SystemNote):
        place -= 1
    if not place or not closes(turn[place - 1][1]):
        return []
    notes = turn[place:]
    del turn[place:]
    return notes


def closes(step: Step) -> bool:
    """Whether a turn can end with this step: a reply that calls nothing."""
    return isinstance(step.payload, TargetReply) and not step.payload.tool_calls
