"""Packed files: what is larger than a log can be, or than the disk has room for, is refused in
words, and no copy of anything is left, whatever happens.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rollstep.core.errors import FormatError
from rollstep.core.formats.reading import copying, unzip
from rollstep.core.formats.reading.opening import open_container

ROWS = b'{"a": 1}\n' * 2_000_000
"""18 MB that pack to 700 times less."""


class Usage(NamedTuple):
    free: int


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the copies: it is empty in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def dense(tmp_path: Path) -> Path:
    path = tmp_path / "dense.jsonl.gz"
    path.write_bytes(gzip.compress(ROWS, 9))
    assert len(ROWS) > copying.DENSE * path.stat().st_size
    return path


def test_what_is_dense_is_read_as_long_as_it_is_not_very_large(dense: Path) -> None:
    container = open_container(dense, {})
    assert sum(1 for _ in container.pieces()) == 2_000_000
    container.close()


def test_what_unpacks_to_more_than_a_log_can_is_refused(
    dense: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "DENSE_FROM", 1 << 23)
    with pytest.raises(FormatError, match=r"dense\.jsonl\.gz.* more than 200 times .*gunzip"):
        open_container(dense, {})


def test_however_large_a_log_is_it_may_be_packed_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "DENSE_FROM", 1 << 10)
    path = tmp_path / "log.gz"
    rows = b"".join(
        b'{"number": %d, "text": "the same words in each"}\n' % n for n in range(90_000)
    )
    path.write_bytes(gzip.compress(rows))
    assert len(rows) > 5 * path.stat().st_size
    container = open_container(path, {})
    assert sum(1 for _ in container.pieces()) == 90_000
    container.close()


def test_the_disk_is_not_filled(dense: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "_LOOK", 1 << 21)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(copying.ROOM - 1))
    with pytest.raises(FormatError, match=r"dense.*has no room for a copy of it.*TMPDIR"):
        open_container(dense, {})


@pytest.mark.parametrize(
    ("error", "words"),
    [(OSError(errno.ENOSPC, "full"), "no room"), (OSError(errno.EIO, "broken"), "broken")],
)
def test_what_the_system_says_is_told(tmp_path: Path, error: OSError, words: str) -> None:
    class Failing(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise error

    with (
        pytest.raises((FormatError, OSError), match=words),
        copying.copied(tmp_path / "x", Failing(), None),
    ):
        pass


def test_an_interrupt_leaves_no_copy(tmp_path: Path) -> None:
    class Interrupted(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), copying.copied(tmp_path / "x", Interrupted(), None):
        pass


def test_what_was_killed_while_it_copied_is_taken_away(
    dense: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollstep.core.temporaries.lives", lambda process: process == os.getpid())
    handle, name = copying.temporary_file(temporary)
    os.close(handle)
    os.rename(name, name.replace(f"-{os.getpid()}-", "-4194399-"))
    open_container(dense, {}).close()


def test_packed_often_is_refused(tmp_path: Path) -> None:
    """A file can unpack to itself, for ever."""
    path, data = tmp_path / "x.gz", b'{"a": 1}'
    for _ in range(3):
        data = gzip.compress(data)
    path.write_bytes(data)
    open_container(path, {}).close()
    path.write_bytes(gzip.compress(data))
    with pytest.raises(FormatError, match=r"x\.gz: packed with gzip more than 3 times"):
        open_container(path, {})


def test_an_entry_of_a_zip_that_is_too_large_or_too_dense_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", ROWS)
    with zipfile.ZipFile(buffer) as file:
        assert unzip.read_entry(file, "a") == ROWS
        monkeypatch.setattr(unzip, "DENSE_FROM", 1 << 20)
        with pytest.raises(zipfile.BadZipFile, match="unpack to 18,000,000, more than 200 times"):
            unzip.read_entry(file, "a")
        monkeypatch.setattr(unzip, "LARGEST", 1 << 20)
        with pytest.raises(zipfile.BadZipFile, match="18,000,000 bytes large, and 1,048,576 are"):
            unzip.read_entry(file, "a")
