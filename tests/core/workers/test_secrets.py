"""Secrets of the environment are masked in what a child says of itself."""

from __future__ import annotations

from rollstep.core.workers.secrets import mask

ENVIRON = {
    "OPENAI_API_KEY": "sk-abcdefgh",
    "LONGER_TOKEN": "sk-abcdefgh-and-more",
    "DB_PASSWORD": "hunter22hunter22",
    "SHORT_KEY": "1",
    "EMPTY_TOKEN": "",
    "HOME": "/home/someone",
}


def test_a_secret_is_replaced_by_its_variables_name_everywhere() -> None:
    text = "401: sk-abcdefgh (key sk-abcdefgh), hunter22hunter22 in /home/someone"
    masked = "401: [OPENAI_API_KEY] (key [OPENAI_API_KEY]), [DB_PASSWORD] in /home/someone"
    assert mask(text, ENVIRON) == masked


def test_the_longest_secret_goes_first() -> None:
    assert mask("sk-abcdefgh-and-more", ENVIRON) == "[LONGER_TOKEN]"


def test_short_and_empty_values_leave_the_text_alone() -> None:
    assert mask("line 1 of 11", ENVIRON) == "line 1 of 11"
