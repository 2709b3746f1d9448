"""Every fault that providers are known for, plain and streaming, asked directly and by litellm: the
kind, the words, what is kept, and how many requests were made. All are asked at once, and then
looked at one by one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from rollstep.core.model.failures import REMEDIES
from rollstep.core.workers.gateway import SERVICE
from rollstep.core.workers.pool import Workers

from ...provider.faults import CANARY, FAULTS, SAID
from ...provider.server import ProviderServer
from .calling import Caller, Outcome

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

FIVE = "Given up after 5 tries."
KEPT = f" {len(SAID)} characters arrived; kept as partial."
NO_REPLY = "The server sent something that is not a model reply."


class Failure(NamedTuple):
    """How a fault is told. ``plain`` are the words where they differ when nothing is streamed."""

    kind: str
    words: str
    requests: int = 1
    partial: str = ""
    plain_kind: str = ""
    plain: str = ""


FAILURES = {
    "400": Failure(
        "refused",
        "The provider refused the request (400): Unknown parameter: 'temprature' [/bold].",
    ),
    "401": Failure("auth", "The key in OPENAI_API_KEY was refused."),
    "403": Failure(
        "auth",
        "The provider does not permit this: Your organization may not use this model.",
    ),
    "404": Failure("not_found", "There is no such model here: The model does not exist."),
    "408": Failure(
        "timeout", f"No complete reply: the provider gave up waiting (408). {FIVE}", requests=5
    ),
    "409": Failure("server", f"The provider failed (409): Conflict, try again. {FIVE}", requests=5),
    "413": Failure("too_large", "The request is larger than the provider takes."),
    "422": Failure(
        "refused", "The provider refused the request (422): messages.0.content: field required."
    ),
    "policy": Failure("policy", "Blocked by the content filter: Blocked."),
    "policy_message": Failure(
        "policy",
        "Blocked by the content filter: Your request was rejected by our safety system.",
    ),
    "context": Failure("context", "The conversation is too long for this model."),
    "context_message": Failure("context", "The conversation is too long for this model."),
    "429": Failure("rate", f"The provider asked us to wait. {FIVE}", requests=5),
    "429_after": Failure("rate", f"The provider asked us to wait 12 s. {FIVE}", requests=5),
    "429_late": Failure(
        "rate",
        "The provider asked us to wait 600 s. That is longer than the 120 s that rollstep waits by "
        "itself.",
    ),
    "quota": Failure("quota", "Your account is out of credit. Nothing was lost."),
    "402": Failure("quota", "Your account is out of credit. Nothing was lost."),
    "500": Failure(
        "server",
        f"The provider failed (500): The server had an error with [KEY]. {FIVE}",
        requests=5,
    ),
    "502": Failure("server", f"The provider failed (502). {FIVE}", requests=5),
    "503": Failure("server", f"The provider failed (503): Overloaded. {FIVE}", requests=5),
    "504": Failure(
        "timeout", f"No complete reply: the provider gave up waiting (504). {FIVE}", requests=5
    ),
    "529": Failure("server", f"The provider failed (529): Overloaded. {FIVE}", requests=5),
    "hang": Failure("timeout", "No complete reply in 3 s."),
    "hang_amid": Failure("timeout", f"No complete reply in 3 s.{KEPT}", partial=SAID),
    "endless": Failure(
        "overflow",
        "The reply did not end, and was cut off. 1,000,000 characters arrived; kept as partial.",
        partial="x" * 1_000_000,
        plain="The reply did not end, and was cut off.",
    ),
    "reset": Failure("network", f"Connection lost before an answer. {FIVE}", requests=5),
    "reset_amid": Failure("network", f"Connection lost.{KEPT}", partial=SAID),
    "short_body": Failure("network", f"Connection lost.{KEPT}", partial=SAID),
    "not_http": Failure("bad_reply", NO_REPLY),
    "malformed": Failure("bad_reply", NO_REPLY),
    "html": Failure("bad_reply", NO_REPLY),
    "empty_body": Failure(
        "empty", "The model returned nothing.", plain_kind="bad_reply", plain=NO_REPLY
    ),
    "only_done": Failure(
        "empty", "The model returned nothing.", plain_kind="bad_reply", plain=NO_REPLY
    ),
    "null_choices": Failure("bad_reply", NO_REPLY),
    "no_choices": Failure("empty", "The model returned nothing."),
    "cut_stream": Failure("network", f"Connection lost.{KEPT}", partial=SAID),
    "no_finish": Failure("network", f"Connection lost.{KEPT}", partial=SAID),
    "bad_event": Failure(
        "bad_reply",
        f"{NO_REPLY}{KEPT}",
        partial=SAID,
        plain_kind="network",
        plain=f"Connection lost.{KEPT}",
    ),
    "error_body": Failure(
        "server", f"The provider failed (529): Overloaded ([KEY]). {FIVE}", requests=5
    ),
    "odd_chunk": Failure(
        "bad_reply",
        f"{NO_REPLY}{KEPT}",
        partial=SAID,
        plain_kind="network",
        plain=f"Connection lost.{KEPT}",
    ),
    "error_event": Failure(
        "server",
        f"The provider failed in the middle: overloaded ([KEY]).{KEPT}",
        partial=SAID,
        plain_kind="network",
        plain=f"Connection lost.{KEPT}",
    ),
    "nothing": Failure("empty", "The model returned nothing."),
    "length_nothing": Failure("stopped", "Cut off by length before any text."),
    "filtered_nothing": Failure("stopped", "Blocked by the content filter."),
    "too_much_text": Failure(
        "overflow",
        "The reply did not end, and was cut off. 1,000,000 characters arrived; kept as partial.",
        partial="x" * 1_000_000,
    ),
    "too_long_arguments": Failure(
        "overflow",
        "The arguments of a call of f did not end, and were cut off after 256,000 characters.",
    ),
}
"""What each fault that is a failure is told as."""

DRIP = "drip"
"""How much of it has arrived when the time is up is a matter of chance."""

ODD_REPLIES = {
    *("finish_unknown", "length", "filtered", "no_usage", "parallel_calls", "reasoning"),
    *("think_tags", "not_json_arguments"),
}
"""Faults that a reply survives: see test_gateway.py."""

SLOW = ("hang", "hang_amid", DRIP)
THROUGH_LITELLM = FAILURES | {
    "no_choices": Failure(
        "bad_reply", NO_REPLY, plain_kind="empty", plain="The model returned nothing."
    )
}
"""litellm hides that such a stream came to its end."""

WAYS: dict[str, dict[str, Any]] = {"direct": {}, "litellm": {"drop_params": False}}
"""A parameter that only litellm knows makes it needed."""

Case = tuple[str, bool, str]
CASES = [(name, stream, way) for name in FAILURES for stream in (False, True) for way in WAYS]
by_case = pytest.mark.parametrize(("name", "stream", "way"), CASES)


def expected(name: str, way: str) -> Failure:
    return (FAILURES if way == "direct" else THROUGH_LITELLM)[name]


class Faults(NamedTuple):
    """All outcomes, and everything that was printed or logged meanwhile."""

    outcomes: dict[Case, Outcome]
    printed: str


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def faults(litellm_workers: Workers, provider: ProviderServer) -> AsyncIterator[Faults]:
    caller = Caller(litellm_workers, provider)
    logged = _Kept()
    logging.getLogger("rollstep.workers").addHandler(logged)
    logging.getLogger("rollstep.workers").setLevel(logging.INFO)
    outcomes: dict[Case, Outcome] = {}

    async def one(name: str, stream: bool, way: str, timeout: float) -> None:
        # Its own name for each way of asking, so that requests can be told apart.
        model = f"{name}-{stream}-{way}"
        provider.answer(model, FAULTS[name])
        outcomes[name, stream, way] = await caller.outcome(
            model, stream=stream, params=WAYS[way], timeout=timeout
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", CANARY)
        quick = [case for case in CASES if case[0] not in SLOW]
        await asyncio.gather(*(one(*case, 60.0) for case in quick))
        slow = [(name, stream, way) for name in SLOW for stream in (False, True) for way in WAYS]
        await asyncio.gather(*(one(*case, 3.0) for case in slow))
        worker = litellm_workers.shared(SERVICE)._worker
        assert worker is not None
        yield Faults(outcomes, worker._output.decode() + "\n".join(logged.lines))
    logging.getLogger("rollstep.workers").removeHandler(logged)


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


async def test_every_fault_is_a_failure_that_is_told_or_a_reply_that_is_odd() -> None:
    assert {*FAILURES, *ODD_REPLIES, DRIP} == set(FAULTS)


@by_case
async def test_a_fault_has_its_kind_its_words_and_what_had_arrived(
    faults: Faults, name: str, stream: bool, way: str
) -> None:
    failure, outcome = expected(name, way), faults.outcomes[name, stream, way]
    assert outcome.error is not None
    words = failure.words if stream else failure.plain or failure.words
    words = words.replace("[KEY]", "[OPENAI_API_KEY]")
    assert str(outcome.error) == f"openai/{name}-{stream}-{way}: {words}"
    assert outcome.error.kind == (failure.kind if stream else failure.plain_kind or failure.kind)
    partial = "" if failure.plain == "The reply did not end, and was cut off." else failure.partial
    assert outcome.error.partial == (failure.partial if stream else partial)
    if stream:
        assert "".join(outcome.told.pieces) == failure.partial


@by_case
async def test_only_what_may_succeed_is_asked_again_and_never_after_a_part_of_a_reply(
    faults: Faults, name: str, stream: bool, way: str
) -> None:
    outcome = faults.outcomes[name, stream, way]
    assert len(outcome.requests) == FAILURES[name].requests
    assert len(outcome.told.notices) == FAILURES[name].requests - 1
    for number, words in enumerate(outcome.told.notices, 2):
        assert words.endswith(f"({number} of 5).")
        assert "Retrying" in words


async def test_something_can_be_done_about_every_failure(faults: Faults) -> None:
    kinds = {each.error.kind for each in faults.outcomes.values() if each.error is not None}
    assert len(kinds) >= 13
    for kind in kinds:
        assert {"write", "stop"} < set(REMEDIES[kind])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("stream", [False, True])
async def test_a_slow_drip_ends(faults: Faults, stream: bool, way: str) -> None:
    error = faults.outcomes[DRIP, stream, way].error
    assert error is not None
    assert error.kind == "timeout"
    assert "No complete reply in 3 s." in str(error)
    assert bool(error.partial) == stream
    assert len(faults.outcomes[DRIP, stream, way].requests) == 1


@pytest.mark.parametrize("name", ["html", "malformed", "null_choices", "502"])
async def test_what_was_sent_instead_of_a_reply_is_kept_as_it_came(
    faults: Faults, name: str
) -> None:
    raw = {"html": "Welcome to the proxy", "malformed": "[", "null_choices": "null", "502": "Bad"}
    for (fault, stream, way), outcome in faults.outcomes.items():
        if fault == name and not (name == "malformed" and stream):
            assert outcome.error is not None
            assert raw[name] in outcome.error.detail, way


async def test_no_key_is_in_anything_that_people_can_read(faults: Faults) -> None:
    sent = [request for each in faults.outcomes.values() for request in each.requests]
    assert all(CANARY in request.headers["authorization"] for request in sent), "a blunt canary"
    for case, outcome in faults.outcomes.items():
        assert CANARY not in outcome.words(), case
    assert CANARY not in faults.printed


async def test_the_gateway_itself_prints_nothing(faults: Faults) -> None:
    assert faults.printed == ""
