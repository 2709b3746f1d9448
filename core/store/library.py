"""The library: one SQLite file that holds rollouts."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from ..clock import Clock, wall_clock
from ..errors import LibraryLockedError, NotSavedError, StoreError
from ..files import expanded
from ..model.history import Draft
from ..model.project import Project
from ..model.rollout import Rollout
from ..model.steps import Step
from . import failures, opening, search, writing
from .catalogue import Catalogue
from .change import Change, Saved
from .codec import HEADER, PROJECT, STEPS, UNREADABLE, Codec, encode, from_bytes, to_bytes
from .records import SHARED, free_number, hiding_commands, read_records
from .schema import step_key
from .search import Hit

WAIT = 5.0
"""Seconds to wait for another program's lock."""

_INDEX_AT_ONCE = 2000
"""Steps that one transaction indexes, so that it does not hold others up for long."""

_GROUP = """
SELECT CAST('[' || group_concat(body, ',') || ']' AS BLOB)
FROM (SELECT body FROM steps WHERE key >= ? AND key < ? ORDER BY key)"""
"""Many steps as one JSON array. Python's lock is let go at every row that SQLite gives, and while
the screen is loading it comes back only milliseconds later: few large rows open a long rollout
sooner than many small ones."""

_FIRST_GROUP, _LARGEST_GROUP = 16, 256
_GROUP_BYTES = 512 * 1024
"""How large an array should be: those of large steps hold fewer, so that memory stays low."""

T = TypeVar("T")
_DRAFT = Codec(Draft)


class Library(Catalogue):
    """Rollouts in one SQLite file, open in any number of programs at once.

    A commit that has returned survives a crash of the program, and with ``durable`` a loss of
    power too. May be used from any thread: a lock of its own lets one in at a time.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        read_only: bool,
        wait: float,
        clock: Clock,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._connection = connection
        self._wait = wait
        self._clock = clock
        self._lock = threading.RLock()
        self._file = _identity(path)
        self._folder_to_delete: Path | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        create: bool = True,
        durable: bool = True,
        wait: float = WAIT,
        clock: Clock = wall_clock,
    ) -> Library:
        """Open the library at ``path``, which is made unless ``create`` is false.

        ``durable=False`` leaves it to the system when what is committed reaches the disk, for
        runs that can be repeated. ``wait`` is how long to wait for another program's lock, in
        seconds. Raises InputError for a file that is no library, StoreError for one that cannot
        be opened, LibraryLockedError.
        """
        path = expanded(path).absolute()
        connection, read_only = opening.connect(path, create=create, durable=durable, wait=wait)
        return cls(connection, path, read_only=read_only, wait=wait, clock=clock)

    @classmethod
    def throwaway(cls) -> Library:
        """A library of its own that is deleted when it is closed."""
        folder = Path(tempfile.mkdtemp(prefix="rollstep-"))
        library = cls.open(folder / "library.sqlite", durable=False)
        library._folder_to_delete = folder
        return library

    def close(self) -> None:
        """Close it. Closing again does nothing."""
        with self._lock:
            self._connection.close()
            if self._folder_to_delete is not None:
                shutil.rmtree(self._folder_to_delete, ignore_errors=True)

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # Writing

    def commit(self, change: Change) -> dict[str, int]:
        """Save the change, all of it or nothing, and give the ``seq`` of each of its steps.

        Steps, attempts and scores that are there already are left as they are, so a commit whose
        outcome was unclear may simply be sent again. Raises NotSavedError, LibraryLockedError.
        """
        with self._writing() as connection:
            return writing.store(connection, change, self._clock(), index=True)

    def commit_many(self, changes: Iterable[Change]) -> list[dict[str, int]]:
        """Save many changes in one transaction. Their steps are indexed for search later."""
        with self._writing() as connection:
            now = self._clock()
            return [writing.store(connection, each, now, index=False) for each in changes]

    def save_draft(self, rollout_id: str, draft: Draft) -> None:
        """Keep a draft, in place of the one in the same slot."""
        with self._writing() as connection:
            key = writing.rollout_key(connection, rollout_id)
            if key is None:
                raise NotSavedError(f"Not saved: the library holds no rollout {rollout_id} yet.")
            connection.execute(
                "INSERT INTO drafts VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET body = excluded.body",
                (key, to_bytes(draft.slot), encode(draft)),
            )

    def drop_draft(self, rollout_id: str, slot: str) -> None:
        """Forget a draft; one that is not there is no error."""
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM drafts WHERE slot = ?"
                " AND rollout = (SELECT key FROM rollouts WHERE id = ?)",
                (to_bytes(slot), to_bytes(rollout_id)),
            )

    def index_pending(self, limit: int | None = None) -> int:
        """Bring the search index up to date, or go ``limit`` steps towards it; how many steps were
        indexed.
        """
        with self._reading() as connection:
            if not search.has_pending(connection):
                return 0
        done = 0
        while limit is None or done < limit:
            room = _INDEX_AT_ONCE if limit is None else min(_INDEX_AT_ONCE, limit - done)
            with self._writing() as connection:
                some = search.index_some(connection, room)
            done += some
            if some < room:
                break
        return done

    # Reading

    def load(self, rollout_id: str) -> Saved:
        """The whole rollout. Raises InputError when it is not here, UnreadableError where what is
        stored of it is damaged.
        """
        with self._reading() as connection:
            row = connection.execute(
                "SELECT key, header, head, status, status_note FROM rollouts WHERE id = ?",
                (to_bytes(rollout_id),),
            ).fetchone()
            if row is None:
                raise self._unknown(rollout_id)
            key, header, head, status, note = row
            try:
                with opening.passing_through(connection):
                    steps = self._steps(key, 0)
                return Saved(
                    header=HEADER.decode(header),
                    projects=self._projects(key),
                    steps=steps,
                    head=None if head is None else from_bytes(head),
                    status=status,
                    status_note=from_bytes(note),
                    **self._records(key),
                )
            except UNREADABLE as error:
                raise failures.unreadable(self.path, rollout_id, str(error)) from error

    def load_tree(self, rollout_id: str) -> tuple[Saved, Rollout]:
        """The rollout, and its steps as a tree. Raises the same, also where the steps that can be
        read make no tree.
        """
        saved = self.load(rollout_id)
        try:
            return saved, saved.tree()
        except ValueError as error:
            raise failures.unreadable(self.path, rollout_id, str(error)) from error

    def holds(self, rollout_id: str) -> bool:
        """Whether the library has a rollout of exactly this id."""
        with self._reading() as connection:
            return writing.rollout_key(connection, rollout_id) is not None

    def held(self, rollout_ids: Iterable[str]) -> set[str]:
        """Those of these ids that the library has a rollout of."""
        with self._reading() as connection:
            return {each for each in rollout_ids if writing.rollout_key(connection, each)}

    def steps_since(self, rollout_id: str, seq: int) -> tuple[Step, ...]:
        """The steps saved after number ``seq``, by whatever program."""
        with self._reading():
            return self._steps(self._key(rollout_id), seq)

    def news(self, rollout_id: str, seq: int) -> Saved:
        """What others who have this rollout open want to know: the steps after number ``seq``, the
        project's revisions, how branches, marks, silences and breakpoints stand, and those of the
        commands that leave steps out of sight.
        """
        with self._reading() as connection:
            key = self._key(rollout_id)
            header, status, note = connection.execute(
                "SELECT header, status, status_note FROM rollouts WHERE key = ?", (key,)
            ).fetchone()
            return Saved(
                HEADER.decode(header),
                self._projects(key),
                self._steps(key, seq),
                status=status,
                status_note=from_bytes(note),
                **{
                    **read_records(connection, key, SHARED),
                    "commands": hiding_commands(connection, key),
                },
            )

    def revisions(self, rollout_id: str) -> tuple[Project, ...]:
        """The revisions of the rollout's project, whichever program made them."""
        with self._reading():
            return self._projects(self._key(rollout_id))

    def free_number(self, rollout_id: str, n: int) -> int:
        """The number for a new command: ``n``, or one above all where another program took that."""
        with self._reading() as connection:
            return free_number(connection, writing.rollout_key(connection, rollout_id), n)

    def data_version(self) -> int:
        """A number that changes when another program has written to the library."""
        with self._reading() as connection:
            version: int = connection.execute("PRAGMA data_version").fetchone()[0]
            return version

    def request(self, digest: str) -> str | None:
        """The body of a request as it was sent, or None when it is not kept."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT packed, body FROM requests WHERE digest = ?", (to_bytes(digest),)
            ).fetchone()
            if row is None:
                return None
            packed, body = row
            return from_bytes(zlib.decompress(body) if packed else body)

    def drafts(self, rollout_id: str) -> tuple[Draft, ...]:
        """The rollout's drafts, oldest slot first."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT drafts.body FROM drafts JOIN rollouts ON rollouts.key = drafts.rollout"
                " WHERE rollouts.id = ? ORDER BY drafts.rowid",
                (to_bytes(rollout_id),),
            )
            return tuple(_DRAFT.decode(row[0]) for row in rows)

    def search(self, query: str, limit: int = 100) -> tuple[Hit, ...]:
        """Steps whose text, reasoning or calls hold the query as it is written, in any letter
        case; newest rollouts first. Brings the index up to date first.
        """
        if not query:
            return ()
        with self._reading() as connection:
            if not search.has_pending(connection):
                return search.find(connection, query, limit, use_index=True)
        if not self.read_only:
            # Where nothing can be written now, the steps are read one by one instead.
            with suppress(LibraryLockedError, NotSavedError):
                self.index_pending()
        with self._reading() as connection:
            indexed = not search.has_pending(connection)
            return search.find(connection, query, limit, use_index=indexed)

    def is_elsewhere(self) -> bool:
        """Whether the file that was opened is no longer the one that stands at its path."""
        return self._file != _identity(self.path)

    # Inside

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self.read_only:
            raise NotSavedError(f"Not saved: the library {self.path} is read-only.")
        if self.is_elsewhere():
            # SQLite would go on writing to a file that nobody will ever open again.
            raise NotSavedError(
                f"Not saved: the library {self.path} was deleted, moved or replaced while it was "
                "open. Put it back, or export what is not saved."
            )
        with self._transaction("BEGIN IMMEDIATE", saving=True) as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._transaction("BEGIN", saving=False) as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str, *, saving: bool) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        with self._lock:
            try:
                connection.execute(begin)
                yield connection
                connection.execute("COMMIT")
            except sqlite3.ProgrammingError as error:
                raise StoreError(f"The library {self.path} is closed.") from error
            except sqlite3.Error as error:
                self._roll_back()
                raise failures.in_words(
                    error, self.path, saving=saving, waited=self._wait
                ) from error
            except UNREADABLE as error:
                self._roll_back()
                raise StoreError(
                    f"The library {self.path} holds something that cannot be read ({error})."
                ) from error
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _key(self, rollout_id: str) -> int:
        key = writing.rollout_key(self._connection, rollout_id)
        if key is None:
            raise self._unknown(rollout_id)
        return key

    def _steps(self, key: int, after: int) -> tuple[Step, ...]:
        top = step_key(key + 1, 0)
        last = self._connection.execute(
            "SELECT max(key) FROM steps WHERE key < ?", (top,)
        ).fetchone()[0]
        steps: list[Step] = []
        at, count = step_key(key, after) + 1, _FIRST_GROUP
        with _no_collection():
            while last is not None and at <= last:
                (group,) = self._connection.execute(_GROUP, (at, at + count)).fetchone()
                at += count
                if group is not None:
                    steps += STEPS.decode(group)
                    count = max(min(count * _GROUP_BYTES // len(group), _LARGEST_GROUP), 1)
        return tuple(steps)

    def _projects(self, key: int) -> tuple[Project, ...]:
        rows = self._connection.execute(
            "SELECT projects.body FROM revisions JOIN projects ON digest = project"
            " WHERE rollout = ? ORDER BY n",
            (key,),
        )
        return self._decode(rows, PROJECT)

    def _records(self, key: int) -> dict[str, Any]:
        with _no_collection():
            return read_records(self._connection, key)

    @staticmethod
    def _decode(rows: Iterable[tuple[Any]], codec: Codec[T]) -> tuple[T, ...]:
        decode = codec.decode
        with _no_collection():
            return tuple([decode(body) for (body,) in rows])


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file stands there, whatever its content; None for none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the cycle collector, which would look through thousands of new structs, none of them
    in a cycle, again and again while they are made.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
