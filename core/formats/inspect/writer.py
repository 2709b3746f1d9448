"""Logs of Inspect, written sample by sample: as one JSON document, or as a zip.

A header says what all samples add up to, and stands first in the JSON document: so its samples wait
in a file until the last is made. Nothing else is kept of a sample once it is written, but for its
line in the list of a zip.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..jsonl import RawJson, json_text, surrogates_in
from ..reading.json_in import JsonReader, as_text
from ..subject import Subject
from .log_out import Totals
from .sample_out import SampleWriter, source_of
from .summary_out import summary_of

_IN_MEMORY = 1 << 23
_PIECE = 1 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NO_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every entry, so that equal rollouts make equal bytes."""


def collect_json(subjects: Iterable[Subject]) -> Iterator[bytes]:
    """The log as one JSON document, in pieces."""
    totals = Totals()
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as waiting:
        for number, sample in enumerate(_samples(subjects, totals)):
            waiting.write(b",\n" if number else b"\n")
            waiting.write(_document(sample))
        head = _document(totals.header())
        yield head[:-1] + b',\n"samples": ['
        waiting.seek(0)
        while piece := waiting.read(_PIECE):
            yield piece
    yield b"\n]}\n"


def collect_eval(subjects: Iterable[Subject]) -> Iterator[bytes]:
    """The log as a zip, in pieces: an entry for each sample, the list of them, and the header."""
    totals, summaries = Totals(), []
    out = _Out()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for sample in _samples(subjects, totals):
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            _put(packed, name, _document(sample))
            summaries.append(RawJson(json_text(summary_of(sample))))
            yield out.take()
        header = totals.header()
        start = {key: header[key] for key in ("version", "eval", "plan")}
        _put(packed, "_journal/start.json", _document(start))
        _put(packed, "summaries.json", _document(summaries))
        _put(packed, "header.json", _document(header))
    yield out.take()


class _Out:
    """A file that is read while it is written, and can only be appended to."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        """Take in some bytes."""
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """What waits can still be taken."""

    def take(self) -> bytes:
        """What was written since the last time."""
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found


def _put(packed: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _NO_DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    packed.writestr(info, data)


def _samples(subjects: Iterable[Subject], totals: Totals) -> Iterator[dict[str, Any]]:
    """The samples, one for each rollout, each under an id of its own."""
    taken: set[tuple[str, int]] = set()
    for together in _by_rollout(subjects):
        sample_id, epoch = _id_of(together, totals.samples + 1, taken)
        taken.add((str(sample_id), epoch))
        sample = SampleWriter(together, sample_id, epoch).sample()
        totals.add(together, sample)
        yield sample


def _by_rollout(subjects: Iterable[Subject]) -> Iterator[list[Subject]]:
    """Neighbours that are branches of one tree. (A role's answers are trees of their own.)"""
    together: list[Subject] = []
    for subject in subjects:
        last = together[-1] if together else subject
        same = subject.rollout_id and subject.rollout_id == last.rollout_id
        if together and not (same and subject.rollout is last.rollout):
            yield together
            together = []
        together.append(subject)
    if together:
        yield together


def _id_of(
    subjects: Sequence[Subject], number: int, taken: set[tuple[str, int]]
) -> tuple[int | str, int]:
    """The id that the sample was read with, if it is free; else the next number."""
    source = source_of(subjects[0])
    given, epoch = source.get("id"), source.get("epoch")
    epoch = epoch if type(epoch) is int else 1
    if isinstance(given, bool) or not isinstance(given, int | str) or given == "":
        given = number
    if surrogates_in(str(given)) == 0 and (str(given), epoch) not in taken:
        return given, epoch
    while (str(number), 1) in taken:
        number += 1
    return number, 1


def _document(value: Any) -> bytes:
    """A value as JSON that every reader of Inspect's takes: none takes lone surrogates."""
    document = json_text(value)
    if _ESCAPED.search(document):
        document = as_text(JsonReader().parse(document)[0])
    if not document.isascii():
        document = _SURROGATE.sub("\ufffd", document)
    return document.encode("utf-8")
