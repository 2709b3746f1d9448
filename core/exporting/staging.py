"""Files that appear whole or not at all, one or several together: they are written under names of
their own beside the target, and take its place when all of them are done.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from ..errors import ExportError, PlaceError
from ..files import must_be_free, put_in_place, sync_folder, write_error
from ..temporaries import clear_stale, temporary_file, temporary_folder


class Staging:
    """Used as a context: what ``commit`` did not put in place is deleted at its end.

    ``folder`` is a target that is a folder; without it each file that is opened is a target.
    """

    def __init__(self, *, force: bool = False, folder: Path | None = None) -> None:
        self._force = force
        self.folder = folder
        self._made: Path | None = None
        self._files: dict[Path, tuple[str, BinaryIO | None]] = {}
        self._removed: list[Path] = []
        self._clean: set[Path] = set()

    def __enter__(self) -> Staging:
        if self.folder is not None:
            self.folder = self.folder.resolve()
            self._check_folder(self.folder)
            with in_words(self.folder):
                self._made = Path(temporary_folder(self._cleared(self.folder.parent)))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for temporary, file in self._files.values():
            if file is not None:
                with contextlib.suppress(OSError):  # of a full disk somebody else has told
                    file.close()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    def open(self, path: Path) -> BinaryIO:
        """A file to write to, which will stand at ``path``. Raises ExportError."""
        target = path.resolve() if path.is_symlink() else path
        if self._made is not None:
            assert self.folder is not None
            target = self._made / path.name
            # Closed by ``commit``, or at the end.
            file: BinaryIO = open(target, "wb", opener=_private)  # noqa: SIM115
            self._files[target] = (str(target), file)
            return file
        if target.is_dir():
            raise PlaceError(f"{path} is a folder. Name a file in it.")
        if not self._force:
            must_be_free(path)
        with in_words(path):
            handle, temporary = temporary_file(self._cleared(target.parent))
        file = os.fdopen(handle, "wb")
        self._files[target] = (temporary, file)
        return file

    def _cleared(self, folder: Path) -> Path:
        """A folder, without what exports that were killed have left in it."""
        if folder not in self._clean:
            clear_stale(folder)
            self._clean.add(folder)
        return folder

    def free_name(self, stem: str, suffix: str) -> str:
        """A name that no file of the folder has yet: this one, or one with a number."""
        assert self._made is not None
        name, number = stem + suffix, 2
        while (self._made / name).exists():
            name = f"{stem}-{number}{suffix}"
            number += 1
        return name

    def done(self, file: BinaryIO) -> None:
        """Nothing more is written to this file; it is on the disk then."""
        for target, (temporary, open_file) in self._files.items():
            if open_file is file:
                with in_words(target):
                    _sync(file)
                if self._made is None:
                    self._files[target] = (temporary, None)
                else:  # the folder holds it: one of thousands need not be remembered
                    del self._files[target]
                return

    def drop(self, file: BinaryIO) -> None:
        """Nothing is to stand in the place of this file, not even what stands there now."""
        for target, (temporary, open_file) in list(self._files.items()):
            if open_file is file:
                file.close()
                os.unlink(temporary)
                del self._files[target]
                self._removed.append(self.folder / target.name if self.folder else target)

    def remove(self, path: Path) -> None:
        """Delete this file, if it is there, when the others are put in place."""
        self._removed.append(path)

    def commit(self) -> None:
        """Put everything in place. Raises ExportError; what is in place by then is whole."""
        for target, (temporary, file) in list(self._files.items()):
            if file is not None:
                with in_words(target):
                    _sync(file)
                self._files[target] = (temporary, None)
        if self._made is not None:
            assert self.folder is not None
            with in_words(self.folder):
                self._commit_folder(self._made, self.folder)
            self._files.clear()
            self._unlink_removed()
            return
        for target, (temporary, _) in list(self._files.items()):
            with in_words(target):
                put_in_place(temporary, target, self._force)
                sync_folder(target.parent)
        self._unlink_removed()

    def _unlink_removed(self) -> None:
        for path in self._removed:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def _check_folder(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise PlaceError(f"{folder} is a file. Name a folder, or another place.")
        if folder.is_dir() and not self._force and any(folder.iterdir()):
            raise PlaceError(
                f"{folder} is there already and not empty. Nothing was written; give --force to "
                "replace what it holds of the same names."
            )

    def _commit_folder(self, made: Path, folder: Path) -> None:
        sync_folder(made)
        if not folder.exists():
            os.rename(made, folder)
            sync_folder(folder.parent)
            return
        for path in sorted(made.iterdir()):
            put_in_place(str(path), folder / path.name, self._force)
        sync_folder(folder)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
    file.close()


@contextlib.contextmanager
def in_words(path: Path) -> Iterator[None]:
    """What the system says of this path, or of the disk, as an ExportError."""
    try:
        yield
    except FileExistsError as error:
        raise ExportError(
            f"{path} was made by another program meanwhile. Nothing was written."
        ) from error
    except OSError as error:
        raise write_error(path, error) from error
