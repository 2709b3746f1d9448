"""Stops as the app speaks of them: what more turns would do here. Imports no Textual."""

from __future__ import annotations

from rollstep.core.model.messages import MAX_TURNS, Stop
from rollstep.core.model.players import is_live
from rollstep.core.model.project import Project
from rollstep.core.model.steps import ROLES, Step
from rollstep.core.rules.stops import held_back, turns_there, why_not_more

from .cells import cells
from .presenter import DebuggerModel
from .sanitize import one_line
from .who import kind_of, who
from .wrap import fit

_SHOWN = 120
"""Cells of the held-back message that the dialog shows."""


def stop_here_problem(model: DebuggerModel) -> str:
    """Why no stop can be forced at the cursor; empty when one can."""
    step = model.step
    if step is not None and isinstance(step.payload, Stop):
        return "The rollout has ended here: e changes the reason, w writes over the stop."
    return ""


def where_more_turns_act(model: DebuggerModel) -> Step | None:
    """The stop of the branch that is shown, if the turn limit ended it; else the cursor's step."""
    stop = model.path.stop
    if stop is not None and stop.reason == MAX_TURNS:
        return model.path.steps[-1]
    return model.step


def more_turns_problem(model: DebuggerModel) -> str:
    """Why more turns would do nothing here; empty when they would."""
    step = where_more_turns_act(model)
    return why_not_more(step.payload) if step is not None else ""


def turn_limit(model: DebuggerModel, project: Project) -> int | None:
    """How many turns this project of the rollout permits; None for that of an import of which
    nobody has said yet who plays on: a log names no limit, and the number there is nobody's choice.
    """
    imported = bool(model.rollout.header.format) and project is model.rollout.projects[0]
    unasked = imported and all(kind_of(project, role) in ("human", "") for role in ROLES)
    return None if unasked else project.max_turns


def turns_now(model: DebuggerModel) -> int:
    """The turns that there are at least: those of the branch, at its stop, else the project's."""
    step = where_more_turns_act(model)
    position = model.path.position(len(model.path) - 1)
    return turns_there(step.payload if step is not None else None, position, model.project)


def what_more_turns_do(model: DebuggerModel, turns: int) -> str:
    """What raising the limit to so many turns does here, in words."""
    project = model.project
    limit = f"max_turns goes from {project.max_turns} to {turns}"
    if turn_limit(model, project) is None:
        limit = f"The log names no max_turns; it is {turns} then"
    elif project.max_turns == turns:
        limit = f"max_turns is {turns} already"
    step = where_more_turns_act(model)
    stop = step.payload if step is not None else None
    if not isinstance(stop, Stop):
        return f"{limit}; nothing else happens now."
    text = held_back(stop)
    if text is not None:
        said = one_line(text)
        said = fit(said, _SHOWN) if cells(said) > _SHOWN else said
        return f"{limit}. The message that was held back is said, free:\n{said}"
    if kind_of(project, "evaluator") == "human":
        return f"{limit}. You play the evaluator: the editor opens for its message."
    cost = "live, may cost money" if is_live(project, "evaluator") else "offline, free"
    return f"{limit}. The evaluator ({who(project, 'evaluator')}) is asked anew: {cost}."
