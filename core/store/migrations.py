"""From any released version of the library to the newest, one numbered step at a time.

A new version of the schema adds one entry here and one frozen library file to the tests; the
entries of released versions are never changed again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

from . import schema
from .codec import from_bytes, to_bytes
from .old_projects import typed_breakpoints


def _create(connection: sqlite3.Connection) -> None:
    _run_script(connection, schema.VERSION_1)
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")


def _breakpoints_as_structs(connection: sqlite3.Connection) -> None:
    """Version 1 kept a project's breakpoints as JSON texts; version 2 has a type for them.

    What is no project stays as it is: it is said when its rollout is opened, and the others open.
    """
    for digest, body in connection.execute("SELECT digest, body FROM projects").fetchall():
        try:
            project = json.loads(from_bytes(body))
        except (ValueError, RecursionError):
            continue
        if typed_breakpoints(project):
            text = json.dumps(project, ensure_ascii=False, separators=(",", ":"))
            connection.execute(
                "UPDATE projects SET body = ? WHERE digest = ?", (to_bytes(text), digest)
            )


def _facts_for_lists(connection: sqlite3.Connection) -> None:
    """Version 3 keeps beside each rollout what lists of rollouts are filtered by."""
    _run_script(connection, schema.VERSION_3)


def _who_waits(connection: sqlite3.Connection) -> None:
    """Version 4 keeps which parked rollouts wait for nobody any more."""
    _run_script(connection, schema.VERSION_4)


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {
    1: _create,
    2: _breakpoints_as_structs,
    3: _facts_for_lists,
    4: _who_waits,
}
"""The step that leads to each version, from the one before it."""


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the library's schema; 0 for an empty file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date: all of it or nothing, and only once however many programs
    open the file at the same time.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        for version in range(version_of(connection) + 1, schema.VERSION + 1):
            MIGRATIONS[version](connection)
            connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _run_script(connection: sqlite3.Connection, script: str) -> None:
    """Like ``executescript``, which would commit first."""
    for statement in script.split(";\n"):
        if statement.strip():
            connection.execute(statement)
