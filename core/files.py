"""Writing files so that they are whole or not there: a temporary file beside the target, synced,
then renamed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from .errors import ExportError, PlaceError
from .temporaries import clear_stale, temporary_file


def expanded(path: Path | str) -> Path:
    """With ~ as the user's home; what no user is called stays as it is, as in a shell."""
    return Path(os.path.expanduser(path))


def write_whole(path: Path, data: bytes | Iterable[bytes], *, force: bool = False) -> None:
    """Write ``data``, in one piece or in many, to ``path``, all of it or nothing. A file that is
    there already is left alone and an error without ``force``. Raises ExportError.
    """
    target = path.resolve() if path.is_symlink() else path
    if target.is_dir():
        raise PlaceError(f"{path} is a folder. Name a file in it.")
    if not force:
        must_be_free(path)
    try:
        temporary = _write_beside(target, data)
    except OSError as error:
        raise write_error(path, error) from error
    try:
        put_in_place(temporary, target, force)
        sync_folder(target.parent)
    except FileExistsError as error:
        raise ExportError(
            f"{path} was made by another program meanwhile. Nothing was written."
        ) from error
    except OSError as error:
        raise write_error(path, error) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def must_be_free(path: Path) -> None:
    """Raise ExportError where something stands at this path."""
    if os.path.lexists(path.resolve() if path.is_symlink() else path):
        raise PlaceError(
            f"{path} is there already. Nothing was written; give --force to replace it."
        )


def _write_beside(target: Path, data: bytes | Iterable[bytes]) -> str:
    clear_stale(target.parent)
    handle, temporary = temporary_file(target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def put_in_place(temporary: str, target: Path, force: bool) -> None:
    """Give a finished file its name. Raises FileExistsError where one has it, without ``force``."""
    if force:
        os.replace(temporary, target)
        return
    try:
        os.link(temporary, target)  # fails where the file exists, unlike a rename
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if os.path.lexists(target):
            raise FileExistsError from None
        os.replace(temporary, target)


def sync_folder(folder: Path) -> None:
    """Have the disk know which files the folder holds."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_NO_PLACE = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)
"""What the system says of a place where nothing can be written at all."""


def write_error(path: Path, error: OSError) -> ExportError:
    """What the system says of writing there as our own error."""
    kind = PlaceError if isinstance(error, _NO_PLACE) else ExportError
    return kind(write_words(path, error))


def write_words(path: Path, error: OSError) -> str:
    """Why nothing could be written there."""
    if isinstance(error, FileNotFoundError):
        return f"{path}: the folder {path.parent} does not exist. Make it, or name another place."
    return f"{path} cannot be written: {error.strerror}. Nothing was written."
