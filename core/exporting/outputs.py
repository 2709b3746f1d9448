"""From what trajectories were made into to the files of an export: rows in one file or two, one
document, or a document each; with what stands beside them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from ..formats.rows import Row
from ..formats.subject import Subject
from ..formats.table import Card, Format
from .plan import Plan, is_document
from .provenance import SUFFIX, PathProvenance, has_provenance, provenance_path
from .staging import Staging

CARD = "README.md"
TRAIN = "train"
_LONGEST_NAME = 60
_MOST_BYTES = 70
"""Three names of as many bytes, with their ends, are shorter than what file systems take (255)."""


class Made(msgspec.Struct, frozen=True):
    """One trajectory as its format writes it: ``rows``, or ``data`` as a document, or neither where
    the format puts many into one document itself. ``test`` is the side it is on.
    """

    subject: Subject | None = None
    rows: tuple[Row, ...] = ()
    data: bytes = b""
    provenance: PathProvenance | None = None
    test: bool = False


def write_out(
    made: Iterator[Made], plan: Plan, path: Path, staging: Staging, *, several: bool
) -> list[Path]:
    """Write all of it into ``staging``; the paths that will be there. ``several`` says that there
    may be more than one trajectory.
    """
    fmt = plan.fmt
    if not several and (fmt.collect is None or fmt.render is not None) and is_document(fmt):
        return _one_document(made, fmt, path, staging)
    if fmt.collect is not None:
        return _collected(made, fmt, path, staging)
    if is_document(fmt):
        return _documents(made, fmt, path, staging)
    return _rows(made, plan, path, staging)


def needs_folder(plan: Plan, path: Path | str, *, several: bool) -> bool:
    """Whether the export is a folder: because the person says so, or because each of many
    trajectories is a document of its own.
    """
    fmt = plan.fmt
    if is_document(fmt) and fmt.collect is None and several:
        return True
    return not is_document(fmt) and not fmt.whole and is_folder(path)


def is_folder(path: Path | str) -> bool:
    """Whether a folder is meant: one that is there, or a name that ends like one."""
    return str(path).endswith(os.sep) or os.path.isdir(path)


_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _RowFile:
    """A file of rows, and its provenance beside it."""

    def __init__(
        self, staging: Staging, path: Path, *, provenance: bool, columns: bool = False
    ) -> None:
        self.path = path
        self.columns: dict[str, None] | None = {} if columns else None
        """The keys that any row has, where that matters."""
        self.rows = 0
        self._staging = staging
        self._file = staging.open(path)
        self._beside = staging.open(provenance_path(path)) if provenance else None
        if not provenance:
            staging.remove(provenance_path(path))

    def begin(self, line: bytes) -> None:
        """What stands before all rows."""
        self._file.write(line)

    def drop(self) -> None:
        """Leave no file, nor one that an earlier export has written there."""
        self._staging.drop(self._file)
        if self._beside is not None:
            self._staging.drop(self._beside)

    def write(self, made: Made) -> None:
        """All rows of a trajectory."""
        for row in made.rows:
            self.rows += 1
            self._file.write(row.data)
            if self.columns is not None:
                self.columns.update(dict.fromkeys(_KEYS.decode(row.data)))
            if self._beside is not None and made.provenance is not None:
                self._beside.write(made.provenance.line(self.rows, row.steps or None))


def _rows(made: Iterator[Made], plan: Plan, path: Path, staging: Staging) -> list[Path]:
    fmt = plan.fmt
    folder = staging.folder is not None
    sides = ("train", "test") if plan.train_split is not None else ("",)
    names = [path / f"{side or TRAIN}{Path(f'x{fmt.suffix}').suffix}" for side in sides]
    if not folder:
        names = [side_path(path, side) if side else path for side in sides]
    beside, columns = has_provenance(fmt), folder and fmt.card is not None
    files = [_RowFile(staging, name, provenance=beside, columns=columns) for name in names]
    if fmt.whole:
        from ..store.bundle import first_line

        for file in files:
            file.begin(first_line())
    for each in made:
        files[int(each.test)].write(each)
    if any(file.rows for file in files):
        for file in files:
            if not file.rows:  # one without a row is no data set to those who load it
                file.drop()
                names.remove(file.path)
    if folder and fmt.card is not None:
        staging.open(path / CARD).write(_card(fmt.card, files, sides).encode())
    return [path] if folder else names


def _card(card: Card, files: list[_RowFile], sides: tuple[str, ...]) -> str:
    """The README.md of a folder of rows: for a split without rows nobody is told of a file."""
    named = {side or TRAIN: file for side, file in zip(sides, files, strict=True) if file.rows}
    columns = dict.fromkeys(column for file in files for column in file.columns or ())
    return card(
        columns=list(columns),
        files={side: file.path.name for side, file in named.items()},
        rows={side: file.rows for side, file in named.items()},
    )


def _one_document(made: Iterator[Made], fmt: Format, path: Path, staging: Staging) -> list[Path]:
    for each in made:
        staging.open(path).write(each.data)
        if each.provenance is not None:
            staging.open(provenance_path(path)).write(each.provenance.line(1))
    if not has_provenance(fmt):
        staging.remove(provenance_path(path))
    return [path]


def _documents(made: Iterator[Made], fmt: Format, path: Path, staging: Staging) -> list[Path]:
    """A file each, and one of provenance for all of them, which names the file in each line."""
    beside: BinaryIO | None = None
    if has_provenance(fmt):
        beside = staging.open(path / SUFFIX.lstrip("."))
    for number, each in enumerate(made, 1):
        subject = each.subject
        assert subject is not None
        name = safe_name(subject.title, subject.rollout_id, subject.branch)
        name = staging.free_name(name, fmt.suffix)
        file = staging.open(path / name)
        file.write(each.data)
        staging.done(file)
        if beside is not None and each.provenance is not None:
            beside.write(each.provenance.line(number, file=name))
    return [path]


def _collected(made: Iterator[Made], fmt: Format, path: Path, staging: Staging) -> list[Path]:
    """One document of all of them."""
    assert fmt.collect is not None
    file = staging.open(path)
    beside = staging.open(provenance_path(path)) if has_provenance(fmt) else None

    def subjects() -> Iterator[Subject]:
        for number, each in enumerate(made, 1):
            if beside is not None and each.provenance is not None:
                beside.write(each.provenance.line(number))
            if each.subject is not None:
                yield each.subject

    for piece in fmt.collect(subjects()):
        file.write(piece)
    if beside is None:
        staging.remove(provenance_path(path))
    return [path]


def side_path(path: Path, side: str) -> Path:
    """``refund.jsonl`` to ``refund.train.jsonl``."""
    return path.with_name(f"{path.stem}.{side}{path.suffix}")


def safe_name(title: str, rollout: str, branch: str) -> str:
    """A file's name of its own for a trajectory: words of the title, the rollout's id, and words of
    the branch; nothing of them can name another folder.
    """
    words, own = _words(title.casefold()), _words(rollout) or "rollout"
    return "-".join(filter(None, (words, own, _words(branch.casefold()))))


def _words(text: str) -> str:
    joined = "-".join(re.findall(r"\w+", text))[:_LONGEST_NAME]
    return joined.encode()[:_MOST_BYTES].decode(errors="ignore").rstrip("-")
