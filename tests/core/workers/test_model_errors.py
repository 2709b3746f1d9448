"""Words for what cannot be played against a server in the gateway of the tests."""

from __future__ import annotations

import pytest
from rollstep.core.workers.model_errors import by_status
from rollstep.core.workers.model_request import ModelRequest

REQUEST = ModelRequest("groq/m", "[]", "[]", "{}", None, 1.0)
KEYED = ModelRequest("groq/m", "[]", "[]", "{}", None, 1.0, key="abc")


def test_a_refused_key_is_named_by_where_it_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    wanted = by_status(401, "", REQUEST, None)
    assert str(wanted) == "The server wants a key, and GROQ_API_KEY is not set."
    assert str(by_status(401, "", KEYED, None)) == "The key from the keyring was refused."
    monkeypatch.setenv("GROQ_API_KEY", "x")
    assert str(by_status(401, "", REQUEST, None)) == "The key in GROQ_API_KEY was refused."


@pytest.mark.parametrize(
    ("status", "said", "wait", "kind"),
    [
        (400, "Your credit balance is too low to access the API.", None, "quota"),
        (429, "You exceeded your current quota. Please retry in 12s.", 12.0, "rate"),
        (429, "You exceeded your current quota. | insufficient_quota", 12.0, "quota"),
        (400, "input tokens exceed the configured limit of 272000 tokens", None, "context"),
        (413, "maximum context length is 8192", None, "context"),
        (400, "flagged by the content management policy", None, "policy"),
        (418, "I am a teapot", None, "refused"),
    ],
)
def test_the_providers_own_words_tell_kinds_apart(
    status: int, said: str, wait: float | None, kind: str
) -> None:
    assert by_status(status, said, REQUEST, wait).kind == kind


def test_long_words_of_a_provider_are_cut_and_a_page_is_left_out() -> None:
    assert len(str(by_status(400, "x" * 5_000, REQUEST, None))) < 400
    assert str(by_status(400, "<!DOCTYPE html><p>", REQUEST, None)).endswith("(400).")
