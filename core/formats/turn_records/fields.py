"""The fields of a turn record, and what of a row cannot be derived when it is written again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...model.messages import MAX_STEPS, MAX_TURNS, Stop, StopBy
from ..reading.chat import TARGET, USER

SYNTH_KIND = "multi_turn_project"

KEYS = (
    *("synth_kind", "session_id", "project", "turn_index", "parent_step_id", "step_id"),
    *("messages", "user_text", "agent_text", "termination"),
)
PROJECT_KEYS = ("id", "title", "goal", "metadata")
MORE_KEYS = ("tools", "edits")
"""Keys that rows with the whole history have besides."""

_PLAIN = {"role", "content"}


def kept_of_row(
    row: dict[str, Any], own: list[Any], history: str, derived: dict[str, Any]
) -> dict[str, Any]:
    """What the step that closes a row's turn keeps of the row (``Step.extra``).

    ``own`` are the messages of its turn, ``derived`` the fields that follow from the other rows.
    ``history`` tells how much stood before the turn: nothing in a strict row (empty), its own tool
    traffic (``turn``), all (``full``), something that is not its parent's (``other``); ``absent``
    is a row without messages.
    """
    kept: dict[str, Any] = {"$row": True}
    if isinstance(row.get("step_id"), str):
        kept = {"$step_id": row["step_id"]}
    if history:
        kept["$history"] = history
    if history == "absent":
        lost = "messages" in row
    else:
        lost = history == "other" or not all(map(_is_rewritable, own))
    if lost:
        kept["$messages"] = row["messages"]
    if tuple(row) != KEYS:
        kept["$keys"] = list(row)
    user, agent = _texts(own)
    known = {**derived, "user_text": user, "agent_text": agent}
    odd = {key: item for key, item in row.items() if _is_odd(key, item, known)}
    if odd:
        kept["row"] = odd
    return kept


def _is_odd(key: str, item: Any, known: dict[str, Any]) -> bool:
    if key in known:
        return bool(item != known[key])
    if key == "step_id":
        return not isinstance(item, str)
    return key not in KEYS and key not in MORE_KEYS


def is_odd_field(key: str, value: Any) -> bool:
    """Whether a field of a row's project cannot be known from ours."""
    if key == "metadata":
        return not isinstance(value, dict)
    return key not in PROJECT_KEYS or not isinstance(value, str)


def termination(stop: Stop, *, full: bool) -> dict[str, str]:
    """How a record says that the rollout ended; who decided it only in ``full``."""
    reason = stop.reason or MAX_TURNS
    if not full:
        return {"reason": reason}
    by = {"by": stop.by} if stop.by != usual_by(reason) else {}
    return {"reason": reason, **by, **({"note": stop.note} if stop.note else {})}


def usual_by(reason: str) -> StopBy:
    """Who decides a stop of this reason, where nobody says."""
    return "rule" if reason in (MAX_TURNS, MAX_STEPS) else "evaluator"


def role_of_message(message: Any) -> Any:
    """The role, where it is a text."""
    role = message.get("role") if isinstance(message, dict) else None
    return role if isinstance(role, str) else None


def _texts(own: Iterable[Any]) -> tuple[Any, Any]:
    """What user_text and agent_text are for these messages."""
    user = agent = None
    for message in own:
        role = role_of_message(message)
        if role in USER and user is None:
            user = message.get("content")
        elif role in TARGET:
            agent = message.get("content")
    return user, agent


def is_plain(message: Any) -> bool:
    """Whether a message is a role and a content, and nothing else."""
    return isinstance(message, dict) and message.keys() == _PLAIN


def _is_rewritable(message: Any) -> bool:
    """Whether a message is written as it stands: its content is a text, none, or plain parts."""
    if not isinstance(message, dict) or "content" not in message:
        return False
    if message.get("is_error", True) is not True:
        return False
    content = message["content"]
    if isinstance(content, list):
        return all(isinstance(part, dict) and _is_rewritable_part(part) for part in content)
    return content is None or isinstance(content, str)


def _is_rewritable_part(part: dict[str, Any]) -> bool:
    return part.get("type") != "text" or part.keys() == {"type", "text"}
