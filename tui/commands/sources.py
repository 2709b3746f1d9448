"""Which rollout, and which of its branches, an argument of the command line names.

``ROLLOUT`` is the id of a rollout in the library, the beginning of it, or the session_id of its
turn records; or a bundle's file. ``@NAME`` or ``@2`` behind it is one of its branches, as the
screen calls it, ``#20`` the branch that goes through step 20.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rollstep.core.errors import InputError
from rollstep.core.rules.branches import leaf_named
from rollstep.core.session import Session
from rollstep.core.store.change import Saved
from rollstep.tui.comparing.subjects import Subject, subject
from rollstep.tui.target import OpenTarget
from rollstep.tui.targets import parse_target

from .rollouts import rollouts, step_with_seq


def source(text: str, library: Path | None) -> Subject:
    """The branch that the text names. Raises RollstepError."""
    problem: InputError | None = None
    for name, branch in readings(text):
        try:
            saved, target = _saved(name, library)
        except InputError as error:
            problem = error  # in the end that of the shortest name, which says best what is missing
            continue
        return _subject(saved, target, branch)
    assert problem is not None
    raise problem


def _saved(name: str, library: Path | None) -> tuple[Saved, OpenTarget]:
    target = parse_target(name)
    found = list(rollouts(target, library))
    if len(found) != 1:
        lines = [f"  {saved.header.id}  {saved.header.title}" for saved in found]
        raise InputError(
            f"{name}: it holds {len(found)} rollouts. Open it once, then name one of them in the "
            "library:\n" + "\n".join(lines)
        )
    return found[0], target


def readings(text: str) -> Iterator[tuple[str, str]]:
    """Ways to read the text as a name and a branch, the longest name first: names may hold an @."""
    yield text, ""
    at = text.rfind("@")
    while at > 0:
        yield text[:at], text[at + 1 :]
        at = text.rfind("@", 0, at)


def _subject(saved: Saved, target: OpenTarget, branch: str) -> Subject:
    session = Session.reopen(saved)
    leaf = session.rollout.newest_leaf(session.head)
    if branch:
        leaf = leaf_named(session.rollout, session.branches, branch)
    elif target.step is not None:
        leaf = session.rollout.newest_leaf(step_with_seq(saved, target.step).id)
    found = subject(session.rollout, leaf, session.branches)
    header = session.rollout.header
    return found._replace(label=f"{header.id}  {header.title}, {found.branch}")
