"""Imports run one way: tui → batch → engine → session → roles → rules → model."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .source import ROOT, Import, dotted, imports, modules, under

# One worker looks at all of it, so that each file is parsed once.
pytestmark = pytest.mark.xdist_group("source")

BASE = {
    *("errors", "clock", "counting", "ids", "files", "appending", "generated", "temporaries"),
    "processes",
}
"""Parts of core that everything may use and that use nothing of ours."""

BELOW: dict[str, set[str]] = {
    "model": set(),
    "events": {"model"},
    "rules": {"model"},
    "formats": {"rules", "model"},
    "projects": {"rules", "model"},
    "store": {"model"},
    "workers": {"config", "model"},
    "roles": {"workers", "rules", "model"},
    "samples": {"projects", "store", "model"},
    "exporting": {"formats", "listing", "projects", "store", "roles", "workers", "rules", "model"},
    "export": {"exporting"},
    "importing": {"exporting", "formats", "store", "rules", "model"},
    "money": {"roles", "workers", "rules", "model"},
    "authoring": {"money", "projects", "roles", "workers", "rules", "model"},
    "config": {"model"},
    "listing": {"rules", "store", "model"},
    "finding": {"formats", "store", "model"},
    "session": {"money", "roles", "workers", "rules", "store", "formats", "events", "model"},
    "review": {"session", "listing", "rules", "store", "events", "model"},
    "engine": {"session", "projects", "roles", "workers", "rules", "store", "events", "model"},
    "batch": {
        *("engine", "session", "projects", "roles", "workers", "rules", "store", "formats"),
        *("events", "model", "money"),
    },
}
"""What each part of core may import, besides ``BASE`` and itself. An arrow that is not here is a
design decision: change docs/design.md, section 5, in the same commit."""

MEMBERS = {
    **dict.fromkeys(
        (
            *("asking", "edits", "history", "journal", "open_rollout", "player", "playthrough"),
            *("writer", "casting", "retaking", "reverting", "faulting", "injecting", "stopping"),
            *("commanding", "breaking", "marking", "replacing", "leases"),
        ),
        "session",
    ),
    **dict.fromkeys(("estimating", "spending", "budget"), "money"),
    **dict.fromkeys(
        (
            *("headless", "authors", "jobs", "runs", "taking_up", "group_commits"),
            "run_changes",
        ),
        "batch",
    ),
}
"""Modules at the top of core that belong to the part named."""


def part(module: str) -> str:
    """The part of core that ``rollstep.core.X…`` belongs to; "" for the package itself."""
    names = module.split(".")
    name = names[2] if len(names) > 2 else ""
    return MEMBERS.get(name, name)


def core_imports() -> list[Import]:
    """Every import in core of something in core."""
    core = (path for path in modules() if under(dotted(path), "rollstep.core"))
    return [
        found for path in core for found in imports(path) if under(found.target, "rollstep.core")
    ]


def test_every_part_of_core_has_its_place_in_the_table() -> None:
    parts = {part(dotted(path)) for path in modules() if under(dotted(path), "rollstep.core")}
    assert parts - {""} - BASE - set(BELOW) == set()


def test_no_import_in_core_runs_back_up() -> None:
    wrong = []
    for found in core_imports():
        here, there = part(dotted(found.path)), part(found.target)
        if here == "":  # the package's own face shows what it likes
            continue
        allowed = {here, *BASE, *BELOW.get(here, set())}
        # ``from ..model import steps`` and ``from .. import errors`` name the part in the target.
        if there not in allowed:
            wrong.append(str(found))
    assert wrong == []


def test_core_imports_neither_the_screen_nor_textual() -> None:
    wrong = [
        str(found)
        for path in modules()
        if under(dotted(path), "rollstep.core")
        for found in imports(path)
        if any(under(found.target, name) for name in ("textual", "rollstep.tui"))
    ]
    assert wrong == []


def test_only_the_gateway_imports_litellm() -> None:
    wrong = [
        str(found)
        for path in modules()
        if not under(dotted(path), "rollstep.core.workers")
        for found in imports(path)
        if under(found.target, "litellm")
    ]
    assert wrong == []


def test_no_import_takes_the_folders_for_packages() -> None:
    """``import core`` works by accident in the repository's folder and nowhere else."""
    everywhere = [*modules(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    wrong = [
        str(found)
        for path in everywhere
        for found in imports(path)
        if not found.relative and any(under(found.target, name) for name in ("core", "tui"))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("module", "kept_out"),
    [
        ("rollstep.core", ("litellm", "textual", "yaml", "jsonschema", "sqlite3")),
        ("rollstep.core.model.project", ("litellm", "textual", "yaml", "jsonschema")),
        ("rollstep.core.store.library", ("litellm", "textual", "yaml", "hashlib")),
        ("rollstep.tui.cli", ("litellm", "textual", "yaml", "jsonschema")),
        ("rollstep.tui.start", ("litellm", "textual", "yaml", "hashlib")),
        (
            "rollstep.tui.presenter",
            ("litellm", "textual", "jsonschema", "rollstep.core.rules.lint.linter"),
        ),
    ],
)
def test_a_start_loads_only_what_it_needs(module: str, kept_out: tuple[str, ...]) -> None:
    """Seen from outside, so that what our own imports pull in counts too."""
    script = f"import sys, {module}; print(*sorted(set(sys.modules) & set({kept_out!r})))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
