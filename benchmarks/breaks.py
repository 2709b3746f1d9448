"""What breakpoints cost a headless run: none set, against the same code without the check, and ten
that never fire, against none set. Processor time, in small bites in turn, so that whatever else the
machine does falls on all of them alike; the median of the ratios counts.
"""

from __future__ import annotations

import ast
import gc
import inspect
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from rollstep.core import batch, playthrough
from rollstep.core.appending import Appender
from rollstep.core.authors import seed_jobs
from rollstep.core.projects.reader import read_roles
from rollstep.core.projects.seeds import read_seeds
from rollstep.core.roles.registry import build_roles

from .report import Line

_ROWS = 40
"""Rollouts in one bite."""

_BITES = 20
"""Bites of each kind in a round."""

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
    if without.left_out != 3:  # before a question, after a step, and after those of an earlier run
        raise AssertionError(f"left {without.left_out} checks out of play_through, and not 3")
    names = dict(vars(playthrough))
    exec(compile(tree, "play_through without breakpoints", "exec"), names)
    made: Callable[..., object] = names["play_through"]
    return made


def lines(seeds: Path, folder: Path, *, turns: int, rounds: int) -> list[Line]:
    """Measure on these seed rows."""
    none, ten = folder / "none.yaml", folder / "ten.yaml"
    none.write_text(_ROLES)
    ten.write_text(_ROLES + _TEN)
    checked, unchecked = playthrough.play_through, _unchecked()
    ways = {"without": (none, unchecked), "none": (none, checked), "ten": (ten, checked)}
    runs = {
        name: (_Run(seeds, roles, folder / name, turns), how) for name, (roles, how) in ways.items()
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    usual, threshold = batch.play_through, gc.get_threshold()
    gc.set_threshold(50_000)  # as rollstep run does
    try:
        for number in range(rounds * _BITES):
            # In turn, forwards and backwards, so that none is always the first.
            for name in list(runs)[:: 1 if number % 2 else -1]:
                run, how = runs[name]
                batch.play_through = how  # type: ignore[assignment]
                seconds[name].append(run.bite(number))
    finally:
        batch.play_through = usual
        gc.set_threshold(*threshold)
        for run, _ in runs.values():
            run.close()
    return [
        _line("none set, against the code without the check", seconds, "none", "without", 1.05),
        _line("ten set, against none", seconds, "ten", "none", 1.25),
    ]


def _line(
    name: str, seconds: dict[str, list[float]], mine: str, theirs: str, budget: float
) -> Line:
    ratios = [one / other for one, other in zip(seconds[mine], seconds[theirs], strict=True)]
    detail = (
        f"{1000 * median(seconds[mine]):.1f} against {1000 * median(seconds[theirs]):.1f} ms "
        f"for {_ROWS} rollouts"
    )
    return Line(f"headless with breakpoints: {name}", median(ratios), budget, detail=detail)


class _Run:
    """What ``rollstep run`` does with seed rows, a bite at a time."""

    def __init__(self, seeds: Path, roles: Path, folder: Path, turns: int) -> None:
        self._seeds = seeds
        self._rows = read_seeds(seeds).rows
        self._roles = read_roles(roles)
        self._turns = turns
        self._records = Appender(folder / "records.jsonl")
        self._batch = batch.Batch(self._done, roles=build_roles)

    def bite(self, seed: int) -> float:
        """Play some rows; the processor time that it took."""
        jobs = seed_jobs(
            self._rows, self._seeds, n=_ROWS, seed=seed, max_turns=self._turns, roles=self._roles
        )
        at = time.process_time()
        self._batch.run(jobs)
        return time.process_time() - at

    def close(self) -> None:
        """No more is written."""
        self._records.close()

    def _done(self, done: batch.Done) -> None:
        if not done.whole or done.said:
            raise AssertionError(f"a rollout did not come to its stop: {done.words} {done.said}")
        self._records.write(done.records.data)
