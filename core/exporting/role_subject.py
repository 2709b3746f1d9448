"""A request and its answer as a subject of its own, in which the role stands in the target's place.

Beside the answer stand its takes, as leaves of a small tree with the verdicts of their branches, so
that pairs can be made of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ..formats.reading.building import imported_project
from ..formats.reading.content import read_content
from ..formats.subject import Subject
from ..model.marks import Mark
from ..model.messages import (
    Payload,
    SystemNote,
    TargetReply,
    ToolResult,
    UserMessage,
)
from ..model.project import Project, Tool
from ..model.rollout import Rollout, Trajectory
from ..model.steps import Role, Step, role_of
from ..rules.verdicts import newest_verdict
from .asked import Asked
from .seen import Told

_replace = msgspec.structs.replace


def role_subject(
    base: Subject, number: int, asked: Asked, answer: Callable[[Step], TargetReply]
) -> Subject:
    """What was asked for the step of this number of ``base``, with its answer as the last reply."""
    assert base.rollout is not None
    step = base.trajectory.steps[number - 1]
    project = _project(base, asked)
    tree = Rollout(base.rollout.header, [project])
    marks: list[Mark] = []
    parent: str | None = None
    for index, payload in enumerate(_history(asked)):
        told = Step(f"{step.id}.{index + 1}", parent, role_of(payload), payload, "script")
        tree.add(told)
        parent = told.id
        if isinstance(payload, TargetReply):
            marks.append(Mark(told.id, train=False))  # said earlier, and trained on there
    for take in _takes(base.rollout, step):
        own = _replace(
            take,
            parent_id=parent,
            role="target",
            payload=answer(take),
            revision=0,
            state=None,
            script_index=None,
            extra="",
        )
        if own.id not in tree.steps:
            tree.add(own)
        marks += _marks(base, take, step)
    return Subject(
        Trajectory(tree.path(step.id)),
        (project,),
        base.rollout_id,
        base.seed,
        base.row,
        tuple(marks),
        options=base.options,
        rollout=tree,
        title=base.title,
    )


def told_steps(base: Subject, role: Role, number: int, asked: Asked) -> tuple[Told, ...]:
    """For each message of the request that is no system text, the steps that it tells of."""
    count = sum(1 for _ in _history(asked))
    before = base.trajectory.steps[: number - 1]
    if role == "tool":
        return (*[()] * (count - 1), tuple(range(1, number))) if count else ()
    own = [at for at, step in enumerate(before, 1) if isinstance(step.payload, UserMessage)]
    if count != 2 * len(own) + 1:  # a prompt of another shape
        return ((),) * count
    full = base.project.evaluator.sees_tools == "full"
    places: list[Told] = []
    for at, end in zip((0, *own), (*own, number), strict=True):
        if at:
            places.append((at,))
        said = range(at + 1, end)
        places.append(
            tuple(n for n in said if full or isinstance(before[n - 1].payload, TargetReply))
        )
    return tuple(places)


def _project(base: Subject, asked: Asked) -> Project:
    tools = tuple(_tool(tool.get("function", {})) for tool in asked.tools)
    system = _system(asked)
    return imported_project(base.title, system=system, tools=tools, project_id=base.project.id)


def _tool(function: dict[str, Any]) -> Tool:
    parameters = json.dumps(function.get("parameters", {}), ensure_ascii=False)
    return Tool(function.get("name", ""), function.get("description", ""), parameters)


def _system(asked: Asked) -> str | None:
    first = asked.messages[0] if asked.messages else {}
    content = first.get("content")
    return content if first.get("role") == "system" and isinstance(content, str) else None


def _history(asked: Asked) -> Iterator[Payload]:
    """The messages of the request, without the system text."""
    start = 0 if _system(asked) is None else 1
    for message in asked.messages[start:]:
        parts = read_content(message.get("content")).parts
        role = message.get("role")
        if role == "assistant":
            yield TargetReply(parts)
        elif role == "user":
            yield UserMessage(parts)
        elif role == "tool":
            yield ToolResult(str(message.get("tool_call_id", "")), parts)
        else:
            yield SystemNote(parts)


def _takes(rollout: Rollout, step: Step) -> Iterator[Step]:
    """The answer, what else was answered in its place, and what humans replaced there."""
    yield step
    for other in rollout.children(step.parent_id):
        if other != step.id and rollout.steps[other].role == step.role:
            yield rollout.steps[other]
    replaced = rollout.steps.get(step.replaces or "")
    while replaced is not None and replaced.parent_id == step.parent_id:
        yield replaced
        replaced = rollout.steps.get(replaced.replaces or "")


def _marks(base: Subject, take: Step, step: Step) -> Iterator[Mark]:
    """The marks on a take, and the verdict on its branch if all its branches have the same."""
    yield from (mark for mark in base.marks if mark.step_id == take.id and mark.verdict is None)
    assert base.rollout is not None
    leaves = [base.trajectory.steps[-1].id]
    if take is not step:
        leaves = [leaf for leaf in base.rollout.leaves() if take in base.rollout.path(leaf)]
    newest = [mark for leaf in leaves if (mark := newest_verdict(base.marks, leaf)) is not None]
    if len({mark.verdict for mark in newest}) == 1:
        yield _replace(newest[0], step_id=take.id)
