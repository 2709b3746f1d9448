"""Texts and messages that a sample holds once and names elsewhere: attachments and pools."""

from __future__ import annotations

import re
from typing import Any

from ..reading.building import TreeBuilder
from ..reading.values import items, table
from .content import missing_part

_REFERENCE = re.compile(r"attachment://([0-9a-fA-F]{32}|\d+)")
_POOLS = {"messages": "message_pool", "calls": "call_pool"}
"""The pools of ``events_data``, and what they were called before."""


class Resolver:
    """Gives the values of one sample with everything in its place. What is named and not there is
    noted, with the sample and the message.
    """

    def __init__(self, sample: dict[str, Any], name: str, builder: TreeBuilder) -> None:
        self._attachments = table(sample.get("attachments"))
        self._name = name
        self._builder = builder
        self._told: set[str] = set()
        data = table(sample.get("events_data"))
        self._pools = {
            new: items(data.get(new)) or items(sample.get(old)) for new, old in _POOLS.items()
        }
        self._done: dict[tuple[str, int], Any] = {}

    def value(self, value: Any, where: str) -> Any:
        """The value with the texts that it names. A content that is not there becomes a part that
        is no text.
        """
        return self._resolved(value, where) if _refers(value) else value

    def _resolved(self, value: Any, where: str) -> Any:
        if isinstance(value, str):
            return self._text(value, where)
        if isinstance(value, list):
            return [self.value(each, where) for each in value]
        found = {key: self.value(each, where) for key, each in value.items()}
        return self._without_missing(found)

    def pooled(self, pool: str, refs: Any, where: str) -> list[Any]:
        """What stands in the pool at these ranges, each ``[start, end]``."""
        found = []
        for ref in items(refs):
            if not _is_range(ref):
                self._tell(f"a reference to {pool} is no range", where)
                continue
            for index in range(ref[0], min(ref[1], len(self._pools[pool]))):
                found.append(self._one(pool, index))
            if ref[1] > len(self._pools[pool]):
                words = f"{pool} {len(self._pools[pool])} to {ref[1] - 1} are not in the pool"
                self._tell(words, where)
        return found

    def _one(self, pool: str, index: int) -> Any:
        key = (pool, index)
        if key not in self._done:
            place = f"events_data.{pool}[{index}]"
            self._done[key] = self.value(self._pools[pool][index], place)
        return self._done[key]

    def _text(self, value: str, where: str) -> str:
        def replaced(match: re.Match[str]) -> str:
            found = self._attachments.get(match[1])
            if isinstance(found, str):
                return found
            self._tell(f"the attachment {match[1]} is not in the log: its text is missing", where)
            return match[0]

        return _REFERENCE.sub(replaced, value)

    def _without_missing(self, found: dict[str, Any]) -> dict[str, Any]:
        name = _unresolved(found.get("content"))
        if name:
            return {**found, "content": [missing_part(name)]}
        name = _unresolved(found.get("text")) if found.get("type") == "text" else ""
        return missing_part(name) if name else found

    def _tell(self, problem: str, where: str) -> None:
        words = f"error: sample {self._name}: {problem}."
        if words not in self._told:
            self._told.add(words)
            self._builder.note(words, where)


def _refers(value: Any) -> bool:
    """Whether an attachment is named anywhere in the value."""
    if isinstance(value, str):
        return "attachment://" in value
    if isinstance(value, dict):
        return any(map(_refers, value.values()))
    return isinstance(value, list) and any(map(_refers, value))


def _unresolved(value: Any) -> str:
    """The name of the attachment that still stands where a text should."""
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return match[1] if match else ""


def _is_range(ref: Any) -> bool:
    return (
        isinstance(ref, list)
        and len(ref) == 2
        and all(type(each) is int for each in ref)
        and 0 <= ref[0] <= ref[1]
    )
