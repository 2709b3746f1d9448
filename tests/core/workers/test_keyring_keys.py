"""Keys of the system's keyring: asked for only when one is needed, and never shown."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import keyring.errors
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.workers import keyring_keys
from rollstep.core.workers.keyring_keys import KeyringError, forget, keep, key_for, names
from rollstep.core.workers.model_keys import KNOWN_KEYS
from rollstep.core.workers.model_request import ModelRequest
from rollstep.core.workers.secrets import mask

from ...keyrings import InMemory, keyring_in_memory

CANARY = "sk-canary-9876543210"


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemory]:
    for several in KNOWN_KEYS.values():
        for name in several:
            monkeypatch.delenv(name, raising=False)
    with keyring_in_memory() as ring:
        yield ring


async def test_the_environment_comes_first_and_the_keyring_is_not_asked(
    ring: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep("OPENAI_API_KEY", CANARY)
    ring.asked.clear()
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert await key_for("openai/m") == ""
    assert ring.asked == []
    monkeypatch.delenv("OPENAI_API_KEY")
    assert await key_for("openai/m") == CANARY


async def test_calls_at_once_ask_once_and_what_was_found_is_remembered(ring: InMemory) -> None:
    ring.kept["rollstep", "GROQ_API_KEY"] = CANARY
    found = await asyncio.gather(*(key_for("groq/llama") for _ in range(20)))
    assert set(found) == {CANARY}
    assert ring.asked == ["GROQ_API_KEY"]


async def test_any_variable_of_a_provider_will_do(ring: InMemory) -> None:
    keep("GOOGLE_API_KEY", CANARY)
    assert await key_for("gemini/gemini-2.5-flash") == CANARY


async def test_a_key_that_is_nowhere_is_missing_until_it_is_kept(ring: InMemory) -> None:
    with pytest.raises(RoleError) as caught:
        await key_for("groq/llama")
    assert caught.value.kind == "auth"
    assert str(caught.value) == (
        "The model groq/llama has no key: GROQ_API_KEY is not set, and the keyring has none. "
        "Set it, or keep it with: rollstep key set GROQ_API_KEY"
    )
    ring.kept["rollstep", "GROQ_API_KEY"] = CANARY  # by another program
    assert await key_for("groq/llama") == CANARY


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (keyring.errors.NoKeyringError(), "There is no keyring on this machine: keep keys in"),
        (keyring.errors.KeyringLocked("Locked!\nmore"), "The keyring failed (Locked!)."),
        (OSError("no bus"), "The keyring failed (no bus)."),
    ],
)
async def test_a_keyring_that_fails_is_words(
    ring: InMemory, trouble: Exception, words: str
) -> None:
    ring.trouble = trouble
    with pytest.raises(RoleError) as caught:
        await key_for("groq/llama")
    assert f"GROQ_API_KEY is not set. {words}" in str(caught.value)
    assert await key_for("openai/m", "https://models.example/v1") == ""
    with pytest.raises(KeyringError):
        keep("GROQ_API_KEY", CANARY)


async def test_at_an_address_of_ones_own_a_key_is_sent_but_not_needed(ring: InMemory) -> None:
    assert await key_for("openai/m", "https://models.example/v1") == ""
    keep("OPENAI_API_KEY", CANARY)
    assert await key_for("openai/m", "https://models.example/v1") == CANARY


@pytest.mark.parametrize("model", ["ollama/llama3", "openai/m"])
async def test_for_what_runs_on_this_machine_no_keyring_is_asked(
    ring: InMemory, model: str
) -> None:
    keep("OPENAI_API_KEY", CANARY)
    ring.asked.clear()
    for address in ("http://localhost:8000/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"):
        assert await key_for(model, address) == ""
    assert ring.asked == []


async def test_a_keyring_that_waits_for_a_human_holds_nothing_up_for_ever(
    ring: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyring_keys, "PATIENCE", 0.01)
    with keyring_keys._looking, pytest.raises(RoleError, match=r"gave no answer in 0\.01 s"):
        await key_for("groq/llama")


def test_names_are_listed_also_those_of_unknown_providers(ring: InMemory) -> None:
    keep("XAI_API_KEY", CANARY)
    keep("SOME_HOST_API_KEY", CANARY)
    ring.kept["rollstep", "GROQ_API_KEY"] = CANARY  # by another program
    assert names() == ("GROQ_API_KEY", "SOME_HOST_API_KEY", "XAI_API_KEY")
    assert forget("SOME_HOST_API_KEY")
    assert not forget("SOME_HOST_API_KEY")
    assert names() == ("GROQ_API_KEY", "XAI_API_KEY")


def test_what_was_read_is_masked_from_then_on(ring: InMemory) -> None:
    keep("XAI_API_KEY", CANARY)
    assert mask(f"401 for {CANARY}") == "401 for [XAI_API_KEY]"
    request = ModelRequest("xai/m", "[]", "[]", "{}", None, 1.0, key=CANARY)
    assert CANARY not in repr(request)


def test_the_library_is_not_loaded_before_it_is_needed() -> None:
    script = (
        "import sys, rollstep.core.workers.keyring_keys, rollstep.core.roles.llm;"
        "print('keyring' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"False\n"
