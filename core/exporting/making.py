"""One trajectory as its format writes it, or why that refuses it. Touches no file."""

from __future__ import annotations

import msgspec

from ..errors import ExportError, Fault, UsageError
from ..formats.report import Report
from ..formats.rows import Row
from ..formats.subject import Subject
from ..formats.table import Format
from .one import document, export_report, rows_of
from .plan import is_document
from .seen import Seen

_replace = msgspec.structs.replace

_IN_WORDS = (
    "the role answers in words, as it was free to: the format has no place for a call that ends "
    "a trajectory"
)
_TOO_DEEP = Fault("something in it is nested more deeply than can be written.")


class Piece(msgspec.Struct, frozen=True):
    """``rows``, or ``data`` as a document, or neither where the format puts many into one document
    itself; nothing where ``report`` says that it is refused.
    """

    subject: Subject
    report: Report
    rows: tuple[Row, ...] = ()
    data: bytes = b""


def make(seen: Seen, fmt: Format) -> Piece:
    """What the format makes of it."""
    piece = _make(seen.subject, fmt)
    if not piece.report.refused or seen.in_words is None:
        return piece
    other = _make(seen.in_words(), fmt)
    if other.report.refused:
        return piece
    return _replace(other, report=_replace(other.report, notes=(*other.report.notes, _IN_WORDS)))


def _make(subject: Subject, fmt: Format) -> Piece:
    try:
        report = export_report(subject, fmt.name)
    except RecursionError:
        return Piece(subject, Report(fmt.name, (), refused=(_TOO_DEEP,)))
    if report.refused:
        return Piece(subject, report)
    try:
        if not is_document(fmt):
            return Piece(subject, report, rows_of(subject, fmt))
        if fmt.collect is None or fmt.render is not None:
            return Piece(subject, report, data=document(subject, fmt))
    except (ExportError, UsageError) as error:
        return Piece(subject, _replace(report, refused=(Fault(str(error)),)))
    except RecursionError:
        return Piece(subject, _replace(report, refused=(_TOO_DEEP,)))
    return Piece(subject, report)
