"""Bodies and envelopes go over the pipe unchanged."""

from __future__ import annotations

import msgspec
import pytest
from rollstep.core.model.messages import UserMessage, user_message
from rollstep.core.workers.wire import (
    LENGTH,
    Chunk,
    Failure,
    Reply,
    dump,
    frame,
    load,
    printable,
    read_from_child,
)


@pytest.mark.parametrize(
    "text",
    ["", "plain", "\ud83d alone", "\ud83d\ude00 a pair of two", "\udc00\ud800", "\x00\x1b\u2028"],
)
def test_any_text_comes_back_as_it_was(text: str) -> None:
    assert load(dump(user_message(text)), UserMessage) == user_message(text)


@pytest.mark.parametrize(
    "envelope", [Reply(1, b"\x00\xff"), Chunk(2, "é"), Failure(3, "died", "words", "detail")]
)
def test_an_envelope_comes_back_with_its_length_before_it(
    envelope: Reply | Chunk | Failure,
) -> None:
    data = frame(envelope)
    assert LENGTH.unpack(data[: LENGTH.size]) == (len(data) - LENGTH.size,)
    assert read_from_child(data[LENGTH.size :]) == envelope


@pytest.mark.parametrize("data", [b"", b"\x00", b"Traceback (most recent call last)"])
def test_what_is_no_envelope_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_from_child(data)


def test_a_body_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="type"):
        load(b'{"type": "stop"}', UserMessage)


def test_words_are_made_printable_where_an_envelope_cannot_hold_them() -> None:
    assert printable("bad \ud83d") == "bad \\ud83d"
