"""Seed rows to projects, as the seed program authors them; ids are derived, not random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import msgspec

from ..errors import Fault, SeedFileError, UsageError
from ..model.project import EchoTarget, HeuristicEvaluator, Project, TargetSpec
from .seed_rows import SeedRow

GOAL_PREFIX = "Complete the multi-step request: "
GOAL_LENGTH = 120

SEED_EVALUATOR = HeuristicEvaluator(match="substring")


def seed_system(title: str, goal: str) -> str:
    """The seed program's default system text: data of its record format, kept to the letter."""
    return (
        f"You are an autonomous elizaOS agent. The user is pursuing a multi-step project: {title}. "
        f"Goal: {goal}. Drive each turn forward; ask follow-up questions only when needed."
    )


class SeedAuthor:
    """Makes projects of seed rows.

    ``run_seed`` goes into the derived ids. ``system`` replaces the default system text (the empty
    string is honoured, None is the default). ``roles`` gives the projects its target, evaluator,
    tools, simulator and rules instead of echo and heuristic; then its own system text stands,
    unless ``system`` is given. Raises SeedFileError for no rows.
    """

    def __init__(
        self,
        rows: Sequence[SeedRow],
        *,
        run_seed: int = 0,
        max_turns: int | None = None,
        system: str | None = None,
        roles: Project | None = None,
    ) -> None:
        if not rows:
            raise SeedFileError("There are no seed rows to make projects of.")
        if max_turns is not None and max_turns < 1:
            raise UsageError(f"max_turns must be at least 1, not {max_turns}.")
        self._rows = rows
        self._run_seed = run_seed
        self._base = _base_project(roles, max_turns)
        self._own_target = _fixed_target(roles, system)

    def author(self, n: int, rng: random.Random) -> list[Project]:
        """Projects of ``n`` rows: a sample, shuffled, when there are as many rows, else chosen with
        replacement. A drawn row without a text makes no project and is not replaced.
        """
        return list(self.projects(n, rng))

    def projects(self, n: int, rng: random.Random) -> Iterator[Project]:
        """Like ``author``, each project made only when it is asked for."""
        if n < 0:
            raise UsageError(f"The number of projects cannot be negative ({n}).")
        places = range(len(self._rows))
        if n <= len(places):
            drawn = rng.sample(places, n)
        else:
            drawn = [rng.choice(places) for _ in range(n)]
        return self._made(drawn)

    def project_of(self, row: SeedRow, index: int = 0) -> Project:
        """The project of one row, drawn on its own; ``index`` is its place among the rows. Raises
        SeedFileError for a row without a text.
        """
        if not row.user_text:
            fault = Fault("no user_text; the row makes no project.", row.line, 0, "user_text")
            raise SeedFileError(faults=(fault,))
        return self._project(row, index, 0)

    def _made(self, drawn: list[int]) -> Iterator[Project]:
        for draw, index in enumerate(drawn):
            row = self._rows[index]
            if row.user_text:
                yield self._project(row, index, draw)

    def _project(self, row: SeedRow, index: int, draw: int) -> Project:
        digest = _digest(row, self._run_seed, index, draw)
        task_id, title = row.task_id, row.title
        if not task_id:
            title = f"seed-{_as_uuid(digest[12:])}"
            task_id = f'"{title}"'
        goal = GOAL_PREFIX + row.user_text[:GOAL_LENGTH]
        metadata = (
            f'{{"seed_task_id": {task_id}, "seed_benchmark": {row.benchmark}, '
            f'"seed_context": {row.context}}}'
        )
        return msgspec.structs.replace(
            self._base,
            title=title,
            target=self._target(title, goal),
            id=f"proj-{digest[:12]}",
            goal=goal,
            opening=row.user_text,
            metadata=metadata,
        )

    def _target(self, title: str, goal: str) -> TargetSpec:
        if self._own_target is not None:
            return self._own_target
        return EchoTarget(seed_system(title, goal))


def _digest(row: SeedRow, run_seed: int, index: int, draw: int) -> str:
    """44 hex digits from all that tells one drawn project from another."""
    parts = (str(run_seed), str(index), str(draw), row.task_id, row.user_text)
    content = "\0".join((*parts, row.benchmark, row.context))
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=22).hexdigest()


def _as_uuid(digits: str) -> str:
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _base_project(roles: Project | None, max_turns: int | None) -> Project:
    base = roles or Project("", EchoTarget(), SEED_EVALUATOR)
    return base if max_turns is None else msgspec.structs.replace(base, max_turns=max_turns)


def _fixed_target(roles: Project | None, system: str | None) -> TargetSpec | None:
    """The target that all projects share, or None when each has a system text of its own."""
    if roles is None:
        return None if system is None else EchoTarget(system)
    return roles.target if system is None else msgspec.structs.replace(roles.target, system=system)
