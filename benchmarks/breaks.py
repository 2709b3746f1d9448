"""What breakpoints cost a headless run: none set, against the same code without the check, and ten
that never fire, against none set. Each run is a process of its own and tells its processor time,
without what it took to start; the quickest of each kind counts: what else the machine does can only
only add to it.

    python -m benchmarks.breaks SEED_FILE ROLES OUTPUT_DIR TURNS [without]
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

from rollstep.core import batch, playthrough
from rollstep.tui.cli import main

from .report import Line

_ROLES = """\
target: {kind: echo}
evaluator: {kind: heuristic, match: substring}
tools: [{name: issue_refund}]
tool_simulator: {kind: human}
"""

_TEN = """\
breakpoints:
  - {role: tool, tool: issue_refund, name: refund}
  - args/amount > 40 and not args/confirmed = true
  - failure or invalid
  - text : "cannot help"
  - /as an AI (language )?model/
  - turn = 50
  - cost > 0.5 or tokens > 100000
  - repeated >= 5
  - stop = unrecoverable
  - {when: result/status = lost, ignore: 2}
"""


class _WithoutChecks(ast.NodeTransformer):
    """Leaves out every ``if`` that asks for the watch of the breakpoints."""

    def __init__(self) -> None:
        self.left_out = 0

    def visit_If(self, node: ast.If) -> ast.AST | None:
        self.generic_visit(node)
        if any(isinstance(each, ast.Name) and each.id == "watch" for each in ast.walk(node.test)):
            self.left_out += 1
            return None
        return node


def _unchecked() -> Callable[..., object]:
    """``play_through`` as it would be without breakpoints."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(playthrough.play_through)))
    without = _WithoutChecks()
    tree = ast.fix_missing_locations(without.visit(tree))
    if without.left_out != 2:
        raise AssertionError(f"left {without.left_out} checks out of play_through, and not 2")
    names = dict(vars(playthrough))
    exec(compile(tree, "play_through without breakpoints", "exec"), names)
    made: Callable[..., object] = names["play_through"]
    return made


def lines(seeds: Path, folder: Path, *, turns: int, rounds: int) -> list[Line]:
    """Measure on these seed rows."""
    none, ten = folder / "none.yaml", folder / "ten.yaml"
    none.write_text(_ROLES)
    ten.write_text(_ROLES + _TEN)
    ways = {"without": [none, "without"], "none": [none], "ten": [ten]}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        # In turn, forwards and backwards, so that none is always the first.
        for name in list(ways)[:: 1 if number % 2 else -1]:
            roles, *how = ways[name]
            output = folder / f"breaks-{name}-{number}"
            seconds[name].append(_measured([seeds, roles, output, turns, *how]))
    return [
        Line(
            "headless with breakpoints: none set, against the code without the check",
            min(seconds["none"]) / min(seconds["without"]),
            1.05,
            detail=_detail(seconds, "none", "without"),
        ),
        Line(
            "headless with breakpoints: ten set, against none",
            min(seconds["ten"]) / min(seconds["none"]),
            1.25,
            detail=_detail(seconds, "ten", "none"),
        ),
    ]


def _measured(arguments: list[object]) -> float:
    command = [sys.executable, "-m", "benchmarks.breaks", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def _detail(seconds: dict[str, list[float]], mine: str, theirs: str) -> str:
    return f"{min(seconds[mine]):.2f} against {min(seconds[theirs]):.2f} s of processor time"


def _run(seeds: str, roles: str, output: str, turns: str, rows: int = 0) -> float:
    arguments = ["run", "--seed-file", seeds, "--roles", roles, "--output-dir", output]
    at = time.process_time()
    with contextlib.redirect_stderr(io.StringIO()) as said:
        status = main([*arguments, "--turns", turns, "--num-projects", str(rows)])
    seconds = time.process_time() - at
    if status != 0:
        raise AssertionError(f"the run ended with {status}: {said.getvalue()[-500:]}")
    return seconds


if __name__ == "__main__":
    given = sys.argv[1:5]
    if "without" in sys.argv:
        batch.play_through = _unchecked()  # type: ignore[assignment]
    _run(*given, rows=50)  # loads what is loaded late
    print(_run(*given))
