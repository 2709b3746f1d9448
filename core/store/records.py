"""What a library keeps of a rollout besides its steps: attempts, commands, branches, and so on, one
row of the table ``records`` each.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from ..model.debugging import Breakpoint, Breakpoints
from ..model.history import Command
from ..model.marks import Mark, Score, Silence
from ..model.rollout import Branch
from ..model.steps import Attempt
from .codec import COMMAND, Codec

_FIELDS: dict[str, tuple[str, Codec[Any]]] = {
    "attempt": ("attempts", Codec(Attempt)),
    "command": ("commands", COMMAND),
    "branch": ("branches", Codec(Branch)),
    "mark": ("marks", Codec(Mark)),
    "score": ("scores", Codec(Score)),
    "silence": ("silences", Codec(Silence)),
}
"""The kinds of records, the field of ``Saved`` that holds them, and how they are read."""

_BREAKPOINTS = Codec(Breakpoints)


SHARED = ("branch", "mark", "silence", "breakpoints")
"""The kinds that say how things stand, and not what was done: what one program says, others that
have the rollout open take over.
"""


def read_records(
    connection: sqlite3.Connection, key: int, kinds: Sequence[str] = ()
) -> dict[str, Any]:
    """The fields of ``Saved`` that a rollout's records make, in the order in which they were saved;
    with ``kinds`` those of these kinds only.

    Kinds that this version does not know are left where they are. Raises ValueError for a record
    that cannot be read.
    """
    found: dict[str, list[Any]] = {name: [] for name, _ in _FIELDS.values()}
    breakpoints = None
    rows = connection.execute(
        "SELECT kind, body FROM records WHERE rollout = ? ORDER BY key", (key,)
    )
    for kind, body in rows:
        if kinds and kind not in kinds:
            continue
        if kind in _FIELDS:
            name, codec = _FIELDS[kind]
            found[name].append(codec.decode(body))
        elif kind == "breakpoints":
            breakpoints = _BREAKPOINTS.decode(body).items
    return {"breakpoints": breakpoints, **{name: tuple(found[name]) for name in found}}


def breakpoints_there(connection: sqlite3.Connection, key: int) -> tuple[Breakpoint, ...] | None:
    """The rollout's own list of breakpoints; None where it has none."""
    row = connection.execute(
        "SELECT body FROM records WHERE rollout = ? AND kind = 'breakpoints'", (key,)
    ).fetchone()
    return None if row is None else _BREAKPOINTS.decode(row[0]).items


def hiding_commands(connection: sqlite3.Connection, key: int) -> tuple[Command, ...]:
    """The commands of a rollout that leave steps out of sight: those that are undone, or hide some.
    Few of many, as a rule: the others are not read.
    """
    rows = connection.execute(
        "SELECT body FROM records WHERE rollout = ? AND kind = 'command'"
        " AND (instr(body, ?) OR instr(body, ?)) ORDER BY key",
        (key, b'"undone":true', b'"hides":['),
    )
    return tuple(COMMAND.decode(row[0]) for row in rows)


def free_number(connection: sqlite3.Connection, key: int | None, n: int) -> int:
    """The number for a new command of a rollout: ``n``, or one above all where that is taken."""
    of = "SELECT name FROM records WHERE rollout = ? AND kind = 'command'"
    if not connection.execute(f"{of} AND name = ?", (key, str(n).encode())).fetchall():
        return n
    return max(int(name) for (name,) in connection.execute(of, (key,))) + 1
