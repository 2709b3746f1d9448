"""Steps that the library could not take, put into a file of their own before they would be lost."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.errors import ExportError, StoreError
from rollstep.core.ids import random_rollout_id

from .settings import data_folder

if TYPE_CHECKING:
    from rollstep.core.session import Session
    from rollstep.core.store.library import Library


def rescue(session: Session | None, library: Library | None) -> str:
    """Save what waits, if need be as a bundle elsewhere; what to tell, or the empty string when all
    is in the library.
    """
    if session is None or not session.unsaved or session.save_again():
        return ""
    waiting = session.unsaved
    lost = f"{waiting} step{'s and edits' if waiting > 1 else ' or edit'} could not be saved in "
    lost += f"the library{f' {library.path}' if library is not None else ''}"
    path = save_elsewhere(session, library)
    if path is not None:
        return f"{lost}. The whole rollout is in {path}: rollstep open takes it in."
    return f"{lost}, nor anywhere else, and are lost."


def save_elsewhere(session: Session, library: Library | None) -> Path | None:
    """The whole rollout as a bundle in the first place that takes it; None where none does."""
    places = _places(session.rollout.header.id)
    return next((path for path in places if _written(session, library, path)), None)


def _places(rollout_id: str) -> Iterator[Path]:
    stem = "".join(char for char in rollout_id if char.isascii() and char.isalnum())[:40]
    name = f"{stem or 'rollout'}-{random_rollout_id()}.rollstep.jsonl"
    yield data_folder() / "rescued" / name
    yield Path.cwd() / name
    yield Path(tempfile.gettempdir()) / name


def _written(session: Session, library: Library | None, path: Path) -> bool:
    from rollstep.core.store.bundle import write_bundle

    def request(digest: str) -> str | None:
        try:
            return library.request(digest) if library is not None else None
        except StoreError:
            return None

    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_bundle([session.saved()], path, requests=request)
    except (ExportError, OSError):
        return False
    return True
