"""Who plays the roles of an import from here on: what there is to choose from, what is likely
meant, and the project that comes of it. Imports no Textual.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
from rollstep.core.model.messages import TargetReply, ToolResult, UserMessage
from rollstep.core.model.project import (
    EvaluatorSpec,
    HeuristicEvaluator,
    HumanEvaluator,
    HumanSimulator,
    HumanTarget,
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    ScriptedEvaluator,
    SimulatorSpec,
    TargetSpec,
)
from rollstep.core.model.steps import ROLES, Role, Step
from rollstep.core.rules.recorded import (
    PLAYED_BY,
    evaluator_lines,
    recorded_examples,
    recorded_simulator,
    recorded_target,
)

from .presenter import DebuggerModel
from .who import kind_of

Playing = Literal["recorded", "live", "heuristic", "human"]
_MORE_TURNS = 10
"""Turns that there are to go on with, where the import has used up what its project permits."""


class RoleChoice(NamedTuple):
    """How one role is played, and by which model where it is live: its name as litellm has it, and
    the address of a server of one's own behind an ``@``.
    """

    role: Role
    playing: Playing = "human"
    model: str = ""


Roles = tuple[RoleChoice, ...]


def unasked(model: DebuggerModel) -> bool:
    """Whether this is an import of which nobody has said yet who plays its roles."""
    if not model.rollout.header.format or len(model.rollout.projects) > 1:
        return False
    return all(kind_of(model.project, role) in ("human", "") for role in ROLES)


def recorded_path(model: DebuggerModel) -> tuple[Step, ...]:
    """The imported branch that has most in common with the one that is shown."""
    rollout = model.rollout
    imported = [s for s in rollout if s.origin == "import" and s.copied_from is None]
    followed = {step.parent_id for step in imported}
    paths = [rollout.path(step.id) for step in imported if step.id not in followed]
    shown = model.path.at
    return max(paths, key=lambda path: (sum(s.id in shown for s in path), len(path)), default=())


def ways(path: Sequence[Step], role: Role) -> tuple[Playing, ...]:
    """How the role can be played."""
    recorded: tuple[Playing, ...] = ("recorded",) if count(path, role) else ()
    heuristic: tuple[Playing, ...] = ("heuristic",) if role == "evaluator" else ()
    return (*recorded, "live", *heuristic, "human")


def proposed(path: Sequence[Step], turns: int, before: Roles = ()) -> Roles:
    """What is likely meant: what was chosen for the rollout before; else the target live where it
    is known which model it was, the tools as they are recorded, and the evaluator too while more
    of it is recorded than the ``turns`` that have been.
    """
    asked = {choice.role: choice for choice in before}
    found = []
    for role in ROLES:
        choice = asked.get(role)
        if choice is None or choice.playing not in ways(path, role):
            choice = _proposed(path, role, turns)
        found.append(choice)
    return tuple(found)


def _proposed(path: Sequence[Step], role: Role, turns: int) -> RoleChoice:
    name = _model_of(path, role)
    if role == "target":
        return RoleChoice(role, "live" if name else "human", name)
    more = left(path, turns) if role == "evaluator" else count(path, role)
    return RoleChoice(role, "recorded" if more else "human", name)


def left(path: Sequence[Step], turns: int) -> int:
    """How many of the evaluator's lines, its stop included, come after so many turns."""
    return sum(1 for each in evaluator_lines(path) if each.when and (each.when.turn or 0) > turns)


def _model_of(path: Sequence[Step], role: Role) -> str:
    names = Counter(s.call.model for s in path if s.role == role and s.call is not None)
    return names.most_common(1)[0][0] if names else ""


_KINDS = {"evaluator": UserMessage, "target": TargetReply, "tool": ToolResult}


def count(path: Sequence[Step], role: Role) -> int:
    """How much is recorded that the role would say again."""
    if role == "tool":
        return len(recorded_simulator(path).rules)
    return sum(isinstance(step.payload, _KINDS[role]) for step in path)


def choice_words(path: Sequence[Step], turns: int, choice: RoleChoice) -> str:
    """What it means that a role is played so, in a line."""
    role, number = choice.role, count(path, choice.role)
    if choice.playing == "human":
        return "you write it"
    if choice.playing == "heuristic":
        return "asks on with set phrases until the target says that it is done"
    if choice.playing == "live":
        return f"{choice.model or 'a model: m names it'}, may cost money"
    return {
        "evaluator": f"each message at its turn, {left(path, turns):,} to come; then it stops",
        "target": f"its {number:,} replies, each to what it answered",
        "tool": f"equal calls get equal results ({number:,} known); others you write",
    }[role]


def lacking(roles: Roles) -> RoleChoice | None:
    """The first role that is to be live and has no model yet."""
    return next((c for c in roles if c.playing == "live" and not c.model.strip()), None)


def played(project: Project, path: Sequence[Step], roles: Roles) -> Project:
    """The project with these roles; it says in its metadata how each is played, so that it differs
    from the one before and nobody is asked again. ``path`` is what is recorded.
    """
    chosen = {choice.role: choice for choice in roles}
    turns = sum(isinstance(step.payload, UserMessage) for step in path)
    return msgspec.structs.replace(
        project,
        evaluator=_evaluator(project.evaluator, path, chosen["evaluator"]),
        target=_target(project.target, path, chosen["target"]),
        tool_simulator=_simulator(path, chosen["tool"]),
        max_turns=max(project.max_turns, turns + _MORE_TURNS),
        metadata=_noted(project.metadata, roles),
    )


def _evaluator(before: EvaluatorSpec, path: Sequence[Step], choice: RoleChoice) -> EvaluatorSpec:
    persona, stop_when = before.persona, before.stop_when
    if choice.playing == "recorded":
        return ScriptedEvaluator(evaluator_lines(path), persona=persona, stop_when=stop_when)
    if choice.playing == "heuristic":
        return HeuristicEvaluator(persona=persona, stop_when=stop_when)
    instructions = getattr(before, "instructions", "")
    if choice.playing == "live":
        name = choice.model.strip()
        return LlmEvaluator(name, persona=persona, instructions=instructions, stop_when=stop_when)
    return HumanEvaluator(persona=persona, instructions=instructions, stop_when=stop_when)


def _target(before: TargetSpec, path: Sequence[Step], choice: RoleChoice) -> TargetSpec:
    if choice.playing == "recorded":
        return recorded_target(path, before.system)
    if choice.playing == "live":
        name, base = _server(choice.model)
        return LlmTarget(name, before.system, base)
    return HumanTarget(system=before.system)


def _simulator(path: Sequence[Step], choice: RoleChoice) -> SimulatorSpec:
    if choice.playing == "recorded":
        return recorded_simulator(path)
    if choice.playing == "live":
        name, base = _server(choice.model)
        return LlmSimulator(name, base, examples=recorded_examples(path))
    return HumanSimulator()


def _server(text: str) -> tuple[str, str | None]:
    """A model's name, and the address of its server where one is given."""
    name, at, address = text.partition("@ ")
    return (name.strip(), address.strip()) if at and address.strip() else (text.strip(), None)


def _noted(metadata: str, roles: Roles) -> str:
    """The metadata with how each role is played; what else is in it stays to the letter."""
    said = json.dumps({choice.role: choice.playing for choice in roles})
    before = metadata.rstrip()[:-1].rstrip()
    return f'{before}{"" if before.endswith("{") else ", "}"{PLAYED_BY}": {said}}}'
