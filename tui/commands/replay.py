"""``rollstep replay``: a recorded branch, typed into the terminal as it went. Nothing is asked."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path as FilePath

import msgspec
from rollstep.core.counting import counted
from rollstep.core.model.steps import Step
from rollstep.tui.document import Block
from rollstep.tui.path import Path
from rollstep.tui.present_player import BEFORE_TURN, BETWEEN, TYPED
from rollstep.tui.present_steps import AT_ONCE, shown_step
from rollstep.tui.sanitize import one_line, visible
from rollstep.tui.wrap import fit, wrap

from .sources import source

_WIDEST = 100
_TICK = 1 / 20
_COLOURS = {
    "evaluator": "34",
    "target": "36",
    "tool": "33",
    "call": "36",
    "reasoning": "3",
    "dim": "2",
    "heading": "2",
    "error": "31",
    "strong": "1",
}


class ReplayOptions(msgspec.Struct, frozen=True):
    """What the command line asked for."""

    library: FilePath | None = None
    branch: str | None = None
    speed: int = 1
    at_once: bool = False
    plain: bool = False


def run_replay(
    name: str, options: ReplayOptions, sleep: Callable[[float], None] = time.sleep
) -> int:
    """Print the branch that the name means, typed where stdout is a terminal. Raises RollstepError
    for what is no rollout.
    """
    found = source(name if options.branch is None else f"{name}@{options.branch}", options.library)
    path = Path(found.steps)
    terminal = sys.stdout.isatty()
    typed = terminal and not options.at_once
    colours = terminal and not options.plain and not os.environ.get("NO_COLOR")
    colours = colours and os.environ.get("TERM") != "dumb"
    width = min(shutil.get_terminal_size((_WIDEST, 0)).columns, _WIDEST)
    typist = _Typist(options.speed if typed else 0, colours, sleep)
    try:
        _print(path, found.label, width, typist)
    finally:
        typist.close()
    return 0


def _print(path: Path, label: str, width: int, typist: _Typist) -> None:
    typist.line(Block("strong", fit(one_line(label), width)), 0)
    for index, step in enumerate(path.steps):
        if index in path.turn_starts:
            title = f"-- turn {path.turn[index]} of {path.turns} "
            typist.wait(BEFORE_TURN if index else BETWEEN)
            typist.line(Block("text", ""), 0)
            typist.line(Block("dim", title + "-" * max(width - len(title), 2)), 0)
        else:
            typist.wait(BETWEEN)
        for block, pace in _lines(index, step, path, width):
            typist.line(block, pace)
    typist.line(Block("text", ""), 0)
    typist.line(Block("dim", _ending(path)), 0)


def _lines(index: int, step: Step, path: Path, width: int) -> Iterator[tuple[Block, float]]:
    for place, (block, pace, role) in enumerate(shown_step(index + 1, step, path.call.get(index))):
        if role is None and path.turn_starts and index in path.turn_starts:
            continue  # the turn's own line stands there
        indent = block.indent + (2 if place > 1 else 0)
        text = visible(block.text)
        for line in wrap(text, max(width - indent, 8), 10**9).lines:
            yield Block(block.style, " " * indent + line if line else ""), pace


def _ending(path: Path) -> str:
    steps = f"{counted(len(path), 'step')}, {counted(path.turns, 'turn')}"
    stop = path.stop
    return f"{steps}; {one_line(stop.reason)}" if stop is not None else f"{steps}; not ended"


class _Typist:
    """Writes lines, letter by letter unless its speed is 0."""

    def __init__(self, speed: int, colours: bool, sleep: Callable[[float], None]) -> None:
        self._speed = speed
        self._colours = colours
        self._sleep = sleep
        self._coloured = False

    def wait(self, seconds: float) -> None:
        """The time between two steps."""
        if self._speed:
            sys.stdout.flush()
            self._sleep(seconds / self._speed)

    def line(self, block: Block, pace: float) -> None:
        """One line in its style; ``pace`` as in ``Shown``."""
        start = self._start(block.style)
        self._write(start)
        self._coloured = bool(start)
        if self._speed and pace != AT_ONCE:
            self._type(block.text, max(round(TYPED * self._speed * pace * _TICK), 1))
        else:
            self._write(block.text)
        self._write("\x1b[0m\n" if start else "\n")
        self._coloured = False

    def _type(self, text: str, chunk: int) -> None:
        for place in range(0, len(text), chunk):
            self._write(text[place : place + chunk])
            sys.stdout.flush()
            self._sleep(_TICK)

    def _start(self, style: str) -> str:
        codes = [_COLOURS[word] for word in style.split(":") if word in _COLOURS]
        return f"\x1b[{';'.join(codes)}m" if codes and self._colours else ""

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)

    def close(self) -> None:
        """Leave the terminal in its own colours, wherever it ended."""
        if self._coloured:
            self._write("\x1b[0m\n")
        sys.stdout.flush()
