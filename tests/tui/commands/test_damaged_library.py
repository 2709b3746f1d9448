"""What docs/library.md says of a damaged library is what happens."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from rollstep.core.store.library import Library

from tests.core.store.making import conversation, first

from .conftest import RunCli


def test_the_others_are_exported_and_imported_into_a_new_library(
    cli: RunCli, tmp_path: Path
) -> None:
    old, new, bundle = (tmp_path / name for name in ("old.db", "new.db", "o.rollstep.jsonl"))
    with Library.open(old) as library:
        for name in ("broken", "b", "c"):
            library.commit(first(name, conversation(2, f"{name}-", stop="done")))
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE steps SET body = x'7b' WHERE key = (SELECT min(key) FROM steps)")
    status, out, _ = cli("library", "check", "--library", old)
    assert status == 1
    assert "cannot be read: broken" in out
    where = ("--where", "hidden:any", "--format", "bundle", "-o", bundle)
    status, _, error = cli("export", *where, "--library", old)
    assert status == 1
    assert "skipped broken: it cannot be read" in error
    assert cli("import", bundle, "--library", new)[0] == 0
    with Library.open(new) as library:
        assert {each.id for each in library.recent()} == {"b", "c"}


def test_lists_and_numbers_go_on(cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for name in ("broken", "b"):
            library.commit(first(name, conversation(2, f"{name}-", stop="done")))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM steps WHERE key = (SELECT min(key) FROM steps)")
    status, out, _ = cli("list", 'why:"cannot be read"', "--library", path)
    assert (status, out.split()[0]) == (0, "broken")
    status, out, _ = cli("stats", "--library", path)
    assert status == 1
    assert "not counted, for they cannot be read: broken" in out
    status, out, _ = cli("stats", "--json", "--library", path)
    assert (status, [*json.loads(out)["unreadable"]]) == (1, ["broken"])
