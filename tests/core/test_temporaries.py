"""What killed processes leave behind is taken away by the next one, and nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rollstep.core import temporaries
from rollstep.core.files import write_whole
from rollstep.core.temporaries import clear_stale, temporary_file, temporary_folder

LEAVE = """
import os, signal, sys
from pathlib import Path
from rollstep.core.temporaries import temporary_file, temporary_folder
folder = Path(sys.argv[1])
temporary_file(folder)
Path(temporary_folder(folder), "inside").write_text("x")
os.kill(os.getpid(), signal.SIGKILL)
"""


def left_by_the_dead(folder: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-c", LEAVE, str(folder)], check=False)
    assert done.returncode == -signal.SIGKILL
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_process_has_left_goes_with_the_next_file(tmp_path: Path) -> None:
    assert len(left_by_the_dead(tmp_path)) == 2
    write_whole(tmp_path / "a", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_the_living_write_is_left_alone(tmp_path: Path) -> None:
    handle, name = temporary_file(tmp_path)
    os.close(handle)
    folder = temporary_folder(tmp_path)
    clear_stale(tmp_path)
    assert {str(path) for path in tmp_path.iterdir()} == {name, folder}


def test_what_may_be_of_another_machine_or_person_or_program_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = left_by_the_dead(tmp_path)
    others = [".rollstep-x7d_k2.tmp", ".rollstep-notes.tmp", "report.tmp", f"x{dead[0]}"]
    for name in others:
        (tmp_path / name).write_text("mine")
    with monkeypatch.context() as patched:
        patched.setattr(temporaries, "machine", lambda: "0" * 12)
        clear_stale(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "getuid", lambda: os.stat(tmp_path).st_uid + 1)
        clear_stale(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*dead, *others}
    clear_stale(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(others)


def test_a_link_of_such_a_name_is_taken_away_and_not_what_it_leads_to(tmp_path: Path) -> None:
    folder, kept = tmp_path / "out", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir()
    (kept / "mine").write_text("x")
    (dead,) = {name for name in left_by_the_dead(folder) if (folder / name).is_file()}
    (folder / dead).unlink()
    (folder / dead).symlink_to(kept)
    clear_stale(folder)
    assert list(folder.iterdir()) == []
    assert (kept / "mine").read_text() == "x"
