"""Putting a change into the tables. Runs inside a transaction that the library has begun."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from ..errors import RevisionsMovedError, StoreError
from ..model.debugging import Breakpoints, merged
from ..model.edited import is_edit
from ..model.history import Command, hidden_steps
from ..model.messages import Stop, UserMessage
from ..model.project import Project
from ..model.steps import Step
from .change import Change
from .codec import COMMAND, PROJECT, STEP, encode, to_bytes
from .kept import Shelf, put_player
from .records import breakpoints_there
from .schema import split_key, step_key
from .search import add_to_index

_PACK_ABOVE = 1024
"""Requests repeat the conversation so far; those longer than this are compressed."""


class _Counts(NamedTuple):
    """Steps and evaluator messages on the path to a step, that step included."""

    depth: int
    turns: int


class _Row(NamedTuple):
    """A rollout's row as it stands."""

    key: int
    steps: int
    indexed: int
    head: bytes | None
    hidden: int
    edits: int
    turns: int
    stop_reason: bytes


class _Placed(NamedTuple):
    """The steps of a change that are new, numbered."""

    steps: list[Step]
    counts: dict[str, _Counts]
    seqs: dict[str, int]


_UPDATE_ROLLOUT = """
UPDATE rollouts SET head = ?, steps = ?, indexed = ?, hidden = ?, edits = ?, turns = ?,
    stop_reason = ?, updated_at = ?, status = coalesce(?, status),
    status_note = coalesce(?, status_note), described = 0
WHERE key = ?"""
_INSERT_ROLLOUT = """
INSERT INTO rollouts (head, steps, indexed, hidden, edits, turns, stop_reason, updated_at, status,
    status_note, id, header)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, 'open'), coalesce(?, x''), ?, ?)"""
_NOTHING = _Counts(0, 0)
_NEW = _Row(0, 0, 0, None, 0, 0, 0, b"")


def store(
    connection: sqlite3.Connection, change: Change, now: float, *, index: bool
) -> dict[str, int]:
    """Save the change and give the ``seq`` of each of its steps. ``index`` puts the new steps into
    the search index too, if the rollout's earlier ones are there.
    """
    old = _find(connection, change.rollout_id)
    placed = _place(connection, old, change.steps)
    head, turns, stop_reason = _summary(connection, old, change, placed)
    hidden, edits = _in_sight(connection, old, change, placed)
    last = old.steps + len(placed.steps)
    indexed = last if index and old.indexed == old.steps else old.indexed
    note = None if change.status is None else to_bytes(change.status_note)
    row = (head, last, indexed, hidden, edits, turns, stop_reason, now, change.status, note)
    key = old.key
    if key:
        connection.execute(_UPDATE_ROLLOUT, (*row, key))
    else:
        key = _insert_rollout(connection, change, row)
    _insert_steps(connection, key, placed)
    if index and indexed == last:
        add_to_index(connection, ((step_key(key, step.seq), step) for step in placed.steps))
    if change.projects:
        _append_projects(connection, key, change, fresh=old.key == 0)
    _insert_requests(connection, change.requests)
    _put_records(connection, key, change)
    if change.player is not None:
        put_player(Shelf(connection), change.rollout_id, change.player)
    return placed.seqs


def rollout_key(connection: sqlite3.Connection, rollout_id: str) -> int | None:
    """The key of a rollout, or None when the library does not hold it."""
    row = connection.execute(
        "SELECT key FROM rollouts WHERE id = ?", (to_bytes(rollout_id),)
    ).fetchone()
    return None if row is None else int(row[0])


def digest(data: bytes) -> bytes:
    """The address of a content."""
    from hashlib import blake2b  # OpenSSL stands behind it: not while the program starts

    return blake2b(data, digest_size=16).digest()


def _find(connection: sqlite3.Connection, rollout_id: str) -> _Row:
    row = connection.execute(
        "SELECT key, steps, indexed, head, hidden, edits, turns, stop_reason FROM rollouts"
        " WHERE id = ?",
        (to_bytes(rollout_id),),
    ).fetchone()
    return _NEW if row is None else _Row._make(row)


def _insert_rollout(connection: sqlite3.Connection, change: Change, row: tuple[object, ...]) -> int:
    if change.header is None or change.header.id != change.rollout_id:
        raise StoreError(f"The library holds no rollout {change.rollout_id}, and no header came.")
    cursor = connection.execute(
        _INSERT_ROLLOUT, (*row, to_bytes(change.rollout_id), encode(change.header))
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _place(connection: sqlite3.Connection, row: _Row, steps: Sequence[Step]) -> _Placed:
    """Number the new steps; those that are there already keep their number."""
    placed = _Placed([], {}, {})
    seq = row.steps
    for step in steps:
        if step.id in placed.seqs:
            continue
        if row.steps and (found := _seq_of(connection, row.key, step.id)):
            placed.seqs[step.id] = found
            continue
        seq += 1
        payload = step.payload
        depth, turns = _counts_at(connection, row, step, placed)
        placed.counts[step.id] = _Counts(depth + 1, turns + isinstance(payload, UserMessage))
        placed.seqs[step.id] = seq
        placed.steps.append(step if step.seq == seq else msgspec.structs.replace(step, seq=seq))
    return placed


def _seq_of(connection: sqlite3.Connection, key: int, step_id: str) -> int:
    row = connection.execute(
        "SELECT key FROM steps WHERE rollout = ? AND id = ?", (key, to_bytes(step_id))
    ).fetchone()
    return 0 if row is None else split_key(row[0])[1]


def _counts_at(
    connection: sqlite3.Connection, row: _Row, step: Step, placed: _Placed
) -> tuple[int, int]:
    """The counts of the step's parent."""
    parent = step.parent_id
    if parent is None:
        return _NOTHING
    if known := placed.counts.get(parent):
        return known
    found: tuple[int, int] | None = connection.execute(
        "SELECT depth, turns FROM steps WHERE rollout = ? AND id = ?",
        (row.key, to_bytes(parent)),
    ).fetchone()
    if found is None:
        raise StoreError(f"Step {step.id} follows step {parent}, which is not in the library.")
    return found


def _summary(
    connection: sqlite3.Connection, row: _Row, change: Change, placed: _Placed
) -> tuple[bytes | None, int, bytes]:
    """The head, and the turns and the stop's reason of the branch that it is on. As long as no head
    was ever set, the newest step stands for it.
    """
    head = row.head if change.head is None else to_bytes(change.head)
    place = change.head if change.leaf is None else change.leaf
    if head is None and placed.steps:
        place = placed.steps[-1].id
    if place is None:
        return head, row.turns, row.stop_reason
    if place == "":
        return head, 0, b""
    if counts := placed.counts.get(place):
        step = next(step for step in reversed(placed.steps) if step.id == place)
        return head, _turns(*counts, step), _stop_reason(step)
    found = connection.execute(
        "SELECT depth, turns, body FROM steps WHERE rollout = ? AND id = ?",
        (row.key, to_bytes(place)),
    ).fetchone()
    if found is None:
        raise StoreError(f"The head {place} is not a step of rollout {change.rollout_id}.")
    step = STEP.decode(found[2])
    return head, _turns(found[0], found[1], step), _stop_reason(step)


def _turns(depth: int, messages: int, step: Step) -> int:
    """How many turns the path to a step has, as ``Trajectory.turns`` cuts it: one where an import
    holds no evaluator message at all.
    """
    return messages or int(depth > 1 or not isinstance(step.payload, Stop))


def _in_sight(
    connection: sqlite3.Connection, row: _Row, change: Change, placed: _Placed
) -> tuple[int, int]:
    """How many steps are out of sight, and how many edits are in sight."""
    hidden, edits = row.hidden, row.edits
    edits += sum(_is_edit(connection, row.key, change, step) for step in placed.steps)
    before, after = set[str](), set[str]()
    for command in change.commands:
        after |= hidden_steps([command])
        old = connection.execute(
            "SELECT body FROM records WHERE rollout = ? AND kind = 'command' AND name = ?",
            (row.key, _command_name(command)),
        ).fetchone()
        if old:
            before |= hidden_steps([COMMAND.decode(old[0])])
    fresh = {step.id: step for step in placed.steps} if before or after else {}
    for step_id in before ^ after:
        step = fresh.get(step_id) or _stored(connection, row.key, step_id)
        if step is not None:
            sign = 1 if step_id in after else -1
            hidden += sign
            edits -= sign * _is_edit(connection, row.key, change, step)
    return hidden, edits


def _is_edit(connection: sqlite3.Connection, key: int, change: Change, step: Step) -> bool:
    if step.origin != "human":
        return False
    project = None if step.replaces is not None else _project_of(connection, key, change, step)
    return is_edit(step, project)


def _project_of(
    connection: sqlite3.Connection, key: int, change: Change, step: Step
) -> Project | None:
    rows = connection.execute(
        "SELECT body FROM revisions JOIN projects ON digest = project WHERE rollout = ? ORDER BY n",
        (key,),
    )
    projects = [*map(PROJECT.decode, (row[0] for row in rows)), *change.projects]
    return projects[min(step.revision, len(projects) - 1)] if projects else None


def _stored(connection: sqlite3.Connection, key: int, step_id: str) -> Step | None:
    row = connection.execute(
        "SELECT body FROM steps WHERE rollout = ? AND id = ?", (key, to_bytes(step_id))
    ).fetchone()
    return None if row is None else STEP.decode(row[0])


def _stop_reason(step: Step) -> bytes:
    return to_bytes(step.payload.reason) if isinstance(step.payload, Stop) else b""


def _insert_steps(connection: sqlite3.Connection, key: int, placed: _Placed) -> None:
    connection.executemany(
        "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?)",
        [
            (step_key(key, step.seq), key, to_bytes(step.id), *placed.counts[step.id], encode(step))
            for step in placed.steps
        ],
    )


def _append_projects(
    connection: sqlite3.Connection, key: int, change: Change, *, fresh: bool
) -> None:
    new = _insert_projects(connection, change.projects)
    there: list[bytes] = []
    if not fresh:
        rows = connection.execute(
            "SELECT project FROM revisions WHERE rollout = ? ORDER BY n", (key,)
        )
        there = [row[0] for row in rows]
    if change.revisions is None:
        resent = _resent(there, new, from_start=change.header is not None)
    else:
        since = there[change.revisions :]
        resent = len(since)
        if since != new[:resent]:
            raise RevisionsMovedError(
                f"Not saved: another program has changed the project of rollout "
                f"{change.rollout_id} meanwhile."
            )
    connection.executemany(
        "INSERT INTO revisions VALUES (?, ?, ?)",
        [(key, n, project) for n, project in enumerate(new[resent:], len(there))],
    )


def _resent(there: list[bytes], new: list[bytes], *, from_start: bool) -> int:
    """How many of the revisions are there already, because a commit that seemed to fail did not."""
    if from_start:
        both = min(len(there), len(new))
        return both if there[:both] == new[:both] else 0
    return next(
        (n for n in range(min(len(there), len(new)), 0, -1) if there[-n:] == new[:n]),
        0,
    )


def _insert_projects(connection: sqlite3.Connection, projects: Iterable[Project]) -> list[bytes]:
    digests = []
    for project in projects:
        body = encode(project)
        digests.append(digest(body))
        connection.execute("INSERT OR IGNORE INTO projects VALUES (?, ?)", (digests[-1], body))
    return digests


def _insert_requests(connection: sqlite3.Connection, requests: Iterable[tuple[str, str]]) -> None:
    for name, text in requests:
        body = to_bytes(text)
        packed = len(body) > _PACK_ABOVE
        connection.execute(
            "INSERT OR IGNORE INTO requests VALUES (?, ?, ?)",
            (to_bytes(name), packed, zlib.compress(body, 1) if packed else body),
        )


def _put_records(connection: sqlite3.Connection, key: int, change: Change) -> None:
    rows: list[tuple[str, bytes, msgspec.Struct]] = []
    rows += [("attempt", to_bytes(each.id), each) for each in change.attempts]
    rows += [("command", _command_name(each), each) for each in change.commands]
    rows += [("branch", to_bytes(each.leaf_id), each) for each in change.branches]
    rows += [("mark", encode_key(each.step_id, each.by), each) for each in change.marks]
    rows += [("score", digest(encode(each)), each) for each in change.scores]
    rows += [("silence", encode_key(each.step_id, each.rule), each) for each in change.silences]
    if change.breakpoints is not None:
        items, before = change.breakpoints, change.breakpoints_before
        there = None if before is None else breakpoints_there(connection, key)
        if before is not None and there is not None:
            items = merged(before, items, there)
        rows.append(("breakpoints", b"", Breakpoints(items)))
    if rows:
        connection.executemany(
            "INSERT INTO records (rollout, kind, name, body) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET body = excluded.body",
            [(key, kind, name, encode(record)) for kind, name, record in rows],
        )


def _command_name(command: Command) -> bytes:
    return str(command.n).encode()


def encode_key(*parts: str) -> bytes:
    """Several texts as one key, unmistakably."""
    return b"".join(b"%d:%b" % (len(data), data) for data in map(to_bytes, parts))
