"""From a step to what the editor is asked, and from its answer to a command. No Textual."""

from __future__ import annotations

from dataclasses import replace

import msgspec
from rollstep.core.model.messages import (
    STOP_REASONS,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolResult,
    UserMessage,
)
from rollstep.core.model.players import is_live
from rollstep.core.model.steps import Role, Step
from rollstep.core.rules.stepper import Ask, Nobody, Opening, RuleStop, next_action
from rollstep.core.rules.stops import held_back

from .inspector import kind_words
from .presenter import DebuggerModel
from .screens.edit_types import EditRequest, Shape
from .who import ANSWERS, who

_SHAPES: dict[Role, Shape] = {"evaluator": "message", "target": "reply", "tool": "result"}


def shape_of(payload: Payload) -> Shape:
    """The editor's form for a payload."""
    if isinstance(payload, Stop):
        return "stop"
    if isinstance(payload, ToolResult):
        return "result"
    return "reply" if isinstance(payload, TargetReply | SystemNote) else "message"


def stop_reasons(model: DebuggerModel) -> tuple[str, ...]:
    """The usual reasons, and those that this rollout uses on any branch."""
    used = [step.payload.reason for step in model.rollout if isinstance(step.payload, Stop)]
    return tuple(dict.fromkeys((*STOP_REASONS, *used)))


def override_slot(step: Step) -> str:
    """Where the draft of an override is kept."""
    return f"override:{step.id}"


def overrule_slot(step: Step) -> str:
    """Where the draft of what is written in a stop's place is kept."""
    return f"overrule:{step.id}"


def write_slot(model: DebuggerModel) -> str:
    """Where the draft of the next step is kept."""
    return f"write:{model.step_id or ''}"


def override_request(model: DebuggerModel, *, draft: str, external: bool) -> EditRequest | None:
    """What the editor is asked for the step under the cursor; None where there is none."""
    step = model.step
    if step is None:
        return None
    call = model.path.call.get(model.cursor)
    tool = model.project.tool(call.name) if call is not None else None
    return EditRequest(
        f"Override step {model.cursor + 1}, {kind_words(step.payload)}",
        shape_of(step.payload),
        step.payload,
        call,
        tool.returns if tool is not None else None,
        stop_reasons=stop_reasons(model),
        tools=model.project.tools,
        follows=model.ahead,
        rerun="" if isinstance(step.payload, Stop) else rerun_cost(model),
        draft=draft,
        external=external,
        can_switch=_may_speak(model, model.cursor),
        state=step.state if isinstance(step.payload, ToolResult) else None,
    )


def _may_speak(model: DebuggerModel, index: int) -> bool:
    """Whether the evaluator may say something in the place of this step."""
    return model.path.position(index - 1).due in ("evaluator", "opening")


def rerun_cost(model: DebuggerModel) -> str:
    """What playing on would cost, in words."""
    roles: tuple[Role, ...] = ("evaluator", "target", "tool")
    live = [who(model.project, role) for role in roles if is_live(model.project, role)]
    return f"asks {', '.join(dict.fromkeys(live))}" if live else "offline, free"


def write_request(
    model: DebuggerModel, *, draft: str, partial: str | None = None
) -> EditRequest | str:
    """What the editor is asked for the next step at the cursor, or why nothing can be written.
    ``partial`` is what it starts from, of the ``partials``; None is the last that arrived.
    """
    action = model.next_here()
    if isinstance(action, Nobody):
        return "The rollout has ended here; w on the stop writes over it."
    number = model.cursor + 2
    if isinstance(action, RuleStop):
        return EditRequest(
            f"Write step {number}, the stop", "stop", stop_reasons=stop_reasons(model), draft=draft
        )
    if isinstance(action, Opening):
        return EditRequest(
            f"Write step {number}, the opening message",
            "message",
            prefill=action.text,
            stop_reasons=stop_reasons(model),
            draft=draft,
        )
    return _ask_request(model, action, number, draft, partial)


def overrule_request(model: DebuggerModel, stop: Stop, *, draft: str) -> EditRequest:
    """What the editor is asked for in the place of the stop under the cursor: whatever was due
    there, which may start from the message that the turn limit held back.
    """
    number = model.cursor + 1
    action = next_action(model.path.position(model.cursor - 1), model.project)
    prefill = held_back(stop) or ""
    if isinstance(action, Opening):
        prefill = action.text
        action = Ask("evaluator", 0)
    elif not isinstance(action, Ask):
        action = Ask("target", 0)
    request = _ask_request(model, action, number, draft)
    title = f"Overrule the stop: write step {number}, the {ANSWERS[action.role]}"
    return replace(request, title=title, prefill=prefill, can_switch=False)


def _ask_request(
    model: DebuggerModel, action: Ask, number: int, draft: str, partial: str | None = None
) -> EditRequest:
    call = action.call
    tool = model.project.tool(call.name) if call is not None else None
    if partial is None:
        partial = next(iter(_arrived(model, action)), "")
    kept = f", from {len(partial):,} characters that had arrived" if partial else ""
    return EditRequest(
        f"Write step {number}, the {ANSWERS[action.role]}{kept}",
        _SHAPES[action.role],
        None,
        call,
        tool.returns if tool is not None else None,
        prefill=partial,
        stop_reasons=stop_reasons(model),
        tools=model.project.tools,
        draft=draft,
    )


def partials(model: DebuggerModel) -> list[str]:
    """What had arrived whenever the question at the cursor failed or was cancelled, the last first:
    a human may keep any of it as the step.
    """
    action = model.next_here()
    return _arrived(model, action) if isinstance(action, Ask) else []


def _arrived(model: DebuggerModel, action: Ask) -> list[str]:
    failed = model.attempts.get(model.step_id, ())
    call_id = action.call.id if action.call is not None else ""
    texts = (
        attempt.partial
        for attempt in reversed(failed)
        if attempt.partial and (attempt.role, attempt.call_id) == (action.role, call_id)
    )
    return list(dict.fromkeys(texts))


def fit_call(model: DebuggerModel, payload: Payload) -> Payload:
    """A result written by hand answers the call that is open at the cursor."""
    if not isinstance(payload, ToolResult):
        return payload
    action = model.next_here()
    if isinstance(action, Ask) and action.call is not None:
        return msgspec.structs.replace(payload, call_id=action.call.id)
    return payload


def turn_ids(model: DebuggerModel) -> list[str]:
    """The ids of the steps of the cursor's turn, in order."""
    path = model.path
    if model.cursor < 0:
        return []
    if isinstance(path.steps[model.cursor].payload, Stop):
        return [path.steps[model.cursor].id]
    turn = path.turn[model.cursor]
    first = path.turn_starts[turn - 1]
    end = path.turn_starts[turn] if turn < path.turns else len(path)
    steps = path.steps[first:end]
    return [step.id for step in steps if not isinstance(step.payload, Stop)]


def inserted_turn() -> tuple[Payload, Payload]:
    """An empty turn to start from."""
    return UserMessage(()), TargetReply(())
