"""A comparison as one JSON document."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from rollstep.core.rules.compare import Comparison, Row, Side
from rollstep.core.rules.payload_changes import payload_changes
from rollstep.tui.comparing.subjects import Subject, project_differences


def comparison_json(comparison: Comparison, left: Subject, right: Subject) -> str:
    """The document, with a line feed at its end. Numbers of steps and turns count from 1; texts
    are as they are kept, everything beyond ASCII as an escape.
    """
    first = comparison.rows[comparison.differing[0]] if comparison.differing else None
    document = {
        "equal": comparison.equal,
        "project_differences": project_differences(left.project, right.project),
        "common": comparison.common,
        "differing": len(comparison.differing),
        "first_difference": first and {"left": _number(first.left), "right": _number(first.right)},
        "left": _side(comparison.left, left),
        "right": _side(comparison.right, right),
        "rows": [_row(comparison, row) for row in comparison.rows],
    }
    return json.dumps(document, indent=1) + "\n"


def _number(index: int | None) -> int | None:
    return None if index is None else index + 1


def _side(path: Side, side: Subject) -> dict[str, Any]:
    summary = path.summary
    return {
        "rollout": side.rollout.header.id,
        "title": side.rollout.header.title,
        "branch": side.branch,
        **summary._asdict(),
        "stop": summary.stop and msgspec.to_builtins(summary.stop),
    }


def _row(comparison: Comparison, row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {
        "kind": row.kind,
        "left": _step(comparison.left, row.left, row.kind != "same"),
        "right": _step(comparison.right, row.right, row.kind != "same"),
    }
    if row.kind == "changed":
        assert row.left is not None
        assert row.right is not None
        payloads = (
            comparison.left.steps[row.left].payload,
            comparison.right.steps[row.right].payload,
        )
        found["changes"] = [change._asdict() for change in payload_changes(*payloads)]
    return found


def _step(side: Side, index: int | None, whole: bool) -> dict[str, Any] | None:
    if index is None:
        return None
    step, call = side.steps[index], side.calls.get(index)
    found: dict[str, Any] = {
        "step": index + 1,
        "seq": step.seq,
        "id": step.id,
        "turn": side.turns[index],
        "role": step.role,
    }
    if call is not None:
        found["tool"] = call.name
    if whole:
        found["payload"] = msgspec.to_builtins(step.payload)
    return found
