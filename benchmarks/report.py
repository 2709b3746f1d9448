"""One budget, what was measured against it, and the table of them all."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Line(NamedTuple):
    """One budget. ``value`` must be at most ``budget``, or at least it where ``at_least``.

    A value is a ratio within one run wherever something on the same machine can stand against it.
    ``detail`` shows what it was made of. ``value`` None: it could not be measured, ``detail`` says
    why.
    """

    name: str
    value: float | None
    budget: float
    unit: str = "×"
    detail: str = ""
    at_least: bool = False

    @property
    def kept(self) -> bool:
        """Is the budget kept?"""
        if self.value is None:
            return False
        return self.value >= self.budget if self.at_least else self.value <= self.budget

    @property
    def verdict(self) -> str:
        """In a word."""
        if self.value is None:
            return "not measured"
        return "ok" if self.kept else "OVER" if not self.at_least else "UNDER"


def ratio(mine: Sequence[float], theirs: Sequence[float]) -> float:
    """Median over median."""
    return median(mine) / median(theirs)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def table(lines: Iterable[Line]) -> str:
    """All lines as a Markdown table, which reads well on a terminal too."""
    rows = [("what", "measured", "budget", "verdict", "made of")]
    for line in lines:
        value = "–" if line.value is None else f"{line.value:.2f} {line.unit}"
        sign = "≥" if line.at_least else "≤"
        budget = f"{sign} {line.budget:g} {line.unit}"
        rows.append((line.name, value, budget, line.verdict, line.detail))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    texts = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    texts.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(texts)


def machine() -> str:
    """What it was measured on, in a line."""
    return (
        f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, Textual {version('textual')}"
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:  # there only on Linux
        pass
    return platform.processor() or "processor unknown"
