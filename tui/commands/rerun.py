"""``rollstep rerun``: a recorded rollout played again with another model in a role's place."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from rollstep.core import events as ev
from rollstep.core.casting import RolesFor
from rollstep.core.errors import InputError, NotSavedError, RoleError
from rollstep.core.estimating import models_of
from rollstep.core.model.messages import Stop, TargetReply
from rollstep.core.model.project import LlmEvaluator, LlmTarget, Project
from rollstep.core.model.steps import Step
from rollstep.core.roles.human import HumanNeeded
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.roles.replay import Recording, with_recorded_tools
from rollstep.core.rules.limits import Limits, in_dollars
from rollstep.core.rules.rerunning import other_evaluator, other_target, same_messages
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.tui.comparing.subjects import Subject
from rollstep.tui.sanitize import one_line
from rollstep.tui.stepview import first_words, stop_title
from rollstep.tui.target import OpenTarget, parse_link
from rollstep.tui.who import NAMES

from .lists import library_path
from .money import tell_unpriced
from .progress import counted, say
from .sources import readings, source
from .trusting import check_trust

_WORDS = 60
"""Cells of each step's beginning that are told."""


class RerunOptions(msgspec.Struct, frozen=True):
    """What the command line asked for."""

    library: Path | None = None
    target: str | None = None
    evaluator: str | None = None
    api_base: str | None = None
    project: bool = False
    turns: int | None = None
    branch: str | None = None
    trust: bool = False
    headless: bool = False
    max_cost: float | None = None
    max_tokens: int | None = None


def run_rerun(name: str, options: RerunOptions) -> int:
    """Play it as a new rollout of the library: 0 when it came to its stop, else 1. Raises
    RollstepError for what cannot be played.
    """
    named = name if options.branch is None else f"{name}@{options.branch}"
    old = source(named, options.library)
    project = _project(old, options)
    _check(project, old, options)
    _keep_original(name, options.library)
    with Library.open(library_path(options.library)) as library:
        rollout_id, words = asyncio.run(_play(project, old, library, options))
    say(words)
    _tell(named, old, rollout_id, options)
    if not options.headless and sys.stdin.isatty() and sys.stdout.isatty():
        return _show(old, rollout_id, options)
    return 0 if words.startswith("ended") else 1


# what is played


def _project(old: Subject, options: RerunOptions) -> Project:
    project = old.project
    if not options.project and options.evaluator is None:
        project, notes = same_messages(project, old.steps)
        for note in notes:
            say(f"note: {note}")
    if options.target is not None:
        target = other_target(project.target, options.target, options.api_base)
        project = msgspec.structs.replace(project, target=target)
    if options.evaluator is not None:
        evaluator = other_evaluator(project.evaluator, options.evaluator, options.api_base)
        project = msgspec.structs.replace(project, evaluator=evaluator)
    if options.turns is not None:
        project = msgspec.structs.replace(project, max_turns=options.turns)
    given = Limits(options.max_cost, options.max_tokens)
    if given.any:
        # The new rollout's own, so that the app keeps to them when it goes on.
        project = msgspec.structs.replace(project, stop=given.within(project.stop))
        tell_unpriced(models_of([project]), options.max_cost)
    return project


def _check(project: Project, old: Subject, options: RerunOptions) -> None:
    """Raise InputError for what the project itself would do that needs a yes. A model and address
    that were typed here have it; code, wherever it was named, and addresses in the parameters that
    go with the model, have not.
    """
    target, evaluator = project.target, project.evaluator
    if options.target is not None and isinstance(target, LlmTarget):
        target = msgspec.structs.replace(target, model="", api_base=None)
    if options.evaluator is not None and isinstance(evaluator, LlmEvaluator):
        evaluator = msgspec.structs.replace(evaluator, model="", api_base=None)
    project = msgspec.structs.replace(project, target=target, evaluator=evaluator)
    check_trust([(Path(old.rollout.header.id), project)], options.trust)


def _keep_original(name: str, library: Path | None) -> None:
    """A bundle goes into the library too, where both can be compared."""
    bundle = next((path for path, _ in readings(parse_link(name)[0]) if Path(path).exists()), None)
    if bundle is None:
        return
    from rollstep.core.store.importing import import_bundle

    with Library.open(library_path(library)) as opened:
        import_bundle(Path(bundle), opened)


def _roles(old: Subject, options: RerunOptions) -> RolesFor:
    """The project's roles; calls that are equal to recorded ones have the recorded results, so
    that both runs play in the same world, unless the project is to be played afresh.
    """
    folder = Path(old.rollout.header.source).parent
    recording = None if options.project else Recording(old.rollout, old.leaf, same=False)

    def make(project: Project) -> Roles:
        roles = build_roles(project, base_folder=folder, trusted=True)
        return roles if recording is None else with_recorded_tools(roles, recording)

    return make


async def _play(
    project: Project, old: Subject, library: Library, options: RerunOptions
) -> tuple[str, str]:
    """The new rollout's id, and how it went."""
    header = old.rollout.header
    session = Session.start(
        project,
        library=library,
        seed=header.seed,
        source=f"rerun of {header.id}",
        roles=_roles(old, options),
    )
    say(f"playing {one_line(header.id)} again as {session.rollout.header.id}")
    told: list[str] = []
    session.subscribe(_teller(session, told))
    if project.breakpoints:
        await session.set_breakpoints(())
    words = ""
    try:
        async for step in session.run():
            _tell_step(len(session.rollout), step)
    except HumanNeeded as needed:
        words = f"waits for you: {needed}"
    except RoleError as error:
        words = f"failed: {error}"
    finally:
        if project.breakpoints:
            await session.set_breakpoints(project.breakpoints)
        await session.close()
    if told and session.unsaved:
        raise NotSavedError(told[-1])
    return session.rollout.header.id, words or _how_it_went(session, told)


def _teller(session: Session, told: list[str]) -> Callable[[ev.Event], None]:
    def tell(event: ev.Event) -> None:
        if isinstance(event, ev.Paused | ev.Unsaved):
            told.append(event.words)
        elif isinstance(event, ev.Noticed):
            say(event.words)

    return tell


def _how_it_went(session: Session, told: list[str]) -> str:
    path = session.rollout.trajectory(session.head)
    counts = f"{counted(len(path.steps), 'step')}, {counted(len(path.turns()), 'turn')}"
    costs = [step.call.cost for step in path.steps if step.call is not None]
    paid = f", {in_dollars(sum(cost or 0.0 for cost in costs))}" if any(costs) else ""
    if None in costs:
        paid += " and calls whose price is not known" if paid else ", price not known"
    if path.stop is not None:
        return f"ended: {one_line(path.stop.reason)}; {counts}{paid}"
    return f"paused: {'; '.join(told)}; {counts}{paid}"


def _tell_step(number: int, step: Step) -> None:
    if isinstance(step.payload, Stop):
        say(f"{number:>4}  {stop_title(step.payload)}")
    else:
        words = first_words(step.payload, _WORDS)
        if isinstance(step.payload, TargetReply) and step.payload.tool_calls:
            calls = ", ".join(one_line(call.name) for call in step.payload.tool_calls)
            words = f"{words} > {calls}".lstrip()
        say(f"{number:>4}  {NAMES[step.role]}: {words or '(empty)'}")


# afterwards


def _tell(named: str, old: Subject, rollout_id: str, options: RerunOptions) -> None:
    option = f"--library {shlex.quote(str(options.library))} " if options.library else ""
    say(f"rollstep diff {option}{shlex.quote(named)} {rollout_id}")
    say(f"rollstep open {option}{rollout_id}")


def _show(old: Subject, rollout_id: str, options: RerunOptions) -> int:
    """Both side by side in the app."""
    from rollstep.tui.app import run_app

    beside = (old.rollout.header.id, old.leaf)
    return run_app(
        library=library_path(options.library),
        target=OpenTarget(rollout=rollout_id, beside=beside),
        trust=options.trust,
    )


def check_options(options: RerunOptions) -> None:
    """Raise InputError for options that say nothing to play otherwise."""
    if options.target is None and options.evaluator is None and not options.project:
        raise InputError(
            "Say what is played otherwise: --target MODEL, --evaluator MODEL, or --project for the "
            "project afresh."
        )
    if options.api_base is not None and options.target is None and options.evaluator is None:
        raise InputError("--api-base is the address of a model: give --target or --evaluator too.")
