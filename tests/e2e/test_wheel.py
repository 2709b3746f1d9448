from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

from .conftest import Installed, copy_source, files_of_the_packages, install


def test_the_wheel_holds_what_git_holds(installed: Installed) -> None:
    """A subpackage or a data file that the build forgets would be missed only by users."""
    with zipfile.ZipFile(installed.wheel) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == {f"rollstep/{name}" for name in files_of_the_packages()}


def test_the_wheel_puts_only_rollstep_at_the_top(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"rollstep"}


def test_pip_install_of_the_source_gives_the_command(tmp_path: Path) -> None:
    install(copy_source(tmp_path / "source"), tmp_path / "venv")
    command = tmp_path / "venv" / "bin" / "rollstep"
    done = subprocess.run(
        [command, "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "demo" in done.stdout
