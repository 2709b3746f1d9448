"""Full-text search over the steps of a library.

The trigram tokenizer finds any substring of three characters or more, in any script and letter
case. Shorter queries read the steps instead, the newest first. The index holds no text of its own:
what a hit shows is cut out of the stored step.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from ..model.history import hidden_steps
from ..model.messages import Stop, TargetReply, UserMessage, payload_text, reasoning_text
from ..model.rollout import RolloutHeader
from ..model.steps import Role, Step
from .codec import COMMAND, HEADER, STEP, UNREADABLE, from_bytes
from .schema import split_key, step_key

_TRIGRAM = 3
_BEFORE, _AFTER = 30, 60
"""Characters of the text that an excerpt shows around the place found."""


class Hit(msgspec.Struct, frozen=True):
    """A step that holds the words looked for. ``excerpt`` is a piece of its text, and ``start``
    and ``end`` mark the words in it.
    """

    rollout_id: str
    title: str
    step_id: str
    seq: int
    role: Role
    excerpt: str
    start: int
    end: int


def step_texts(step: Step) -> Iterator[str]:
    """All that search looks at in a step: text, reasoning, calls, a refusal, a stop's reason."""
    payload = step.payload
    if isinstance(payload, Stop):
        yield payload.reason
    yield payload_text(payload)
    if isinstance(payload, UserMessage | TargetReply):
        yield reasoning_text(payload.reasoning)
        for call in payload.tool_calls:
            yield call.name
            yield call.arguments
    if isinstance(payload, TargetReply):
        yield payload.refusal


def says(body: bytes, wanted: str) -> bool:
    """Whether a step, as it is stored, holds the words in any letter case. ``wanted`` is in lower
    case.
    """
    if wanted.isascii() and wanted.isalnum() and wanted.encode() not in body.lower():
        return False
    return any(wanted in text.lower() for text in texts_of(body))


def texts_of(body: bytes) -> Iterator[str]:
    """All that search looks at in a step, as it is stored; nothing of a damaged one."""
    step = _read(body)
    return iter(()) if step is None else step_texts(step)


def hides(command: bytes, step_id: bytes) -> bool:
    """Whether a command of a rollout, as it is stored, leaves the step out of sight."""
    return from_bytes(step_id) in _hidden_by(command)


@lru_cache(maxsize=256)
def _hidden_by(command: bytes) -> frozenset[str]:
    return frozenset(hidden_steps((COMMAND.decode(command),)))


def _read(body: bytes) -> Step | None:
    """The step; None for what is damaged: whoever opens its rollout is told, and words are looked
    for in all the others.
    """
    try:
        return STEP.decode(body)
    except UNREADABLE:
        return None


def add_to_index(connection: sqlite3.Connection, steps: Iterable[tuple[int, Step]]) -> None:
    """Put steps, with their keys, into the index. Each must be put in once only."""
    connection.executemany(
        "INSERT INTO step_text (rowid, body) VALUES (?, ?)",
        ((key, _indexable("\n".join(filter(None, step_texts(step))))) for key, step in steps),
    )


def index_some(connection: sqlite3.Connection, limit: int) -> int:
    """Index up to ``limit`` steps that are not in the index yet; how many were."""
    done = 0
    for key, indexed, last in connection.execute(
        "SELECT key, indexed, steps FROM rollouts WHERE indexed < steps LIMIT ?", (limit,)
    ).fetchall():
        upto = min(last, indexed + limit - done)
        rows = connection.execute(
            "SELECT key, body FROM steps WHERE key BETWEEN ? AND ?",
            (step_key(key, indexed + 1), step_key(key, upto)),
        )
        read = ((row[0], _read(row[1])) for row in rows)
        add_to_index(connection, ((at, step) for at, step in read if step is not None))
        connection.execute("UPDATE rollouts SET indexed = ? WHERE key = ?", (upto, key))
        done += upto - indexed
        if done >= limit:
            break
    return done


def has_pending(connection: sqlite3.Connection) -> bool:
    """Whether steps wait to be indexed."""
    return (
        connection.execute("SELECT 1 FROM rollouts WHERE indexed < steps LIMIT 1").fetchone()
        is not None
    )


def find(
    connection: sqlite3.Connection, query: str, limit: int, *, use_index: bool
) -> tuple[Hit, ...]:
    """The steps in sight that hold the query as it is written, in any letter case; the newest
    rollouts first.
    """
    rows = _by_index(connection, query) if use_index else None
    if rows is None:
        rows = _by_reading(connection, query)
    wanted = query.lower()
    hits: list[Hit] = []
    rollouts: dict[int, tuple[RolloutHeader, set[str]]] = {}
    for key, body, packed_header, has_commands in rows:
        step = _read(body)
        found = _excerpt(step, wanted, len(query)) if step is not None else None
        if step is None or found is None:
            continue
        rollout, seq = split_key(key)
        if rollout not in rollouts:
            hides = _hidden(connection, rollout) if has_commands else set[str]()
            rollouts[rollout] = HEADER.decode(packed_header), hides
        header, hidden = rollouts[rollout]
        if step.id in hidden:
            continue
        hits.append(Hit(header.id, header.title, step.id, seq, step.role, *found))
        if len(hits) >= limit:
            break
    return tuple(hits)


_Row = tuple[int, bytes, bytes, int]
"""A step's key and body, its rollout's header, and whether that has any commands."""

_ROW = """
SELECT steps.key, steps.body, rollouts.header,
    EXISTS (SELECT 1 FROM records WHERE rollout = rollouts.key AND kind = 'command')
FROM"""
_OF_ROLLOUT = "CROSS JOIN rollouts ON rollouts.key = steps.rollout"
"""CROSS: in this order. A statement of its own for each rollout would take longer than all else."""


def _by_index(connection: sqlite3.Connection, query: str) -> Iterable[_Row] | None:
    """Rows by the index, or None for a query that it cannot answer."""
    wanted = _indexable(query)
    if len(query) < _TRIGRAM or wanted != query:
        return None
    return connection.execute(
        f"{_ROW} step_text CROSS JOIN steps ON steps.key = step_text.rowid {_OF_ROLLOUT}"
        " WHERE step_text MATCH ? ORDER BY step_text.rowid DESC",
        ('"' + query.replace('"', '""') + '"',),
    )


def _by_reading(connection: sqlite3.Connection, query: str) -> Iterable[_Row]:
    """Rows that may hold the query: those whose JSON does, where that can be told."""
    rows, newest_first = f"{_ROW} steps {_OF_ROLLOUT}", "ORDER BY steps.key DESC"
    if query.isascii() and query.isalnum():
        return connection.execute(
            f"{rows} WHERE CAST(steps.body AS TEXT) LIKE ? {newest_first}",
            (f"%{query}%",),
        )
    if query.isalnum() and query.lower() == query.upper():
        return connection.execute(
            f"{rows} WHERE instr(steps.body, ?) {newest_first}", (query.encode("utf-8"),)
        )
    return connection.execute(f"{rows} {newest_first}")


def _hidden(connection: sqlite3.Connection, key: int) -> set[str]:
    """The steps of a rollout that undo has taken out of sight."""
    commands = connection.execute(
        "SELECT body FROM records WHERE rollout = ? AND kind = 'command' ORDER BY key", (key,)
    )
    return hidden_steps(COMMAND.decode(body) for (body,) in commands)


def _excerpt(step: Step, wanted: str, size: int) -> tuple[str, int, int] | None:
    """A piece of the first text that holds the query (given in lower case, and its size as it was
    typed), and where in it the query stands.
    """
    for text in step_texts(step):
        lowered = text.lower()
        at = lowered.find(wanted)
        if at < 0:
            continue
        if len(lowered) != len(text):
            # Few letters change their length when lowered; the place is near, not exact.
            at = min(at, max(len(text) - size, 0))
        start = max(at - _BEFORE, 0)
        return text[start : at + size + _AFTER], at - start, at - start + size
    return None


def _indexable(text: str) -> str:
    """The text as SQLite can take it: lone surrogates and NUL would end or break it."""
    if "\0" in text:
        text = text.replace("\0", " ")
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
