"""What the tests of the store run in processes of their own: ``python -m tests.core.store.child``.

``commit PATH ROLLOUT PREFIX COUNT`` commits steps one by one. ``victims PATH`` starts, for each
line it reads, a process that commits until it is killed. ``full FOLDER`` and ``read-only FOLDER``
run in a mount namespace of their own, with a small file system at FOLDER. Each tells on stdout what
has happened.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rollstep.core.errors import NotSavedError
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from tests.core.kills import fork_for_each_line, say
from tests.core.store.making import conversation, first, step


def commit(path: str, rollout_id: str, prefix: str, count: str) -> None:
    with Library.open(Path(path), wait=60) as library:
        library.commit(first(rollout_id))
        for number in range(int(count)):
            made = step(f"{prefix}{number}", f"{prefix}{number - 1}" if number else None, "hello")
            say(made.id, library.commit(Change(rollout_id, steps=(made,)))[made.id])


def victims(path: str) -> None:
    fork_for_each_line(lambda line: commit(path, "r1", line, "1000000"))


def full(folder: str) -> None:
    ballast = Path(folder) / "ballast"
    ballast.write_bytes(bytes(400_000))
    with Library.open(Path(folder) / "library.sqlite") as library:
        library.commit(first("r1"))
        acknowledged: list[str] = []
        while True:
            number = len(acknowledged)
            made = step(f"s{number}", f"s{number - 1}" if number else None, "x" * 3000)
            try:
                library.commit(Change("r1", steps=(made,)))
            except NotSavedError as error:
                say(error)
                break
            acknowledged.append(made.id)
        assert [each.id for each in library.load("r1").steps] == acknowledged
        ballast.unlink()
        library.commit(Change("r1", steps=(made,)))
        assert [each.id for each in library.load("r1").steps] == [*acknowledged, made.id]
        say("saved", len(acknowledged) + 1)


def read_only(folder: str) -> None:
    path = Path(folder) / "library.sqlite"
    with Library.open(path) as library:
        library.commit_many([first("r1", conversation(1))])
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    with Library.open(path) as library:
        say([each.id for each in library.load("r1").steps], library.count())
        say([hit.step_id for hit in library.search("answer")])
        try:
            library.commit(Change("r1", head="s0"))
        except NotSavedError as error:
            say(error)


if __name__ == "__main__":
    {"commit": commit, "victims": victims, "full": full, "read-only": read_only}[sys.argv[1]](
        *sys.argv[2:]
    )
