"""What the export dialog is given, asks for, and hands back. Plain data; imports no Textual."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

Values = Mapping[str, str]
"""What is chosen, by the name of the option."""


@dataclass(frozen=True)
class ExportOption:
    """Something to choose: ``values`` are pairs of a value and its words, the first one is what
    nobody has to choose.
    """

    name: str
    label: str
    values: tuple[tuple[str, str], ...]

    def words(self, value: str) -> str:
        """The words for a value."""
        return dict(self.values).get(value, value)


@dataclass(frozen=True)
class ExportFormat:
    """A format as the list shows it. ``options`` names those that make a difference to it.
    ``document``: each trajectory is a file of its own, so that several go into a folder.
    """

    name: str
    suffix: str
    what: str
    options: tuple[str, ...] = ()
    document: bool = False


@dataclass(frozen=True)
class ExportChoice:
    """What is to be written, and where. ``overwrite`` is true only after the human said so."""

    format: str
    path: str
    values: Values = field(default_factory=dict)
    overwrite: bool = False


@dataclass(frozen=True)
class ExportReport:
    """What the format makes of the choice, a line for each thing that is lost, written otherwise or
    found; ``refused`` when nothing can be written at all. ``warn`` are lines that people must see.
    """

    lines: tuple[str, ...]
    refused: bool = False
    warn: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportDone:
    """It was written; ``words`` say what and where."""

    choice: ExportChoice
    words: str


@dataclass(frozen=True)
class ExportRequest:
    """``report`` looks at a format and what is chosen; ``write`` writes and returns words, or
    raises a RollstepError or OSError, which the dialog shows. ``folders`` are the choices with
    which a format of documents makes a folder. Of what takes long ``progress`` says how far it is,
    and ``cancel`` ends the writing, which then fails with words and has changed nothing.
    """

    title: str
    formats: tuple[ExportFormat, ...]
    options: tuple[ExportOption, ...]
    report: Callable[[str, Values], Awaitable[ExportReport]]
    write: Callable[[ExportChoice], Awaitable[str]]
    folder: str = "."
    stem: str = "rollout"
    format: str = ""
    folders: frozenset[tuple[str, str]] = frozenset()
    progress: Callable[[], str] | None = None
    cancel: Callable[[], None] | None = None

    def start_format(self) -> ExportFormat:
        """The format that the dialog opens with."""
        return next((fmt for fmt in self.formats if fmt.name == self.format), self.formats[0])

    def suffix(self, fmt: ExportFormat, values: Values) -> str:
        """How the path of this choice ends; a folder's has no suffix."""
        if fmt.document and not self.folders.isdisjoint(values.items()):
            return ""
        return fmt.suffix

    def asked(self, fmt: ExportFormat, values: Values) -> dict[str, str]:
        """What is chosen of the options that this format has; the first value where nothing is."""
        first = {option.name: option.values[0][0] for option in self.options}
        return {name: values.get(name, first[name]) for name in fmt.options if name in first}


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
    if old:
        return path[: len(path) - len(old)] + new if path.endswith(old) else path
    return path + new if not os.path.splitext(path)[1] else path


def file_stem(title: str) -> str:
    """A file name from a title: letters and digits of any script, the rest as dashes."""
    words = "".join(char if char.isalnum() else "-" for char in title.casefold())
    joined = "-".join(piece for piece in words.split("-") if piece)
    return joined[:60].rstrip("-") or "rollout"
