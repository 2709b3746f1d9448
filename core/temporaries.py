"""Temporary files whose names say which process made them, so that what a killed one has left can
be taken away by the next: ``.rollstep-<machine>-<process>-<random>.tmp``.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from .processes import lives, machine

_BEGIN, _END = ".rollstep-", ".tmp"
_NAME = re.compile(
    r"\.rollstep-(?P<machine>[0-9a-f]{12})-(?P<process>\d{1,10})-\w+\.tmp(-journal|-wal|-shm)?"
)


def temporary_file(folder: Path) -> tuple[int, str]:
    """An open file of our own in this folder, and its path. Raises OSError."""
    return tempfile.mkstemp(_END, _prefix(), folder)


def temporary_folder(folder: Path) -> str:
    """A folder of our own in this folder. Raises OSError."""
    return tempfile.mkdtemp(_END, _prefix(), folder)


def clear_stale(folder: Path) -> None:
    """Delete what processes of this person on this machine have left in the folder that live no
    more. What cannot be looked at or deleted is left.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _NAME.fullmatch(entry.name)
            if found is None or found["machine"] != machine() or lives(int(found["process"])):
                continue
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid != os.getuid():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


def _prefix() -> str:
    return f"{_BEGIN}{machine()}-{os.getpid()}-"
