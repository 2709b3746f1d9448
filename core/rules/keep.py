"""Keeping what follows an edit: which later steps can be copied under the new one.

Calls pair by position: when the edit changed a reply's calls, the first result goes to the first
call, and so on. Copying ends at the first step that the stepper's table forbids; what is left over
is reported, never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..model.messages import Payload, TargetReply, ToolResult
from ..model.steps import Step
from .stepper import Position, advance, why_illegal


class Kept(msgspec.Struct, frozen=True):
    """The plan: which steps to copy, with the payload that each gets, and what is left over and
    why (in words, empty when nothing is left).
    """

    copies: tuple[tuple[Step, Payload], ...]
    left: tuple[Step, ...]
    why: str = ""


def plan_keep(
    position: Position,
    following: Sequence[Step],
    old: Payload | None = None,
    new: Payload | None = None,
) -> Kept:
    """Copy ``following`` after ``position`` as far as the table allows.

    ``position`` is that after the edited step. ``old`` and ``new`` are the edited step's payloads
    before and after, from which calls are paired.
    """
    ids = _paired_ids(old, new)
    copies: list[tuple[Step, Payload]] = []
    for index, step in enumerate(following):
        payload = step.payload
        if isinstance(payload, TargetReply):
            ids = {}  # the calls of the edited reply end here; their ids may come again
        if isinstance(payload, ToolResult) and payload.call_id in ids:
            payload = msgspec.structs.replace(payload, call_id=ids[payload.call_id])
        problem = why_illegal(position, payload)
        if problem:
            return Kept(tuple(copies), tuple(following[index:]), problem)
        position = advance(position, payload)
        copies.append((step, payload))
    return Kept(tuple(copies), ())


def _paired_ids(old: Payload | None, new: Payload | None) -> dict[str, str]:
    if not isinstance(old, TargetReply) or not isinstance(new, TargetReply):
        return {}
    pairs = zip(old.tool_calls, new.tool_calls, strict=False)
    return {before.id: after.id for before, after in pairs if before.id != after.id}
