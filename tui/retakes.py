"""What ``r`` asks for at a step: of whom, what it may be told otherwise, what it costs. Imports no
Textual.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from rollstep.core.asking import OFFLINE
from rollstep.core.model.messages import Payload, Stop, payload_text
from rollstep.core.model.players import spec_of
from rollstep.core.model.project import LlmEvaluator, LlmSimulator, LlmTarget
from rollstep.core.model.steps import Role, Step
from rollstep.core.rules import retakes as rules
from rollstep.core.rules.limits import in_dollars
from rollstep.core.rules.stepper import Ask

from .inspector import kind_words
from .presenter import DebuggerModel
from .prices import step_cost
from .stepview import call_text, stop_title
from .who import ANSWERS, kind_of, who


class Anew(NamedTuple):
    """A step that can be asked for anew, and who is asked."""

    step: Step | None
    """None where the role failed: its answer is asked for in another way."""
    number: int
    role: Role
    kind: str


def asked_anew(model: DebuggerModel) -> Anew | str:
    """Who would be asked at the cursor's step; or why nobody, in words."""
    failed = _asked_otherwise(model)
    if failed is not None:
        return failed
    step = model.step
    if step is None:
        return "There is no step to ask anew yet: s makes the first."
    position = model.path.position(model.cursor - 1)
    asked = rules.asked_anew(position, model.project, lambda role: kind_of(model.project, role))
    if isinstance(asked, rules.Unasked):
        return asked.words + (" e writes another." if asked.writable else "")
    return Anew(step, model.cursor + 1, asked.ask.role, asked.kind)


def _asked_otherwise(model: DebuggerModel) -> Anew | None:
    """Who has failed at the cursor, and can be asked in another way."""
    action = model.next_here()
    if model.ahead or not model.attempts.get(model.step_id) or not isinstance(action, Ask):
        return None
    kind = kind_of(model.project, action.role)
    return Anew(None, model.cursor + 2, action.role, kind) if kind in ("llm", "python") else None


def title(model: DebuggerModel, anew: Anew) -> str:
    """What is asked for, in a line."""
    if anew.step is None:
        return f"Ask {_name(model, anew)} again: step {anew.number}, the {ANSWERS[anew.role]}"
    what = kind_words(anew.step.payload)
    if isinstance(anew.step.payload, Stop):
        what = "stop, or a message in its place"
    elif (call := model.path.call.get(anew.number - 1)) is not None:
        what = f"result of {call_text(call, 60)}"
    return f"Ask {_name(model, anew)} anew: step {anew.number}, {what}"


def _name(model: DebuggerModel, anew: Anew) -> str:
    name = who(model.project, anew.role)
    return name if anew.kind in ("llm", "python") else f"the {name}"


def cost_words(model: DebuggerModel, anew: Anew, takes: int, named: str = "") -> str:
    """What so many takes would cost. ``named`` is another model than the project's."""
    if anew.kind in OFFLINE:
        return "Offline and free."
    calls = "1 call" if takes == 1 else f"{takes} calls"
    if anew.kind != "llm":
        return f"{calls} of {_name(model, anew)}, your own code."
    call = anew.step.call if anew.step is not None else None
    words = f"{calls} to {named or who(model.project, anew.role)}: live, may cost money"
    forecast = model.forecast if anew.step is None else None
    if forecast is not None and named in ("", forecast.estimate.model):
        return f"{calls} to {who(model.project, anew.role)}, each {step_cost(forecast)}."
    if call is None or not call.cost or (named and named != call.model):
        return f"{words}."
    return f"{words}, about {in_dollars(call.cost * takes)} if each costs what this step did."


def settings(model: DebuggerModel, role: Role) -> tuple[str, str]:
    """The model and the temperature that the project gives a role, for the fields."""
    spec = spec_of(model.project, role)
    if not isinstance(spec, LlmEvaluator | LlmTarget | LlmSimulator):
        return "", ""
    found = json.loads(spec.params).get("temperature")
    return spec.model, "" if found is None else json.dumps(found)


def brief(payload: Payload) -> str:
    """An answer that a script would give, in a few words."""
    if isinstance(payload, Stop):
        return stop_title(payload)
    return payload_text(payload)[:400]
