"""What is packed, or comes through a pipe, as a copy on the disk: memory stays flat. A few bytes
that unpack to very many are refused, and the disk is not filled: a copy ends before that.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any

from ...errors import FormatError
from ...temporaries import clear_stale, temporary_file

_CHUNK = 1 << 20
_LOOK = 1 << 26
"""After so many bytes it is looked how much room there is."""
ROOM = 1 << 28
"""Bytes of the disk that are left free."""
DENSE = 200
"""So many times its own size a file of logs does not unpack to; gzip's most is a thousand."""
DENSE_FROM = 1 << 30
"""Up to so many bytes nobody minds."""


@contextmanager
def copied(path: Path, stream: IO[bytes] | Any, packed: int | None) -> Iterator[Path]:
    """A copy of the stream, which goes away at the end, however that comes. ``packed`` is the size
    of the gzip file at ``path`` that the stream unpacks, None where nothing is packed.

    Raises FormatError for a file that is broken or unpacks to more than a log can, and where the
    disk has no room for the copy.
    """
    folder = _folder()
    handle, name = temporary_file(folder)
    try:
        with os.fdopen(handle, "wb") as copy:
            try:
                _copy(path, stream, copy, packed, folder)
                copy.flush()
            except (EOFError, zlib.error) as error:
                raise FormatError(f"{path}: a gzip file that is cut off or broken.") from error
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                raise _no_room(path, copy.tell(), folder) from error
        yield Path(name)
    finally:
        os.unlink(name)  # what is open stays readable


def _copy(path: Path, stream: Any, copy: IO[bytes], packed: int | None, folder: Path) -> None:
    done, look = 0, _LOOK
    while data := stream.read(_CHUNK):
        done += len(data)
        if packed is not None and done > DENSE_FROM and done > DENSE * packed:
            raise FormatError(
                f"{path}: a gzip file of {packed:,} bytes that unpacks to more than {DENSE} times "
                f"as much ({done:,} bytes so far), as no log does. Where it is one, unpack it "
                "first (gunzip), and name the file that comes of it."
            )
        copy.write(data)
        if done >= look:
            look = done + _LOOK
            if shutil.disk_usage(folder).free < ROOM:
                raise _no_room(path, done, folder)


def _no_room(path: Path, done: int, folder: Path) -> FormatError:
    return FormatError(
        f"{path}: it is more than {done:,} bytes long, and {folder} has no room for a copy of it. "
        "Unpack it to a file where there is room, or name another folder in TMPDIR."
    )


def _folder() -> Path:
    folder = Path(tempfile.gettempdir())
    _clear_once(folder)
    return folder


@cache
def _clear_once(folder: Path) -> None:
    clear_stale(folder)
