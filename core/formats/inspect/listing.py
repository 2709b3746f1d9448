"""The samples of an ``.eval`` file as its own list tells of them, without opening any."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ...model.marks import Score
from ..reading.json_in import JsonProblem, JsonReader
from ..reading.unzip import read_entry
from ..reading.values import count, items, shown, table, text
from . import zipped
from .scores import read_scores

_JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")


class Listed(msgspec.Struct, frozen=True):
    """One sample. ``number`` is its record's, ``replies`` counts what the model was asked for,
    ``ended`` says why it ended where that was no end of its own.
    """

    number: int
    title: str
    scores: tuple[Score, ...] = ()
    messages: int = 0
    replies: int = 0
    error: str = ""
    ended: str = ""


def listed(path: Path) -> list[Listed] | None:
    """The samples of the file in their order; None where it is no log of this kind, or where its
    list does not tell of every sample.
    """
    try:
        with open(path, "rb") as file:
            if file.read(4) != b"PK\x03\x04":
                return None
        with zipfile.ZipFile(path) as packed:
            return _listed(packed)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError, RuntimeError):
        return None  # whoever opens the samples says what is wrong
    except (JsonProblem, UnicodeDecodeError):
        return None


def _listed(packed: zipfile.ZipFile) -> list[Listed] | None:
    names = tuple(packed.namelist())
    found = zipped(names)
    if found is None:
        return None
    task = text(table(table(_json(packed, found.around)).get("eval")).get("task"))
    told = {_entry(each): each for each in _summaries(packed, names)}
    if not all(name in told for name in found.samples):
        return None
    return [_line(told[name], n, task) for n, name in enumerate(found.samples, 1)]


def _summaries(packed: zipfile.ZipFile, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """What is said of each sample; of one that was run again the last counts."""
    if "summaries.json" in names:
        parts = ["summaries.json"]
    else:  # a log that is still being written
        journal = {name: match for name in names if (match := _JOURNAL.fullmatch(name))}
        parts = sorted(journal, key=lambda name: int(journal[name][1]))
    for name in parts:
        yield from map(table, items(_json(packed, name)))


def _json(packed: zipfile.ZipFile, name: str) -> Any:
    return JsonReader().parse(read_entry(packed, name).decode("utf-8"))[0]


def _entry(summary: dict[str, Any]) -> str:
    return f"samples/{shown(summary.get('id'))}_epoch_{shown(summary.get('epoch'))}.json"


def _line(summary: dict[str, Any], number: int, task: str) -> Listed:
    epoch = summary.get("epoch")
    title = f"{task} {shown(summary.get('id'))}".strip() or "Inspect sample"
    return Listed(
        number,
        f"{title}, epoch {shown(epoch)}" if epoch not in (None, 1) else title,
        tuple(read_scores(summary, {})),
        count(summary.get("message_count")),
        count(summary.get("turn_count")),
        shown(summary.get("error")),
        shown(summary.get("limit")),
    )
