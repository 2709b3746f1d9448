"""What is wrong in the text of a project file, as a person reads it; for tests of the reader."""

from __future__ import annotations

import pytest
from rollstep.core.errors import ProjectFileError
from rollstep.core.projects.reader import parse_project

ROLES = "target: {kind: echo}\nevaluator: {kind: human}\n"
HEAD = f"title: demo\n{ROLES}"


def faults_of(text: str | bytes) -> list[str]:
    """All faults of a text."""
    with pytest.raises(ProjectFileError) as caught:
        parse_project(text)
    return [fault.render() for fault in caught.value.faults]


def fault_of(text: str | bytes) -> str:
    """Its only fault."""
    (fault,) = faults_of(text)
    return fault
