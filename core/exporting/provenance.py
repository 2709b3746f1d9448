"""What stands beside an export, as ``NAME.provenance.jsonl``: one line for each row of it, which
says of each message who made it, what it replaced, from which step it comes, and what humans and
the linter said of that step.

Most formats have no place for this, and a row of training data must not be taken for untouched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..formats.subject import Subject
from ..formats.table import Format
from ..model.marks import Mark, Silence
from ..model.messages import Stop
from ..model.rollout import Rollout
from ..model.steps import Step
from ..rules.ledger import Ledger, LedgerEntry
from ..rules.lint.linter import Flag, findings_with_silences
from ..store.change import Saved
from .seen import Told

VERSION = 2
"""The version of the lines' shape. Version 1 was one JSON document."""

SUFFIX = ".provenance.jsonl"

Json = dict[str, Any]


def has_provenance(fmt: Format) -> bool:
    """Whether a file is written beside this format's: where trainers read it, and where it has no
    place for edits of its own.
    """
    if fmt.whole or fmt.name in ("project", "seed"):
        return False
    return fmt.training or "edits" not in fmt.holds


def provenance_path(path: Path) -> Path:
    """Where the provenance of an export stands."""
    return path.with_name(f"{path.name}{SUFFIX}")


class Provenance:
    """What there is to say of one rollout's steps."""

    def __init__(self, saved: Saved, rollout: Rollout) -> None:
        self._saved = saved
        self._rollout = rollout
        self._ledger = Ledger(rollout, saved.commands)
        self._marks: dict[str, list[Mark]] = {}
        for mark in saved.marks:
            self._marks.setdefault(mark.step_id, []).append(mark)

    def of(
        self, subject: Subject, places: Sequence[Told] = (), context: Json | None = None
    ) -> PathProvenance:
        """That of one trajectory. ``places`` are the numbers of its steps that each of the written
        steps tells of, where those are others; ``context`` goes into each line.
        """
        steps = subject.trajectory.steps
        last = steps[-1].id if steps else None
        flags: dict[str, list[Flag]] = {}
        for flag in findings_with_silences(self._rollout, last, self._saved.silences):
            flags.setdefault(flag.finding.step_id, []).append(flag)
        edits = {entry.step_id: entry for entry in self._ledger.on_path(steps)}
        said = [
            self._message(step, number, edits, flags.get(step.id, ()))
            for number, step in enumerate(steps, 1)
        ]
        head = self._head(subject, context or {})
        stop = bool(steps) and isinstance(steps[-1].payload, Stop)
        return PathProvenance(head, said, places, stop, len(edits), sum(map(len, flags.values())))

    def _head(self, subject: Subject, context: Json) -> Json:
        header = self._saved.header
        steps = subject.trajectory.steps
        names = {branch.leaf_id: branch.name for branch in self._saved.branches}
        head: Json = {"rollout": header.id, "title": header.title}
        if header.source:
            head["source"] = header.source
        if header.record is not None:
            head["record"] = header.record
        if header.format:
            head["format"] = header.format
        if steps:
            leaf = steps[-1]
            head["branch"] = _given(
                id=leaf.id,
                seq=leaf.seq,
                name=names.get(leaf.id, ""),
                marks=list(map(_mark, self._marks.get(leaf.id, ()))),
            )
        if subject.options.renames:
            head["renames"] = dict(subject.options.renames)
        return head | context

    def _message(
        self, step: Step, number: int, edits: dict[str, LedgerEntry], flags: Iterable[Flag]
    ) -> Json:
        made = self._rollout.original(step)
        said = _given(
            step=number,
            id=step.id,
            seq=step.seq,
            role=step.role,
            origin=step.origin,
            author=step.author,
            model=made.call.model if made.call is not None else "",
            at=step.created_at,
            reason=step.reason,
            injected=step.injected,
            late=step.late,
            copied_from=_step(made) if made is not step else None,
            marks=list(map(_mark, self._marks.get(step.id, ()))),
            flags=list(map(_flag, flags)),
        )
        entry = edits.get(made.id)
        if entry is not None:
            said["edit"] = _given(kind=entry.kind, author=entry.author, reason=entry.reason)
            original = self._rollout.steps.get(entry.original_id or "")
            if original is not None:
                said["replaces"] = _step(original) | {
                    "payload": msgspec.to_builtins(original.payload)
                }
        return said


class PathProvenance:
    """The lines of one trajectory. ``edits`` and ``flags`` count what they tell of."""

    def __init__(
        self,
        head: Json,
        said: Iterable[Json],
        places: Sequence[Told],
        stop: bool,
        edits: int,
        flags: int,
    ) -> None:
        self.edits = edits
        self.flags = flags
        # A message is told of in as many rows as it stands in: it is encoded once.
        steps = list(map(_text, said))
        self._end = f', "stop": {steps[-1]}' if stop and not places else ""
        self._said = [_PROJECT, *([_telling(told, steps) for told in places] or steps)]
        self._head = _text(head)[1:-1]

    def line(self, row: int, steps: Iterable[int] | None = None, **more: Any) -> bytes:
        """The line of a row, by its number from 1 and the step numbers of its messages; without
        them the messages are all steps.
        """
        numbers = range(1, len(self._said)) if steps is None else tuple(steps)
        end = "" if steps is None else f"{self._others(numbers)}{self._end}"
        head = _text({"rollstep_provenance": VERSION, "row": row} | more)[:-1]
        text = f'{head}, {self._head}, "messages": [{self._list(numbers)}]{end}}}\n'
        return text.encode("ascii")

    def _others(self, numbers: Sequence[int]) -> str:
        """The steps between those of the messages that have no message of their own: formats put
        results together, and leave calls out.
        """
        there = set(numbers)
        first = min(filter(None, there), default=0)
        between = [n for n in range(first, max(there, default=0)) if n not in there]
        return f', "others": [{self._list(between)}]' if first and between else ""

    def _list(self, numbers: Iterable[int]) -> str:
        return ", ".join([self._said[number] for number in numbers])


_PROJECT = '{"step": 0, "origin": "project"}'
"""A message that is of no step: the project's system text, or words of ours."""


def _telling(told: Told, steps: Sequence[str]) -> str:
    """A message that tells of several steps, as a role is told of what others said."""
    if len(told) == 1:
        return steps[told[0] - 1]
    tells = ", ".join(steps[number - 1] for number in told)
    return f'{{"step": 0, "origin": "project", "tells": [{tells}]}}' if told else _PROJECT


def _text(value: Json) -> str:
    # Escapes, because lone surrogates are legal in our texts and nowhere else.
    return json.dumps(value, ensure_ascii=True)


def _given(**fields: Any) -> Json:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value}


def _step(step: Step) -> Json:
    return _given(
        id=step.id,
        seq=step.seq,
        origin=step.origin,
        author=step.author,
        model=step.call.model if step.call is not None else "",
        at=step.created_at,
    )


def _mark(mark: Mark) -> Json:
    return _without(msgspec.to_builtins(mark), "step_id")


def _flag(flag: Flag) -> Json:
    silence = _silence(flag.silence) if flag.silence is not None else None
    return {"rule": flag.finding.rule, "words": flag.finding.words, "silence": silence}


def _silence(silence: Silence) -> Json:
    return _without(msgspec.to_builtins(silence), "step_id", "rule")


def _without(value: Json, *names: str) -> Json:
    return {name: each for name, each in value.items() if name not in names}
