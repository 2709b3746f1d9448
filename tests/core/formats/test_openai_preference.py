from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.errors import ExportError, FormatError
from rollstep.core.formats.reading.record import Record
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)

from .conftest import make_project
from .reading_back import read_line, rows_of, write, written_again
from .samples import GET_ORDER
from .trees import Tree

FMT = "openai-preference"
NO, YES = target_reply("No."), target_reply("Yes.")


def edited() -> Tree:
    tree = Tree(make_project(tools=(GET_ORDER,)))
    tree.add(user_message("Refund me."))
    tree.add(target_reply("", (ToolCall("c1", "get_order", "{}"),)))
    tree.add(tool_result("c1", "49.0"))
    tree.edit(tree.add(NO), YES)
    tree.marks = [Mark("s2", train=False), Mark("s5", train=True)]
    return tree


def test_a_row_is_the_history_with_both_answers() -> None:
    (row,) = rows_of(FMT, edited().subject())
    value = json.loads(row.data)
    assert list(value) == ["input", "preferred_output", "non_preferred_output"]
    assert [message["role"] for message in value["input"]["messages"]] == [
        *("system", "user", "assistant", "tool"),
    ]
    assert value["input"]["tools"][0]["function"]["name"] == "get_order"
    assert value["preferred_output"] == [{"role": "assistant", "content": "Yes."}]
    assert value["non_preferred_output"] == [{"role": "assistant", "content": "No."}]
    assert b"weight" not in row.data
    assert row.steps == (0, 1, 2, 3, 4, 0)


def test_both_branches_of_a_pair_give_one_row() -> None:
    tree = Tree()
    tree.add(user_message("Refund me."))
    tree.reject(tree.add(NO))
    tree.accept(tree.add(YES, "s1"))
    both = write(FMT, *tree.branches())
    assert both.count(b"\n") == 1
    assert both == write(FMT, tree.subject("s2")) == write(FMT, tree.subject("s3"))


def test_answers_may_call_tools() -> None:
    tree = Tree(make_project(tools=(GET_ORDER,)))
    tree.add(user_message("Refund me."))
    tree.edit(tree.add(NO), target_reply("", (ToolCall("c1", "get_order", "{}"),)))
    value = json.loads(write(FMT, tree.subject()))
    assert value["preferred_output"][0]["tool_calls"][0]["id"] == "c1"


def refusal(tree: Tree) -> str:
    found = report(tree.subject(), FORMATS[FMT])
    assert found.refused
    with pytest.raises(ExportError):
        write(FMT, tree.subject())
    return found.render()


def test_without_a_pair_it_is_refused_with_every_reason() -> None:
    tree = Tree()
    tree.add(user_message("Refund me."))
    tree.add(YES)
    assert (
        "there is no pair: no reply of the target was overridden, and no take was accepted where "
        "another was rejected." in refusal(tree)
    )
    tree.edit("s2", target_reply("Yes. "))
    assert "step 2: no pair: the sides differ in white space only." in refusal(tree)


def test_a_pair_that_the_rules_forbid_is_told_beside_those_that_are_made() -> None:
    tree = edited()
    tree.add(user_message("Sure?"))
    tree.edit(tree.add(target_reply("Sure.")), target_reply("", (ToolCall("c2", "pay", "{}"),)))
    found = report(tree.subject(), FORMATS[FMT])
    assert found.refused == ()
    assert (
        "no pair of step 6: messages[6].tool_calls[0].function.name: the project declares no "
        "'pay' (step 6); rule: every tool called is declared in tools. Add it to the project's "
        "tools"
    ) in found.notes
    assert len(rows_of(FMT, tree.subject())) == 1


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ((), "there is no user message before the answer"),
        ((user_message("a"), target_reply("b")), "it answers an assistant message and nobody else"),
        ((user_message("a"), tool_result("c9", "b")), "no call just before has the id 'c9'"),
    ],
)
def test_a_history_that_nobody_can_answer_is_refused(before: Any, words: str) -> None:
    tree = Tree()
    for payload in before:
        tree.add(payload)
    tree.edit(tree.add(NO), YES)
    assert words in refusal(tree)


def test_a_row_is_read_as_two_takes_with_verdicts_opened_at_the_preferred() -> None:
    data = write(FMT, edited().subject())
    imported = read_line(FMT, data)
    chosen, rejected = imported.steps[-2:]
    assert chosen.parent_id == rejected.parent_id
    assert imported.head == chosen.id
    assert [(mark.step_id, mark.verdict) for mark in imported.marks] == [
        *((chosen.id, "accept"), (rejected.id, "reject")),
    ]
    assert imported.project.tools == (GET_ORDER,)
    assert written_again(FMT, data) == data


def test_what_a_row_holds_besides_comes_back_where_openai_has_it() -> None:
    line = json.dumps(
        {
            "input": {
                "messages": [
                    {"role": "developer", "content": "d"},
                    {"content": "q", "role": "user"},
                ],
                "parallel_tool_calls": True,
            },
            "preferred_output": [{"role": "assistant", "content": "a"}],
            "non_preferred_output": [{"role": "assistant", "content": "b"}],
        }
    )
    assert written_again(FMT, line.encode()) == line.encode() + b"\n"


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"input": {}, "preferred_output": []},
        {"input": {"messages": []}, "preferred_output": [], "non_preferred_output": []},
        {
            "input": {"messages": [{"role": "user", "content": "q"}]},
            "preferred_output": [],
            "non_preferred_output": None,
        },
        [],
    ],
)
def test_what_is_no_pair_is_refused_in_words(value: Any) -> None:
    reader = FORMATS[FMT].reader
    assert reader is not None
    with pytest.raises(FormatError) as caught:
        list(reader.read(Record(7, value, "d")))
    assert len(caught.value.faults[0].render()) > 20


def test_verdicts_and_branches_are_held_where_the_pairs_are_all_there_is_to_them() -> None:
    tree = Tree()
    tree.add(user_message("Refund me."))
    tree.reject(tree.add(NO))
    tree.accept(tree.add(YES, "s1"))
    for fmt in (FMT, "trl-preference"):
        assert {loss.what for loss in report(tree.subject(), FORMATS[fmt]).lost} == {"project"}
    tree.marks[1] = Mark("s3", verdict="accept", note="kinder")
    tree.add(target_reply("Maybe."), "s1")
    for fmt in (FMT, "trl-preference"):
        lost = {loss.what for loss in report(tree.subject("s3"), FORMATS[fmt]).lost}
        assert lost == {"project", "marks", "branches"}
