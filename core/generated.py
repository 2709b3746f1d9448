"""The command line of the files that are generated from the types."""

from __future__ import annotations

import sys
from pathlib import Path


def main(path: Path, text: str, arguments: list[str]) -> int:
    """Write ``text`` to ``path``; with ``--check`` only compare, and return 1 where they differ."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("The only option is --check.\n")
        return 2
    current = path.read_text("utf-8") if path.exists() else None
    if current == text:
        return 0
    if arguments:
        sys.stderr.write(f"{path} is not up to date with the types; run this without --check.\n")
        return 1
    path.write_text(text, "utf-8", newline="\n")
    return 0
