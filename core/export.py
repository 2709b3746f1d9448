"""Exporting a trajectory: the report first, then the file, whole or not at all.

Joins the table of formats with the writers that formats do not know: the library's bundles, and the
project file's and seed row's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from .errors import ExportError, UsageError
from .files import must_be_free, write_whole
from .formats.jsonl import line_bytes
from .formats.options import WriteOptions
from .formats.report import Report
from .formats.subject import Subject
from .formats.table import FORMATS, Format
from .formats.table import report as report_of
from .model.marks import Mark, Score
from .model.messages import UserMessage, payload_text
from .model.project import Project
from .model.rollout import Rollout, Trajectory
from .provenance import Provenance, provenance_path, write_provenance
from .store.change import Saved

Requests = Callable[[str], str | None]
"""Gives the body of a request by its digest, or None where it is not kept."""


def subject_of(
    rollout: Rollout,
    leaf_id: str | None,
    *,
    up_to: int | None = None,
    marks: Sequence[Mark] = (),
    scores: Sequence[Score] = (),
    attempts: int = 0,
    options: WriteOptions | None = None,
) -> Subject:
    """The branch that ends at ``leaf_id``, or its first ``up_to`` steps, to be written so.

    Raises UsageError when the branch has no step of that number.
    """
    path = rollout.path(leaf_id)
    if up_to is not None and not 1 <= up_to <= len(path):
        raise UsageError(f"This branch has no step {up_to}; its steps are 1 to {len(path)}.")
    steps = path[:up_to]
    leaves = [leaf for leaf in rollout.leaves() if leaf != leaf_id]
    header = rollout.header
    return Subject(
        Trajectory(steps),
        tuple(rollout.projects),
        header.id,
        header.seed,
        header.record or 0,
        tuple(marks),
        tuple(scores),
        len(path) - len(steps),
        len(leaves),
        attempts,
        options or WriteOptions(),
        rollout,
        header.title,
        header.format,
        header.extra,
    )


def format_named(name: str) -> Format:
    """The format of this name. Raises UsageError, which names those there are."""
    fmt = FORMATS.get(name)
    if fmt is None:
        raise UsageError(f"There is no format {name!r}. The formats are {', '.join(FORMATS)}.")
    return fmt


def export_report(subject: Subject, name: str) -> Report:
    """What this format keeps, loses and refuses of the subject. Writes nothing."""
    found = report_of(subject, format_named(name))
    if name == "project":
        return msgspec.structs.replace(found, notes=_opening_notes(subject))
    if name == "seed" and not found.refused:
        from .projects.seed_export import seed_row

        notes = (*_opening_notes(subject), *seed_row(_as_played(subject)).lost)
        return msgspec.structs.replace(found, notes=notes)
    return found


def export(
    subject: Subject,
    name: str,
    path: Path,
    *,
    saved: Saved | None = None,
    requests: Requests = lambda digest: None,
    provenance: Provenance | None = None,
    force: bool = False,
) -> Report:
    """Write the subject to ``path``; what the format kept and lost of it.

    ``saved`` is the whole rollout, which bundles hold. ``provenance`` goes into a file beside it,
    where the format holds a trajectory and there is anything to say. Raises ExportError, with
    nothing written, when the format refuses the subject, when the file is there (without
    ``force``), or when it cannot be written.
    """
    report = export_report(subject, name)
    if report.refused:
        raise ExportError("\n".join(fault.render() for fault in report.refused))
    if name == "bundle":
        from .store.bundle import write_bundle

        if saved is None:
            raise UsageError("A bundle holds whole rollouts, and none was given.")
        write_bundle([saved], path, requests=requests, force=force)
    else:
        data = render(subject, name)
        beside = provenance if format_named(name).render is not None else None
        if beside is not None and beside.words() and not force:
            must_be_free(provenance_path(path))
        write_whole(path, data, force=force)
        if beside is not None:
            write_provenance(beside, path, force=force)
    return report


def provenance_beside(name: str, path: Path) -> Path | None:
    """Where the provenance of an export stands that was written to ``path``, if it has any."""
    beside = provenance_path(path)
    return beside if format_named(name).render is not None and beside.exists() else None


def render(subject: Subject, name: str) -> bytes:
    """The bytes of an export of one trajectory. Raises ExportError where the format refuses it."""
    fmt = format_named(name)
    if fmt.rows is not None:
        return b"".join(row.data for row in fmt.rows(subject))
    if fmt.render is not None:
        return fmt.render(subject)
    if name == "project":
        from .projects.writer import project_yaml

        return project_yaml(_as_played(subject)).encode("utf-8")
    if name == "seed":
        from .projects.seed_export import seed_row

        row = seed_row(_as_played(subject)).row
        return line_bytes(json.dumps(row, ensure_ascii=False))
    raise UsageError(f"The format {name!r} holds whole rollouts, not one trajectory.")


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
