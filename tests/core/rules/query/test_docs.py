"""docs/query.md says what is so: its table of fields, its examples, its bounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rollstep.core.rules.query.compiling import SEARCHED
from rollstep.core.rules.query.nodes import Field
from rollstep.core.rules.query.parsing import DEEPEST, LONGEST, parse
from rollstep.core.rules.query.rollout_fields import ROLLOUTS
from rollstep.core.rules.query.step_fields import STEPS

PAGE = (Path(__file__).parents[4] / "docs" / "query.md").read_text(encoding="utf-8")
_TABLES = re.findall(r"\n\| field \| kind \| \|\n\|---\|---\|---\|\n(.*?)\n\n", PAGE, re.DOTALL)
_BLOCKS = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES = _BLOCKS[0].strip().splitlines()
OF_ROLLOUTS = _BLOCKS[-1].strip().splitlines()


def row(field: Field) -> str:
    member = {"pointer": "`, `{}/…", "name": "`, `{}.NAME", "": ""}[field.member]
    words = ", ".join(f"`{word}`" for word in field.words)
    listed = f" {'One of' if field.only else 'Such as'} {words}." if words else ""
    name = f"`{field.name}{member.format(field.name)}`"
    return f"| {name} | {field.kind} | {field.help}{listed} |"


def test_the_tables_of_fields_are_the_vocabularies() -> None:
    for table, vocabulary in zip(_TABLES, (STEPS, ROLLOUTS), strict=True):
        assert table.splitlines() == [row(field) for field in vocabulary.fields]


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_are_queries(text: str) -> None:
    parse(text, STEPS)


@pytest.mark.parametrize("text", OF_ROLLOUTS)
def test_the_examples_of_rollouts_are_queries(text: str) -> None:
    parse(text, ROLLOUTS)


def test_the_bounds_are_the_real_ones() -> None:
    for words in (f"{LONGEST:,} characters", f"nested {DEEPEST} deep", f"first\n{SEARCHED:,} char"):
        assert words in PAGE
