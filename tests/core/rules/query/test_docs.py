"""docs/query.md says what is so: its table of fields, its examples, its bounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rollstep.core.rules.query.compiling import SEARCHED
from rollstep.core.rules.query.nodes import Field
from rollstep.core.rules.query.parsing import DEEPEST, LONGEST, parse
from rollstep.core.rules.query.step_fields import STEPS

PAGE = (Path(__file__).parents[4] / "docs" / "query.md").read_text(encoding="utf-8")
_TABLE = re.search(r"\n\| field \| kind \| \|\n\|---\|---\|---\|\n(.*?)\n\n", PAGE, re.DOTALL)
EXAMPLES = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)[0].strip().splitlines()


def row(field: Field) -> str:
    member = {"pointer": "`, `{}/…", "name": "`, `{}.NAME", "": ""}[field.member]
    words = ", ".join(f"`{word}`" for word in field.words)
    listed = f" {'One of' if field.only else 'Such as'} {words}." if words else ""
    name = f"`{field.name}{member.format(field.name)}`"
    return f"| {name} | {field.kind} | {field.help}{listed} |"


def test_the_table_of_fields_is_the_vocabulary() -> None:
    assert _TABLE is not None
    assert _TABLE[1].splitlines() == [row(field) for field in STEPS.fields]


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_are_queries(text: str) -> None:
    parse(text, STEPS)


def test_the_bounds_are_the_real_ones() -> None:
    for words in (f"{LONGEST:,} characters", f"nested {DEEPEST} deep", f"first\n{SEARCHED:,} char"):
        assert words in PAGE
