"""Which kind of file this is, told from its bytes and never from its name."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ...errors import FormatError
from .copying import copied
from .documents import Documents, Elements, Mapped, Samples, fields_of, parsed, sample_spans
from .json_in import JsonProblem
from .lines import Lines
from .ours import is_provenance
from .pieces import Container
from .recognise import best
from .record import Reader
from .spans import Broken, Span, skip_space, value_end
from .zips import Entries

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_PEEKED = 3
"""Elements of a list that are looked at to tell a list of records from a record that is a list."""
_MOST_WRAPS = 3
"""A file that unpacks to itself is one."""
_SMALL = 1 << 20
"""Fields of a document up to this size are parsed to recognise it."""

Readers = Mapping[str, Reader]


def open_container(path: Path, readers: Readers, *, forced: bool = False) -> Container:
    """The file as a row of pieces. Raises FormatError for one that is empty, cannot be read, or is
    no JSON of any kind.
    """
    try:
        return _open(path, readers, forced, 0)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise FormatError(f"{path}: a zip file that cannot be read: {error}.") from error


def _open(path: Path, readers: Readers, forced: bool, wraps: int) -> Container:
    """``wraps`` is how often what is here was packed and is unpacked already."""
    if path.is_dir():
        raise FormatError(f"{path}: a folder and no file.")
    with open(path, "rb") as file:
        if not path.is_file():  # a pipe, which can be read only once
            return _from_copy(path, file, readers, forced, wraps)
        start = file.read(4)
    if start.startswith(_GZIP):
        if wraps == _MOST_WRAPS:
            raise FormatError(f"{path}: packed with gzip more than {_MOST_WRAPS} times.")
        with gzip.open(path, "rb") as stream:
            size = path.stat().st_size
            return _from_copy(path, stream, readers, forced, wraps + 1, size)
    if start == _ZIP:
        return Entries.open(path, readers)
    if start.startswith(_WIDE):
        raise FormatError(f"{path}: UTF-16 and not UTF-8. Convert the file to UTF-8.")
    mapped = Mapped(path)
    try:
        container = _by_content(path, mapped, readers, forced)
    except BaseException:
        mapped.close()
        raise
    if container is None:
        mapped.close()
        return Lines.open(path)
    return container


def _from_copy(
    path: Path,
    file: IO[bytes] | gzip.GzipFile,
    readers: Readers,
    forced: bool,
    wraps: int,
    packed: int | None = None,
) -> Container:
    with copied(path, file, packed) as copy:
        try:
            return _open(copy, readers, forced, wraps)
        except FormatError as error:
            raise FormatError(str(error).replace(str(copy), str(path))) from error


def _by_content(path: Path, mapped: Mapped, readers: Readers, forced: bool) -> Container | None:
    """The container of a document; None for lines."""
    if not mapped.first:
        raise FormatError(f"{path}: the file is empty.")
    if is_provenance(mapped.data[mapped.start : mapped.start + 64]):
        raise FormatError(
            f"{path}: what rollstep wrote beside an export: it says who made each row, and holds "
            "no trajectory. Name the file of the export itself."
        )
    if mapped.first not in (b"{", b"["):
        if _second_line(mapped) == b"{":
            return None  # one line that is no JSON, and then others
        shown = mapped.data[mapped.start : mapped.start + 20].decode("utf-8", "backslashreplace")
        raise FormatError(
            f"{path}: no JSON: it begins with {shown!r}. What can be read are JSON Lines, JSON "
            "documents and lists of them, packed with gzip or not, and Inspect's .eval files."
        )
    if _is_lines(mapped):
        return None
    if mapped.first == b"[":
        return _list(mapped, readers, forced)
    return _document(mapped, readers, forced)


def _second_line(mapped: Mapped) -> bytes:
    """The first byte of the second line of those that hold anything."""
    end = mapped.data.find(b"\n", mapped.start)
    if end < 0:
        return b""
    second = skip_space(mapped.data, end)
    return mapped.data[second : second + 1]


def _is_lines(mapped: Mapped) -> bool:
    """Whether each line is a value of its own. Told from the first two that hold anything: in a
    document of several lines the second one does not begin as a value at the margin, or the first
    is not whole.
    """
    data, start = mapped.data, mapped.start
    end = data.find(b"\n", start)
    if end < 0:
        return False
    second = skip_space(data, end)
    if second >= len(data):
        return False
    line = data[start:end].rstrip()
    try:
        whole = value_end(line, 0) == len(line)
    except Broken:
        whole = False
    at_margin = data[second - 1 : second] in (b"\n", b"\r")
    return whole or (at_margin and data[second : second + 1] == mapped.first == b"{")


def _list(mapped: Mapped, readers: Readers, forced: bool) -> Container:
    """A list of records, or a record that is a list."""
    container = Elements(mapped)
    peeked = []
    try:
        for span in islice(container.spans(), _PEEKED):
            peeked.append(parsed(mapped.data, span))
    except (Broken, JsonProblem):
        pass
    if not peeked:
        return container
    of_list, of_element = best(readers, peeked)[1], best(readers, peeked[0])[1]
    return Documents(mapped) if of_list > of_element else container


def _document(mapped: Mapped, readers: Readers, forced: bool) -> Container:
    """One document, taken apart where its format has samples; or several in a row."""
    keys = {key for reader in readers.values() for key in reader.samples}
    fields = fields_of(mapped)
    if fields is None or not keys & fields.spans.keys():
        return Documents(mapped)
    head = {key: _peek(mapped, span, key, keys) for key, span in fields.spans.items()}
    name = next(iter(readers)) if forced else best(readers, head)[0]
    for key in readers[name].samples if name else ():
        span = fields.spans.get(key)
        if span is not None and mapped.data[span.start : span.start + 1] in (b"[", b"{"):
            return Samples(mapped, fields, key, name)
    return Documents(mapped)


def _peek(mapped: Mapped, span: Span, key: str, samples: set[str]) -> Any:
    """A field as far as it is needed to recognise the document: of samples the first one."""
    data = mapped.data
    begin = data[span.start : span.start + 1]
    try:
        if key in samples and begin in (b"[", b"{"):
            first = next(sample_spans(data, span), None)
            found = [parsed(data, first)] if first is not None else []
            return found if begin == b"[" else {first.key: found[0]} if first is not None else {}
        if span.end - span.start <= _SMALL:
            return parsed(data, span)
    except (Broken, JsonProblem):
        pass
    return None
