"""ATIF documents through harbor's own validator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harbor.utils.trajectory_validator import TrajectoryValidator

from .writing import PLAIN, data, taken


@pytest.mark.parametrize("name", taken("atif"))
def test_harbor_takes_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "trajectory.json"
    path.write_bytes(data("atif", name))
    validator = TrajectoryValidator()
    assert validator.validate(path), validator.get_errors()


def test_what_it_takes() -> None:
    assert {*PLAIN, "tools", "parallel", "reasoning", "system_note", "edited_result_kept"} <= set(
        taken("atif")
    )


def test_the_validator_is_really_strict(tmp_path: Path) -> None:
    """It refuses one unknown key, so that what it takes says something."""
    document = json.loads(data("atif", "plain"))
    document["steps"][0]["unknown"] = 1
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps(document))
    assert not TrajectoryValidator().validate(path)
