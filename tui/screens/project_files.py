"""Saving a project from the form: as a YAML file, or as one more row of a seed file. Blocking: call
it off the screen's loop.
"""

from __future__ import annotations

import json
from pathlib import Path

from rollstep.core.appending import Appender
from rollstep.core.files import write_whole
from rollstep.core.formats.jsonl import line_bytes
from rollstep.core.model.project import Project
from rollstep.core.projects.seed_export import seed_row
from rollstep.core.projects.writer import project_yaml


def save_yaml(project: Project, path: str, *, overwrite: bool) -> str:
    """Write the project file; returns words. Raises ExportError."""
    data = project_yaml(project).encode("utf-8")
    write_whole(Path(path), data, force=overwrite)
    return f"Saved to {path}."


def save_seed_row(project: Project, path: str) -> str:
    """Add the project's row at the end of a seed file, which may be new; returns words. Raises
    ExportError.
    """
    row = json.dumps(seed_row(project).row, ensure_ascii=False)
    appender = Appender(Path(path))
    try:
        appender.write(line_bytes(row))
        appender.flush()
    finally:
        appender.close()
    return f"Added as a row to {path}."


def seed_losses(project: Project) -> tuple[str, ...]:
    """What a seed row cannot hold of this project, a sentence each."""
    return seed_row(project).lost
