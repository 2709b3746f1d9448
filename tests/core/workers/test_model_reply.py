"""What is read out of text and of half a body."""

from __future__ import annotations

import pytest
from rollstep.core.workers.model_reply import half_content, split_thinking


def test_a_tag_that_never_closes_is_text() -> None:
    assert split_thinking("<thi", ended=False) == ("", "")
    assert split_thinking("<thi", ended=True) == ("", "<thi")
    assert split_thinking("<think>So", ended=True) == ("", "<think>So")
    assert split_thinking("<thin ice>", ended=False) == ("", "<thin ice>")
    assert split_thinking("So <think>x</think>", ended=False) == ("", "So <think>x</think>")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"message": {"content": "Half \\"of', 'Half "of'),
        (b'{"content": "caf\\u00', "caf"),
        (b'{"content": "x\\', "x"),
        ('{"content": "caf\u00e9'.encode()[:-1], "caf"),
        (b'{"content": nu', ""),
        (b"", ""),
    ],
)
def test_the_text_of_half_a_body_is_kept(body: bytes, text: str) -> None:
    assert half_content(body) == text
