"""``rollstep key``: keys go into the keyring and are never seen again."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator

import pytest
from rollstep.tui.cli import main

from ...keyrings import InMemory, keyring_in_memory
from .conftest import RunCli

CANARY = "sk-canary-1122334455"


@pytest.fixture
def ring() -> Iterator[InMemory]:
    with keyring_in_memory() as ring:
        yield ring


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_key_on_stdin_is_kept_and_listed_by_name_only(
    cli: RunCli, ring: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    given(monkeypatch, f"{CANARY}\n")
    status, out, err = cli("key", "set", "GROQ_API_KEY")
    assert (status, err) == (0, "")
    assert out == "GROQ_API_KEY is in the keyring (keyring of the tests).\n"
    assert ring.kept["rollstep", "GROQ_API_KEY"] == CANARY
    assert cli("key", "list") == (0, "GROQ_API_KEY\n", "")
    status, out, err = cli("doctor")
    assert "ok      keyring          keyring of the tests: GROQ_API_KEY\n" in out
    assert CANARY[:5] not in out + err
    assert cli("key", "remove", "GROQ_API_KEY")[0] == 0
    assert cli("key", "remove", "GROQ_API_KEY")[0] == 1
    assert CANARY not in ring.kept.values()


@pytest.mark.parametrize("text", ["", "\n", "  \n", "two words\n", "esc\x1b[0m\n"])
def test_what_is_no_key_is_not_kept(
    cli: RunCli, ring: InMemory, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    given(monkeypatch, text)
    status, _, err = cli("key", "set", "GROQ_API_KEY")
    assert status == 2
    assert "Nothing was kept" in err
    assert ring.kept == {}


def test_a_key_given_as_the_name_is_refused_and_not_repeated(cli: RunCli, ring: InMemory) -> None:
    status, out, err = cli("key", "set", CANARY)
    assert status == 2
    assert "never an argument" in err
    assert CANARY not in out + err


def test_a_name_that_is_nearly_right_is_doubted_and_the_environment_wins(
    cli: RunCli, ring: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, CANARY)
    assert "Did you mean OPENAI_API_KEY?" in cli("key", "set", "OPENAI_APIKEY")[2]
    given(monkeypatch, CANARY)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert "that one is used" in cli("key", "set", "OPENAI_API_KEY")[2]


def test_a_keyring_that_is_not_there_is_words(
    cli: RunCli, ring: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring.trouble = OSError("no bus")
    for arguments in (["list"], ["remove", "GROQ_API_KEY"]):
        status, _, err = cli("key", *arguments)
        assert status == 2
        assert "The keyring failed (no bus)." in err
    status, out, _ = cli("doctor")
    assert status == 0
    assert "note    keyring          The keyring failed (no bus)." in out


def test_typing_shows_nothing(ring: InMemory) -> None:
    pexpect = pytest.importorskip("pexpect")
    environ = {**os.environ, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    child = pexpect.spawn(
        sys.executable, ["-m", "rollstep.tui", "key", "set", "GROQ_API_KEY"], env=environ
    )
    child.expect("GROQ_API_KEY \\(not shown\\): ")
    child.sendline(CANARY)
    child.expect(pexpect.EOF)
    child.close()
    assert CANARY.encode() not in child.before
    assert b"keeps nothing" in child.before
    assert child.exitstatus == 2
    assert main(["key", "--help"]) == 0
