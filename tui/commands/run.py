"""``rollstep run``: projects or seed rows played headless, turn records appended to a file."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rollstep.core.authors import author_jobs, project_jobs, seed_jobs
from rollstep.core.batch import SIDE_BY_SIDE, Batch
from rollstep.core.errors import InputError, ProjectFileError, SeedFileError
from rollstep.core.jobs import Job, never_waits
from rollstep.core.model.project import Project
from rollstep.core.playthrough import OnBreak
from rollstep.core.projects.reader import read_project, read_roles
from rollstep.core.projects.seeds import SeedFile, read_seeds
from rollstep.core.runs import Run, alone_in, begin, go_on, run_key
from rollstep.core.store.codec import encode
from rollstep.core.store.library import Library
from rollstep.core.taking_up import spent_before
from rollstep.tui.settings import configuration

from .progress import counted, say
from .run_output import PARTIAL, RECORDS, RunOutput
from .trusting import check_trust, roles_maker

if TYPE_CHECKING:
    from rollstep.core.budget import RunBudget
    from rollstep.core.workers.pacing import Pacing


class RunOptions(msgspec.Struct, frozen=True):
    """What the command line asked for. ``turns`` is None where it did not say, as are
    ``concurrency``, ``on_break`` and what may be spent: the configuration says then.
    """

    output_dir: Path
    turns: int | None = None
    num_projects: int = 0
    seed: int = 0
    strict: bool = False
    library: Path | None = None
    roles: Path | None = None
    trust: bool = False
    on_break: OnBreak | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    concurrency: int | None = None
    resume: bool = False
    retry_failed: bool = False
    park_flags: bool = False
    summary: Path | None = None

    def settled(self) -> RunOptions:
        """With what the configuration says where the command line did not. Raises ConfigError."""
        found = configuration().config.run
        return msgspec.structs.replace(
            self,
            on_break=self.on_break or found.on_break,
            concurrency=self.concurrency or found.concurrency,
            max_cost=found.max_cost or None if self.max_cost is None else self.max_cost,
            max_tokens=found.max_tokens or None if self.max_tokens is None else self.max_tokens,
            resume=self.resume or self.retry_failed,
        )


SEED_TURNS = 10
"""Turns of a seed row's project where neither the command line nor a roles file says."""


def run_seed_file(path: Path, options: RunOptions) -> int:
    """Play seed rows. 0 when all went well, 1 when rows were bad or rollouts failed.

    Raises InputError for what keeps the run from starting.
    """
    seeds = read_seeds(path, strict=options.strict)
    _tell_faults(path, seeds)
    if not seeds.rows:
        raise SeedFileError("no row can be used.", source=str(path))
    roles = _read_roles(options)
    if roles is None:
        say("no roles given: echo target, heuristic evaluator; --roles FILE gives others")
    turns = options.turns or (None if roles else SEED_TURNS)
    jobs = seed_jobs(
        seeds.rows,
        path,
        n=options.num_projects,
        seed=options.seed,
        max_turns=turns,
        roles=roles,
    )
    folder = options.roles.parent if options.roles else path.parent
    total = options.num_projects or len(seeds.rows)
    known = [roles] if roles else []

    def named() -> tuple[bytes, ...]:
        drawn = repr((turns, options.num_projects)).encode()
        return b"rows", _digest(path), drawn, *map(encode, known)

    work = _Work(jobs, total, lambda project: folder, known, named)
    return 1 if _play(work, options) or seeds.bad else 0


def run_project_files(paths: Sequence[Path], options: RunOptions) -> int:
    """Play project files, in the order given. Like ``run_seed_file``."""
    projects = _read_projects(paths, options.turns)
    check_trust(projects, options.trust)
    folders = {id(project): path.parent for path, project in projects}
    by_title = {project.title: path.parent for path, project in projects}
    jobs = project_jobs(projects)
    played = [project for _, project in projects]

    def named() -> tuple[bytes, ...]:
        return b"projects", *map(encode, played)

    def folder_of(project: Project) -> Path:
        # A rollout that a human went on with may have a project of its own by now.
        return folders.get(id(project)) or by_title.get(project.title) or projects[0][0].parent

    work = _Work(jobs, len(projects), folder_of, played, named)
    return 1 if _play(work, options) else 0


def run_author(found_at: str, options: RunOptions) -> int:
    """Play the projects that an author of one's own makes. Like ``run_seed_file``.

    Raises UsageError without trust, RoleError when the author fails.
    """
    from rollstep.core.roles.python import PythonAuthor

    author = PythonAuthor(found_at, trusted=options.trust)
    jobs = list(author_jobs(author, options.num_projects, options.seed))
    if options.turns is not None:
        jobs = [_with_turns(job, options.turns) for job in jobs]
    played = [job.project for job in jobs]

    def named() -> tuple[bytes, ...]:
        asked = repr((options.turns, options.num_projects)).encode()
        return b"author", found_at.encode(), asked

    work = _Work(iter(jobs), len(jobs), lambda project: Path(), played, named)
    return 1 if _play(work, options) else 0


def _with_turns(job: Job, turns: int) -> Job:
    project = msgspec.structs.replace(job.project, max_turns=turns)
    return msgspec.structs.replace(job, project=project)


class _Work(msgspec.Struct, frozen=True):
    """What is to be played. ``known`` are projects whose roles are made once beforehand, so that
    what can play nobody's rollout is one error and not one for each row. ``named`` is what makes
    this run the same run again.
    """

    jobs: Iterator[Job]
    total: int
    folder_of: Callable[[Project], Path]
    known: Sequence[Project]
    named: Callable[[], tuple[bytes, ...]]


def _play(work: _Work, options: RunOptions) -> int:
    """Play the jobs and write their records; how many rollouts failed."""
    options = options.settled()
    if options.resume and options.library is None:
        raise InputError(
            "--resume needs --library FILE: the library of the run that should go on. What no "
            "library keeps can only be played anew."
        )
    offline = all(map(never_waits, work.known))
    make, workers = roles_maker(work.folder_of, options.trust, None if offline else _pacing())
    for project in work.known:
        make(project)
    budget = None if offline else _budget(work.known, options)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_seldom_collecting())
        library = run = None
        if options.library is not None:
            # What offline roles made can be made again; what was paid for must survive a power cut.
            library = stack.enter_context(Library.open(options.library, durable=not offline))
            stack.enter_context(alone_in(options.output_dir))
            run = _the_run(library, work, options)
            if budget is not None and budget.limits.any and run.again:
                budget.count(spent_before(library, run, work.total))
        output = RunOutput(options.output_dir, work.total, options.library, run)
        stack.enter_context(output)
        if options.summary is not None:  # of a run that is interrupted, too
            stack.callback(output.write_summary, options.summary)
        output.budget = budget
        batch = Batch(
            output.done,
            roles=make,
            seed=options.seed,
            workers=workers,
            library=library,
            side_by_side=options.concurrency or SIDE_BY_SIDE,
            on_break=options.on_break or "park",
            budget=budget,
            run=run,
            retry_failed=options.retry_failed,
            park_flags=options.park_flags,
            ending=output.ending,
        )
        batch.run(work.jobs)
    output.tell()
    output.tell_kept()
    return output.failed


def _the_run(library: Library, work: _Work, options: RunOptions) -> Run:
    """The run of this command: the one that should go on, or a new one."""
    folder = options.output_dir.absolute()
    key = run_key((*work.named(), str(options.seed).encode(), os.fsencode(folder)))
    run = go_on(library, key) if options.resume else None
    if run is None:
        if options.resume:
            say("--resume: the library holds no run of this command yet; it begins now")
        run = begin(library, key, (folder / RECORDS, folder / PARTIAL), str(folder))
    return run


def _pacing() -> Pacing:
    """How fast all rollouts together may ask. Live runs alone load this."""
    from rollstep.core.workers.pacing import Pacing

    return Pacing(configuration().config.run.limits)


def _digest(path: Path) -> bytes:
    from hashlib import file_digest  # OpenSSL stands behind it: not for runs that keep nothing

    with path.open("rb") as file:
        return file_digest(file, "blake2b").digest()


def _budget(projects: Sequence[Project], options: RunOptions) -> RunBudget:
    """What the whole run may spend. Live runs alone load this."""
    from rollstep.core.budget import RunBudget
    from rollstep.core.estimating import models_of
    from rollstep.core.rules.limits import Limits

    from .money import tell_unpriced

    tell_unpriced(models_of(projects), options.max_cost)
    return RunBudget(Limits(options.max_cost, options.max_tokens))


@contextlib.contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Rollouts hold no cycles and are dropped as they finish: looking for cycles often is waste."""
    usual = gc.get_threshold()
    gc.set_threshold(50_000)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _read_roles(options: RunOptions) -> Project | None:
    if options.roles is None:
        return None
    roles = read_roles(options.roles)
    check_trust([(options.roles, roles)], options.trust)
    return roles


def _read_projects(paths: Sequence[Path], turns: int | None) -> list[tuple[Path, Project]]:
    """All projects; the faults of all files at once."""
    projects: list[tuple[Path, Project]] = []
    problems: list[str] = []
    for path in paths:
        try:
            project = read_project(path)
        except ProjectFileError as error:
            problems.append(str(error))
            continue
        if turns is not None:
            project = msgspec.structs.replace(project, max_turns=turns)
        projects.append((path, project))
    if problems:
        raise InputError("\n".join(problems))
    return projects


def _tell_faults(path: Path, seeds: SeedFile) -> None:
    for note in seeds.notes:
        say(f"note: {note.render(str(path))}")
    for fault in seeds.faults:
        say(fault.render(str(path)))
    if seeds.bad:
        say(f"{counted(seeds.bad, 'bad row')} left out")
