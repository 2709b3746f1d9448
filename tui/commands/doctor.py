"""``rollstep doctor``: what works here, what does not, and what to do about it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from rollstep.core.errors import ConfigError
from rollstep.tui.doctor.check import Check, note
from rollstep.tui.doctor.files import check_config, check_library
from rollstep.tui.doctor.program import check_keys, check_program, check_roles
from rollstep.tui.doctor.terminal import check_terminal, this_terminal
from rollstep.tui.sanitize import one_line
from rollstep.tui.settings import config_folder, data_folder

from .lists import LIBRARY_NAME, library_path
from .progress import counted, say
from .trusting import check_trust

if TYPE_CHECKING:
    from rollstep.tui.doctor.calls import Asked


class DoctorOptions(msgspec.Struct, frozen=True):
    """What the command line asked for. ``call`` names models, and project files whose models are
    meant.
    """

    library: Path | None = None
    as_json: bool = False
    call: tuple[str, ...] = ()
    api_base: str | None = None
    trust: bool = False


def run_doctor(options: DoctorOptions) -> int:
    """Print one line for each thing looked at; 1 when one of them is a problem."""
    calls = _calls(options) if options.call else ()
    problems = notes = 0
    for check in itertools.chain(_checks(options), calls):
        problems += check.level == "problem"
        notes += check.level == "note"
        _print(check, options.as_json)
    if not options.as_json:
        told = f"{counted(problems, 'problem')}, {counted(notes, 'note')}"
        click.echo(told if problems or notes else "All is well.")
    return 1 if problems else 0


def _library(given: Path | None) -> Path:
    """The library that is meant; where the configuration is faulty, which is said by itself, that
    without one.
    """
    try:
        return library_path(given)
    except ConfigError:
        return data_folder() / LIBRARY_NAME


def _checks(options: DoctorOptions) -> Iterator[Check]:
    sources: tuple[Iterable[Check], ...] = (
        check_program(),
        check_terminal(this_terminal()),
        check_library(_library(options.library)),
        check_config(config_folder()),
        check_roles(),
        check_keys(),
    )
    return itertools.chain.from_iterable(sources)


def _calls(options: DoctorOptions) -> Iterator[Check]:
    """The calls, made when they are asked for. Raises InputError now for a project file that cannot
    be read, or whose address needs a yes.
    """
    from rollstep.core.projects.reader import read_project
    from rollstep.tui.doctor.calls import Asked, models_of

    files = [Path(name) for name in options.call if name.endswith((".yaml", ".yml"))]
    models = [name for name in options.call if not name.endswith((".yaml", ".yml"))]
    projects = [(path, read_project(path)) for path in files]
    check_trust(projects, options.trust)
    asked = [*(Asked(model, options.api_base) for model in models), *models_of(projects)]
    return _called(asked)


def _called(asked: list[Asked]) -> Iterator[Check]:
    from rollstep.tui.doctor.calls import check_calls

    if asked:
        yield from check_calls(asked, say)
    else:
        yield note("call", "no model plays in the projects given")


def _print(check: Check, as_json: bool) -> None:
    if as_json:
        # In ASCII: nothing in it acts on a terminal, and any text can be written.
        click.echo(json.dumps(check._asdict(), ensure_ascii=True).replace("\x7f", "\\u007f"))
        return
    lines = check.words.split("\n")
    click.echo(f"{check.level:<8}{check.about:<16} {one_line(lines[0])}")
    for line in (*lines[1:], *filter(None, [check.todo])):
        click.echo(f"{'':<24} {one_line(line)}")
