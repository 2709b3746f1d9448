from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from rollstep.core.formats.reading.unzip import read_entry

DATA = Path(__file__).parent.parent / "data"
ZSTANDARD = DATA / "one_entry_packed_with_zstandard.zip"


def packed(*entries: tuple[str, str]) -> zipfile.ZipFile:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in entries:
            file.writestr(name, text)
    return zipfile.ZipFile(buffer)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_entries_with_one_name_the_last_counts() -> None:
    assert read_entry(packed(("a", "old"), ("b", "x"), ("a", "new")), "a") == b"new"


def test_an_entry_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        read_entry(packed(("a", "x")), "b")


def test_zstandard_is_read() -> None:
    with zipfile.ZipFile(ZSTANDARD) as file:
        assert read_entry(file, "hello.txt") == b"hello hello hello hello hello\n" * 9


def test_no_more_is_unpacked_than_the_list_of_entries_promises() -> None:
    with zipfile.ZipFile(ZSTANDARD) as file:
        file.getinfo("hello.txt").file_size = 5
        with pytest.raises(zipfile.BadZipFile, match="check sum"):
            read_entry(file, "hello.txt")


def test_without_zstandard_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("rollstep.core.formats.reading.unzip.importlib.import_module", none)
    with (
        zipfile.ZipFile(ZSTANDARD) as file,
        pytest.raises(NotImplementedError, match="pip install zstandard"),
    ):
        read_entry(file, "hello.txt")
