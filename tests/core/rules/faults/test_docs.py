"""What docs/faults.md says is so: every kind has its line, and its example is a project's."""

import re
from pathlib import Path

from rollstep.core.projects.reader import parse_project
from rollstep.core.rules.faults.kinds import FAULTS, fault_place

from ...projects_for_tests import refund
from .test_kinds import CALL, made

PAGE = (Path(__file__).parents[4] / "docs" / "faults.md").read_text(encoding="utf-8")
HEAD = """\
title: demo
target: {kind: echo}
evaluator: {kind: human}
tools: [{name: get_order}, {name: get_stock}, {name: issue_refund}]
tool_simulator: {kind: human}
"""


def test_every_kind_has_its_line_with_whether_it_is_an_error() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (yes|no) \|$", PAGE, re.M)
    assert [name for name, _ in rows] == list(FAULTS)
    place = fault_place(refund(), (), CALL)
    for name, error in rows:
        if name != "stale_data":
            assert made(name, place).is_error is (error == "yes")


def test_the_example_is_part_of_a_project() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
    faults = parse_project(HEAD + example).faults
    assert [rule.fault for rule in faults] == ["timeout", "http_500", "stale_data", "sold_out"]
