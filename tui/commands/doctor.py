"""``rollstep doctor``: what works here, what does not, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import msgspec
from rollstep.tui.doctor.check import Check
from rollstep.tui.doctor.files import check_config, check_library
from rollstep.tui.doctor.program import check_keys, check_program, check_roles
from rollstep.tui.doctor.terminal import check_terminal, this_terminal
from rollstep.tui.sanitize import one_line
from rollstep.tui.settings import config_folder

from .lists import library_path
from .progress import counted


class DoctorOptions(msgspec.Struct, frozen=True):
    """What the command line asked for."""

    library: Path | None = None
    as_json: bool = False


def run_doctor(options: DoctorOptions) -> int:
    """Print one line for each thing looked at; 1 when one of them is a problem."""
    problems = notes = 0
    for check in _checks(options):
        problems += check.level == "problem"
        notes += check.level == "note"
        _print(check, options.as_json)
    if not options.as_json:
        told = f"{counted(problems, 'problem')}, {counted(notes, 'note')}"
        click.echo(told if problems or notes else "All is well.")
    return 1 if problems else 0


def _checks(options: DoctorOptions) -> Iterator[Check]:
    sources: tuple[Iterable[Check], ...] = (
        check_program(),
        check_terminal(this_terminal()),
        check_library(library_path(options.library)),
        check_config(config_folder()),
        check_roles(),
        check_keys(),
    )
    for source in sources:
        yield from source


def _print(check: Check, as_json: bool) -> None:
    if as_json:
        # In ASCII: nothing in it acts on a terminal, and any text can be written.
        click.echo(json.dumps(check._asdict(), ensure_ascii=True).replace("\x7f", "\\u007f"))
        return
    lines = check.words.split("\n")
    click.echo(f"{check.level:<8}{check.about:<16} {one_line(lines[0])}")
    for line in (*lines[1:], *filter(None, [check.todo])):
        click.echo(f"{'':<24} {one_line(line)}")
