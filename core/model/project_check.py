"""Whether a project that was made in code, not read from a file, holds only what a project may."""

from __future__ import annotations

import msgspec

from ..errors import UsageError
from .project import Project


def check_project(project: Project) -> None:
    """Raise UsageError, with the field, for a value of a wrong type or out of bounds: structs do
    not look at what they are made of, and such a project could be saved but never read again.
    """
    try:
        same = msgspec.convert(msgspec.to_builtins(project), Project) == project
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise UsageError(f"The project {project.title!r} cannot be played: {error}.") from error
    if not same:  # a list where a tuple belongs, say
        raise UsageError(
            f"The project {project.title!r} cannot be played: it holds values that can be changed. "
            "Give tuples for its lists."
        )
