"""What the tests of the queue run in processes of their own: ``python -m tests.core.review.child``.

``victims PATH`` starts, for each line it reads, a process that plays rollouts and goes through the
queue of the library at once, until it is killed. ``full FOLDER`` marks on a small file system that
runs full, ``read-only FOLDER`` on one that is made so. Each tells on stdout what has happened.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from rollstep.core.errors import StoreError, UsageError
from rollstep.core.review.giving import give_mark, take_mark_back
from rollstep.core.review.keeping import KeptQueue, begin_queue, unfinished_queue
from rollstep.core.review.queue import Entry
from rollstep.core.review.reading import keep_steps_read
from rollstep.core.rules.marking import MarkChange
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from tests.core.kills import fork_for_each_line, say
from tests.core.projects_for_tests import refund
from tests.core.store.making import conversation, first

VERDICTS = ("accept", "reject", "unsure")
ROLLOUTS = 6


def make(library: Library) -> KeptQueue:
    """A library of a few rollouts, and a queue of them."""
    for number in range(ROLLOUTS):
        library.commit(first(f"r{number}", conversation(1, f"r{number}-"), head=f"r{number}-1"))
    return begin_queue(library, "", "mira", 1.0)


def victims(path: str) -> None:
    fork_for_each_line(lambda line: asyncio.run(_work(Path(path), line)))


async def _work(path: Path, name: str) -> None:
    with Library.open(path, wait=60) as library:
        kept = unfinished_queue(library, "", "mira")
        assert kept is not None, "it has one rollout that nobody decides on"
        await asyncio.gather(_play(library, name), _review(library, kept, name))


async def _play(library: Library, name: str) -> None:
    """Rollouts one after the other, step by step; each step is told when it is saved."""
    for number in range(1000):
        session = Session.start(refund(), library=library, rollout_id=f"{name}-{number}")
        while step := await session.step():
            assert not session.unsaved
            say("step", session.rollout.header.id, step.id)
            await asyncio.sleep(0)


async def _review(library: Library, kept: KeptQueue, name: str) -> None:
    """Marks, given and taken back; each is told before it is begun, and when all of it is saved."""
    rng = random.Random(name)
    for number in range(10_000):
        rollout = rng.randrange(ROLLOUTS - 1)
        rollout_id, leaf = f"r{rollout}", f"r{rollout}-1"
        last = kept.queue.last()
        if last is not None and rng.random() < 0.3:
            say("taking", last.id, last.rollout_id)
            with suppress(UsageError):  # a kill came between the mark and its entry
                await take_mark_back(
                    library, last.rollout_id, last.step_id, "mira", command=last.command
                )
            marks = library.load(last.rollout_id).marks
            verdict = next((m.verdict for m in marks if m.by == "mira"), None)
            kept.withdraw(library, last.id, number)
            say("taken", last.id, last.rollout_id, verdict, number)
        else:
            verdict = rng.choice(VERDICTS)
            entry = Entry(rollout_id, leaf, verdict, True, id=f"{name}.{number}")  # type: ignore[arg-type]
            say("giving", entry.id, rollout_id, verdict, number)
            change = MarkChange(verdict=verdict)  # type: ignore[arg-type]
            command = (await give_mark(library, rollout_id, leaf, change, "mira")).command
            kept.say(library, msgspec.structs.replace(entry, command=command), number)
            say("given", entry.id, rollout_id, verdict, number)
        keep_steps_read(library, rollout_id, "mira", {f"{name}.{number}"})
        say("read", rollout_id, f"{name}.{number}")
        await asyncio.sleep(0)


def full(folder: str) -> None:
    """Marks until the disk is full; then there is room again."""
    ballast = Path(folder) / "ballast"
    ballast.write_bytes(bytes(300_000))
    with Library.open(Path(folder) / "library.sqlite") as library:
        kept = make(library)
        given: list[Entry] = []
        for entry, change in _marks():
            try:
                asyncio.run(_give(library, kept, entry, change))
            except StoreError as error:
                say(error)
                break
            given.append(entry)
        assert kept.queue.entries == tuple(given), "what was not saved does not count"
        found = unfinished_queue(library, "", "mira")
        assert found is not None
        assert found.queue.entries == tuple(given)
        ballast.unlink()
        asyncio.run(_give(library, kept, entry, change))
        found = unfinished_queue(library, "", "mira")
        assert found is not None
        assert found.queue.entries == (*given, entry)
        say("given", len(given) > 3)


def _marks() -> Iterator[tuple[Entry, MarkChange]]:
    """Notes of some length, on one rollout."""
    for number in range(10_000):
        entry = Entry("r0", "r0-1", id=f"e{number}")
        yield entry, MarkChange(note=f"{number} " + "x" * 3000)


async def _give(library: Library, kept: KeptQueue, entry: Entry, change: MarkChange) -> None:
    await give_mark(library, entry.rollout_id, entry.step_id, change, "mira")
    kept.say(library, entry, 0)


def read_only(folder: str) -> None:
    """A queue is read where nothing can be written, and a mark is refused in words."""
    path = Path(folder) / "library.sqlite"
    with Library.open(path) as library:
        entry = Entry("r0", "r0-1", "accept", True, id="e1")
        asyncio.run(_give(library, make(library), entry, MarkChange(verdict="accept")))
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    with Library.open(path) as library:
        kept = unfinished_queue(library, "", "mira")
        assert kept is not None
        say(len(kept.queue.ids), kept.queue.verdicts())
        again = Entry("r1", "r1-1", "accept", True, id="e2")
        for change in (MarkChange(verdict="accept"), MarkChange(rating=3)):
            try:
                asyncio.run(_give(library, kept, again, change))
            except StoreError as error:
                say(error)
        say(len(kept.queue.entries))


if __name__ == "__main__":
    {"victims": victims, "full": full, "read-only": read_only}[sys.argv[1]](*sys.argv[2:])
