"""Measures every budget and prints ratios within this one run.

make bench
make bench ARGS="--quick --only screen"
make bench ARGS="--seed-program PATH"
"""

from __future__ import annotations

import argparse
import compileall
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from . import (
    batches,
    formats,
    gateway,
    headless,
    library,
    library_screen,
    loading,
    review_queue,
    streaming,
)
from .report import Line, machine, table
from .screen import Screen

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
PARTS = (
    "screen",
    "streaming",
    "loading",
    "headless",
    "library",
    "library_screen",
    "review_queue",
    "batches",
    "gateway",
    "formats",
)
ROLLSTEP = Path(sys.executable).with_name("rollstep")


def main() -> int:
    """Measure what was asked for; 1 when a budget is not kept."""
    asked = _arguments()
    # An uncompiled module would be measured as a slow one.
    for name in ("core", "tui", "benchmarks"):
        compileall.compile_dir(ROOT / name, quiet=1)
    rounds = 2 if asked.quick else 7
    parts: dict[str, Callable[[Path], list[Line]]] = {
        "screen": lambda folder: Screen(
            ROLLSTEP, folder, rounds=rounds, presses=30 if asked.quick else 60
        ).lines(),
        "streaming": lambda folder: streaming.lines(ROLLSTEP, folder),
        "loading": lambda folder: loading.lines(ROLLSTEP, folder),
        "headless": lambda folder: headless.lines(
            ROLLSTEP,
            folder,
            rows=1_000 if asked.quick else 10_000,
            rounds=rounds if asked.quick else 3,
            peer=asked.seed_program,
        ),
        "library": lambda folder: library.lines(
            folder, steps=100_000 if asked.quick else 1_000_000, rounds=rounds
        ),
        "library_screen": lambda folder: library_screen.lines(
            ROLLSTEP,
            folder,
            rollouts=10_000 if asked.quick else 100_000,
            rounds=rounds if asked.quick else 3,
        ),
        "review_queue": lambda folder: review_queue.lines(
            ROLLSTEP, folder, rollouts=10_000, rounds=rounds if asked.quick else 5
        ),
        "batches": batches.lines,
        "gateway": lambda folder: gateway.lines(rounds),
        "formats": lambda folder: formats.lines(
            folder,
            megabytes=40 if asked.quick else 200,
            rounds=rounds,
            peer=asked.seed_program,
        ),
    }
    lines: list[Line] = []
    for name, measure in parts.items():
        if asked.only in (None, name):
            print(f"Measuring: {name} …", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(prefix="rollstep-bench-") as folder:
                lines += measure(Path(folder))
    figures = f"{machine()}.\n\n{table(lines)}"
    print(figures)
    if asked.write:
        _write(figures)
    return 0 if all(line.kept for line in lines) else 1


def _write(figures: str) -> None:
    """Put the figures into the document, between its two marks."""
    head, rest = PAGE.read_text(encoding="utf-8").split("<!-- bench: begin", 1)
    mark, rest = rest.split("-->", 1)
    _, tail = rest.split("<!-- bench: end", 1)
    text = f"{head}<!-- bench: begin{mark}-->\n{figures}\n<!-- bench: end{tail}"
    PAGE.write_text(text, encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description="Measures every budget.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller inputs")
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md too")
    parser.add_argument(
        "--seed-program", type=Path, metavar="PATH", help="a program to run seed rows against"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
