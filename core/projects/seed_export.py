"""A project as a seed row, and what such a row cannot hold."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..model.project import EchoTarget, Project
from .seed_author import GOAL_LENGTH, GOAL_PREFIX, SEED_EVALUATOR, seed_system
from .shapes import fields_of

_IN_ROW = ("title", "opening", "metadata", "id", "version")
_SEED_KEYS = ("seed_task_id", "seed_benchmark", "seed_context")


class SeedRowExport(msgspec.Struct, frozen=True):
    """The row, and one sentence for each thing of the project that it cannot hold."""

    row: dict[str, Any]
    lost: tuple[str, ...]


def seed_row(project: Project) -> SeedRowExport:
    """The seed row from which this project, or what a row can hold of it, is authored again."""
    metadata = json.loads(project.metadata)
    task_id = metadata.get("seed_task_id", project.title)
    row: dict[str, Any] = {"task_id": task_id}
    if "seed_benchmark" in metadata:
        row["benchmark"] = metadata["seed_benchmark"]
    row["user_text"] = project.opening or ""
    if "seed_context" in metadata:
        row["context"] = metadata["seed_context"]
    return SeedRowExport(row, tuple(_lost(project, metadata, task_id)))


def _lost(project: Project, metadata: dict[str, Any], task_id: Any) -> list[str]:
    lost = []
    if not project.opening:
        lost.append("opening: there is none, and a row without user_text makes no project.")
    if str(task_id)[:80] != project.title:
        lost.append("title: a row's title is the first 80 characters of its task_id.")
    goal = GOAL_PREFIX + (project.opening or "")[:GOAL_LENGTH]
    if project.goal != goal:
        lost.append("goal: a row's goal is made of its user_text.")
    if project.target != EchoTarget(seed_system(project.title, project.goal)):
        lost.append("target: a row names no roles (give them with --roles).")
    if project.evaluator != SEED_EVALUATOR:
        lost.append("evaluator: a row names no roles (give them with --roles).")
    seen = (*_IN_ROW, "goal", "target", "evaluator")
    for field in fields_of(Project):
        if field.name not in seen and getattr(project, field.name) != field.default:
            lost.append(f"{field.name}: a row has no place for it.")
    if extra := [key for key in metadata if key not in _SEED_KEYS]:
        lost.append(f"metadata: a row has no place for {', '.join(extra)}.")
    return lost
