"""What the export dialog is given, asks for, and hands back. Plain data; imports no Textual."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

Scope = Literal["branch", "here"]


@dataclass(frozen=True)
class ExportFormat:
    """A format as the list shows it. ``whole`` formats take the whole rollout, whatever the
    scope.
    """

    name: str
    suffix: str
    what: str
    whole: bool = False


@dataclass(frozen=True)
class ExportChoice:
    """What is to be written, and where. ``overwrite`` is true only after the human said so."""

    format: str
    scope: Scope
    path: str
    overwrite: bool = False


@dataclass(frozen=True)
class ExportReport:
    """What the format cannot hold of this scope, a line for each; ``refused`` when it cannot be
    written at all.
    """

    lines: tuple[str, ...]
    refused: bool = False


@dataclass(frozen=True)
class ExportDone:
    """It was written; ``words`` say what and where."""

    choice: ExportChoice
    words: str


@dataclass(frozen=True)
class ExportRequest:
    """``branch_steps`` counts the branch's steps, ``here_steps`` those up to the cursor. ``report``
    looks at a format and scope; ``write`` writes and returns words, or raises a RollstepError or
    OSError, which the dialog shows.
    """

    title: str
    formats: tuple[ExportFormat, ...]
    branch_steps: int
    here_steps: int
    report: Callable[[str, Scope], Awaitable[ExportReport]]
    write: Callable[[ExportChoice], Awaitable[str]]
    folder: str = "."
    stem: str = "rollout"
    format: str = ""

    def start_format(self) -> ExportFormat:
        """The format that the dialog opens with."""
        return next((fmt for fmt in self.formats if fmt.name == self.format), self.formats[0])


def free_path(folder: str, stem: str, suffix: str) -> str:
    """A path that nothing has yet: ``stem``, else ``stem-2`` and so on."""
    path = os.path.join(folder, stem + suffix)
    number = 2
    while os.path.lexists(path):
        path = os.path.join(folder, f"{stem}-{number}{suffix}")
        number += 1
    return path


def with_suffix(path: str, old: str, new: str) -> str:
    """The path for another format: its suffix changed if it has the old one, else as it is."""
    return path[: len(path) - len(old)] + new if old and path.endswith(old) else path


def file_stem(title: str) -> str:
    """A file name from a title: letters and digits of any script, the rest as dashes."""
    words = "".join(char if char.isalnum() else "-" for char in title.casefold())
    joined = "-".join(piece for piece in words.split("-") if piece)
    return joined[:60].rstrip("-") or "rollout"
