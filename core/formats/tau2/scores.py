"""What tau2 scored a simulation by, in words, with the steps that each check speaks of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ...model.marks import Score
from ...model.messages import TargetReply, ToolCall, UserMessage, payload_text
from ...model.steps import Step
from ..reading.json_in import as_text
from ..reading.values import items, score_value, shown, table, text

_REVIEWS = ("review", "user_only_review", "hallucination_check")


def scores_of(value: dict[str, Any], steps: Sequence[Step], ids: dict[int, str]) -> list[Score]:
    """The reward first, with what was missed; then each check, then reviews. ``ids`` gives the
    step of a message's number.
    """
    info = table(value.get("reward_info"))
    checks = [*_actions(info, steps), *_others(info, steps)]
    found = [*_reward(info, checks), *checks]
    for name in _REVIEWS:
        found += _review(name, table(value.get(name)), ids)
    auth = table(value.get("auth_classification"))
    if auth:
        said = shown(auth.get("reasoning"))
        found.append(Score("authentication", score_value(auth.get("status")), said, "tau2"))
    return found


def _reward(info: dict[str, Any], checks: list[Score]) -> Iterator[Score]:
    if "reward" not in info:
        return
    basis = [shown(each) for each in items(info.get("reward_basis"))]
    parts = table(info.get("reward_breakdown"))
    gating = [name for name in basis if parts.get(name) in (0, 0.0, False)] or basis
    missed = [check for check in checks if _failed(check) and _kind(check) in gating]
    missed = missed or [check for check in checks if _failed(check)]
    words = [check.explanation or f"{check.name} failed" for check in missed]
    if not words:
        words = [shown(table(info.get("info")).get("note"))]
    cited = dict.fromkeys(step for check in missed for step in check.step_ids)
    said = "; ".join(word for word in words if word)
    yield Score("reward", score_value(info["reward"]), said, "tau2", tuple(cited))
    for name, each in parts.items():
        yield Score(f"reward: {name}", score_value(each), "", "tau2")


def _failed(check: Score) -> bool:
    return check.value in (0, "False", "false")


def _kind(check: Score) -> str:
    """The part of the reward that a check belongs to."""
    return check.name.partition(":")[0].replace(" ", "_").upper()


def _actions(info: dict[str, Any], steps: Sequence[Step]) -> Iterator[Score]:
    for index, check in enumerate(map(table, items(info.get("action_checks")))):
        action = table(check.get("action"))
        name = shown(action.get("name"))
        met = bool(check.get("action_match"))
        same = [(step, call) for step in steps for call in _calls(step) if call.name == name]
        fits = [step.id for step, call in same if _fits(call, action)]
        wanted = f"{name}({_arguments(action)})"
        if met:
            cited, words = fits[:1], f"{wanted}: called"
        elif same:
            cited = [step.id for step, _ in same]
            words = f"{wanted}: called with other arguments"
        else:
            cited, words = [], f"{name} never called: {wanted}"
        more = shown(action.get("info"))
        title = f"action: {shown(action.get('action_id')) or f'{index + 1} {name}'}"
        said = f"{words}. {more}" if more else words
        cited = list(dict.fromkeys(cited))
        yield Score(title, _value(check, "action_reward", met), said, "tau2", tuple(cited))


def _others(info: dict[str, Any], steps: Sequence[Step]) -> Iterator[Score]:
    database = info.get("db_check")
    if isinstance(database, dict):
        met = bool(database.get("db_match"))
        said = "the database is as it should be" if met else "the database ends in another state"
        yield Score("DB", _value(database, "db_reward", met), said, "tau2")
    for check in map(table, items(info.get("env_assertions"))):
        assertion = table(check.get("env_assertion"))
        call = f"{shown(assertion.get('func_name'))}({_arguments(assertion)})"
        met = bool(check.get("met"))
        said = shown(assertion.get("message")) or f"{call} is{'' if met else ' not'} as asserted"
        yield Score(f"env assertion: {call}", _value(check, "reward", met), said, "tau2")
    for check in map(table, items(info.get("nl_assertions"))):
        said = shown(check.get("justification"))
        claim = shown(check.get("nl_assertion"))
        yield Score(f"nl assertion: {claim}", float(bool(check.get("met"))), said, "tau2 judge")
    for check in map(table, items(info.get("communicate_checks"))):
        told, met = shown(check.get("info")), bool(check.get("met"))
        said = shown(check.get("justification")) or ("told" if met else f"never told: {told}")
        cited = _telling(steps, told) if met else ()
        yield Score(f"communicate: {told}", float(met), said, "tau2", cited)


def _review(name: str, review: dict[str, Any], ids: dict[int, str]) -> Iterator[Score]:
    if not review:
        return
    has = review.get("has_errors", review.get("hallucination_found"))
    said = shown(review.get("summary")) or shown(review.get("reasoning"))
    title = name.replace("_", " ")
    verdict = None if has is None else "errors" if has else "no errors"
    yield Score(title, verdict, said, "tau2 judge")
    for error in map(table, items(review.get("errors"))):
        tags = ", ".join(shown(tag) for tag in items(error.get("error_tags")))
        source = shown(error.get("source")) or "user"
        kind = tags or shown(error.get("error_type")) or "error"
        right = shown(error.get("correct_behavior"))
        words = shown(error.get("reasoning")) + (f"\nShould have been: {right}" if right else "")
        place = error.get("turn_idx")
        cited = (ids[place],) if type(place) is int and place in ids else ()
        severity = text(error.get("severity")) or None
        yield Score(f"{title}: {source}, {kind}", severity, words, "tau2 judge", cited)


def _value(check: dict[str, Any], key: str, met: bool) -> float | str | None:
    return score_value(check[key]) if key in check else float(met)


def _calls(step: Step) -> tuple[ToolCall, ...]:
    payload = step.payload
    return payload.tool_calls if isinstance(payload, TargetReply | UserMessage) else ()


def _arguments(action: dict[str, Any]) -> str:
    given = table(action.get("arguments"))
    return ", ".join(f"{key}={as_text(value)}" for key, value in given.items())


def _fits(call: ToolCall, action: dict[str, Any]) -> bool:
    """Whether the call is the one that the action asks for: by all its arguments, or by those that
    the action says are to be compared.
    """
    try:
        made = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return False
    if not isinstance(made, dict):
        return False
    wanted = table(action.get("arguments"))
    compare = action.get("compare_args")
    keys = [shown(key) for key in compare] if isinstance(compare, list) else [*made]
    return all(made.get(key) == wanted.get(key) for key in keys)


def _telling(steps: Sequence[Step], told: str) -> tuple[str, ...]:
    """The first reply that holds the text, as tau2 looks for it: in any case, commas left out."""
    needle = told.lower()
    for step in steps:
        if isinstance(step.payload, TargetReply):
            said = payload_text(step.payload).lower()
            if needle and (needle in said or needle in said.replace(",", "")):
                return (step.id,)
    return ()
