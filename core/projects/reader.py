"""Project files (YAML) to projects. Every fault is found and reported at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import Fault, ProjectFileError
from ..model.project import Project
from .checker import WRONG, Checker, describe, is_null
from .shapes import StructShape
from .yaml_errors import NotYaml
from .yaml_nodes import Mapping, compose, decode

MAX_BYTES = 64 * 1024 * 1024

_ROLES_ONLY = {"title": ""}


def read_project(path: Path) -> Project:
    """The project in a file. Raises ProjectFileError with every fault of the file."""
    return parse_project(_read(path), str(path))


def parse_project(text_or_bytes: str | bytes, source: str = "") -> Project:
    """The project in a YAML text; ``source`` names it in errors. Raises ProjectFileError."""
    return _parse(text_or_bytes, source, {})


def read_roles(path: Path) -> Project:
    """The roles, tools and rules in a project file that may leave out title, goal and opening: for
    projects that come from elsewhere (seed rows). Raises ProjectFileError.
    """
    return parse_roles(_read(path), str(path))


def parse_roles(text_or_bytes: str | bytes, source: str = "") -> Project:
    """Like ``read_roles``, from a text."""
    return _parse(text_or_bytes, source, _ROLES_ONLY)


def _read(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except IsADirectoryError:
        raise _unreadable(path, "a folder, not a project file.") from None
    except FileNotFoundError:
        raise _unreadable(path, "there is no such file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _unreadable(path, f"cannot be read: {reason}.") from error
    if len(data) > MAX_BYTES:
        raise _unreadable(path, f"larger than {MAX_BYTES // 1024**2} MB; not a project file.")
    return data


def _unreadable(path: Path, message: str) -> ProjectFileError:
    return ProjectFileError(source=str(path), faults=(Fault(message),))


def _parse(text_or_bytes: str | bytes, source: str, lenient: dict[str, Any]) -> Project:
    faults: list[Fault] = []
    project: Any = WRONG
    try:
        text = decode(text_or_bytes) if isinstance(text_or_bytes, bytes) else text_or_bytes
        project = _project(text, faults, lenient)
    except NotYaml as error:
        faults.append(error.fault)
    if faults:
        ordered = sorted(dict.fromkeys(faults), key=lambda fault: (fault.line, fault.column))
        raise ProjectFileError(source=source, faults=tuple(ordered))
    assert isinstance(project, Project)
    return project


def _project(text: str, faults: list[Fault], lenient: dict[str, Any]) -> Any:
    node = compose(text, faults)
    needs = "A project is a mapping that has title, target and evaluator."
    if node is None or is_null(node):
        faults.append(Fault("the file is empty.", hint=needs))
        return WRONG
    if not isinstance(node, Mapping):
        message = f"expected a mapping, found {describe(node)}."
        faults.append(Fault(message, node.line, node.column, hint=needs))
        return WRONG
    checker = Checker(faults, lenient)
    project = checker.convert(node, StructShape(Project), "")
    checker.ledger.close()
    return project
