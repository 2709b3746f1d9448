"""From where projects come to the jobs of a batch: seed rows, project files, or an author of one's
own. Jobs are made one by one, as the batch asks for them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

from .batch import Job
from .model.project import Project
from .projects.seed_author import SeedAuthor
from .projects.seed_rows import SeedRow
from .roles.protocols import ProjectAuthor


def seed_jobs(
    rows: Sequence[SeedRow],
    path: Path,
    *,
    n: int = 0,
    seed: int = 0,
    max_turns: int | None = None,
    roles: Project | None = None,
) -> Iterator[Job]:
    """Jobs of ``n`` seed rows (0: of all), drawn as the seed program draws them.

    ``record`` is the row's place among ``rows``, ``label`` names its line in the file. Raises
    SeedFileError, UsageError.
    """
    noted = _NotingRows(rows)
    author = SeedAuthor(noted, run_seed=seed, max_turns=max_turns, roles=roles)
    projects = author.projects(n or len(rows), random.Random(seed))
    source = str(path)
    for project in projects:
        yield Job(project, source, noted.place, f"line {noted.line}")


def project_jobs(projects: Iterable[tuple[Path, Project]]) -> Iterator[Job]:
    """One job for each project file. The same file given twice makes two sessions."""
    for row, (path, project) in enumerate(projects):
        yield Job(project, str(path), row or None, str(path))


def author_jobs(author: ProjectAuthor, n: int, seed: int = 0) -> Iterator[Job]:
    """Jobs of the projects that an author makes."""
    for row, project in enumerate(author.author(n, random.Random(seed))):
        yield Job(project, "", row, f"project {row + 1}")


class _NotingRows(Sequence[SeedRow]):
    """Rows that note which one was asked for last. The author asks for each row just before it
    makes that row's project.
    """

    def __init__(self, rows: Sequence[SeedRow]) -> None:
        self._rows = rows
        self.place = 0
        self.line = 0

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> SeedRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SeedRow]: ...
    def __getitem__(self, index: int | slice) -> SeedRow | Sequence[SeedRow]:
        found = self._rows[index]
        if isinstance(found, SeedRow):
            assert isinstance(index, int)
            self.place, self.line = index, found.line
        return found
