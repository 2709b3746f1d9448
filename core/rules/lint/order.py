"""Rules of order: pairs of calls and results, and whose move it was."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from ...model.messages import (
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
)
from ...model.steps import Step
from ..stepper import why_illegal
from .findings import Finding
from .seen import Seen, brief, number

_LISTED = 3


class Order:
    """Call and result pairs, roles in a row, and the table of who acts next."""

    def __init__(self) -> None:
        self._reply: Step | None = None
        self._last: Payload | None = None
        self._last_index = -1
        self._users: frozenset[str] = frozenset()
        self._called: dict[str, tuple[int, bool]] = {}
        """Where each id was called last, and whether a result has come."""

    def fork(self) -> Order:
        """The same, to go on along another branch."""
        other = copy(self)
        other._called = dict(self._called)
        return other

    def look(self, seen: Seen) -> Iterator[Finding]:
        """Look at the next step."""
        payload = seen.payload
        if seen.before.open_calls and not isinstance(payload, ToolResult | SystemNote):
            yield from self._unanswered(seen)
        if isinstance(payload, ToolResult):
            yield from self._result(seen, payload)
        elif twice := self._twice(seen):
            yield seen.flag("same-role-twice", twice)
        elif why := self._why_illegal(seen):
            yield seen.flag("illegal", _lower(why))
        self._take(seen)

    def _take(self, seen: Seen) -> None:
        payload = seen.payload
        if isinstance(payload, TargetReply):
            self._reply = seen.step
            for call in payload.tool_calls:
                self._called[call.id] = (seen.place, False)
        elif isinstance(payload, UserMessage):
            # In some benchmarks users call tools; their results are no business of the table.
            self._users = frozenset(call.id for call in payload.tool_calls)
        if not isinstance(payload, SystemNote):
            self._last, self._last_index = payload, seen.place

    def _unanswered(self, seen: Seen) -> Iterator[Finding]:
        calls = seen.before.open_calls
        names = ", ".join(f"{brief(c.name, 40)} ({brief(c.id, 40)})" for c in calls[:_LISTED])
        more = f" and {len(calls) - _LISTED} more" if len(calls) > _LISTED else ""
        if self._reply is not None:
            words = f"no result of {names}{more} before {number(seen.place)}"
            yield Finding(self._reply.id, "call-without-result", words)

    def _result(self, seen: Seen, payload: ToolResult) -> Iterator[Finding]:
        if seen.call is not None:
            self._called[payload.call_id] = (self._called[payload.call_id][0], True)
        elif payload.call_id not in self._users:
            yield seen.flag("result-without-call", self._why_no_call(seen, payload))

    def _why_no_call(self, seen: Seen, payload: ToolResult) -> str:
        at, answered = self._called.get(payload.call_id, (-1, False))
        if at < 0:
            return f"no call before it has the id {brief(payload.call_id, 40)!r}"
        if answered:
            return f"its call at {number(at)} has a result already"
        return f"its call at {number(at)} was left without one; other steps stand between"

    def _why_illegal(self, seen: Seen) -> str:
        usual = _is_note(seen) or self._is_usual_elsewhere(seen)
        return "" if usual else why_illegal(seen.before, seen.payload)

    def _is_usual_elsewhere(self, seen: Seen) -> bool:
        """Whether this is how runs of other programs go: their agent greets first, and the user's
        side says its last words and ends the run in one move.
        """
        if seen.step.origin != "import":
            return False
        if isinstance(seen.payload, TargetReply):
            return seen.before.due == "opening"
        stops = isinstance(seen.payload, Stop) and seen.payload.by == "evaluator"
        return stops and seen.before.due == "target" and isinstance(self._last, UserMessage)

    def _twice(self, seen: Seen) -> str:
        payload = seen.payload
        for kind, name in ((UserMessage, "evaluator message"), (TargetReply, "target reply")):
            if isinstance(payload, kind) and isinstance(self._last, kind):
                return f"a second {name} in a row, after {number(self._last_index)}"
        return ""


def _is_note(seen: Seen) -> bool:
    """Whether this is one of the system notes that imports may hold."""
    is_note = isinstance(seen.payload, SystemNote) and seen.step.origin == "import"
    return is_note and seen.before.due != "nobody"


def answered(open_calls: tuple[ToolCall, ...], payload: Payload) -> ToolCall | None:
    """The open call that a result answers."""
    if not isinstance(payload, ToolResult):
        return None
    return next((call for call in open_calls if call.id == payload.call_id), None)


def _lower(words: str) -> str:
    return (words[:1].lower() + words[1:]).removesuffix(".")
