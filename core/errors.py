"""Every error that rollstep raises on purpose, in one hierarchy.

::

    RollstepError                 what happened, where, what to do; shown to people as it is
    ├── InputError                something from outside is wrong (exit status 2)
    │   ├── ProjectFileError      a project file; carries every fault found at once
    │   ├── SeedFileError         a seed JSONL
    │   ├── BundleError           a ``*.rollstep.jsonl``
    │   ├── FormatError           a file, or a record of it, in another tool's format
    │   ├── ConfigError           a configuration file, or a variable of the environment
    │   └── ThemeError            a theme file
    ├── UsageError                the caller misused us: an unknown step, a role that is not there
    │   └── IllegalStepError      a step that the stepper's table forbids
    ├── RoleError                 a role misbehaved; becomes an Attempt, never a step
    ├── StoreError                the library could not be read or written
    │   ├── LibraryLockedError    another program holds it
    │   ├── UnreadableError       one rollout in it cannot be read; the others can
    │   ├── StoppedError          whoever asked for a long read does not want it any more
    │   ├── RevisionsMovedError   another program has added revisions of the project meanwhile
    │   └── NotSavedError         a commit failed; what was to be saved is still in memory
    └── ExportError               a trajectory cannot be written in the asked format (exit status 1)
        └── PlaceError            nothing can be written at the place that was named (exit status 2)

The exit status of all others is 2: nothing could be begun. Of NotSavedError it is 1.

The rule that two kinds stay apart: ``UsageError`` is the caller's fault, ``RoleError`` is the
peer's.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong with a file from outside.

    ``line`` and ``column`` count from 1; 0 means that no place is known. ``byte`` is an offset in
    the line, from 0, where the line is no text. ``where`` is the path inside the document
    (``tools[0].name``), ``hint`` says what to do, or is empty.
    """

    message: str
    line: int = 0
    column: int = 0
    where: str = ""
    hint: str = ""
    byte: int | None = None

    def render(self, source: str = "") -> str:
        """The fault in one line: source, place, path, cause, what to do."""
        place = f"line {self.line}" if self.line else ""
        if self.line and self.column:
            place += f", column {self.column}"
        if self.byte is not None:
            place += f"{', ' if place else ''}byte {self.byte}"
        head = ": ".join(piece for piece in (source, place, self.where) if piece)
        text = f"{head}: {self.message}" if head else self.message
        return f"{text} {self.hint}" if self.hint else text


class RollstepError(Exception):
    """Base of all. ``str(error)`` is what a person reads."""


class InputError(RollstepError):
    """Something from outside is wrong: file, line, field, cause, what to do."""

    def __init__(self, message: str = "", *, source: str = "", faults: tuple[Fault, ...] = ()):
        self.source = source
        self.faults = faults
        lines = [message] if message else []
        lines += [fault.render(source) for fault in faults]
        super().__init__("\n".join(lines))


class ProjectFileError(InputError):
    """A project file is wrong; ``faults`` holds every fault found."""


class SeedFileError(InputError):
    """A seed JSONL is missing, empty, or has rows that cannot be used."""


class BundleError(InputError):
    """A bundle cannot be read."""


class FormatError(InputError):
    """A file of another tool's, or one record of it, cannot be read as what it is."""


class ConfigError(InputError):
    """The configuration is wrong; ``faults`` holds every fault found."""


class ThemeError(InputError):
    """A theme file is wrong."""


class UsageError(RollstepError):
    """The caller asked for something that makes no sense here."""


class IllegalStepError(UsageError):
    """The stepper's table does not permit this step here."""


NOT_RECORDED = "not_recorded"
"""The kind of the RoleError of a replay that has no answer: nobody was asked, and no attempt is
kept."""


class RoleError(RollstepError):
    """A role failed. ``kind`` is one word for programs, ``detail`` (a traceback, a raw body) for
    those who press the key, ``partial`` what had arrived before it failed, ``cost`` what that
    probably cost in dollars and ``usage`` (a ``model.steps.Usage``) what it took, None where
    nothing is known of it.

    Kinds: ``raised``, ``timeout``, ``died``, ``bad_reply``, ``empty``, ``cancelled``,
    ``not_ready``, ``not_recorded``, and those of the gateway (``workers/model_errors.py``). What
    can be done about each: ``model/failures.py``.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "raised",
        detail: str = "",
        partial: str = "",
        cost: float | None = None,
        usage: Any = None,
    ):
        super().__init__(message)
        self.kind = kind
        self.detail = detail
        self.partial = partial
        self.cost = cost
        self.usage = usage


class StoreError(RollstepError):
    """The library could not be read or written."""


class UnreadableError(StoreError):
    """One rollout cannot be read; ``why`` says what is wrong with it, without where it stands."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


class LibraryLockedError(StoreError):
    """Another program holds the library's lock for too long."""


class StoppedError(StoreError):
    """A long read was ended because nobody wants it any more: there is nothing to be told."""


class RevisionsMovedError(StoreError):
    """Others have added revisions of the project to a rollout where ours were to stand."""


class NotSavedError(StoreError):
    """A commit failed. Nothing that was acknowledged before is lost; what failed is in memory."""


class ExportError(RollstepError):
    """The trajectory cannot be written in this format: record, message, field, rule."""


class PlaceError(ExportError):
    """Nothing can be written at the place that was named: something stands there, or its folder
    is not there or closed to us. Nothing was begun.
    """
