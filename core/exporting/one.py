"""One trajectory: what its format keeps and loses of it, and its bytes.

Joins the table of formats with the writers that formats do not know: those of the project file and
of the seed row.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from ..errors import ExportError, UsageError
from ..files import write_whole
from ..formats.jsonl import line_bytes
from ..formats.report import Report
from ..formats.rows import Row
from ..formats.subject import Subject
from ..formats.table import Format
from ..formats.table import report as report_of
from ..model.messages import UserMessage, payload_text
from ..model.project import Project
from .plan import format_named, is_document


def export_report(subject: Subject, name: str) -> Report:
    """What this format keeps, loses and refuses of the subject. Writes nothing."""
    found = report_of(subject, format_named(name))
    if name == "project":
        return msgspec.structs.replace(found, notes=_opening_notes(subject))
    if name == "seed" and not found.refused:
        from ..projects.seed_export import seed_row

        notes = (*_opening_notes(subject), *seed_row(_as_played(subject)).lost)
        return msgspec.structs.replace(found, notes=notes)
    return found


def render(subject: Subject, name: str) -> bytes:
    """The bytes of an export of one trajectory. Raises ExportError where the format refuses it."""
    fmt = format_named(name)
    if is_document(fmt) or fmt.whole:
        return document(subject, fmt)
    return b"".join(row.data for row in rows_of(subject, fmt))


def export(subject: Subject, name: str, path: Path, *, force: bool = False) -> Report:
    """Write the subject to ``path``; what the format kept and lost of it. Nothing stands beside it.

    Raises ExportError, with nothing written, when the format refuses the subject, when the file is
    there (without ``force``), or when it cannot be written.
    """
    report = export_report(subject, name)
    if report.refused:
        raise ExportError("\n".join(fault.render() for fault in report.refused))
    write_whole(path, render(subject, name), force=force)
    return report


def rows_of(subject: Subject, fmt: Format) -> tuple[Row, ...]:
    """The rows of a trajectory in a format of rows. Raises ExportError."""
    if fmt.rows is not None:
        return tuple(fmt.rows(subject))
    if fmt.render is not None:
        return (Row(fmt.render(subject)),)
    from ..projects.seed_export import seed_row

    row = seed_row(_as_played(subject)).row
    return (Row(line_bytes(json.dumps(row, ensure_ascii=False))),)


def document(subject: Subject, fmt: Format) -> bytes:
    """The document of a trajectory in a format of documents. Raises ExportError, UsageError."""
    if fmt.render is not None:
        return fmt.render(subject)
    if fmt.name == "project":
        from ..projects.writer import project_yaml

        return project_yaml(_as_played(subject)).encode("utf-8")
    if fmt.collect is not None:
        return b"".join(fmt.collect([subject]))
    raise UsageError(f"The format {fmt.name!r} holds whole rollouts, not one trajectory.")


def _as_played(subject: Subject) -> Project:
    """The project, its opening as it was on this path."""
    said = _first_message(subject)
    project = subject.project
    if said is None or said == project.opening:
        return project
    return msgspec.structs.replace(project, opening=said)


def _opening_notes(subject: Subject) -> tuple[str, ...]:
    said = _first_message(subject)
    if said is None or said == subject.project.opening:
        return ()
    return ("the opening is the message of step 1, not the project's own",)


def _first_message(subject: Subject) -> str | None:
    steps = subject.trajectory.steps
    if steps and isinstance(steps[0].payload, UserMessage):
        return payload_text(steps[0].payload)
    return None
