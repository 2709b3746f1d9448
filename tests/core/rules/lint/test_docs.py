"""The table in docs/lint.md is the table of the rules."""

from __future__ import annotations

import re
from pathlib import Path

from rollstep.core.rules.lint import RULES

DOCS = Path(__file__).parents[4] / "docs" / "lint.md"


def test_the_documented_rules_are_the_rules() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    assert dict(rows) == RULES
