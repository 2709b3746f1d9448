"""Reading bundles back: see ``bundle.py`` for what stands in them.

Lines are the file's own, counted from 1 at each line feed and nowhere else, so that an error's line
is the one that an editor shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..errors import BundleError, Fault
from ..model.json_texts import is_json, no_json
from ..model.steps import Step
from .bundle import VERSION, Line, Request, join_surrogates, line_bytes
from .change import Saved
from .codec import Codec
from .old_projects import typed_breakpoints

_LINE = Codec(Line)
_BOM = b"\xef\xbb\xbf"
_CONFLICT = (b"<<<<<<<", b"=======", b">>>>>>>")


def read_bundle(
    path: Path, warnings: list[str] | None = None
) -> Iterator[tuple[Saved, dict[str, str]]]:
    """The rollouts of a bundle, each with the requests of its steps by digest.

    What can be read in spite of a fault (a file that was cut off, a field of no known name) is
    read, and told in ``warnings``; without a list to tell it in, it is an error too. Raises
    BundleError with the physical line.
    """
    return _Reader(path, warnings).read()


class _Reader:
    """Takes a file line by line and gives a rollout at each end of one."""

    def __init__(self, path: Path, warnings: list[str] | None) -> None:
        self._path = path
        self._warnings = warnings
        self._number = 0
        self._rollout: _Rollout | None = None

    def read(self) -> Iterator[tuple[Saved, dict[str, str]]]:
        known = False
        try:
            with open(self._path, "rb") as file:
                for raw in file:
                    self._number += 1
                    line = self._line(raw, known)
                    if line is None:
                        continue
                    known = True
                    if (done := self._take(line)) is not None:
                        yield done
        except OSError as error:
            raise BundleError(f"{self._path} cannot be read: {error.strerror}.") from error
        if not known:
            raise self._no_bundle()
        if self._rollout is not None and (done := self._unfinished(self._rollout)) is not None:
            yield done

    # One line

    def _line(self, raw: bytes, known: bool) -> Line | None:
        """The line, or None for one that says nothing."""
        data = raw.rstrip(b"\r\n")
        if self._number == 1:
            data = data.removeprefix(_BOM)
        if not data.strip():
            return None
        if not known:
            self._check_first(data)
        try:
            return self._parse(data)
        except BundleError as error:
            if not known or raw.endswith(b"\n"):
                raise
            self._warn(f"The last line is cut off and was left out ({error.faults[0].message})")
            return None

    def _check_first(self, data: bytes) -> None:
        try:
            first = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._no_bundle() from error
        version = first.get("rollstep_bundle") if isinstance(first, dict) else None
        if not isinstance(version, int):
            raise self._no_bundle()
        if version > VERSION:
            raise BundleError(
                f"{self._path} was made by a newer rollstep (version {version} of bundles; this "
                f"program knows up to {VERSION}). Upgrade rollstep to read it."
            )

    def _parse(self, data: bytes) -> Line:
        line = self._parse_any(data)
        if line.project is not None and (bad := no_json(line.project)):
            raise self._fault(
                f"project.{bad} is no JSON text, or none of the kind that it has to be"
            )
        for name, held in (("rollout", line.rollout), ("step", line.step)):
            if held is not None and held.extra and not is_json(held.extra, table=True):
                raise self._fault(f"{name}.extra is not the text of a JSON object")
        return line

    def _parse_any(self, data: bytes) -> Line:
        # A line as we write it needs no second look.
        try:
            line = _LINE.decode(data)
        except (ValueError, RecursionError):
            return self._parse_with_care(data)
        if not line.split_surrogates and line_bytes(line) == data:
            return line
        return self._parse_with_care(data)

    def _parse_with_care(self, data: bytes) -> Line:
        if data.startswith(_CONFLICT):
            raise self._fault("a conflict that git left here", hint="Resolve it first.")
        try:
            odd: list[str] = []
            value = json.loads(
                data.decode("utf-8"), object_pairs_hook=_no_duplicates, parse_constant=odd.append
            )
            if odd and not (isinstance(value, dict) and "score" in value):
                raise ValueError(f"{odd[0]} is no number that JSON has")
            if odd:  # only what a score counts may be one
                value = json.loads(data.decode("utf-8"))
            between = value.get("split_surrogates", "") if isinstance(value, dict) else ""
            if between and isinstance(between, str):
                text = json.dumps(value, ensure_ascii=False)
                value = json.loads(join_surrogates(text, between))
            if isinstance(value, dict):
                typed_breakpoints(value.get("project"))
            line = msgspec.convert(value, Line)
        except UnicodeDecodeError as error:
            raise self._fault("bytes that are not UTF-8", error.start + 1) from error
        except json.JSONDecodeError as error:
            raise self._fault(f"this is not JSON: {error.msg}", error.colno) from error
        except RecursionError as error:
            raise self._fault("nested too deeply") from error
        except ValueError as error:
            raise self._fault(_plain(str(error))) from error
        for name in _unknown_fields(value, line, ""):
            self._warn(f"The field {name} is not known and was left out")
        return line

    # What the lines make

    def _take(self, line: Line) -> tuple[Saved, dict[str, str]] | None:
        if line.rollout is not None:
            before = self._unfinished(self._rollout) if self._rollout is not None else None
            if not line.rollout.id:
                raise self._fault("a rollout without an id")
            if line.status is not None and not _STATUS.fullmatch(line.status):
                raise self._fault(f"a status is a word such as open, not {line.status!r}")
            self._rollout = _Rollout(line)
            return before
        if line.rollstep_bundle is not None:
            return None
        rollout = self._rollout
        if rollout is None:
            raise self._fault("this belongs to a rollout, but no rollout line comes before it")
        if line.end is not None:
            self._rollout = None
            if line.steps != len(rollout.steps):
                self._warn(
                    f"Rollout {rollout.id} should have {line.steps} steps here and has "
                    f"{len(rollout.steps)}"
                )
            return self._finish(rollout)
        problem = rollout.add(line)
        if problem:
            raise self._fault(problem)
        return None

    def _unfinished(self, rollout: _Rollout) -> tuple[Saved, dict[str, str]] | None:
        self._warn(
            f"The end of rollout {rollout.id} is missing; {len(rollout.steps)} steps were read"
        )
        if not rollout.projects or self._lacks_revision(rollout):
            self._warn(f"Rollout {rollout.id} was left out: its project is missing")
            return None
        return self._finish(rollout)

    def _finish(self, rollout: _Rollout) -> tuple[Saved, dict[str, str]]:
        if not rollout.projects:
            raise self._fault(f"rollout {rollout.id} has no project")
        if (step := self._lacks_revision(rollout)) is not None:
            raise self._fault(
                f"step {step.id} was made from revision {step.revision} of the project, counted "
                f"from 0, and there are {len(rollout.projects)}"
            )
        if rollout.renumber():
            self._warn(
                f"The steps of rollout {rollout.id} were numbered anew, in the order of the lines"
            )
        head = rollout.line.head
        if head and head not in rollout.ids:
            self._warn(f"The head {head} of rollout {rollout.id} is none of its steps")
            head = None
        return rollout.saved(head), rollout.requests

    def _lacks_revision(self, rollout: _Rollout) -> Step | None:
        known = range(len(rollout.projects))
        return next((step for step in rollout.steps if step.revision not in known), None)

    # Faults

    def _no_bundle(self) -> BundleError:
        return BundleError(
            f"{self._path} is not a rollstep bundle: its first line is not "
            '{"rollstep_bundle": …}.'
        )

    def _fault(self, message: str, column: int = 0, hint: str = "") -> BundleError:
        fault = Fault(message, self._number, column, hint=hint)
        return BundleError(source=str(self._path), faults=(fault,))

    def _warn(self, message: str) -> None:
        if self._warnings is None:
            raise self._fault(message)
        self._warnings.append(Fault(message, self._number).render(str(self._path)) + ".")


class _Rollout:
    """A rollout as far as its lines have been read."""

    def __init__(self, line: Line) -> None:
        assert line.rollout is not None
        self.line = line
        self.header = line.rollout
        self.id = line.rollout.id
        self.ids: set[str] = set()
        self.requests: dict[str, str] = {}
        self.things: dict[str, list[Any]] = {}

    @property
    def projects(self) -> list[Any]:
        return self.things.get("project", [])

    @property
    def steps(self) -> list[Step]:
        return self.things.get("step", [])

    def add(self, line: Line) -> str:
        """Take in what the line holds; what is wrong with it, or the empty string."""
        if line.step is not None:
            step = line.step
            if step.id in self.ids:
                return f"step {step.id} stands here a second time"
            if step.parent_id is not None and step.parent_id not in self.ids:
                return f"step {step.id} follows step {step.parent_id}, which is not above it"
            self.ids.add(step.id)
        for kind in _KINDS:
            value = getattr(line, kind)
            if isinstance(value, Request):
                self.requests[value.digest] = value.body
            elif value is not None:
                self.things.setdefault(kind, []).append(value)
        return ""

    def renumber(self) -> bool:
        """Number the steps in their order where they are not; whether that was needed. Two
        versions of a file that git has merged have numbers twice.
        """
        steps = self.steps
        if all(step.seq == number for number, step in enumerate(steps, 1)):
            return False
        self.things["step"] = [
            msgspec.structs.replace(step, seq=number) for number, step in enumerate(steps, 1)
        ]
        return True

    def saved(self, head: str | None) -> Saved:
        """The rollout as a library would give it."""
        parts = {kind: tuple(self.things.get(kind, ())) for kind in _KINDS}
        return Saved(
            self.header,
            parts["project"],
            parts["step"],
            parts["attempt"],
            parts["command"],
            parts["branch"],
            parts["mark"],
            parts["score"],
            head,
            self.line.status or "open",
            self.line.status_note,
            parts["silence"],
            parts["breakpoints"][-1].items if parts["breakpoints"] else None,
        )


_STATUS = re.compile("[a-z_]*")
"""Newer versions may have other words than ours, but words they are."""

_KINDS = (
    "project",
    "step",
    "attempt",
    "command",
    "branch",
    "mark",
    "score",
    "silence",
    "breakpoints",
    "request",
)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands here twice")
    return made


def _unknown_fields(given: Any, made: Any, where: str) -> Iterator[str]:
    """The keys of ``given`` that the struct made from it has no place for."""
    if isinstance(made, msgspec.Struct) and isinstance(given, dict):
        kept = set(made.__struct_encode_fields__) | {made.__struct_config__.tag_field}
        for name, value in given.items():
            if name not in kept:
                yield f"{where}{name}"
            else:
                yield from _unknown_fields(value, getattr(made, name, None), f"{where}{name}.")
    elif isinstance(made, tuple) and isinstance(given, list):
        for index, (value, part) in enumerate(zip(given, made, strict=False)):
            yield from _unknown_fields(value, part, f"{where.rstrip('.')}[{index}].")


def _plain(message: str) -> str:
    """Msgspec's words with the path as we write it."""
    return message.replace("$.", "").replace("`", "")
