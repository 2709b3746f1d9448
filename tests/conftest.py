"""Options and fixtures that all tests share."""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from textual.app import App

from .screen_text import screen_text

LONG = os.environ.get("ROLLSTEP_LONG_TESTS") == "1"
"""``make test-long``: the tests that take minutes run in their long form."""

PATIENCE = 3600 if LONG else 240
"""Seconds that one test may take at the very most."""

settings.register_profile("short", deadline=None, max_examples=25)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile("long" if LONG else "short")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots",
        action="store_true",
        help="write the screens as they are now; then read the diff in git",
    )


def pytest_configure(config: pytest.Config) -> None:
    """A suite that is started in the background ignores Ctrl+C, and so would all that it starts;
    there are tests of Ctrl+C.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def _an_empty_home(_homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees or changes the settings, the library and the keys of whoever runs it."""
    home = Path(tempfile.mkdtemp(dir=_homes))
    monkeypatch.setenv("HOME", str(home))
    for kind in ("DATA", "CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")


@pytest.fixture(autouse=True)
def _no_test_hangs() -> Iterator[None]:
    """A test that waits for something that never comes fails, instead of holding everybody up."""

    def give_up(number: int, frame: object) -> None:
        raise AssertionError(f"the test has not ended in {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def long_tests() -> bool:
    """Is this ``make test-long``? Then take the large number."""
    return LONG


@pytest.fixture
def same_screen(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compare an app's screen with the one stored in ``screens/`` beside the test's file.

    ``same_screen(app)`` compares with ``<test's name>.txt``; ``same_screen(app, "opened")`` with
    ``<test's name>-opened.txt``. Say in the test's docstring what to look for. After a wanted
    change, ``pytest --update-snapshots`` stores what is seen; read the diff before committing it.
    """

    def compare(app: App[Any], moment: str = "") -> None:
        name = re.sub(r"[^\w.-]+", "_", request.node.name).strip("_")
        stored = request.path.parent / "screens" / f"{name}{'-' if moment else ''}{moment}.txt"
        _compare(screen_text(app), stored, update=request.config.getoption("--update-snapshots"))

    return compare


def _compare(seen: str, stored: Path, *, update: bool) -> None:
    if update:
        stored.parent.mkdir(exist_ok=True)
        stored.write_text(seen, encoding="utf-8", newline="\n")
        return
    if not stored.exists():
        pytest.fail(f"{stored.name} is not stored yet; run with --update-snapshots.\n\n{seen}")
    # Lists, so that pytest's own diff names the rows.
    assert seen.splitlines() == stored.read_text(encoding="utf-8").splitlines()
