from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import ExportError
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.formats.turn_records import render
from rollstep.core.model.messages import (
    Stop,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import EchoTarget

from .conftest import make_project, make_subject

KEYS = [
    "synth_kind",
    "session_id",
    "project",
    "turn_index",
    "parent_step_id",
    "step_id",
    "messages",
    "user_text",
    "agent_text",
    "termination",
]


def rows(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.split(b"\n") if line]


def two_turns(*tail: Any, **fields: Any) -> Any:
    return make_subject(
        user_message("Hi."),
        target_reply("Hello."),
        user_message("Bye."),
        target_reply("See you."),
        *tail,
        **fields,
    )


def test_a_record_has_the_seeds_keys_in_the_seeds_order() -> None:
    first, second = rows(render(two_turns(Stop("goal_reached", "evaluator"))))
    assert list(first) == list(second) == KEYS
    assert list(first["project"]) == ["id", "title", "goal", "metadata"]
    assert first["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
    ]
    assert (second["user_text"], second["agent_text"]) == ("Bye.", "See you.")


def test_records_chain_through_parent_ids_and_only_the_last_terminates() -> None:
    first, second = rows(render(two_turns(Stop("bored", "evaluator"))))
    assert first["parent_step_id"] is None
    assert second["parent_step_id"] == first["step_id"]
    assert [first["turn_index"], second["turn_index"]] == [0, 1]
    assert first["session_id"] == first["project"]["id"]
    assert first["termination"] is None
    assert second["termination"] == {"reason": "bored"}


def test_an_unfinished_rollout_has_no_termination_and_the_report_says_so() -> None:
    subject = two_turns()
    assert [row["termination"] for row in rows(render(subject))] == [None, None]
    assert "has not stopped" in report(subject, FORMATS["turn-records"]).render()


def test_equal_subjects_give_equal_bytes_and_seed_and_row_change_the_ids() -> None:
    assert render(two_turns()) == render(two_turns())
    ids = {rows(render(two_turns(seed=s, row=r)))[0]["step_id"] for s in (0, 1) for r in (0, 1)}
    assert len(ids) == 4


def test_branches_share_the_ids_of_what_they_share_and_edited_siblings_differ() -> None:
    edited = make_subject(
        user_message("Hi."), target_reply("Hello."), user_message("Bye."), target_reply("No.")
    )
    ours, theirs = rows(render(two_turns())), rows(render(edited))
    assert ours[0]["step_id"] == theirs[0]["step_id"]
    assert ours[1]["step_id"] != theirs[1]["step_id"]


def test_a_project_with_an_id_of_its_own_keeps_it() -> None:
    project = make_project(id="proj-0123456789ab")
    assert rows(render(two_turns(project=project)))[0]["session_id"] == "proj-0123456789ab"


def test_a_turn_with_tools_keeps_its_message_and_final_reply_and_reports_the_rest() -> None:
    call = ToolCall("c1", "get_order", '{"order_id": 1}')
    subject = make_subject(
        user_message("Hi."),
        target_reply("Looking.", (call,)),
        tool_result("c1", "lost", is_error=True),
        target_reply("It is lost."),
    )
    (row,) = rows(render(subject))
    assert [m["content"] for m in row["messages"]] == ["Be kind.", "Hi.", "It is lost."]
    text = report(subject, FORMATS["turn-records"]).render()
    assert "not kept: tool calls and their results (step 2, 3)" in text
    assert "is an error (step 3)" in text


@pytest.mark.parametrize(
    "tail",
    [
        (user_message("And?"),),
        (user_message("And?"), target_reply("Wait.", (ToolCall("c", "f", "{}"),))),
        (
            user_message("And?"),
            target_reply("Wait.", (ToolCall("c", "f", "{}"),)),
            Stop("max_steps", "rule"),
        ),
    ],
)
def test_a_turn_without_its_final_reply_is_refused_by_name_and_rule(tail: Any) -> None:
    subject = make_subject(user_message("Hi."), target_reply("Hello."), *tail)
    (fault,) = report(subject, FORMATS["turn-records"]).refused
    assert "turn 2 (step 3)" in fault.render()
    assert "final reply" in fault.render()
    with pytest.raises(ExportError, match="turn 2"):
        render(subject)


def test_an_empty_system_text_is_kept_and_none_is_left_out() -> None:
    for system, count in (("", 3), (None, 2)):
        project = make_project(target=EchoTarget(system=system))
        subject = make_subject(user_message("Hi."), target_reply("Hello."), project=project)
        assert len(rows(render(subject))[0]["messages"]) == count


def test_metadata_is_written_as_it_stands() -> None:
    metadata = '{"b": 1.10, "a": 12345678901234567890,\n "b": "\u2028"}'
    subject = two_turns(project=make_project(metadata=metadata))
    line = render(subject).split(b"\n")[0].decode()
    assert '"metadata": {"b": 1.10, "a": 12345678901234567890,  "b": "\\u2028"}' in line


def test_line_separators_and_lone_surrogates_are_escaped_and_read_back_equal() -> None:
    text = "a\u0085b\u2028c\u2029d \ud83d e \udc00\ud83d 😀 é"
    subject = make_subject(user_message(text), target_reply(text))
    data = render(subject)
    assert len(data.decode("utf-8").splitlines()) == 1
    assert "😀 é" in data.decode("utf-8")
    assert rows(data)[0]["user_text"] == text
    assert r"\udXXX" in report(subject, FORMATS["turn-records"]).render()


def test_texts_are_never_trimmed() -> None:
    subject = make_subject(user_message("  \n"), target_reply("\tx\r\n\x00 "))
    (row,) = rows(render(subject))
    assert (row["user_text"], row["agent_text"]) == ("  \n", "\tx\r\n\x00 ")


def test_a_stop_without_a_reason_is_max_turns() -> None:
    assert rows(render(two_turns(Stop("", "evaluator"))))[1]["termination"] == {
        "reason": "max_turns"
    }


TEXTS = st.text(max_size=20) | st.sampled_from(["\u2028", "\x00\x1f", '"\\', "é 👩‍🌾", "\t\r\n"])


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS, TEXTS, TEXTS)
def test_records_are_what_json_dumps_would_write(
    turns: list[tuple[str, str]], title: str, goal: str, system: str
) -> None:
    metadata = {"seed_task_id": title, "seed_context": {"x": [1, goal]}}
    project = make_project(
        title=title,
        goal=goal,
        target=EchoTarget(system),
        metadata=json.dumps(metadata, ensure_ascii=False),
        id="proj-000000000000",
    )
    payloads = [p for user, agent in turns for p in (user_message(user), target_reply(agent))]
    data = render(make_subject(*payloads, Stop("r", "rule"), project=project))
    found = rows(data)
    expected = [
        {
            "synth_kind": "multi_turn_project",
            "session_id": "proj-000000000000",
            "project": {
                "id": "proj-000000000000",
                "title": title,
                "goal": goal,
                "metadata": metadata,
            },
            "turn_index": index,
            "parent_step_id": found[index - 1]["step_id"] if index else None,
            "step_id": found[index]["step_id"],
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": user},
                {"role": "assistant", "content": agent},
            ],
            "user_text": user,
            "agent_text": agent,
            "termination": {"reason": "r"} if index + 1 == len(turns) else None,
        }
        for index, (user, agent) in enumerate(turns)
    ]
    dumped = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in expected)
    for char in ("\u0085", "\u2028", "\u2029"):
        dumped = dumped.replace(char, f"\\u{ord(char):04x}")
    assert data.decode("utf-8") == dumped
