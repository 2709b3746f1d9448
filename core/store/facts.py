"""What a library keeps of each rollout for lists: the table ``facts``, filled when there is time.

``core/listing`` works the facts out; here they are only stored and given back.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence

import msgspec

from .change import Summary
from .codec import from_bytes
from .summaries import summary

SEPARATOR = "\n"
"""Stands before and behind each word of a list of words."""


HIDDEN_KIND = "hidden"
"""What is kept of this kind is the ids of rollouts that a human put out of sight."""

HIDDEN = (
    "rollouts.key IN (SELECT out.key FROM kept JOIN rollouts AS out ON out.id = kept.name"
    f" WHERE kept.kind = '{HIDDEN_KIND}')"
)
"""The condition of SQL that a rollout is hidden, for a whole list: all that are, looked up once."""

HIDDEN_ROW = (
    f"EXISTS (SELECT 1 FROM kept WHERE kept.kind = '{HIDDEN_KIND}' AND kept.name = rollouts.id)"
)
"""The same for a few rows: looked up for each."""


STATUS = (
    "CASE WHEN rollouts.status = 'parked' AND facts.settled THEN 'ended' ELSE rollouts.status END"
)
"""How a rollout stands, for SQL: whether one that was parked waits for nobody any more is worked
out with its other facts, for it needs all its flags, silences and verdicts (``rules.parking``).
"""


class RolloutFacts(msgspec.Struct, frozen=True):
    """What is worked out of one rollout. ``tags``, ``marked_by``, ``tools`` and ``models`` are in
    order of first use; ``scores`` is a JSON object of values by name; ``cost`` in dollars, None
    where nothing is known to have been paid; ``flags`` are those that nobody has silenced;
    ``settled``: it was parked, and waits for nobody any more.
    """

    title: str = ""
    goal: str = ""
    source: str = ""
    format: str = ""
    branches: int = 0
    flags: int = 0
    verdict: str = ""
    outdated: bool = False
    rating: int | None = None
    score: float | None = None
    scores: str = "{}"
    tags: tuple[str, ...] = ()
    marked_by: tuple[str, ...] = ()
    notes: str = ""
    why: str = ""
    tools: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    cost: float | None = None
    tokens: int = 0
    settled: bool = False


class ListedRollout(msgspec.Struct, frozen=True):
    """One row of a list; ``facts`` is None where they have not been worked out yet, and may be
    those of an earlier state where they are not ``fresh``. ``hidden``: put out of sight by a human.
    """

    summary: Summary
    facts: RolloutFacts | None = None
    fresh: bool = False
    hidden: bool = False


_LISTS = ("tags", "marked_by", "tools", "models")
_FLAGS = ("outdated", "settled")
_COLUMNS = RolloutFacts.__struct_fields__
_PUT = (
    f"INSERT OR REPLACE INTO facts (rollout, {', '.join(_COLUMNS)})"
    f" VALUES (?{', ?' * len(_COLUMNS)})"
)
_ROWS = (
    f"SELECT rollouts.key, header, steps - hidden, turns, edits, {STATUS}, stop_reason, updated_at,"
    f" status_note, described, {HIDDEN_ROW}, {', '.join(f'facts.{name}' for name in _COLUMNS)}"
    " FROM rollouts LEFT JOIN facts ON facts.rollout = rollouts.key WHERE rollouts.key IN ({})"
)
_SUMMARY = 8
_FACTS_AT = 3 + _SUMMARY


def undescribed(connection: sqlite3.Connection, limit: int) -> list[tuple[int, str]]:
    """Keys and ids of rollouts whose facts are missing or old, the newest first."""
    rows = connection.execute(
        "SELECT key, id FROM rollouts WHERE described = 0 ORDER BY key DESC LIMIT ?", (limit,)
    )
    return [(key, from_bytes(name)) for key, name in rows]


def undescribed_parked(connection: sqlite3.Connection, limit: int) -> frozenset[str]:
    """Ids of those that were parked, among the ``limit`` in sight written to last."""
    rows = connection.execute(
        f"SELECT id, status, described FROM rollouts WHERE NOT {HIDDEN_ROW}"
        " ORDER BY updated_at DESC, key DESC LIMIT ?",
        (limit,),
    )
    return frozenset(
        from_bytes(name) for name, status, fresh in rows if status == "parked" and not fresh
    )


def put_facts(
    connection: sqlite3.Connection, facts: Iterable[tuple[int, float, RolloutFacts]]
) -> int:
    """Keep the facts of rollouts, each with its key and when it had last been written to as they
    were worked out; how many were not overtaken meanwhile.
    """
    done = 0
    for key, updated_at, each in facts:
        marked = connection.execute(
            "UPDATE rollouts SET described = 1 WHERE key = ? AND updated_at = ?", (key, updated_at)
        )
        if marked.rowcount:
            connection.execute(_PUT, (key, *_stored(each)))
            done += 1
    return done


def updated_at(connection: sqlite3.Connection, key: int) -> float:
    """When the rollout was last written to."""
    found = connection.execute("SELECT updated_at FROM rollouts WHERE key = ?", (key,)).fetchone()
    return float(found[0]) if found else 0.0


def keys_where(
    connection: sqlite3.Connection, where: str, parameters: Sequence[object], order: str
) -> array[int]:
    """Keys of the rollouts for which the SQL condition holds, in this order."""
    rows = connection.execute(
        "SELECT rollouts.key FROM rollouts LEFT JOIN facts ON facts.rollout = rollouts.key"
        f" WHERE {where} ORDER BY {order}",
        parameters,
    )
    return array("q", (key for (key,) in rows))


def rows_of(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, ListedRollout]:
    """The rows of these rollouts; those that are gone are left out."""
    rows = connection.execute(_ROWS.format(", ".join("?" * len(keys))), tuple(keys))
    return {row[0]: _listed(row) for row in rows}


def _listed(row: tuple[object, ...]) -> ListedRollout:
    head = summary(*row[1 : 1 + _SUMMARY])  # type: ignore[arg-type]
    fresh, hidden = bool(row[1 + _SUMMARY]), bool(row[2 + _SUMMARY])
    values = row[_FACTS_AT:]
    if values[0] is None:
        return ListedRollout(head, hidden=hidden)
    known = {
        name: _words(str(value)) if name in _LISTS else value
        for name, value in zip(_COLUMNS, values, strict=True)
    }
    known.update({name: bool(known[name]) for name in _FLAGS})
    facts = RolloutFacts(**known)  # type: ignore[arg-type]
    return ListedRollout(head, facts, fresh, hidden)


def _stored(facts: RolloutFacts) -> list[object]:
    found: list[object] = []
    for name in _COLUMNS:
        value = getattr(facts, name)
        if name in _LISTS:
            value = _joined(value)
        found.append(as_stored(value) if isinstance(value, str) else value)
    return found


def _joined(words: tuple[str, ...]) -> str:
    lines = (word.replace(SEPARATOR, " ") for word in words)
    return f"{SEPARATOR}{SEPARATOR.join(lines)}{SEPARATOR}" if words else ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.strip(SEPARATOR).split(SEPARATOR)) if text else ()


def as_stored(text: str) -> str:
    """A text as facts have it, and queries have to look for it: SQLite's TEXT takes no lone
    surrogates and no NUL, and what is searched need not be exact.
    """
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
