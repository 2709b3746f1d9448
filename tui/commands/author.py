"""``rollstep author``: project files that a model writes."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import click
import msgspec
from rollstep.core.authoring.answers import Cast
from rollstep.core.authoring.author import Author, Order, Outcome, essence
from rollstep.core.authoring.naming import file_name
from rollstep.core.authoring.nearness import Seen
from rollstep.core.authoring.sources import Sources, read_sources
from rollstep.core.budget import RunBudget
from rollstep.core.errors import ExportError, InputError, ProjectFileError
from rollstep.core.files import write_whole
from rollstep.core.model.project import Project
from rollstep.core.projects.reader import read_project, read_roles
from rollstep.core.projects.writer import project_yaml
from rollstep.core.rules.limits import Limits
from rollstep.core.workers.pool import Workers
from rollstep.core.workers.prices import takes_schemas
from rollstep.tui.sanitize import one_line

from .money import tell_unpriced, took
from .progress import counted, say


class AuthorOptions(msgspec.Struct, frozen=True):
    """What the command line asked for. ``below`` is the score under which a run failed."""

    n: int
    model: str
    folder: Path
    api_base: str | None = None
    roles: Path | None = None
    seed: int = 0
    below: float = 1.0
    force: bool = False
    max_cost: float | None = None
    max_tokens: int | None = None
    pace: float = 1.0


def run_author(path: Path, options: AuthorOptions) -> int:
    """Write projects from a file's goals, seed rows or failed runs; 0 when all that were asked for
    were written and every line could be used, else 1. Raises InputError before anything is asked.
    """
    sources = read_sources(path, below=options.below)
    cast = Cast.of_model(options.model, options.api_base)
    if options.roles is not None:
        cast = Cast.of_project(read_roles(options.roles))
    folder = _Folder(options.folder, options.force)
    _tell(path, sources)
    order = Order(
        options.n,
        options.model,
        cast,
        path.name,
        options.seed,
        options.api_base,
        structured=options.api_base is None and takes_schemas(options.model),
    )
    tell_unpriced([options.model], options.max_cost)
    budget = RunBudget(Limits(options.max_cost, options.max_tokens), "call")
    try:
        asyncio.run(_write(order, sources, folder, options.pace, budget))
    finally:
        _tell_end(folder, options.n, budget)
    whole = folder.written == options.n and not sources.faults
    return 0 if whole else 1


async def _write(
    order: Order, sources: Sources, folder: _Folder, pace: float, budget: RunBudget
) -> None:
    workers = Workers()
    author = Author(order, workers, notice=say, pace=pace, budget=budget)
    try:
        async with contextlib.aclosing(author.write(sources.found)) as outcomes:
            async for outcome in outcomes:
                folder.take(outcome)
                if outcome.end:
                    say(outcome.end)
    finally:
        for outcome in author.left():
            folder.take(outcome)
        await workers.aclose()


class _Folder:
    """Where the files go, and what is there."""

    def __init__(self, folder: Path, force: bool) -> None:
        self._folder = folder
        self._force = force
        self._names: set[str] = set()
        self._seen = Seen()
        self.written = 0
        self.tried = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # With --force the same is written anew, so it may be near what is there.
            for path in [] if force else sorted(folder.glob("*.y*ml")):
                self._note(path)
        except OSError as error:
            raise InputError(f"{folder} cannot be written to: {error.strerror}.") from error

    def _note(self, path: Path) -> None:
        try:
            project = read_project(path)
        except ProjectFileError:
            return  # no project, or a broken one: nothing to compare with
        self._seen.add(path.name, *essence(project))

    def take(self, outcome: Outcome) -> None:
        """Write a project, or say why there is none."""
        self.tried += 1
        where = f"line {outcome.source.line}"
        project = outcome.project
        if project is None:
            say(f"{where}: {one_line(outcome.words)}")
            return
        if near := self._seen.near(*essence(project)):
            say(f"{where}: {one_line(project.title)}: nearly the same as {near}; dropped")
            return
        name = self._write(project)
        if name:
            self.written += 1
            self._seen.add(name, *essence(project))
            click.echo(str(self._folder / name))
            say(f"{self.tried}: {name}: {one_line(project.title)} ({where})")

    def _write(self, project: Project) -> str:
        """The name of the file; the empty string when it could not be written."""
        data = project_yaml(project).encode("utf-8", "surrogatepass")
        name = file_name(project.title, self._is_taken)
        self._names.add(name)
        try:
            write_whole(self._folder / name, data, force=self._force)
        except ExportError as error:
            say(str(error))
            return ""
        return name

    def _is_taken(self, name: str) -> bool:
        there = not self._force and (self._folder / name).exists()
        return name in self._names or there


def _tell(path: Path, sources: Sources) -> None:
    for fault in sources.faults:
        say(fault.render(str(path)))
    kinds = {"goal": "goal", "seed": "seed row", "failure": "failed run"}
    for kind, words in kinds.items():
        if count := sum(source.kind == kind for source in sources.found):
            say(f"{path.name}: {counted(count, words)}")
    if sources.passed:
        say(f"{path.name}: {counted(sources.passed, 'run')} did not fail and are left out")


def _tell_end(folder: _Folder, n: int, budget: RunBudget) -> None:
    say(f"wrote {folder.written:,} of {counted(n, 'project')}")
    if budget.calls:
        say(f"{counted(budget.calls, 'call')} took {took(budget)}")
