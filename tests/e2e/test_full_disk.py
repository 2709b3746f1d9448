"""A mark on a disk that is full or read-only, in a real terminal: said in words, not counted, its
rollout comes back; given again when there is room, it is there after a kill.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rollstep.core.review.keeping import begin_queue
from rollstep.core.store.library import Library

from .conftest import Installed, library_of_seeds
from .terminal import Terminal

pytestmark = pytest.mark.xdist_group("wheel")

_MOUNT = 'mount -t tmpfs -o size=2m none "$0" && cp "$1" "$0"'
_PROTECT = ' && mount -o remount,ro "$0"'
_START = 'shift && exec "$@"'


@pytest.fixture
def library(installed: Installed, user_env: dict[str, str], tmp_path: Path) -> Path:
    """Three rollouts of seed rows."""
    return library_of_seeds(installed, user_env, tmp_path, 3)


class Disk:
    """A file system of 2 MB that only the program in its terminal sees, with a library on it."""

    def __init__(self, installed: Installed, env: dict[str, str], library: Path) -> None:
        if subprocess.run(["unshare", "-Urm", "true"], capture_output=True).returncode:
            pytest.skip("this system lets no one make a mount namespace (unshare -Urm)")
        self._command, self._env, self._library = installed.command, env, library
        self._folder = library.parent / "disk"
        self._folder.mkdir()
        self._terminal: Terminal | None = None

    def start(self, *words: str, read_only: bool = False) -> Terminal:
        """Start the program on the library that is there."""
        given = [self._command, *words, "--library", self._folder / self._library.name]
        mount = f"{_MOUNT}{_PROTECT if read_only else ''} && {_START}"
        command = ["unshare", "-Urm", "sh", "-c", mount, self._folder, self._library, *given]
        self._terminal = Terminal(
            command, cwd=self._library.parent, env=self._env, rows=30, columns=120
        )
        return self._terminal

    @property
    def _inside(self) -> Path:
        assert self._terminal is not None
        return Path(f"/proc/{self._terminal.pid}/root{self._folder}")

    def fill(self) -> None:
        """Leave no room."""
        with (self._inside / "ballast").open("wb", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(bytes(4096))
            except OSError:
                pass

    def make_room(self) -> None:
        """Let there be room again."""
        (self._inside / "ballast").unlink()

    def stop(self) -> None:
        """Stop the program where it stands, take what is on its disk, and kill it."""
        assert self._terminal is not None
        self._terminal.kill(signal.SIGSTOP)
        for found in self._inside.glob(f"{self._library.name}*"):
            if not found.name.endswith("-shm"):
                shutil.copyfile(found, self._library.parent / found.name)
        self._terminal.kill()


@pytest.fixture
def disk(installed: Installed, user_env: dict[str, str], library: Path) -> Iterator[Disk]:
    disk = Disk(installed, user_env, library)
    yield disk
    if disk._terminal is not None:
        disk._terminal.__exit__(None, None, None)


def _verdicts(library: Path) -> list[str | None]:
    with Library.open(library) as opened:
        loaded = (opened.load(name) for _, name in opened.ids_after(0))
        return [mark.verdict for saved in loaded for mark in saved.marks]


def _press_until(terminal: Terminal, key: str, *texts: str) -> None:
    """Press a key, again where it rested for a moment."""
    while True:
        terminal.send(" ")
        terminal.wait_for(lambda seen: "rests for a moment" not in seen)
        terminal.send(key)
        seen = terminal.wait_for(
            lambda seen: all(text in seen for text in texts) or "rests for a moment" in seen
        )
        if all(text in seen for text in texts):
            return


def test_a_mark_in_the_queue(disk: Disk, library: Path) -> None:
    with disk.start("review", "--as", "mira") as terminal:
        terminal.wait_for("1 of 3")
        terminal.send(" ")
        terminal.wait_for("read ──")
        terminal.settle(0.5)
        disk.fill()
        terminal.send("A")
        wanted = ("NOT SAVED: disk full.", "NOT SAVED, and not counted", "1 of 3", "A 0")
        terminal.wait_for(lambda seen: all(text in seen for text in wanted))
        disk.make_room()
        _press_until(terminal, "A", "2 of 3", "all saved", "A 1")
        disk.stop()
    assert _verdicts(library) == ["accept"]


def test_a_mark_in_the_debugger(disk: Disk, library: Path) -> None:
    with Library.open(library) as opened:
        rollout = opened.ids_after(0)[0][1]
    with disk.start("open", rollout) as terminal:
        terminal.wait_for("all saved")
        terminal.settle(0.5)
        disk.fill()
        terminal.send("A")
        terminal.wait_for("only in memory (Ctrl+S tries again): disk full.")
        disk.make_room()
        terminal.send("ctrl+s")
        terminal.wait_for("all saved")
        disk.stop()
    assert _verdicts(library) == ["accept"]


def test_a_mark_in_the_library(disk: Disk, library: Path) -> None:
    with disk.start("library") as terminal:
        terminal.wait_for("3 rollouts")
        terminal.settle(0.5)
        disk.fill()
        terminal.send("A")
        terminal.wait_for("Not saved: disk full.")
        disk.make_room()
        terminal.send("A")
        terminal.wait_for("Accepted: 1.")
        disk.stop()
    assert _verdicts(library) == ["accept"]


def test_a_mark_in_the_queue_of_a_library_that_is_read_only(disk: Disk, library: Path) -> None:
    with Library.open(library) as opened:
        begin_queue(opened, "verdict:none", "mira", 1.0)
    with disk.start("review", "--as", "mira", read_only=True) as terminal:
        terminal.wait_for("1 of 3")
        terminal.send(" ")
        terminal.wait_for("read ──")
        terminal.settle(0.5)
        terminal.send("A")
        wanted = ("NOT SAVED: the library", "NOT SAVED, and not counted", "read-only", "A 0")
        terminal.wait_for(lambda seen: all(text in seen for text in wanted) and "1 of 3" in seen)
        terminal.send("q")
        terminal.settle(0.3)
        terminal.send("q")
        terminal.wait()
