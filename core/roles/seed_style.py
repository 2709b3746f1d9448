"""Roles written for the seed program's interfaces, unchanged: ``decide`` and ``respond``.

A *decider* has ``decide(project=, history=, turn_index=, max_turns=)`` and gives something with
``terminate``, ``reason`` and ``next_user_text``; an *agent client* has
``respond(project=, history=)`` and gives text; an *author* has ``author(n=, rng=)`` and gives
projects with ``id``, ``title``, ``goal``, ``initial_user_text`` and ``metadata``. They get objects
of the seed's shape, made anew for each call, so that none can change another's copy.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..errors import RoleError
from ..model.messages import (
    GOAL_REACHED,
    MAX_TURNS,
    Stop,
    SystemNote,
    TargetReply,
    ToolResult,
    UserMessage,
    parts_text,
    target_reply,
    user_message,
)
from ..model.project import EchoTarget, HeuristicEvaluator, Project
from ..model.view import View


@dataclass(frozen=True)
class SeedProject:
    """A project as the seed's interfaces know it."""

    id: str
    title: str
    goal: str
    initial_user_text: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SeedMessage:
    """One message of the history; ``role`` is system, user, assistant, or (ours) tool."""

    role: str
    content: str


SEED_ARGUMENTS = {
    "evaluator": ("project", "history", "turn_index", "max_turns"),
    "target": ("project", "history"),
}
"""The keywords that a decider and an agent client are called with."""


def ask_decider(decide: Any, view: View) -> Any:
    """Call a decider with the seed's arguments. The system text reaches it through the project
    only.
    """
    return decide(
        project=seed_project(view),
        history=seed_history(view, system=False),
        turn_index=view.turn_index,
        max_turns=view.max_turns,
    )


def ask_client(respond: Any, view: View) -> Any:
    """Call an agent client with the seed's arguments."""
    return respond(project=seed_project(view), history=seed_history(view, system=True))


def read_decision(decision: Any, view: View) -> UserMessage | Stop:
    """What a decision means.

    ``terminate`` stops with its reason, any word, or with max_turns when it has none; the next
    text is then ignored. No next text is goal_reached, on the last permitted turn max_turns. An
    empty next text is sent. Raises RoleError for anything else.
    """
    if decision is None:
        raise RoleError("gave None instead of a decision.", kind="empty")
    missing = object()
    terminate = _field(decision, "terminate", missing)
    text = _field(decision, "next_user_text", None)
    if terminate is missing:
        raise RoleError(
            f"gave {a_or_an(decision)} without terminate, which is no decision.",
            kind="bad_reply",
            detail=shown(decision),
        )
    if terminate:
        reason = _field(decision, "reason", None) or MAX_TURNS
        return Stop(_word(reason, "reason"), "evaluator")
    if text is None:
        at_limit = view.turn_index >= view.max_turns
        return Stop(MAX_TURNS if at_limit else GOAL_REACHED, "evaluator")
    return user_message(_word(text, "next_user_text"))


def read_said(said: Any) -> TargetReply:
    """A client's text as a reply; the empty string is one, None is not."""
    if said is None:
        raise RoleError("gave None instead of a reply.", kind="empty")
    if not isinstance(said, str):
        raise RoleError(
            f"gave {a_or_an(said)} instead of text.",
            kind="bad_reply",
            detail=shown(said),
        )
    return target_reply(said)


def read_projects(projects: Any) -> tuple[Project, ...]:
    """What an author gave, as projects: ours as they are, seed-style ones played by the echo target
    and the seed's heuristic, as the seed program plays them. Raises RoleError.
    """
    if projects is None:
        raise RoleError("gave None instead of projects.", kind="empty")
    if isinstance(projects, str | dict) or not isinstance(projects, Iterable):
        raise RoleError(
            f"gave {a_or_an(projects)} instead of a list of projects.",
            kind="bad_reply",
            detail=shown(projects),
        )
    return tuple(_project(project, index) for index, project in enumerate(projects))


def _project(project: Any, index: int) -> Project:
    if isinstance(project, Project):
        return project
    title, goal = _field(project, "title", None), _field(project, "goal", None)
    opening = _field(project, "initial_user_text", None)
    if not (isinstance(title, str) and isinstance(goal, str) and isinstance(opening, str)):
        raise RoleError(
            f"gave a project (number {index + 1}) that is neither a Project nor one of the seed's, "
            "which has the texts title, goal and initial_user_text.",
            kind="bad_reply",
            detail=shown(project),
        )
    return Project(
        title=title,
        target=EchoTarget(),
        evaluator=HeuristicEvaluator(match="substring"),
        id=_field(project, "id", None),
        goal=goal,
        opening=opening,
        metadata=json.dumps(_field(project, "metadata", None) or {}, ensure_ascii=False),
    )


def seed_project(view: View) -> SeedProject:
    """The view's project in the seed's shape, its metadata a copy."""
    project = view.project
    metadata = json.loads(project.metadata)
    return SeedProject(project.id or "", project.title, project.goal, _opening(view), metadata)


def seed_history(view: View, *, system: bool) -> list[SeedMessage]:
    """The view's messages in the seed's shape, with the target's system text first if asked for."""
    text = view.project.target.system if system else None
    history = [] if text is None else [SeedMessage("system", text)]
    for message in view.messages:
        if not isinstance(message, Stop):
            history.append(SeedMessage(_ROLE_NAMES[type(message)], parts_text(message.parts)))
    return history


_ROLE_NAMES: dict[type, str] = {
    UserMessage: "user",
    TargetReply: "assistant",
    ToolResult: "tool",
    SystemNote: "system",
}


def shown(value: Any) -> str:
    """A value for those who look into a failure: its repr, cut, whatever its class does."""
    return _repr.repr(value)


def a_or_an(value: Any) -> str:
    """What kind of thing a value is: "an int", "a TargetReply"."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = 2000


def _opening(view: View) -> str:
    if view.project.opening is not None:
        return view.project.opening
    first = next((m for m in view.messages if isinstance(m, UserMessage)), None)
    return parts_text(first.parts) if first is not None else ""


def _field(value: Any, name: str, default: Any) -> Any:
    return value.get(name, default) if isinstance(value, dict) else getattr(value, name, default)


def _word(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise RoleError(
            f"gave a decision whose {name} is {a_or_an(value)}, not text.",
            kind="bad_reply",
            detail=shown(value),
        )
    return value
