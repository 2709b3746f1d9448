"""A small file system of its own, which runs full or is made read-only."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .kills import ROOT, child_of


def in_a_small_file_system(module: str, kind: str, folder: Path) -> list[str]:
    """Run ``python -m module kind folder`` where the folder is one of 1 MB; the lines it said."""
    if subprocess.run(["unshare", "-Urm", "true"], capture_output=True).returncode:
        pytest.skip("this system lets no one make a mount namespace (unshare -Urm)")
    mount = f'mount -t tmpfs -o size=1m none "{folder}" && exec "$@"'
    command = ["unshare", "-Urm", "sh", "-c", mount, "sh", *child_of(module, kind, folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
