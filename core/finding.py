"""From the name that a person has to the rollout that it means."""

from __future__ import annotations

from .errors import InputError
from .formats.ids import project_id
from .store.library import Library

_MADE = "proj-"
"""How ``formats/ids.py`` begins the session ids that it makes."""


def find_rollout(library: Library, name: str) -> str:
    """The id of the one rollout whose id begins so, or whose turn records have this session_id.

    Raises InputError when there is none, or more than one, and names them.
    """
    try:
        return library.find(name)
    except InputError as error:
        found = library.where(
            lambda header, project: project_id(project, header.seed, header.record or 0) == name
        )
        if not found:
            raise (_of_other_records(library, name) if name.startswith(_MADE) else error) from None
    if len(found) == 1:
        return found[0].id
    lines = [f"{len(found)} rollouts have turn records of the session {name}, the newest first:"]
    lines += [f"  {header.id}  {header.title}" for header in found]
    raise InputError("\n".join(lines))


def _of_other_records(library: Library, name: str) -> InputError:
    return InputError(
        f"No rollout {name} in the library {library.path}. This is the session_id of turn records, "
        "and no rollout here wrote them: name the library of that run with --library. A run keeps "
        "its rollouts only where it was given one."
    )
