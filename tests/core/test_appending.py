from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from rollstep.core.appending import Appender, Rewriter
from rollstep.core.errors import ExportError


def test_lines_are_appended_and_folders_made_by_the_first_of_them(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "rows.jsonl"
    for _ in range(2):
        appender = Appender(path)
        assert not (tmp_path / "a").exists() or path.read_bytes() == b"1\n2\n"
        appender.write(b"1\n")
        appender.write(b"2\n")
        appender.close()
        appender.close()
    assert path.read_bytes() == b"1\n2\n1\n2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_without_a_line_nothing_is_made(tmp_path: Path) -> None:
    Appender(tmp_path / "a" / "rows.jsonl").close()
    assert list(tmp_path.iterdir()) == []


def test_a_last_line_without_its_end_gets_one_first(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"1\n2")
    appender = Appender(path)
    appender.write(b"3\n")
    appender.close()
    assert path.read_bytes() == b"1\n2\n3\n"
    assert appender.mended


def test_a_full_disk_leaves_whole_lines_and_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"1\n")
    real = os.write

    def half(handle: int, data: bytes) -> int:
        if len(data) > 2:
            return real(handle, data[:2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    appender = Appender(path)
    appender.write(b"222\n")
    monkeypatch.setattr(os, "write", half)
    with pytest.raises(ExportError, match=r"rows\.jsonl cannot be written: No space left"):
        appender.close()
    assert path.read_bytes() == b"1\n"


def test_a_folder_in_the_place_of_the_file_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="cannot be written"):
        Appender(tmp_path).write(b"1\n")


def rewritten(path: Path, start: int, *lines: bytes, end: bool = True) -> bytes:
    """What stands in the file when these lines were written again from ``start`` on."""
    rewriter = Rewriter(path, start)
    for line in lines:
        rewriter.write(line)
    if end:
        rewriter.end()
    rewriter.close()
    return path.read_bytes() if path.exists() else b"gone"


@pytest.mark.parametrize(
    ("there", "written", "found"),
    [
        (b"0\n1\n2\n", (b"1\n", b"2\n"), b"0\n1\n2\n"),
        (b"0\n1\n2", (b"1\n", b"2\n", b"3\n"), b"0\n1\n2\n3\n"),
        (b"0\n1\n3\n", (b"1\n", b"2\n", b"3\n"), b"0\n1\n2\n3\n"),
        (b"0\n1\n2\n", (b"1\n",), b"0\n1\n"),
        (b"0\n", (b"1\n",), b"0\n1\n"),
        (b"0\n1\n", (), b"0\n"),
    ],
    ids=["all there", "cut off", "one in between", "fewer", "none yet", "none any more"],
)
def test_lines_that_are_written_again_are_those_of_one_run(
    tmp_path: Path, there: bytes, written: tuple[bytes, ...], found: bytes
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(there)
    assert rewritten(path, 2, *written) == found


def test_equal_lines_are_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"1\n2\n")
    os.utime(path, ns=(1, 1))
    assert rewritten(path, 0, b"1\n", b"2\n") == b"1\n2\n"
    assert path.stat().st_mtime_ns == 1


def test_what_was_not_yet_written_again_stays_when_that_is_broken_off(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"1\n2\n3\n")
    assert rewritten(path, 0, b"1\n", end=False) == b"1\n2\n3\n"


def test_a_file_of_which_nothing_is_left_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"1\n")
    assert rewritten(path, 0) == b"gone"
    assert rewritten(path, 0) == b"gone"


def test_a_line_that_stood_unfinished_before_gets_its_end(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"0")
    assert rewritten(path, 2, b"1\n") == b"0\n1\n"
