"""Which variable holds a model's key, and which one is missing."""

import pytest
from rollstep.core.workers.model_keys import key_name, missing_key


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/gpt-4.1-mini", "OPENAI_API_KEY"),
        ("gpt-4.1-mini", "OPENAI_API_KEY"),
        ("claude-sonnet-4", "ANTHROPIC_API_KEY"),
        ("together_ai/some/model", "TOGETHERAI_API_KEY"),
        ("openrouter/openai/gpt-4.1", "OPENROUTER_API_KEY"),
    ],
)
def test_a_key_that_is_not_set_is_missing(
    model: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name, raising=False)
    assert key_name(model) == missing_key(model) == name
    monkeypatch.setenv(name, "")
    assert missing_key(model) == name
    monkeypatch.setenv(name, "k")
    assert missing_key(model) == ""


def test_any_variable_of_a_provider_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    assert missing_key("gemini/gemini-2.5-flash") == ""


def test_of_unknown_providers_nothing_is_said() -> None:
    assert missing_key("ollama/llama3") == missing_key("bedrock/x") == missing_key("llama3") == ""
    assert key_name("some-host/m") == "SOME_HOST_API_KEY"
