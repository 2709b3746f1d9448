"""Appending JSON lines to a file so that no line is ever glued to, or cut by, another."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import ExportError, PlaceError

_FLUSH_AT = 1 << 18


class Appender:
    """Appends whole lines to a file, which is made (with its folders) by the first of them.

    A last line that another program left unfinished gets its line end first. Lines wait in memory
    until there are many, or until ``flush``; a write that fails is taken back, so that the file
    ends with a whole line. Raises ExportError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mended = False
        """Whether the file ended in the middle of a line."""
        self._handle = -1
        self._waiting: list[bytes] = []
        self._size = 0

    def write(self, lines: bytes) -> None:
        """Add whole lines, their line ends included."""
        if self._handle < 0:
            self._open()
        self._waiting.append(lines)
        self._size += len(lines)
        if self._size >= _FLUSH_AT:
            self.flush()

    def flush(self) -> None:
        """Hand everything to the system."""
        data = b"".join(self._waiting)
        self._waiting, self._size = [], 0
        if not data:
            return
        before = os.fstat(self._handle).st_size
        written = 0
        try:
            while written < len(data):
                written += os.write(self._handle, data[written:])
        except OSError as error:
            self._take_back(before, written)
            raise ExportError(
                f"{self.path} cannot be written: {error.strerror}. It ends with the last whole "
                "line before that."
            ) from error

    def close(self) -> None:
        """Flush, and wait until it is on the disk. Closing again does nothing."""
        if self._handle < 0:
            return
        handle = self._handle
        try:
            self.flush()
            os.fsync(handle)
        finally:
            self._handle = -1
            os.close(handle)

    def _open(self) -> None:
        path = self.path
        try:
            make_folder(path.parent)
            self._handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            self._mend()
        except OSError as error:
            raise PlaceError(f"{path} cannot be written: {error.strerror}.") from error

    def _mend(self) -> None:
        size = os.fstat(self._handle).st_size
        if size and os.pread(self._handle, 1, size - 1) != b"\n":
            self.mended = True
            os.write(self._handle, b"\n")

    def _take_back(self, before: int, written: int) -> None:
        """Undo a part of a write, unless another program has written meanwhile."""
        if written and os.fstat(self._handle).st_size == before + written:
            os.ftruncate(self._handle, before)


class Rewriter(Appender):
    """Writes lines again that a run had written from the byte ``start`` on, before it was ended.

    As long as they are equal to those that stand there, the file stays as it is. At the first that
    differs (the last was cut off, or a line comes in between) the file is cut, and the rest is
    appended. Raises ExportError.
    """

    def __init__(self, path: Path, start: int) -> None:
        super().__init__(path)
        self._at = start
        self._comparing = True

    def write(self, lines: bytes) -> None:
        """Add whole lines, their line ends included."""
        if self._comparing:
            if self._handle < 0:
                self._open()
            if os.pread(self._handle, len(lines), self._at) == lines:
                self._at += len(lines)
                return
            self._cut()
        super().write(lines)

    def end(self) -> None:
        """All lines were written again: what stands behind them was the run's, and is no more.
        A file of which nothing is left goes away.
        """
        if self._comparing and self.path.exists():
            if self._handle < 0:
                self._open()
            self._cut()
            if not self._at:
                self.path.unlink()

    def _cut(self) -> None:
        self._comparing = False
        if os.fstat(self._handle).st_size > self._at:
            os.ftruncate(self._handle, self._at)

    def _mend(self) -> None:
        """A last line without its end is this run's own, unless it stood there before the run."""
        if os.fstat(self._handle).st_size == self._at - 1:
            os.write(self._handle, b"\n")


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, for their owner only (``mkdir`` would make the ones above
    as the system's usual permissions say).
    """
    for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
