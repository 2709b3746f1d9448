"""Trying again: only what may succeed, only while nothing of a reply has come, and never unseen."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

from .model_errors import ModelError
from .model_request import LONGEST_WAIT, ModelReply, ModelRequest

_FIRST_CEILING = 4.0
_HIGHEST_CEILING = 60.0


async def persist(
    request: ModelRequest,
    attempt: Callable[[], Awaitable[ModelReply]],
    notice: Callable[[str], None],
    retrying: Callable[[str], None] | None = None,
) -> ModelReply:
    """The reply of the first try that gives one. ``notice`` is told of each retry before it waits,
    and ``retrying`` of the kind of failure that it is for.

    Raises ModelError when a try failed that may not be repeated, or too many did.
    """
    for number in range(1, request.tries + 1):
        try:
            reply = await attempt()
        except ModelError as failed:
            if not failed.again:
                raise
            seconds = failed.wait if failed.wait is not None else jitter(number)
            if number == request.tries:
                raise _given_up(failed, f"Given up after {number} tries.") from failed
            if seconds > LONGEST_WAIT:
                words = f"That is longer than the {LONGEST_WAIT:g} s that rollstep waits by itself."
                raise _given_up(failed, words) from failed
            if retrying is not None:
                retrying(failed.kind)
            notice(_words(failed, seconds, number + 1, request.tries))
        else:
            return msgspec.structs.replace(reply, attempts=number)
        await asyncio.sleep(seconds * request.pace)
    raise AssertionError("a call makes at least one try")


def jitter(tries: int) -> float:
    """Seconds to wait after so many tries: any from 1 to a ceiling that grows fourfold up to 60."""
    ceiling = min(_HIGHEST_CEILING, _FIRST_CEILING**tries)
    return random.uniform(1.0, ceiling)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a provider asks us to wait; None where it does not say."""
    said = headers.get("retry-after", "")
    for text, scale in ((headers.get("retry-after-ms", ""), 0.001), (said, 1.0)):
        try:
            return max(0.0, float(text) * scale)
        except ValueError:
            continue
    try:
        at = parsedate_to_datetime(said)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _words(failed: ModelError, seconds: float, number: int, tries: int) -> str:
    which = f"({number} of {tries})."
    if failed.wait is not None:
        if failed.kind != "rate":
            return f"{failed} Retrying in {seconds:.0f} s {which}"
        return f"The provider asked us to wait {seconds:.0f} s. Retrying {which}"
    return f"{failed} Retrying in {seconds:.0f} s {which}"


def _given_up(failed: ModelError, why: str) -> ModelError:
    given_up = ModelError(f"{failed} {why}", failed.kind)
    given_up.detail, given_up.partial = failed.detail, failed.partial
    given_up.cost, given_up.usage = failed.cost, failed.usage
    return given_up
