"""How long to wait before another try."""

from __future__ import annotations

from rollstep.core.workers.model_request import ModelRequest, parameters
from rollstep.core.workers.retrying import jitter, retry_after


def test_waits_are_jittered_between_one_second_and_a_minute() -> None:
    waits = [[jitter(tries) for _ in range(200)] for tries in (1, 2, 3, 4)]
    assert all(1 <= seconds <= 60 for each in waits for seconds in each)
    assert max(waits[0]) <= 4
    assert max(waits[3]) > 30


def test_how_long_to_wait_is_read_in_all_its_forms() -> None:
    assert retry_after({"retry-after": "12"}) == 12
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after-ms": "1500", "retry-after": "2"}) == 1.5
    assert retry_after({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}) == 0
    ahead = retry_after({"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"})
    assert ahead is not None
    assert ahead > 1e6
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


def test_how_long_a_call_may_take_covers_its_retries() -> None:
    request = ModelRequest("m", "[]", "[]", "{}", None, 10.0)
    assert request.patience == 5 * 10 + 4 * 120
    assert parameters(request) == {}
