"""What a log that rollstep wrote says beyond Inspect's own words, under the key ``rollstep`` in the
metadata of a message or of a sample. Of a foreign log nothing is believed that does not fit.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import msgspec

from ...model.json_texts import is_json, no_json
from ...model.marks import Mark
from ...model.messages import Stop, ToolCall
from ...model.project import Project
from ...model.rollout import Branch
from ...model.steps import Call, Origin
from ..reading.values import table

KEY = "rollstep"

_MOST = 2**53
_Kind = TypeVar("_Kind", bound=msgspec.Struct)


class OwnCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call as it was made, where the log holds it otherwise: the letters of its arguments, and
    that its id is one of ours.
    """

    index: int
    arguments: str | None = None
    made_id: bool = False


class Own(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a step was made. ``id`` is its id in the rollout that was written; ``replaces`` and
    ``copied_from`` name others by theirs. ``evaluator_calls`` are calls of the evaluator, for which
    Inspect has no place.
    """

    id: str = ""
    origin: Origin = "import"
    author: str = ""
    reason: str = ""
    replaces: str = ""
    copied_from: str = ""
    injected: str = ""
    late: bool = False
    state: str | None = None
    state_stale: bool = False
    take: int = 0
    script_index: int | None = None
    created_at: float = 0.0
    finish_reason: str = ""
    call: Call | None = None
    calls: tuple[OwnCall, ...] = ()
    evaluator_calls: tuple[ToolCall, ...] = ()

    def as_made(self, index: int, call: ToolCall) -> ToolCall:
        """The call of this number, with the letters that it was made of."""
        said = next((each for each in self.calls if each.index == index), None)
        if said is None:
            return call
        arguments = call.arguments if said.arguments is None else said.arguments
        return ToolCall(call.id, call.name, arguments, said.made_id or call.made_id)

    def step_fields(self) -> dict[str, Any]:
        """Fields of the step, without those that name other steps."""
        names = (
            *("origin", "author", "reason", "injected", "late", "state", "state_stale", "take"),
            *("script_index", "created_at", "call"),
        )
        return {name: getattr(self, name) for name in names}


class OwnEnd(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step that is in none of the sample's messages: a stop, or a message at the end of another
    branch that no model was sent. ``after`` is the id of the step before, empty at the beginning.
    """

    after: str = ""
    stop: Stop | None = None
    message: dict[str, Any] | None = None
    own: Own = Own()


class OwnSample(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a sample says of the whole rollout. Marks and branches name steps by their own ids.
    ``format`` and ``extra`` are those of the rollout's header.
    """

    version: int = 1
    title: str = ""
    project: Project | None = None
    ends: tuple[OwnEnd, ...] = ()
    marks: tuple[Mark, ...] = ()
    branches: tuple[Branch, ...] = ()
    head: str = ""
    format: str = ""
    extra: str = ""


def own_of(message: dict[str, Any]) -> Own:
    """What our own words say of a message; nothing where there are none, or none that fit."""
    return read_own(table(message.get("metadata")).get(KEY), Own) or Own()


def read_own(value: Any, kind: type[_Kind]) -> _Kind | None:
    """Our own words as what they were written from; None where they are not that."""
    if not isinstance(value, dict):
        return None
    try:
        found = msgspec.convert(_usable(value), kind)
    except (msgspec.ValidationError, ValueError, RecursionError):
        return None
    extra = getattr(found, "extra", "")
    return None if no_json(found) or (extra and not is_json(extra, table=True)) else found


def _usable(value: Any) -> Any:
    """The value with plain numbers. Raises ValueError for those that no library holds."""
    if isinstance(value, dict):
        return {key: _usable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_usable(each) for each in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("no number")
        return float(value)
    if isinstance(value, int) and abs(value) > _MOST:
        raise ValueError("too large")
    return value


def plain(value: msgspec.Struct) -> dict[str, Any]:
    """Our own words as they are written."""
    found = msgspec.to_builtins(value)
    assert isinstance(found, dict)
    return found
