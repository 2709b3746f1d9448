"""Budgets of ``rollstep run``: rows a second, with and without a library, memory, breakpoints."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from . import breaks
from .probe import peak_mb
from .report import Line, ratio

TURNS = 10
_SOURCES = ("dialogue_routing", "multiparty", "planning")


class Run(NamedTuple):
    """One process from start to end."""

    seconds: float
    peak_mb: float
    records: int


def lines(rollstep: Path, folder: Path, *, rows: int, rounds: int, peer: Path | None) -> list[Line]:
    """Measure; ``peer`` is the seed's program, or None for the bare loop."""
    seeds, many = folder / "seeds.jsonl", folder / "many.jsonl"
    _write_rows(seeds, rows)
    _write_rows(many, rows * 5)
    ours, theirs, kept = [], [], []
    for number in range(rounds):
        place = folder / f"round{number}"
        place.mkdir()
        ours.append(_run([rollstep, "run", *_arguments(seeds, place / "ours")], place / "ours"))
        theirs.append(_run_peer(peer, seeds, place / "theirs"))
        library: list[str | Path] = ["--library", place / "library.sqlite"]
        kept.append(
            _run([rollstep, "run", *_arguments(seeds, place / "kept"), *library], place / "kept")
        )
    expected = theirs[0].records
    wrong = {run.records for run in (*ours, *kept)} - {expected}
    if wrong:
        raise AssertionError(f"the peer wrote {expected} records, rollstep {wrong}")
    small, large = (
        _run(
            [rollstep, "run", *_arguments(rows_of, folder / rows_of.stem, turns=2)],
            folder / rows_of.stem,
        )
        for rows_of in (seeds, many)
    )
    few = folder / "few.jsonl"
    _write_rows(few, max(rows // 5, 200))
    breaks_lines = breaks.lines(few, folder, turns=TURNS, rounds=2 * rounds + 1)
    name = "the seed's program" if peer else "a bare loop with json.dumps"
    return [
        Line(
            f"headless rows a second, against {name}",
            ratio(_seconds(theirs), _seconds(ours)),
            1,
            detail=f"{_rate(ours)} against {_rate(theirs)} records/s",
            at_least=True,
        ),
        Line(
            "the same with a library",
            ratio(_seconds(theirs), _seconds(kept)),
            0.5,
            detail=f"{_rate(kept)} records/s",
            at_least=True,
        ),
        Line(
            "headless memory, five times the rows",
            large.peak_mb / small.peak_mb,
            1.25,
            detail=f"{large.peak_mb:.0f} MB at {rows * 5:,} rows, {small.peak_mb:.0f} at {rows:,}",
        ),
        *breaks_lines,
    ]


def _arguments(seeds: Path, output: Path, turns: int = TURNS) -> list[str | Path]:
    return ["--seed-file", seeds, "--output-dir", output, "--turns", str(turns)]


def _run_peer(peer: Path | None, seeds: Path, output: Path) -> Run:
    if peer is not None:
        return _run([sys.executable, peer, *_arguments(seeds, output)], output)
    output.mkdir()
    file = output / "records.jsonl"
    return _run([sys.executable, "-m", "benchmarks.bare_loop", seeds, file, str(TURNS)], output)


def _run(command: Sequence[str | Path], output: Path) -> Run:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    at = time.perf_counter()
    process = subprocess.Popen(
        command,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0.0
    # The peak of a child that has ended includes what its parent had at the fork, so it is read
    # while it runs.
    while process.poll() is None:
        peak = max(peak, peak_mb(process.pid))
        time.sleep(0.01)
    seconds = time.perf_counter() - at
    if process.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {process.returncode}")
    return Run(seconds, peak, sum(map(_count, output.iterdir())))


def _count(path: Path) -> int:
    if path.suffix != ".jsonl":
        return 0
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _seconds(runs: Sequence[Run]) -> list[float]:
    return [run.seconds for run in runs]


def _rate(runs: Sequence[Run]) -> str:
    return f"{runs[0].records / median(_seconds(runs)):,.0f}"


def _write_rows(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in _rows(count):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _rows(count: int) -> Iterator[dict[str, object]]:
    """Seed rows in the shape that generators in the wild write."""
    rng = random.Random(1)
    for number in range(count):
        memory = [
            {"role": rng.choice(("user", "assistant")), "content": f"Earlier message {n}."}
            for n in range(rng.randint(0, 4))
        ]
        yield {
            "task_id": f"reply:{number:08x}",
            "benchmark": f"synth-{rng.choice(_SOURCES)}",
            "user_text": f"Could you move appointment {number} to another day, please? " * 2,
            "context": {
                "channel": rng.choice(("dm", "group")),
                "available_actions": ["REPLY", "IGNORE", "CALENDAR"],
                "memory": memory,
                "roomName": f"room-{rng.randint(1, 40)}",
                "agentId": "agent",
            },
        }
