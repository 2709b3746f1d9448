"""``rollstep run``: projects or seed rows played headless, turn records appended to a file."""

from __future__ import annotations

import contextlib
import gc
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rollstep.core.appending import Appender
from rollstep.core.authors import author_jobs, project_jobs, seed_jobs
from rollstep.core.batch import Batch, Done, Job, never_waits
from rollstep.core.errors import InputError, ProjectFileError, SeedFileError
from rollstep.core.model.project import Project
from rollstep.core.playthrough import OnBreak
from rollstep.core.projects.reader import read_project, read_roles
from rollstep.core.projects.seeds import SeedFile, read_seeds
from rollstep.core.store.library import Library
from rollstep.tui.sanitize import one_line

from .progress import Progress, counted, say
from .trusting import check_trust, roles_maker

if TYPE_CHECKING:
    from rollstep.core.budget import RunBudget

RECORDS = "multi_turn_project.jsonl"
PARTIAL = "multi_turn_project.partial.jsonl"
"""Complete turns of rollouts that did not come to their stop: kept, but apart from the records."""


class RunOptions(msgspec.Struct, frozen=True):
    """What the command line asked for. ``turns`` is None where it did not say."""

    output_dir: Path
    turns: int | None = None
    num_projects: int = 0
    seed: int = 0
    strict: bool = False
    library: Path | None = None
    roles: Path | None = None
    trust: bool = False
    on_break: OnBreak = "park"
    max_cost: float | None = None
    max_tokens: int | None = None


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
    failed = _play(jobs, total, lambda project: folder, [roles] if roles else [], options)
    return 1 if failed or seeds.bad else 0


def run_project_files(paths: Sequence[Path], options: RunOptions) -> int:
    """Play project files, in the order given. Like ``run_seed_file``."""
    projects = _read_projects(paths, options.turns)
    check_trust(projects, options.trust)
    folders = {id(project): path.parent for path, project in projects}
    jobs = project_jobs(projects)
    played = [project for _, project in projects]
    failed = _play(jobs, len(projects), lambda p: folders[id(p)], played, options)
    return 1 if failed else 0


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
    failed = _play(iter(jobs), len(jobs), lambda project: Path(), played, options)
    return 1 if failed else 0


def _with_turns(job: Job, turns: int) -> Job:
    project = msgspec.structs.replace(job.project, max_turns=turns)
    return msgspec.structs.replace(job, project=project)


def _play(
    jobs: Iterator[Job],
    total: int,
    folder_of: Callable[[Project], Path],
    known: Sequence[Project],
    options: RunOptions,
) -> int:
    """Play the jobs and write their records; how many rollouts failed.

    ``known`` are projects whose roles are made once beforehand, so that what can play nobody's
    rollout is one error and not one for each row.
    """
    make, workers = roles_maker(folder_of, options.trust)
    for project in known:
        make(project)
    offline = all(map(never_waits, known))
    budget = None if offline else _budget(known, options)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_seldom_collecting())
        library = None
        if options.library is not None:
            # What offline roles made can be made again; what was paid for must survive a power cut.
            library = stack.enter_context(Library.open(options.library, durable=not offline))
        run = stack.enter_context(_Run(options.output_dir, total, options.library))
        run.budget = budget
        batch = Batch(
            run.done,
            roles=make,
            seed=options.seed,
            workers=workers,
            library=library,
            on_break=options.on_break,
            budget=budget,
        )
        batch.run(jobs)
    run.tell()
    run.tell_kept()
    return run.failed


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


class _Run:
    """Where finished rollouts go, and what is said of them."""

    def __init__(self, folder: Path, total: int, library: Path | None) -> None:
        self.failed = 0
        self.budget: RunBudget | None = None
        self._not_started = 0
        self._library = library
        self._parked = 0
        self._parked_id = ""
        self._records = Appender(folder / RECORDS)
        self._partial = Appender(folder / PARTIAL)
        self._progress = Progress(total)
        self._rollouts = 0
        self._written = 0
        self._kept = 0
        self._first_id = ""

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.close()
        self._records.close()
        self._partial.close()
        if error[0] is not None:
            self.tell()
            if isinstance(error[1], KeyboardInterrupt):
                self.tell_kept()

    def done(self, done: Done) -> None:
        """Write one finished rollout."""
        if not done.started:
            self.failed += 1
            self._not_started += 1
            return
        self._rollouts += 1
        self._first_id = self._first_id or done.rollout_id
        if done.whole:
            if done.records.count:
                self._records.write(done.records.data)
            self._written += done.records.count
            if done.said:
                self._progress.say(f"{_who(done)}: ended; {one_line(done.said)}")
        else:
            self._failed(done)
        self._progress.step(self._rollouts, self._written)

    def _failed(self, done: Done) -> None:
        self.failed += 1
        kept = ""
        if done.records.count:
            self._partial.write(done.records.data)
            self._kept += done.records.count
            kept = f" Its {counted(done.records.count, 'complete turn')} went to {PARTIAL}."
        waits = ""
        if done.parked:
            self._parked += 1
            self._parked_id = self._parked_id or done.rollout_id
            waits = f" It waits as {done.rollout_id}." if self._library is not None else ""
        words = done.words
        if done.said:
            words += f"; {done.said}"
        end = "." if (kept or waits) and not words.endswith(".") else ""
        self._progress.say(f"{_who(done)}: {one_line(words)}{end}{waits}{kept}")

    def tell_kept(self) -> None:
        """Say how to open what the library has now."""
        if self._library is None:
            return
        option = f"--library {shlex.quote(str(self._library))}"
        if self._parked:
            say(f"{counted(self._parked, 'rollout')} parked; to open the first and go on with c:")
            say(f"rollstep open {option} {self._parked_id}")
        elif self._first_id:
            say(f"rollstep list {option} names the rollouts; to open the first of them:")
            say(f"rollstep open {option} {self._first_id} (a record's session_id will do, too)")

    def tell(self) -> None:
        """Say how it went."""
        if self._records.mended:
            say(f"{self._records.path}: its last line was cut off; a line end was put after it")
        if not self._written:
            say("no turn records were written")
        else:
            records = counted(self._written, "turn record")
            say(f"wrote {records} of {counted(self._rollouts, 'rollout')} to {self._records.path}")
        if failed := self.failed - self._not_started:
            say(f"{counted(failed, 'rollout')} did not come to a stop of its own")
        if self.budget is not None:
            self._tell_spent(self.budget)
        if self._parked and self._library is None:
            say("none of them was kept; with --library FILE those that wait can be opened")

    def _tell_spent(self, budget: RunBudget) -> None:
        """What it cost, and what was left undone for that."""
        if budget.tokens or budget.dollars:
            from .money import took

            say(f"live calls took {took(budget)}")
        if self._not_started:
            say(f"{counted(self._not_started, 'rollout')} not started: {budget.closed}")


def _who(done: Done) -> str:
    return f"{one_line(done.job.label)} ({one_line(done.job.project.title)})"


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
