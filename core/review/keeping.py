"""Queues in a library. The list is written once; what is said is a row of its own, and so is the
place. So a mark costs the same at any length, and any number of programs may go through one queue:
each adds and takes away its own rows, and what the others said is read with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeVar

import msgspec

from ..errors import InputError, StoreError
from ..store.codec import UNREADABLE, Codec, encode
from ..store.kept import KeptRow, Shelf
from ..store.library import Library
from .queue import Entry, News, Progress, Queue, Tally, queue_name

T = TypeVar("T")

KIND = "queue"
"""Heads of queues are kept as this, by the queue's name."""
PARKED = "parked:yes"

_IDS = "queue ids"
_PLACE = "queue place"
_VERSION = 2
_NOWHERE = (0, "")


class QueueHead(msgspec.Struct, frozen=True):
    """What a queue is, without its list: of ``count`` rollouts."""

    query: str
    by: str
    frozen_at: float
    count: int
    version: int = _VERSION

    @property
    def name(self) -> str:
        """What it is kept under."""
        return queue_name(self.query, self.by, self.frozen_at)


class _Whole(msgspec.Struct, frozen=True):
    """A queue as it was kept first: in one piece."""

    query: str
    by: str
    frozen_at: float
    ids: tuple[str, ...]
    at: int = 0
    entries: tuple[Entry, ...] = ()

    def said(self) -> tuple[Entry, ...]:
        """Its entries, with ids that follow from their places: equal wherever it is opened."""
        each = enumerate(self.entries)
        return tuple(msgspec.structs.replace(entry, id=f"old {n}") for n, entry in each)


class _Version(msgspec.Struct):
    version: int = 1


_VERSIONS = Codec(_Version)
_HEADS = Codec(QueueHead)
_WHOLES = Codec(_Whole)
_ID_LISTS = Codec(tuple[str, ...])
_ENTRIES = Codec(tuple[Entry, ...])


class ListedQueue(NamedTuple):
    """A queue in a list, and how far it is. Of one that another version of rollstep keeps in its
    own way no more is known than its name, and nothing is ``left``.
    """

    head: QueueHead
    progress: Progress

    @property
    def is_foreign(self) -> bool:
        """Whether another version keeps it."""
        return self.head.version > _VERSION


class KeptQueue:
    """A queue of a library, as one program has it open: ``queue`` is what this program knows of it.
    Nothing of it changes when something cannot be saved.
    """

    def __init__(
        self, queue: Queue, last: tuple[int, str] = _NOWHERE, *, in_rows: bool = False
    ) -> None:
        self.queue = queue
        self._kind = _kind_of(queue.name)
        self._last = last
        """Place and name of the last row that this program knows."""
        self._in_rows = in_rows
        self._version: int | None = None

    def say(self, library: Library, entry: Entry, at: int, *, unless_so: bool = False) -> News:
        """Keep what is said, and the place after it; what came and went since the last look, this
        entry the last. ``unless_so`` keeps it only where the rollout's verdict is another one by
        now. Raises StoreError.
        """
        with library.shelf(writing=True) as shelf:
            self._put_in_rows(shelf)
            news, last, version = self._news(shelf, in_rows=True)
            if unless_so and self._verdict_after(news, entry.rollout_id) == entry.verdict:
                news = news._replace(gone=(*news.gone, entry.id))
            elif entry.id not in {each.id for each in news.said}:
                shelf.append(self._kind, entry.id, encode(entry))
                last = (shelf.place(self._kind, entry.id), entry.id)
                news = news._replace(said=(*news.said, entry))
            shelf.put(_PLACE, self.queue.name, b"%d" % at)
        return self._took_in(news, last, version)

    def withdraw(self, library: Library, entry_id: str, at: int) -> News:
        """Take an entry away; what came and went, this one the last. Raises StoreError."""
        with library.shelf(writing=True) as shelf:
            self._put_in_rows(shelf)
            news, last, version = self._news(shelf, in_rows=True)
            shelf.drop(self._kind, entry_id)
            shelf.put(_PLACE, self.queue.name, b"%d" % at)
        last = _NOWHERE if last[1] == entry_id else last
        said = tuple(each for each in news.said if each.id != entry_id)
        return self._took_in(News(said, (*news.gone, entry_id)), last, version)

    def stay_at(self, library: Library, at: int) -> None:
        """Keep the place. Raises StoreError."""
        with library.shelf(writing=True) as shelf:
            self._put_at(shelf, at)
        self.queue.go_to(at)
        self._in_rows = True

    def begin(self, library: Library, since: float | None) -> KeptQueue:
        """Keep it, or give the one that has been begun in its place (see ``begin_queue_of``)."""
        ours = (self.queue.query, self.queue.by)
        with library.shelf(writing=True) as shelf:
            if since is not None:
                for head in _heads(shelf):
                    if (head.query, head.by) == ours and head.frozen_at >= since:
                        return _opened(shelf, head.name)
            self._put_at(shelf, 0)
        self._in_rows = True
        return self

    def _put_at(self, shelf: Shelf, at: int) -> None:
        self._put_in_rows(shelf)
        shelf.put(_PLACE, self.queue.name, b"%d" % at)

    def look(self, library: Library) -> News:
        """What came and went since the last look. Raises StoreError."""
        with library.shelf() as shelf:
            in_rows = self._in_rows or _is_in_rows(shelf, self.queue.name)
            news, last, version = self._news(shelf, in_rows=in_rows)
        return self._took_in(news, last, version, in_rows=in_rows)

    def _took_in(
        self, news: News, last: tuple[int, str], version: int, *, in_rows: bool = True
    ) -> News:
        self.queue.merge(news)
        self._in_rows = in_rows
        self._last, self._version = last, version
        return news

    def _verdict_after(self, news: News, rollout_id: str) -> object:
        said = (e for e in reversed(news.said) if e.decides and e.rollout_id == rollout_id)
        last = next(said, None)
        return self.queue.verdict_of(rollout_id) if last is None else last.verdict

    def _news(self, shelf: Shelf, *, in_rows: bool) -> tuple[News, tuple[int, str], int]:
        """What others did to it; the last row then, and the version of the library."""
        version, (place, name) = shelf.data_version(), self._last
        if version == self._version or not in_rows:
            return News(), self._last, version
        known = self.queue.holds
        if place and shelf.place(self._kind, name) == place:
            # While the last row that we know stands, what is new can only be behind it.
            new = shelf.rows(self._kind, after=place)
            if shelf.count(self._kind) == self.queue.said + len(new):
                return News(_entries(new)), _last_of(new) or self._last, version
        rows = shelf.rows(self._kind)
        there = {row.name for row in rows}
        gone = tuple(each.id for each in self.queue.entries if each.id not in there)
        new = [row for row in rows if not known(row.name)]
        return News(_entries(new), gone), _last_of(rows) or _NOWHERE, version

    def _put_in_rows(self, shelf: Shelf) -> None:
        """Write the list and what was said so far, where that is not in the library yet, or is
        there in one piece.
        """
        queue = self.queue
        if self._in_rows or _is_in_rows(shelf, queue.name):
            return
        head = QueueHead(queue.query, queue.by, queue.frozen_at, len(queue.ids))
        shelf.put(KIND, queue.name, encode(head))
        shelf.put(_IDS, queue.name, encode(queue.ids))
        shelf.put(_PLACE, queue.name, b"%d" % queue.at)
        for entry in queue.entries:
            shelf.append(self._kind, entry.id, encode(entry))


def begin_queue(
    library: Library, query: str, by: str, now: float, *, since: float | None = None
) -> KeptQueue:
    """Freeze what the query means now, in the order in which the rollouts came into the library,
    so that it is the same for each reviewer; and keep it, ``since`` as in ``begin_queue_of``.

    Raises QueryError, and InputError where it means no rollout.
    """
    # A queue that is gone on with loads nothing of this.
    from ..listing.rollout_list import list_rollouts
    from ..listing.up_to_date import bring_up_to_date

    bring_up_to_date(library, query)
    found = list_rollouts(library, query)
    if not len(found):
        meant = f"is meant by {query!r}" if query else "is in the library"
        raise InputError(f"No rollout {meant}: there is nothing to review.")
    return begin_queue_of(library, found.all_keys(), query, by, now, since=since)


def begin_queue_of(
    library: Library,
    keys: Sequence[int],
    words: str,
    by: str,
    now: float,
    *,
    since: float | None = None,
) -> KeptQueue:
    """Freeze the rollouts of these keys of the library, in the same order; and keep the queue.
    ``words`` say which they are: a query, where one means them. One that another program has begun
    for this person with these words ``since`` then is taken in its place.
    """
    queue = Queue(words, by, now, tuple(library.ids_of(sorted(keys))))
    return KeptQueue(queue).begin(library, since)


def listed_queues(library: Library) -> list[ListedQueue]:
    """All queues, the last begun first. Raises StoreError."""
    with library.shelf() as shelf:
        return [_listed(shelf, head) for head in _heads(shelf)]


def unfinished_queue(library: Library, query: str, by: str) -> KeptQueue | None:
    """The last queue of this query and person that has rollouts left."""
    with library.shelf() as shelf:
        for head in _heads(shelf):
            if (head.query, head.by) == (query, by) and head.version <= _VERSION:
                kept = _opened(shelf, head.name)
                if not kept.queue.finished:
                    return kept
    return None


def open_queue(library: Library, name: str) -> KeptQueue:
    """The queue of this name. Raises InputError where there is none, StoreError."""
    with library.shelf() as shelf:
        return _opened(shelf, name)


def parked_among(library: Library, queue: Queue) -> int:
    """How many rollouts of the queue wait for a human."""
    from ..listing.rollout_list import list_rollouts

    return len(frozenset(list_rollouts(library, PARKED).ids()).intersection(queue.ids))


def _opened(shelf: Shelf, name: str) -> KeptQueue:
    body = shelf.get(KIND, name)
    if body is None:
        raise InputError(f"No queue {name!r} in this library: rollstep review --list names them.")
    if _version_of(name, body) == 1:
        old = _decoded(name, body, _WHOLES)
        return KeptQueue(Queue(old.query, old.by, old.frozen_at, old.ids, old.at, old.said()))
    head = _decoded(name, body, _HEADS)
    ids = _decoded(name, shelf.get(_IDS, name) or b"", _ID_LISTS)
    kind, place = _kind_of(name), shelf.get(_PLACE, name) or b""
    at = int(place) if place.isdigit() else 0
    entries = _decoded(name, shelf.joined(kind), _ENTRIES)
    queue = Queue(head.query, head.by, head.frozen_at, ids, at, entries)
    return KeptQueue(queue, shelf.last(kind) or _NOWHERE, in_rows=True)


def _heads(shelf: Shelf) -> list[QueueHead]:
    heads = []
    for row in shelf.rows(KIND):
        try:
            heads.append(_head(row))
        except StoreError:  # said where it is opened; the others are of use meanwhile
            heads.append(_foreign(row.name))
    return sorted(heads, key=lambda head: head.frozen_at, reverse=True)


def _head(row: KeptRow) -> QueueHead:
    if _version_of(row.name, row.body) > 1:
        return _decoded(row.name, row.body, _HEADS)
    old = _decoded(row.name, row.body, _WHOLES)
    return QueueHead(old.query, old.by, old.frozen_at, len(old.ids), 1)


def _foreign(name: str) -> QueueHead:
    """As far as the name of a queue tells (see ``queue_name``)."""
    begun, _, rest = name.partition(" ")
    by, _, query = rest.partition(" ")
    try:
        return QueueHead(query, by, float(begun), 0, _VERSION + 1)
    except ValueError:
        return QueueHead(name, "", 0.0, 0, _VERSION + 1)


def _listed(shelf: Shelf, head: QueueHead) -> ListedQueue:
    try:
        return ListedQueue(head, _progress(shelf, head))
    except StoreError:
        return ListedQueue(_foreign(head.name), Tally().progress(0))


def _progress(shelf: Shelf, head: QueueHead) -> Progress:
    if head.version > _VERSION:
        return Tally().progress(0)
    if head.version == 1:
        old = _decoded(head.name, shelf.get(KIND, head.name) or b"", _WHOLES)
        return Tally(old.said()).progress(head.count)
    entries = _decoded(head.name, shelf.joined(_kind_of(head.name)), _ENTRIES)
    return Tally(entries).progress(head.count)


def _version_of(name: str, body: bytes) -> int:
    version = _decoded(name, body, _VERSIONS).version
    if version > _VERSION:
        raise _of_another_version(name, f"version {version}")
    return version


def _is_in_rows(shelf: Shelf, name: str) -> bool:
    body = shelf.get(KIND, name)
    return body is not None and _version_of(name, body) > 1


def _decoded(name: str, body: bytes, codec: Codec[T]) -> T:
    try:
        return codec.decode(body)
    except UNREADABLE as error:
        raise _of_another_version(name, str(error)) from error


def _of_another_version(name: str, why: str) -> StoreError:
    return StoreError(
        f"The queue {name!r} was kept by another version of rollstep: {why}. "
        "Use that version, or begin another queue with --new."
    )


def _entries(rows: list[KeptRow]) -> tuple[Entry, ...]:
    """What these rows say."""
    bodies = b",".join(row.body for row in rows)
    return _ENTRIES.decode(b"[%b]" % bodies)


def _last_of(rows: list[KeptRow]) -> tuple[int, str] | None:
    return (rows[-1].place, rows[-1].name) if rows else None


def _kind_of(name: str) -> str:
    """What the entries of a queue are kept as: short, for it stands at each of them."""
    named = name.encode("utf-8", "surrogatepass")
    return f"queue said {blake2b(named, digest_size=8).hexdigest()}"
