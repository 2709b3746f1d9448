"""Stop rules: what ends a rollout, or pauses it, besides the evaluator's own decision."""

from __future__ import annotations

from ..model.messages import (
    GOAL_REACHED,
    MAX_STEPS,
    MAX_TURNS,
    UNRECOVERABLE,
    Payload,
    Stop,
    UserMessage,
    parts_text,
)
from ..model.project import Project
from .stepper import Ask, Position
from .views import PathState


def settle(payload: Payload, ask: Ask, project: Project) -> Payload:
    """What an evaluator's answer amounts to.

    A message with a stop word is a stop, its text kept as the note. A message after the last
    permitted turn is not sent: it becomes a stop by rule that keeps it as its note. A stop stands.
    """
    if not isinstance(payload, UserMessage):
        return payload
    text = parts_text(payload.parts)
    if has_stop_word(text, project):
        return Stop(GOAL_REACHED, "evaluator", text)
    if ask.last_chance:
        return Stop(MAX_TURNS, "rule", text)
    return payload


def held_back(stop: Stop) -> str | None:
    """The evaluator's message that the turn limit held back, which is said when there are more
    turns; None where it said nothing.
    """
    held = stop.by == "rule" and stop.reason == MAX_TURNS and stop.note
    return stop.note if held else None


def why_not_more(payload: Payload) -> str:
    """Why more turns would not let the rollout go on after this step; empty where they would, or
    it has not ended.
    """
    if not isinstance(payload, Stop) or payload.reason == MAX_TURNS:
        return ""
    if payload.reason == MAX_STEPS:
        return (
            "This branch ended by max_steps, the limit on the steps of one turn: more turns change "
            "nothing here. Raise max_steps_per_turn in the project, or write over the stop."
        )
    return (
        f"This branch ended by {payload.reason}, not by the turn limit: more turns change nothing "
        "here. Write over the stop to go on."
    )


def turns_there(last: Payload | None, position: Position, project: Project) -> int:
    """The turns that there are already, of which more can be asked for after this step: those of
    the branch, at its stop, else the project's.
    """
    return position.turns if isinstance(last, Stop) else project.max_turns


def has_stop_word(text: str, project: Project) -> bool:
    """Whether the evaluator's own text holds one of the project's stop words, by its rule."""
    words: tuple[str, ...] = getattr(project.evaluator, "stop_words", ())
    if not words:
        return False
    if project.evaluator.stop_match == "contains":  # type: ignore[union-attr]
        return any(word in text for word in words if word)
    lines = {line.strip() for line in text.split("\n")} | {text.strip()}
    return any(word in lines for word in words if word)


def exchange_repeated(state: PathState, project: Project) -> str:
    """That the path goes round and round, in words; empty where it does not."""
    repeats = project.stop.repeated_exchanges
    if (
        repeats is not None
        and state.repeats >= repeats
        and state.repeats % repeats == 0
        and state.position.due == "evaluator"
    ):
        return f"the same exchange {state.repeats} times"
    return ""


def limit_stop(words: str) -> Stop:
    """The stop that a limit makes where the project says that limits stop."""
    return Stop(UNRECOVERABLE, "rule", words)
