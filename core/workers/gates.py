"""How fast one role, provider or model may be asked. Pure: whoever asks says what time it is.

Two things hold a call back. The limits that a user has set: calls at the same time, calls and
tokens that are begun within any minute. And the pace, once a provider has said that it is asked too
often: half of what it was, which creeps up again, to what it was within a minute, and is no more
after three.
"""

from __future__ import annotations

from collections import deque
from math import inf

import msgspec

from ..config.keys import Limit

MINUTE = 60.0

_SEEN = 10.0
"""Seconds over which it is looked at how fast calls were begun."""

_SLOWEST = MINUTE
"""Seconds between two calls at most, however often a provider says that it is asked too often."""

_LIFTED_AT = 4.0
"""The pace is no more when it has become so many times what it was slowed down to."""


class Begun(msgspec.Struct, eq=False):
    """A call that was begun, and the tokens that it takes, as far as they are known."""

    at: float
    tokens: int


class Gate:
    """What may begin when. Times are those of one clock that never goes back."""

    def __init__(self, limit: Limit | None = None) -> None:
        self._limit = limit or Limit()
        self._begun: deque[Begun] = deque()
        self._tokens = 0
        self._under_way = 0
        self._rate = inf
        """Calls a second that the pace allowed when it was slowed down last."""
        self._slowed_at = -inf

    def wait(self, tokens: int, now: float) -> float:
        """Seconds until a call of so many tokens may begin; 0 for at once, infinity where it takes
        another one to end first.
        """
        self._forget(now)
        limit = self._limit
        if limit.at_once and self._under_way >= limit.at_once:
            return inf
        return max(self._wait_for_requests(now), self._wait_for_tokens(tokens, now), 0.0)

    def begin(self, tokens: int, now: float) -> Begun:
        """A call begins."""
        self._under_way += 1
        return self._note(tokens, now)

    def end(self, begun: Begun, tokens: int | None = None) -> None:
        """It has ended, and took so many tokens where that is known."""
        self._under_way -= 1
        if tokens is not None and begun.at > -inf:
            self._tokens += tokens - begun.tokens
            begun.tokens = tokens

    def again(self, now: float) -> None:
        """A call that is under way asks once more by itself."""
        self._note(0, now)

    def refused(self, begun: Begun, now: float) -> bool:
        """The provider has said that it is asked too often: the pace is halved. False for a call
        that was begun before it was slowed down: it says nothing new.
        """
        if begun.at <= self._slowed_at:
            return False
        self._rate = max(self._pace(now) / 2, 1 / _SLOWEST)
        self._slowed_at = now
        return True

    def _note(self, tokens: int, now: float) -> Begun:
        begun = Begun(now, tokens)
        self._begun.append(begun)
        self._tokens += tokens
        return begun

    def _wait_for_requests(self, now: float) -> float:
        most, begun = self._limit.requests_per_minute, self._begun
        wait = 0.0
        if most and len(begun) >= most:
            wait = begun[-most].at + MINUTE - now
        if begun and (pace := self._paced(now)) < inf:
            wait = max(wait, begun[-1].at + 1 / pace - now)
        return wait

    def _wait_for_tokens(self, tokens: int, now: float) -> float:
        """One that is larger than all that is allowed begins when nothing else was."""
        most = self._limit.tokens_per_minute
        if not most or not self._tokens or self._tokens + tokens <= most:
            return 0.0
        left = self._tokens
        for each in self._begun:
            left -= each.tokens
            if left + tokens <= most or not left:
                return each.at + MINUTE - now
        return 0.0

    def _paced(self, now: float) -> float:
        """Calls a second that the pace allows: as many more each second, until it is lifted."""
        if self._rate == inf:
            return inf
        rate = self._rate * (1 + (now - self._slowed_at) / MINUTE)
        if rate >= _LIFTED_AT * self._rate:
            self._rate = inf
        return rate if self._rate < inf else inf

    def _pace(self, now: float) -> float:
        """Calls a second, as they are allowed or else were begun of late."""
        if (paced := self._paced(now)) < inf:
            return paced
        late = [each.at for each in self._begun if each.at > now - _SEEN]
        return len(late) / max(now - late[0], 1.0) if late else 1.0

    def _forget(self, now: float) -> None:
        """What was begun more than a minute ago holds nothing back any more."""
        begun = self._begun
        while begun and begun[0].at <= now - MINUTE:
            gone = begun.popleft()
            self._tokens -= gone.tokens
            gone.at = -inf
