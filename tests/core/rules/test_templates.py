"""Prompts of a project run in a sandbox, and are checked before anything is asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.rules.templates import VARIABLES, TemplateError, check, literal, render


@pytest.mark.parametrize(
    "template",
    [
        "{{ goal.__class__.__mro__ }}",
        "{{ ().__class__.__base__.__subclasses__() }}",
        "{{ names.append(2) }}",
        "{% set _ = names.clear() %}",
        "{{ 'x' * 1000000000 }}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '{:>1000000000}'.format('') }}",
        "{{ goal.ljust(1000000000) }}",
        "{{ goal|center(1000000000) }}",
        "{% for n in range(99999) %}{% for m in range(99999) %}{% endfor %}{% endfor %}",
        "{% include '/etc/passwd' %}",
        "{{ goal.nothing }}",
        "{{ nothing }}",
    ],
)
def test_a_template_reaches_nothing_and_makes_nothing_without_end(template: str) -> None:
    names = ["a"]
    with pytest.raises(TemplateError):
        render(template, {"goal": "g", "names": names})
    assert names == ["a"]


def test_texts_are_put_in_as_they_are() -> None:
    odd = '<b>&amp; "{{ goal }}" {% x %}\r\n\u2028\x00 é'
    assert render("{{ goal }}", {"goal": odd}) == odd
    assert render("{{ goal|tojson }}", {"goal": "<é>"}) == '"<é>"'


def test_lines_of_tags_leave_no_empty_lines() -> None:
    template = "a\n  {% if goal %}\nb\n  {% endif %}\nc\n"
    assert render(template, {"goal": "g"}) == "a\nb\nc"


@given(st.text())
def test_a_literal_says_its_text_whatever_is_in_it(text: str) -> None:
    assert render(f"{literal(text)}", {}) == text


def test_a_name_that_stands_for_nothing_is_told_with_its_line() -> None:
    with pytest.raises(TemplateError) as caught:
        check("Hello\n{{ gaol }}", "evaluator")
    assert (caught.value.names, caught.value.line) == (("gaol",), 2)


def test_a_syntax_error_is_told_with_its_line() -> None:
    with pytest.raises(TemplateError, match="Expected an expression") as caught:
        check("{{ goal }}\n{% if %}", "evaluator")
    assert caught.value.line == 2


def test_the_target_s_system_text_is_no_variable_of_the_others() -> None:
    assert "system" in VARIABLES["target"]
    for role in ("evaluator", "tool"):
        with pytest.raises(TemplateError):
            check("{{ system }}", role)


def test_jinja_is_not_loaded_before_the_first_template() -> None:
    script = (
        "import sys, rollstep.core, rollstep.core.retaking, rollstep.core.roles.llm, "
        "rollstep.core.projects.reader; print('jinja2' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_the_documentation_names_every_variable_of_every_role() -> None:
    text = (Path(__file__).parents[3] / "docs" / "models.md").read_text("utf-8")
    missing = [
        name
        for names in VARIABLES.values()
        for name, meaning in names.items()
        if f"| `{name}` | {meaning} |" not in text
    ]
    assert missing == []
