"""What is odd about the steps of the path that is shown: marked, counted, walked, and explained in
the inspector. What a step says alone is known at once; the linter's other findings come in slices
(``PathLint``), so that neither opening a long rollout nor a key waits for them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from rollstep.core.model.marks import Silence
from rollstep.core.model.rollout import Rollout
from rollstep.core.model.steps import Step
from rollstep.core.rules.lint.alone import cheap, hidden
from rollstep.core.rules.lint.findings import Finding

if TYPE_CHECKING:
    from rollstep.core.rules.lint.linter import Linter

    from .path import Path

SLICE = 0.002
"""Seconds that one slice of linting takes at most, but for its last step."""

Silenced = frozenset[tuple[str, str]]
"""The steps, by id, and the rules that are silent on them."""


def silenced(silences: Iterable[Silence]) -> Silenced:
    """The steps and rules that these silence."""
    return frozenset((each.step_id, each.rule) for each in silences if not each.lifted)


class Flags:
    """The findings on a path, by the step's index. ``found`` has all of them; ``heard`` the words
    of those that nobody has silenced.
    """

    def __init__(self) -> None:
        self.found: dict[int, tuple[Finding, ...]] = {}
        self.heard: dict[int, tuple[str, ...]] = {}
        self.version = 0
        """Grows with every change."""
        self._silent: Silenced = frozenset()
        self._cited: dict[int, tuple[Finding, ...]] = {}

    def cite(self, index: int, found: Finding) -> None:
        """A score cites this step: a flag that no linting takes away."""
        self._cited[index] = (*self._cited.get(index, ()), found)
        self.put(index, self.found.get(index, ()))

    def see(self, index: int, step: Step) -> None:
        """A new step: what it says alone."""
        if found := cheap(step):
            self.put(index, found)

    def put(self, index: int, found: tuple[Finding, ...]) -> None:
        """All that is odd about this step, besides that scores cite it."""
        if cited := self._cited.get(index):
            found = (*cited, *(each for each in found if each not in cited))
        if self.found.get(index, ()) != found:
            self.found[index] = found
            if not found:
                del self.found[index]
            self._hear(index)

    def silence(self, silent: Silenced) -> None:
        """Which flags are silent from now on."""
        if silent != self._silent:
            self._silent = silent
            for index in self.found:
                self._hear(index)

    def is_silent(self, finding: Finding) -> bool:
        """Whether a human has silenced this one."""
        return (finding.step_id, finding.rule) in self._silent

    def take_over(self, before: Path, path: Path) -> None:
        """The findings of a path that was shown before stand for the steps that this one shares
        with it, until they have been looked at again.
        """
        for index, found in before.flags.found.items():
            if index < len(path) and path.steps[index].id == before.steps[index].id:
                self.put(index, found)

    def _hear(self, index: int) -> None:
        found = self.found.get(index, ())
        words = tuple(each.words for each in found if not self.is_silent(each))
        self.version += 1
        if words:
            self.heard[index] = words
        else:
            self.heard.pop(index, None)


class PathLint:
    """The linter at work on the path that is shown."""

    def __init__(self, rollout: Rollout, path: Path) -> None:
        self.next = 0
        """The first step that has not been looked at."""
        self._rollout = rollout
        self._path = path
        self._linter: Linter | None = None

    @property
    def waiting(self) -> int:
        """How many steps have not been looked at yet."""
        return len(self._path) - self.next

    def at(self, index: int) -> tuple[Finding, ...]:
        """What is known to be odd about a step; hidden characters are looked for at once."""
        found = self._path.flags.found.get(index, ())
        if index >= self.next and not any(each.rule == "hidden-characters" for each in found):
            found = (*found, *hidden(self._path.steps[index]))
        return found

    def needs_package(self) -> bool:
        """Whether a schema of the project wants the jsonschema package, which takes long to load:
        to be loaded off the screen's loop before there is any work.
        """
        from rollstep.core.rules.schemas import needs_package

        return any(map(needs_package, self._rollout.projects))

    def work(self, seconds: float = SLICE, clock: Callable[[], float] = time.perf_counter) -> bool:
        """Look at steps for one slice of time; True when there are more."""
        linter = self._linter = self._linter or _new(self._rollout)
        path, end = self._path, clock() + seconds
        while self.next < len(path):
            step = path.steps[self.next]
            found = linter.add(step)
            path.flags.put(self.next, tuple(each for each in found if each.step_id == step.id))
            for each in found:
                if each.step_id != step.id:
                    at = path.at[each.step_id]
                    path.flags.put(at, (*path.flags.found.get(at, ()), each))
            self.next += 1
            if clock() > end:
                break
        return self.next < len(path)


def _new(rollout: Rollout) -> Linter:
    from rollstep.core.rules.lint.linter import Linter

    return Linter(rollout)


def linter_is_loaded() -> bool:
    """Whether linting costs no import any more."""
    return "rollstep.core.rules.lint.linter" in sys.modules
