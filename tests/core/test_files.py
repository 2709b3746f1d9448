from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from rollstep.core.errors import ExportError
from rollstep.core.files import write_whole


def names(folder: Path) -> list[str]:
    return sorted(found.name for found in folder.iterdir())


def test_a_file_is_written_for_its_owner_only(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", [b"1", b"2"])
    assert (tmp_path / "a").read_bytes() == b"12"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_is_there_is_left_alone_without_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("no links")))
    path = tmp_path / "a"
    write_whole(path, b"old")
    with pytest.raises(ExportError, match="is there already"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    write_whole(path, b"new", force=True)
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a"]


def test_a_file_made_meanwhile_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    real = os.link

    def late(source: str, target: Path) -> None:
        path.write_bytes(b"theirs")
        real(source, target)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(ExportError, match="another program"):
        write_whole(path, b"ours")
    assert path.read_bytes() == b"theirs"
    assert names(tmp_path) == ["a"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", pieces(), force=True)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"new", force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_folder_or_a_missing_one_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="is a folder"):
        write_whole(tmp_path, b"")
    with pytest.raises(ExportError, match=r"the folder .*none does not exist"):
        write_whole(tmp_path / "none" / "a", b"")
