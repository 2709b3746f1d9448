"""The rules tool simulator."""

from __future__ import annotations

import msgspec
import pytest
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.model.messages import ToolCall, ToolResult, payload_text
from rollstep.core.model.project import RulesSimulator, Tool, ToolRule
from rollstep.core.roles.protocols import Answer
from rollstep.core.roles.rules import RulesSimulatorRole

from .making import PROJECT, view

WITH_TOOLS = msgspec.structs.replace(PROJECT, tools=(Tool("get_order"), Tool("list_orders")))


async def ask(
    rules: tuple[ToolRule, ...],
    arguments: str = "{}",
    *,
    name: str = "get_order",
    used: tuple[int, ...] = (),
    take: int = 0,
) -> Answer:
    role = RulesSimulatorRole(RulesSimulator(rules))
    call = ToolCall("c7", name, arguments)
    return await role.respond(view("tool", used=used, take=take, call=call, project=WITH_TOOLS))


async def test_the_first_row_that_fits_answers_the_call_by_its_id() -> None:
    rules = (
        ToolRule("list_orders", '"no"'),
        ToolRule("get_order", '{"price": 49.0}', when='{"order_id": "4471"}'),
        ToolRule("get_order", '"any"'),
    )
    answer = await ask(rules, '{"order_id": "4471", "more": 1}')
    assert isinstance(answer.payload, ToolResult)
    assert answer.payload.call_id == "c7"
    assert answer.script_index == 1
    assert payload_text(answer.payload) == '{"price": 49.0}'
    assert (await ask(rules, '{"order_id": "4472"}')).script_index == 2


@pytest.mark.parametrize(
    ("when", "arguments", "fits"),
    [
        ('{"n": 1}', '{"n": 1.0}', True),
        ('{"n": 1}', '{"n": "1"}', False),
        ('{"n": 1}', '{"n": true}', False),
        ('{"n": null}', "{}", False),
        ('{"n": null}', '{"n": null}', True),
        ('{"a": {"b": [1]}}', '{"a": {"b": [1]}, "c": 2}', True),
        ('{"a": {"b": 1}}', '{"a": {"b": 1, "c": 2}}', False),
        ("{}", '{"anything": 1}', True),
        ("{}", "[1]", False),
        ("{}", "not json", False),
    ],
)
async def test_arguments_are_compared_as_they_are(when: str, arguments: str, fits: bool) -> None:
    rules = (ToolRule("get_order", '"yes"', when=when), ToolRule("get_order", '"no"'))
    assert payload_text((await ask(rules, arguments)).payload) == ("yes" if fits else "no")


@pytest.mark.parametrize(
    ("respond", "text"),
    [
        ('"plain \\"text\\""', 'plain "text"'),
        ('""', ""),
        ('{"b":1.10,  "a": 1E5}', '{"b":1.10,  "a": 1E5}'),
        ("null", "null"),
        ("true", "true"),
        ("[]", "[]"),
    ],
)
async def test_a_string_is_given_as_it_is_and_anything_else_as_its_json_text(
    respond: str, text: str
) -> None:
    assert payload_text((await ask((ToolRule("get_order", respond),))).payload) == text


async def test_times_counts_the_uses_in_this_path() -> None:
    rules = (ToolRule("get_order", '"first two"', times=2), ToolRule("get_order", '"then"'))
    assert (await ask(rules, used=(0,))).script_index == 0
    assert (await ask(rules, used=(0, 0))).script_index == 1
    assert (await ask(rules, used=(0, 0, 1, 1))).script_index == 1


async def test_takes_are_alternative_results() -> None:
    rules = (ToolRule("get_order", '"a"', takes=('"b"', '{"c": 1}')),)
    texts = [payload_text((await ask(rules, take=take)).payload) for take in range(4)]
    assert texts == ["a", "b", '{"c": 1}', "a"]


async def test_a_row_may_be_a_failure_of_the_tool() -> None:
    answer = await ask((ToolRule("get_order", '"no such order"', is_error=True),))
    assert isinstance(answer.payload, ToolResult)
    assert answer.payload.is_error


async def test_no_row_fits_names_the_call_and_the_rows_of_its_tool() -> None:
    rules = (
        ToolRule("get_order", '"a"', when='{"order_id": "1"}'),
        ToolRule("get_order", '"b"', times=1),
        ToolRule("list_orders", '"c"'),
    )
    with pytest.raises(RoleError) as caught:
        await ask(rules, '{"order_id": "2"}', used=(1,))
    words = str(caught.value)
    assert caught.value.kind == "not_ready"
    assert 'No rule fits get_order({"order_id": "2"})' in words
    assert 'rules[0] when {"order_id": "1"}' in words
    assert "rules[1] any arguments, 1 of 1 times used" in words
    assert "rules[2]" not in words
    assert "by hand" in words


async def test_what_a_log_does_not_hold_is_not_recorded_and_no_rule_is_spoken_of() -> None:
    project = msgspec.structs.replace(WITH_TOOLS, metadata='{"played_by": {"tool": "recorded"}}')
    role = RulesSimulatorRole(RulesSimulator((ToolRule("get_order", '"a"', when='{"id": 1}'),)))
    call = ToolCall("c7", "get_order", '{"id": 2}')
    with pytest.raises(RoleError) as caught:
        await role.respond(view("tool", call=call, project=project))
    words = 'Not recorded: no call of the log was get_order({"id": 2}). Write the result by hand.'
    assert str(caught.value) == words


async def test_arguments_that_are_no_json_are_called_so() -> None:
    with pytest.raises(RoleError, match="not valid JSON"):
        await ask((ToolRule("get_order", '"a"', when="{}"),), "{}{}")


async def test_an_undeclared_tool_is_named_with_the_declared_ones() -> None:
    with pytest.raises(RoleError) as caught:
        await ask((), name="drop_[table]")
    assert '"drop_[table]"' in str(caught.value)
    assert "declared: get_order, list_orders" in str(caught.value)


async def test_a_row_may_cover_an_undeclared_tool() -> None:
    answer = await ask((ToolRule("ping", '"pong"'),), name="ping")
    assert payload_text(answer.payload) == "pong"


async def test_a_declared_tool_without_any_row_says_so() -> None:
    with pytest.raises(RoleError, match="No rule answers the tool get_order"):
        await ask(())


def test_a_when_that_is_no_object_is_refused_when_the_role_is_made() -> None:
    with pytest.raises(UsageError, match=r"rules\[0\]\.when"):
        RulesSimulatorRole(RulesSimulator((ToolRule("a", "1", when="[1]"),)))
