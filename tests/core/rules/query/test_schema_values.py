"""Completion of a query from what the project's tools declare, before any call was made."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project, Tool
from rollstep.core.rules.query.completion import completions
from rollstep.core.rules.query.schema_values import MOST, declared_in
from rollstep.core.rules.query.step_fields import STEPS

POLICY = Tool(
    "check_policy",
    parameters=json.dumps(
        {
            "type": "object",
            "properties": {
                "order_id": {"type": "string", "description": "The order's number."},
                "reason": {"enum": ["damaged", "changed_mind", 0, False, None, ["list"]]},
                "order": {"properties": {"items": {"items": {"$ref": "#/$defs/item"}}}},
            },
            "$defs": {"item": {"properties": {"sku no": {"type": "string"}}}},
        }
    ),
    returns='{"anyOf": [{"properties": {"rule": {"const": "R-02"}}}, {"type": "null"}]}',
)
ORDER = Tool("get_order", parameters='{"properties": {"order_id": {"type": "string"}}}')


def project(*tools: Tool) -> Project:
    return Project("p", EchoTarget(), HeuristicEvaluator(), tools=tools)


def offered(text: str, values: dict[str, Any] | None = None) -> dict[str, str]:
    declared = declared_in(project(POLICY, ORDER))
    found = completions(text, len(text), STEPS, values or {}, declared)
    return {each.replacement: each.words for each in found}


def test_members_of_arguments_and_results_are_offered_with_whose_they_are() -> None:
    begun = offered("tool = check_policy and args/r")
    assert begun == {"args/reason": "of check_policy"}
    words = offered("args/")
    assert words["args/order_id"] == "of check_policy, get_order: The order's number."
    assert 'args/order/items/0/"sku no"' in words
    assert offered("result/") == {"result/rule": "of check_policy"}


def test_permitted_values_are_offered_behind_those_that_occur() -> None:
    found = offered("args/reason = ", {"args/reason": ["lost"]})
    assert list(found) == ["lost", "damaged", "changed_mind", "0", "false", "null"]
    assert found["lost"] == "in this rollout"
    assert found["damaged"] == "may be so, of check_policy"
    assert list(offered("result/rule = ")) == ["R-02"]


@pytest.mark.parametrize(
    "schema",
    [
        '{"$ref": "#"}',
        '{"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/nowhere"}, "c": {"$ref": "http://x"}}}',
        '{"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"allOf": [{"$ref": "#"}]}]}',
        '{"properties": [1], "items": 3, "enum": {}, "anyOf": 5, "$ref": 7}',
        '{"properties": {"a": true, "b": {"description": 3, "enum": [{}]}}}',
        "true",
        "no JSON",
    ],
)
def test_a_schema_that_refers_to_itself_or_is_none_is_no_trouble(schema: str) -> None:
    found = declared_in(project(Tool("t", parameters=schema, returns=schema)))
    for each in completions("args/", 5, STEPS, {}, found):
        assert each.replacement.startswith("args/")


def test_a_schema_of_many_members_is_read_so_far() -> None:
    many = {"properties": {f"m{n}": {"enum": list(range(1000))} for n in range(5000)}}
    found = declared_in(project(Tool("t", parameters=json.dumps(many))))
    assert len(found) == MOST
    assert all(len(each.values) <= 30 for each in found.values())
