"""What an entry of a zip file holds, also where it was packed with Zstandard, as Inspect packs its
logs since 2026. Python's own zip module reads that from 3.14 on.
"""

from __future__ import annotations

import importlib
import io
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

_ZSTANDARD = 93
_LOCAL_HEADER = 30
LARGEST = 1 << 30
"""Bytes of an entry: all of it is in memory at once."""
DENSE = 200
"""So many times as many bytes as it takes in the file no log unpacks to."""
DENSE_FROM = 1 << 28
"""Up to so many bytes nobody minds."""


def read_entry(packed: zipfile.ZipFile, name: str) -> bytes:
    """The entry of this name, unpacked; of several with one name the last, which took the place of
    the others.

    Raises what ``zipfile`` raises: BadZipFile where the entry is broken or too large,
    KeyError where there is none, NotImplementedError (with what to do) where it cannot be unpacked.
    """
    info = packed.getinfo(name)
    if info.file_size > LARGEST:
        raise zipfile.BadZipFile(
            f"it is {info.file_size:,} bytes large, and {LARGEST:,} are read at most"
        )
    if info.file_size > max(DENSE_FROM, DENSE * info.compress_size):
        raise zipfile.BadZipFile(
            f"its {info.compress_size:,} bytes unpack to {info.file_size:,}, more than {DENSE} "
            "times as much, as no log does"
        )
    if info.compress_type != _ZSTANDARD:
        return packed.read(info)
    data = _unpacker()(_packed(packed, info), info.file_size)
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile("it is not what its check sum says")
    return data


def _packed(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry as they stand in the file."""
    file = packed.fp
    if file is None:
        raise ValueError("the zip file is closed")
    file.seek(info.header_offset)
    header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or header[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("it does not begin where the list of entries says")
    name, more = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
    file.seek(name + more, 1)
    return file.read(info.compress_size)


def _unpacker() -> Callable[[bytes, int], bytes]:
    """What unpacks Zstandard here: Python's own module, or the one that is installed for it. It is
    told how much the list of entries promises, and stops there: a few bytes may unpack to many.
    """
    for name, make in (("compression.zstd", _own), ("zstandard", _installed)):
        try:
            return make(importlib.import_module(name))
        except ImportError:
            continue
    raise NotImplementedError(
        "it is packed with Zstandard; install zstandard (pip install zstandard), or write the log "
        "anew as JSON (inspect log convert --to json)"
    )


def _own(module: Any) -> Callable[[bytes, int], bytes]:
    def unpack(data: bytes, size: int) -> bytes:
        try:
            with module.ZstdFile(io.BytesIO(data)) as file:
                return bytes(file.read(size + 1))
        except (module.ZstdError, EOFError) as error:
            raise zipfile.BadZipFile(str(error)) from error

    return unpack


def _installed(module: Any) -> Callable[[bytes, int], bytes]:
    def unpack(data: bytes, size: int) -> bytes:
        # Large entries are packed in several frames.
        reader = module.ZstdDecompressor().stream_reader(data, read_across_frames=True)
        try:
            return bytes(reader.read(size + 1))
        except module.ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from error

    return unpack
