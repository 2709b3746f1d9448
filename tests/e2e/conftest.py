"""The program as a user gets it: the wheel, installed into an environment of its own."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from .terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
PACKAGED = ("core", "tui", "themes", "sample_projects")
BUILD_FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")


@dataclass(frozen=True)
class Installed:
    """A wheel, and the environment that it is installed in."""

    wheel: Path
    venv: Path

    @property
    def command(self) -> Path:
        """The ``rollstep`` command."""
        return self.venv / "bin" / "rollstep"

    @property
    def python(self) -> Path:
        """The environment's Python."""
        return self.venv / "bin" / "python"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Built and installed once for all workers of a test run."""
    # pytest-xdist gives each worker a folder of its own inside one that they share.
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    place = shared / "installed"
    with _one_at_a_time(shared / "installed.lock"):
        if not (place / "done").exists():
            install(build(place), place / "venv")
            (place / "done").touch()
    return Installed(next((place / "wheels").glob("*.whl")), place / "venv")


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def files_of_the_packages() -> list[str]:
    """What git holds, or would hold, of the folders that are packaged."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PACKAGED]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode()
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file())


def copy_source(folder: Path) -> Path:
    """A copy of what a build needs, so that the build leaves nothing in the repository."""
    for name in [*files_of_the_packages(), *BUILD_FILES]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def build(place: Path) -> Path:
    source = copy_source(place / "source")
    _pip("wheel", "--no-build-isolation", "--wheel-dir", place / "wheels", source)
    return next((place / "wheels").glob("*.whl"))


def install(what: Path, venv: Path) -> None:
    """Install without dependencies: those are seen in the environment that runs the tests."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    packages = next((venv / "lib").glob("python3*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    _pip("--python", venv / "bin" / "python", "install", "--no-build-isolation", what)


def _pip(*words: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(
        [*command, "--no-deps", "--no-index"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def user_env(tmp_path: Path) -> dict[str, str]:
    """The environment of a new user: an empty home, no keys, nothing of ours."""
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "PATH": os.defpath}


def library_of_seeds(installed: Installed, env: dict[str, str], folder: Path, count: int) -> Path:
    """A library of so many rollouts of one turn."""
    rows, library = folder / "seeds.jsonl", folder / "library.sqlite"
    lines = ({"id": f"s{n}", "user_text": f"Question number {n}, please"} for n in range(count))
    rows.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = [installed.command, "run", "--seed-file", rows, "--output-dir", folder / "out"]
    done = subprocess.run(
        [*command, "--turns", "1", "--library", library],
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return library


@pytest.fixture
def launch(
    installed: Installed, user_env: dict[str, str], tmp_path: Path
) -> Iterator[Callable[..., Terminal]]:
    """``launch("demo", rows=24)`` starts the installed program in an empty folder.

    Programs of one test share a home, so the second one finds what the first has saved.
    """
    folder = tmp_path / "folder"
    folder.mkdir()
    started: list[Terminal] = []

    def start(*words: str | Path, rows: int = 45, columns: int = 160) -> Terminal:
        terminal = Terminal(
            [installed.command, *words], cwd=folder, env=user_env, rows=rows, columns=columns
        )
        started.append(terminal)
        return terminal

    yield start
    for terminal in started:
        terminal.__exit__(None, None, None)
