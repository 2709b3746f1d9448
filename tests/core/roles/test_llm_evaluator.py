"""What a model that plays the user is sent, and how its answers are read. No model is asked."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from rollstep.core.errors import RoleError
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    UserMessage,
    payload_text,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import LlmEvaluator, LlmTarget, Project
from rollstep.core.model.steps import Step, Usage, role_of
from rollstep.core.roles.llm_evaluator import (
    BEGIN,
    EMPTY,
    NOTHING,
    evaluator_request,
    read_evaluator,
)
from rollstep.core.rules.stepper import Ask
from rollstep.core.rules.stops import settle
from rollstep.core.rules.views import view_for
from rollstep.core.workers.model_reply import ModelReply

from .making import view

CALL = ToolCall("c1", "get_order", '{"id": 1}')
SECRET = "Refunds above 200 need a human."


def project(**evaluator: Any) -> Project:
    spec = LlmEvaluator("openai/m", **evaluator)
    return Project("t", LlmTarget("openai/m", system=SECRET), spec, goal="A refund.")


def asked(*payloads: Payload, turn: int = 1, **evaluator: Any) -> Any:
    """The request for the next message after these, as the session would make it."""
    given = project(**evaluator)
    steps = [Step(str(n), None, role_of(p), p, "import") for n, p in enumerate(payloads)]
    seen = view_for(given, steps, "evaluator")
    assert isinstance(given.evaluator, LlmEvaluator)
    return evaluator_request(seen, given.evaluator)


def sent(*payloads: Payload, **evaluator: Any) -> list[tuple[str, str]]:
    """The messages after the prompt."""
    return [(m["role"], m["content"]) for m in asked(*payloads, **evaluator).messages[1:]]


def reply(text: str = "", *calls: tuple[str, Any], thinking: str = "") -> ModelReply:
    made = tuple(
        ToolCall(str(n), name, value if isinstance(value, str) else json.dumps(value))
        for n, (name, value) in enumerate(calls)
    )
    blocks = (Reasoning(thinking),) if thinking else ()
    return ModelReply(text, blocks, made, "stop", "", Usage(), None, "")


def read(*reply_of: Any, answers: str = "auto", thinking: str = "", **more: Any) -> Any:
    spec = LlmEvaluator("openai/m", answers=answers, **more)  # type: ignore[arg-type]
    return read_evaluator(reply(*reply_of, thinking=thinking), spec)


# what it is sent


def test_its_opening_line_stays_its_own() -> None:
    assert sent(user_message("Return A-100."), target_reply("Which item?")) == [
        ("user", BEGIN),
        ("assistant", "Return A-100."),
        ("user", "Which item?"),
    ]


PATHS: list[list[Payload]] = [
    [],
    [user_message("only its own")],
    [target_reply("Hello, how can I help?"), user_message("cancel"), target_reply("done")],
    [target_reply("greeting"), target_reply("and another")],
    [user_message("one"), user_message("two"), target_reply("a"), target_reply("b")],
    [user_message(""), target_reply(""), user_message("x"), target_reply("")],
    [SystemNote(text_parts("one")), user_message("hi"), SystemNote(text_parts("mid"))],
    [user_message("a"), target_reply("", (CALL,)), tool_result("c1", ""), target_reply("b")],
    [user_message("a"), tool_result("c9", "nobody asked"), user_message("b")],
]


@pytest.mark.parametrize("sees_tools", ["none", "names", "full"])
@pytest.mark.parametrize("path", PATHS)
def test_every_path_makes_a_request_that_every_provider_takes(
    path: list[Payload], sees_tools: str
) -> None:
    messages = sent(*path, sees_tools=sees_tools)
    roles = [role for role, _ in messages]
    assert roles[0] == roles[-1] == "user"
    assert all(before != after for before, after in pairwise(roles))
    assert all(content.strip() for _, content in messages)
    own = [text for role, text in messages if role == "assistant"]
    said = [payload_text(p) or EMPTY for p in path if isinstance(p, UserMessage)]
    assert own == said
    assert SECRET not in json.dumps(asked(*path, sees_tools=sees_tools).messages)


def test_two_of_its_messages_in_a_row_stay_two() -> None:
    assert sent(user_message("one"), user_message("two")) == [
        ("user", BEGIN),
        ("assistant", "one"),
        ("user", NOTHING),
        ("assistant", "two"),
        ("user", NOTHING),
    ]


@pytest.mark.parametrize(
    ("sees", "told"),
    [
        ("none", "Wait.\nIt is lost."),
        ("names", "Wait.\n[called get_order({})]\nIt is lost."),
        ("full", 'Wait.\n[called get_order({"id": 1})]\n[get_order answered: LOST]\nIt is lost.'),
    ],
)
def test_it_is_told_of_tools_what_the_project_says(sees: str, told: str) -> None:
    path = (target_reply("Wait.", (CALL,)), tool_result("c1", "LOST"), target_reply("It is lost."))
    assert sent(user_message("Hi"), *path, sees_tools=sees)[-1] == ("user", told)


def test_its_own_reasoning_and_the_target_s_are_not_sent() -> None:
    own = UserMessage(text_parts("Hi"), (Reasoning("own thought"),))
    theirs = TargetReply(text_parts("Yes"), (Reasoning("their thought"),))
    assert "thought" not in json.dumps(asked(own, theirs).messages)


def test_each_way_to_answer_is_asked_for_in_its_form() -> None:
    auto, tools = asked(answers="auto"), asked(answers="tools", stop_reasons=("bored",))
    assert [tool["function"]["name"] for tool in auto.tools] == ["send_message", "end_conversation"]
    assert auto.params == {}
    assert tools.params == {"tool_choice": "required"}
    reason = tools.tools[1]["function"]["parameters"]["properties"]["reason"]
    assert reason["enum"] == ["goal_reached", "max_turns", "unrecoverable", "bored"]
    as_json = asked(answers="json")
    schema = as_json.params["response_format"]["json_schema"]["schema"]
    assert set(schema["required"]) == set(schema["properties"]) == {"reasoning", "message", "stop"}
    assert as_json.tools == asked(answers="text").tools == []
    prompts = [asked(answers=each).messages[0]["content"] for each in ("tools", "json", "text")]
    assert ["STOP:" in prompt for prompt in prompts] == [False, False, True]


def test_the_prompt_holds_what_the_project_says_of_the_user() -> None:
    words = {
        "persona": "Impatient.",
        "instructions": "Be brief.",
        "stop_when": "Refunded.",
        "examples": ("ugh, again?",),
    }
    prompt = asked(**words).messages[0]["content"]
    for text in ("A refund.", "Impatient.", "Be brief.", "Stop when: Refunded.", "- ugh, again?"):
        assert text in prompt


def test_after_the_last_turn_it_is_told_that_only_a_stop_counts() -> None:
    spec = LlmEvaluator("openai/m")
    last = evaluator_request(view("evaluator", turn=10, max_turns=10), spec)
    assert "All 10 turns are over" in last.messages[0]["content"]


def test_a_prompt_of_the_project_s_own_takes_the_place_of_ours() -> None:
    prompt = "{{ goal }} {{ turn }}/{{ max_turns }} {{ stop_reasons|join('+') }}"
    assert asked(prompt=prompt).messages[0]["content"] == (
        "A refund. 1/10 goal_reached+max_turns+unrecoverable"
    )


def test_a_prompt_that_cannot_be_rendered_is_a_failure_before_anything_is_sent() -> None:
    with pytest.raises(RoleError, match=r"prompt of the evaluator .*Nothing was sent") as caught:
        asked(prompt="{{ goal.nothing }}")
    assert caught.value.kind == "refused"


# how its answers are read


def message(text: str, *thoughts: str) -> UserMessage:
    return UserMessage(text_parts(text), tuple(map(Reasoning, thoughts)))


def test_a_call_is_a_message_or_a_stop() -> None:
    said = read("", ("send_message", {"message": "Refund me.", "reasoning": "push"}))
    assert said == message("Refund me.", "push")
    ended = read("", ("end_conversation", {"reason": "unrecoverable", "note": "Refused twice."}))
    assert ended == Stop("unrecoverable", "evaluator", "Refused twice.")


def test_what_it_thinks_is_kept_wherever_it_stands_and_is_no_part_of_the_message() -> None:
    call = ("send_message", {"message": "<think>c</think>Go on.", "reasoning": "b"})
    assert read("a", call, thinking="native") == message("Go on.", "native", "a", "b", "c")


def test_a_last_message_beside_a_stop_is_its_note() -> None:
    calls = ("send_message", {"message": "Bye."}), ("end_conversation", {"reason": "goal_reached"})
    assert read("", *calls) == Stop("goal_reached", "evaluator", "Bye.")


def test_the_thought_of_a_stop_without_a_note_is_its_note() -> None:
    ended = read("", ("end_conversation", {"reason": "goal_reached", "reasoning": "It is paid."}))
    assert ended == Stop("goal_reached", "evaluator", "It is paid.")


def test_a_plain_text_is_read_as_text_where_tools_are_not_demanded() -> None:
    assert read("And now?", thinking="push") == message("And now?", "push")
    assert read("STOP: goal_reached") == Stop("goal_reached", "evaluator")
    with pytest.raises(RoleError, match="called neither send_message nor end_conversation"):
        read("And now?", answers="tools")


def test_a_json_object_is_a_message_or_a_stop() -> None:
    said = {"reasoning": "push", "message": "And now?", "stop": None}
    assert read(f"```json\n{json.dumps(said)}\n```", answers="json") == message("And now?", "push")
    ended = {"reasoning": "", "message": "Bye.", "stop": "goal_reached"}
    assert read(json.dumps(ended), answers="json") == Stop("goal_reached", "evaluator", "Bye.")


def test_an_empty_message_is_a_message() -> None:
    assert read("", ("send_message", {"message": ""})) == message("")


@pytest.mark.parametrize(
    ("came", "answers", "words"),
    [
        (("", ("get_order", {})), "auto", "called get_order, where one message or stop"),
        (("", ("send_message", "{")), "auto", "no JSON object"),
        (("", ("send_message", {})), "auto", "called send_message without a message"),
        (("", ("send_message", {"message": 4})), "tools", "gave a message that is no text"),
        (("", *[("send_message", {"message": "a"})] * 2), "auto", "answered more than once"),
        (("", ("send_message", {"message": "a"})), "text", "called tools instead"),
        (("Well.",), "json", "no JSON object"),
        (("{}",), "json", "neither message nor stop"),
    ],
)
def test_what_is_neither_is_a_bad_reply_and_what_came_is_kept(
    came: Any, answers: str, words: str
) -> None:
    with pytest.raises(RoleError, match=words) as caught:
        read(*came, answers=answers)
    assert caught.value.kind == "bad_reply"
    text, *calls = came
    if answers != "text":
        assert all(part in caught.value.partial for part in (text, *(name for name, _ in calls)))


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("###STOP###", True),
        ("yes, go ahead and cancel it ###STOP###", True),
        ("<think>maybe I should say ###STOP### soon</think>Not yet, one more question.", False),
        ("###stop###", False),
        ("", False),
    ],
)
def test_a_stop_word_counts_in_its_own_text_and_not_in_its_thoughts(text: str, stops: bool) -> None:
    given = project(stop_words=("###STOP###",), stop_match="contains")
    for said in (read(text or "x"), read("", ("send_message", {"message": text}))):
        settled = settle(said, Ask("evaluator", 1, None), given)
        assert isinstance(settled, Stop) == stops


@pytest.mark.parametrize(
    ("model", "params", "forced"),
    [
        ("anthropic/claude-x", {"thinking": {"type": "enabled"}}, False),
        ("bedrock/us.anthropic.claude-x", {"reasoning_effort": "high"}, False),
        ("openrouter/anthropic/claude-x", {"reasoning": {"max_tokens": 9}}, False),
        ("anthropic/claude-x", {"thinking": {"type": "disabled"}}, True),
        ("anthropic/claude-x", {"reasoning_effort": "none", "reasoning": {"enabled": False}}, True),
        ("anthropic/claude-x", {}, True),
        ("openai/o4-mini", {"reasoning_effort": "high"}, True),
    ],
)
def test_a_call_is_forced_where_the_provider_takes_that(
    model: str, params: dict[str, Any], forced: bool
) -> None:
    spec = LlmEvaluator(model, params=json.dumps(params), answers="tools")
    given = Project("t", LlmTarget("openai/m"), spec)
    request = evaluator_request(view("evaluator", project=given), spec)
    assert (request.params == {"tool_choice": "required"}) == forced
    assert ("If you cannot call tools" in request.messages[0]["content"]) != forced
    if not forced:
        said = read_evaluator(reply("STOP: bored"), spec)
        assert said == Stop("bored", "evaluator", "")
