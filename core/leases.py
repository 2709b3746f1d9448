"""Who plays a rollout. A run that asks roles for it, and an app in which a human works on it, say
so in the library, so that neither pays for a step that the other makes: a run leaves what is open
elsewhere as it is, and the app asks nobody while a run plays. What a program says that has ended,
however it ended, is void.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from math import inf
from typing import Literal, Protocol

import msgspec

from .errors import StoreError, UsageError
from .events import CommandDone, Event
from .processes import began, lives, machine
from .store.kept import PLAYER, Shelf

Doing = Literal["run", "app"]

_FOREIGN = 900.0
"""Seconds for which another machine is believed: whether its program lives cannot be seen here."""

RENEWED = 180.0
"""Seconds after which a program that plays on says so again."""


class Shelved(Protocol):
    """The part of a library in which leases are."""

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written to it."""
        ...

    def shelf(self, *, writing: bool = False) -> AbstractContextManager[Shelf]:
        """All that is kept, inside one transaction."""
        ...


class Lease(msgspec.Struct, frozen=True):
    """What a program says: its process, when that began (as its system counts), on which machine
    (``host`` is the name that people know it by), what it does, and when it said so, in seconds
    since the epoch.
    """

    pid: int
    began: str
    machine: str
    host: str
    doing: Doing
    since: float

    @property
    def is_ours(self) -> bool:
        """Whether this process said so."""
        process = os.getpid()
        return (self.pid, self.began, self.machine) == (process, began(process), machine())

    @property
    def holds(self) -> bool:
        """Whether the program that said so lives."""
        if self.machine != machine():
            return time.time() - self.since < _FOREIGN
        return lives(self.pid) and began(self.pid) == self.began

    @property
    def who(self) -> str:
        """Which process it is, and on which machine."""
        here = self.machine == machine()
        return f"process {self.pid}{'' if here else f' on {self.host}'}"

    @property
    def words(self) -> str:
        """What it does, for people."""
        if self.doing == "run":
            return f"a run plays it ({self.who})"
        return f"it is open in another rollstep, where somebody works on it ({self.who})"


def own_lease(doing: Doing) -> Lease:
    """What this program says."""
    process, host = os.getpid(), os.uname().nodename
    return Lease(process, began(process), machine(), host, doing, time.time())


def player_of(library: Shelved, rollout_id: str) -> Lease | None:
    """The other program that plays this rollout now; None for none. Raises StoreError."""
    with library.shelf() as shelf:
        return _other(shelf, rollout_id)


def take(library: Shelved, rollout_id: str, doing: Doing) -> Lease | None:
    """Say that this program plays it from now on; or who else does. Raises StoreError."""
    with library.shelf(writing=True) as shelf:
        other = _other(shelf, rollout_id)
        if other is None:
            shelf.put(PLAYER, rollout_id, msgspec.json.encode(own_lease(doing)))
        return other


def let_go(library: Shelved, rollout_id: str) -> None:
    """Say that this program plays it no more. Raises StoreError."""
    with library.shelf(writing=True) as shelf:
        if _other(shelf, rollout_id) is None:
            shelf.drop(PLAYER, rollout_id)


class Claim:
    """An app's hold on the rollout that is open in it, from the first command or asking on.
    ``refresh`` takes in what others have made of the rollout, and says whether a step was among it.
    """

    def __init__(self, library: Shelved, rollout_id: str, refresh: Callable[[], bool]) -> None:
        self._library = library
        self._rollout_id = rollout_id
        self._refresh = refresh
        self._taken = -inf
        """When it was said last that this program plays it."""

    @property
    def _held(self) -> bool:
        return time.monotonic() - self._taken < RENEWED

    def before_asking(self, *, paid: bool) -> None:
        """Raises UsageError where a role may not be asked: a run does so, or has done so since the
        rollout was opened here; or, where the answer is ``paid`` for, nobody can be told of it.
        """
        if self._held:
            return
        try:
            self._ask_first()
        except StoreError as error:
            if paid:
                why = str(error).removeprefix("Not saved: ")
                raise UsageError(
                    f"Nobody was asked, since the answer is paid for and could not be saved: {why}"
                ) from error

    def _ask_first(self) -> None:
        other = self._take()
        if other is not None and other.doing == "run":
            raise UsageError(
                f"Nobody is asked here until a run has ended that plays this ({other.who}). What "
                "it makes comes in by itself."
            )
        if self._refresh():
            raise UsageError(
                "Nobody was asked: another rollstep has gone on with this rollout, and what it "
                "made is here now."
            )

    def hear(self, event: Event) -> None:
        """A human has done something: from now on no run goes on with it."""
        if isinstance(event, CommandDone) and not self._held:
            with suppress(StoreError):  # what was done is saved or told by itself
                self._take()

    def let_go(self) -> None:
        """The rollout is closed."""
        if self._taken > -inf:
            self._taken = -inf
            with suppress(StoreError):  # it is void when this program ends
                let_go(self._library, self._rollout_id)

    def _take(self) -> Lease | None:
        if self._library.read_only:  # what is made here is saved nowhere, and harms nobody
            return player_of(self._library, self._rollout_id)
        other = take(self._library, self._rollout_id, "app")
        self._taken = time.monotonic() if other is None else -inf
        return other


def _other(shelf: Shelf, rollout_id: str) -> Lease | None:
    body = shelf.get(PLAYER, rollout_id)
    if body is None:
        return None
    try:
        lease = msgspec.json.decode(body, type=Lease)
    except msgspec.MsgspecError:
        return None  # of a version that has another idea of it
    return lease if lease.holds and not lease.is_ours else None
