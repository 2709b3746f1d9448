"""``rollstep lint``: what is odd in a rollout, by which rule, and what a human lets stand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
from rollstep.core.model.rollout import Rollout
from rollstep.core.rules.branches import leaf_named
from rollstep.core.rules.lint.linter import Flag, findings, findings_everywhere, with_silences
from rollstep.core.store.change import Saved
from rollstep.tui.sanitize import one_line
from rollstep.tui.target import OpenTarget
from rollstep.tui.targets import parse_target

from .progress import counted
from .rollouts import rollouts, step_with_seq


class LintOptions(msgspec.Struct, frozen=True):
    """What the command line asked for. ``branch`` is a name; without it, and without ``every``, it
    is the branch that was worked on last.
    """

    library: Path | None
    branch: str | None = None
    every: bool = False
    as_json: bool = False
    silenced: bool = False


class _Line(msgspec.Struct, frozen=True):
    """A flag with where it is found: ``place`` is the step's in its path, from 1."""

    flag: Flag
    link: str
    place: int


def run_lint(name: str, options: LintOptions) -> int:
    """Print the findings in a rollout, or in each one of a bundle; 1 when there are some that
    nobody has silenced. Raises RollstepError.
    """
    target = parse_target(name)
    heard = 0
    for saved in rollouts(target, options.library):
        lines = list(_lines(saved, target, options))
        heard += sum(line.flag.silence is None for line in lines)
        if options.as_json:
            for line in lines:
                if options.silenced or line.flag.silence is None:
                    click.echo(_json(line))
        else:
            _print(saved, lines, options)
    return 1 if heard else 0


def _lines(saved: Saved, target: OpenTarget, options: LintOptions) -> Iterator[_Line]:
    """The flags of the branches that were asked for; with ``ROLLOUT#20`` only those of that step,
    on whatever branch it is.
    """
    rollout = saved.tree()
    step_id = step_with_seq(saved, target.step).id if target.step is not None else None
    if options.every:
        found = findings_everywhere(rollout)
    else:
        found = findings(rollout, _leaf(rollout, saved, step_id, options))
    places = _places(rollout)
    for flag in with_silences(found, saved.silences):
        at = flag.finding.step_id
        if step_id in (None, at):
            yield _Line(flag, f"{saved.header.id}#{rollout.steps[at].seq}", places[at])


def _places(rollout: Rollout) -> dict[str | None, int]:
    """How many steps there are up to each one, itself counted."""
    places: dict[str | None, int] = {None: 0}
    for step in rollout:
        places[step.id] = places[step.parent_id] + 1
    return places


def _leaf(rollout: Rollout, saved: Saved, step_id: str | None, options: LintOptions) -> str | None:
    if options.branch is not None:
        return leaf_named(rollout, saved.branches, options.branch)
    if step_id is not None:
        return rollout.newest_leaf(step_id)
    head = saved.head or None
    known = head in rollout.steps and head not in rollout.hidden
    return rollout.newest_leaf(head if known else None)


def _json(line: _Line) -> str:
    """One object, in ASCII: nothing in it acts on a terminal, and any text can be written."""
    finding, silence = line.flag.finding, line.flag.silence
    made = {
        "link": line.link,
        "step": line.place,
        "step_id": finding.step_id,
        "rule": finding.rule,
        "words": finding.words,
        "silenced": None
        if silence is None
        else {"reason": silence.reason, "by": silence.by, "at": silence.at},
    }
    return json.dumps(made, ensure_ascii=True).replace("\x7f", "\\u007f")


def _print(saved: Saved, lines: list[_Line], options: LintOptions) -> None:
    heard = [line for line in lines if line.flag.silence is None]
    silent = len(lines) - len(heard)
    told = counted(len(heard), "flag") if heard else "no flags"
    also = f", {silent:,} silenced" if silent else ""
    click.echo(f"{one_line(saved.header.id)}  {one_line(saved.header.title)}: {told}{also}")
    for line in lines if options.silenced else heard:
        click.echo("  " + one_line(_words(line)))


def _words(line: _Line) -> str:
    finding, silence = line.flag.finding, line.flag.silence
    words = f"{line.link}  step {line.place}  {finding.rule}: {finding.words}"
    if silence is None:
        return words
    by = f" by {silence.by}" if silence.by else ""
    return f"{words}  (silenced{by}{silence.reason and ': ' + silence.reason})"
