"""What the architecture tests look at: our modules, and what each of them imports."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CODE = ("core", "tui")


class Import(NamedTuple):
    """One import statement: ``target`` is absolute (``rollstep.core.model.steps``)."""

    path: Path
    line: int
    target: str
    relative: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} imports {self.target}"


@cache
def modules() -> tuple[Path, ...]:
    """Every Python file of the program."""
    return tuple(sorted(path for top in CODE for path in (ROOT / top).rglob("*.py")))


def tracked_files() -> tuple[Path, ...]:
    """Every file that git holds, links left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    ).stdout.decode()
    paths = (ROOT / name for name in listed.split("\0") if name)
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


def dotted(path: Path) -> str:
    """``core/model/steps.py`` as ``rollstep.core.model.steps``."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(("rollstep", *parts))


@cache
def tree(path: Path) -> ast.Module:
    """A file, parsed once for all who look at it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> tuple[Import, ...]:
    """All imports of a file, those inside functions and under TYPE_CHECKING too.

    Each imported name counts as a target of its own, since ``from ..core import tui`` may name a
    module.
    """
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[Import]:
    package = dotted(path).split(".")
    if path.name != "__init__.py":
        package.pop()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, node.lineno, alias.name, relative=False)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = [*base, *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                yield Import(path, node.lineno, ".".join([*stem, alias.name]), bool(node.level))


def under(target: str, package: str) -> bool:
    """Is the dotted ``target`` the package, or inside it?"""
    return target == package or target.startswith(package + ".")
