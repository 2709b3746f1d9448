"""Schemas of tools, and results that contradict one another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.model.messages import Payload
from rollstep.core.model.project import Tool
from rollstep.core.rules.lint.linter import findings
from rollstep.core.rules.lint.tools import only_reads

from .paths import BYE, HELLO, asks, call, flags, imported, project, result, rollout, step

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    ("arguments", "rules"),
    [
        ('{"id": "1"}', []),
        ('{"id": 1}', ["arguments-schema"]),
        ("{}", ["arguments-schema"]),
        ("no JSON", ["bad-arguments"]),
        ("[1]", ["bad-arguments"]),
    ],
)
def test_arguments_against_the_tools_parameters(arguments: str, rules: list[str]) -> None:
    found = flags(HELLO, asks(call("a", arguments=arguments)), result("a"), BYE)
    assert found == [("s2", rule) for rule in rules]


def test_a_tool_that_is_not_declared() -> None:
    odd = asks(call("a", "delete_all", "{}"))
    assert flags(HELLO, odd) == [("s2", "arguments-schema")]
    assert flags(HELLO, odd, projects=[project(tools=())]) == []


@pytest.mark.parametrize(
    ("value", "fits"),
    [('{"status": "lost"}', True), ("{}", False), ("[]", False), ("shipped", False)],
)
def test_results_against_returns(value: str, fits: bool) -> None:
    found = flags(HELLO, asks(call("a")), result("a", value), BYE)
    assert found == ([] if fits else [("s3", "result-schema")])


def test_failures_and_faults_need_not_fit_returns() -> None:
    failed = flags(HELLO, asks(call("a")), result("a", "no", is_error=True), BYE)
    assert failed == [("s3", "tool-error")]
    injected = step("s3", result("a", "no"), injected="wrong_type")
    assert flags(HELLO, asks(call("a")), injected, BYE) == [("s3", "injected")]


def test_a_text_may_be_a_string() -> None:
    texts = [project(tools=(Tool("get_order", returns='{"type": "string"}'),))]
    for said in ("shipped", "42", '"shipped"'):
        assert flags(HELLO, asks(call("a")), result("a", said), BYE, projects=texts) == []


def test_each_step_is_held_against_the_revision_it_was_made_from() -> None:
    strict = project(tools=(Tool("get_order", returns='{"type": "array"}'),))
    path = (HELLO, asks(call("a")), result("a", {"status": "lost"}), BYE)
    assert flags(*path, projects=[project(), strict]) == []
    later = step("s3", path[2], revision=1)
    assert flags(*path[:2], later, projects=[project(), strict]) == [("s3", "result-schema")]


@pytest.mark.parametrize(
    ("row", "empty"), enumerate((False,) * 2 + (True, False, False, True, True))
)
def test_tool_outputs_of_every_type(row: int, empty: bool) -> None:
    lines = (DATA / "tool_outputs_of_every_type.jsonl").read_text("utf-8").splitlines()
    found = flags(*imported(json.loads(lines[row])), projects=[project(tools=())])
    assert found == ([("s3", "empty")] if empty else [])


# -- state drift ------------------------------------------------------------------------------


def _twice(first: object, second: object, *between: Payload, **more: Any) -> list[str]:
    """The rules that flag the second of two results of the same call."""
    name, arguments = more.get("name", "get_price"), more.get("arguments", ("{}", "{}"))
    found = flags(
        HELLO,
        asks(call("a", name, arguments[0])),
        result("a", first),
        BYE,
        *between,
        HELLO,
        asks(call("z", name, arguments[1])),
        step("again", result("z", second), **more.get("step", {})),
    )
    return [rule for step_id, rule in found if step_id == "again"]


def test_a_result_that_contradicts_an_earlier_one_is_drift() -> None:
    assert _twice({"price": 49}, {"price": 50}) == ["state-drift"]
    tree = rollout(
        *(HELLO, asks(call("a", "get_price", "{}")), result("a", {"price": 49})),
        *(asks(call("b", "get_price", "{}")), result("b", {"price": 50})),
    )
    assert findings(tree, "s5")[0].words == (
        "step 3 says /price 49 for the same arguments, this 50"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('{"price": 49, "of": "blender"}', '{ "of": "blender", "price": 49.0 }'),
        ("It costs 49.", "The price is 49."),
        ('{"error": "too many requests"}', '{"price": 49}'),
    ],
)
def test_the_same_value_sentences_and_failures_are_no_drift(first: str, second: str) -> None:
    assert _twice(first, second) == []


@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":', "}")])
def test_drift_is_found_as_deep_as_results_can_be_read(opens: str, closes: str) -> None:
    first, second = (f"{opens * 900}{leaf}{closes * 900}" for leaf in "12")
    assert _twice(first, second) == ["state-drift"]
    assert _twice(first, first) == []


def test_single_words_are_compared() -> None:
    assert _twice("shipped", "lost") == ["state-drift"]


def test_other_arguments_are_another_question() -> None:
    assert _twice("1", "2", arguments=('{"id": 1}', '{"id": 2}')) == []
    assert _twice("1", "2", arguments=('{"id": 1, "n": 2}', '{"n":2.0,"id":1}')) == ["state-drift"]


def test_a_tool_that_may_have_changed_something_ends_the_comparison() -> None:
    refund = (HELLO, asks(call("r", "issue_refund", "{}")), result("r", "ok"), BYE)
    looked = (HELLO, asks(call("o")), result("o"), BYE)
    assert _twice("1", "2", *refund) == []
    assert _twice("1", "2", *looked) == ["state-drift"]


def test_errors_and_faults_contradict_nothing() -> None:
    assert _twice("1", "2", step={"injected": "stale_data"}) == ["injected"]
    assert _twice("1", "2", name="get_time") == []


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        *((name, True) for name in ("get_order", "searchFlights", "mcp__shop__list-orders")),
        *((name, True) for name in ("orders.find", "lookup", "check_policy", "GetUserDetails")),
        *((name, False) for name in ("issue_refund", "get_or_create_cart", "check_out", "order")),
        *((name, False) for name in ("find_and_replace", "check_in_guest", "", "测试")),
    ],
)
def test_whether_a_name_reads_like_looking(name: str, reads: bool) -> None:
    assert only_reads(name) is reads
