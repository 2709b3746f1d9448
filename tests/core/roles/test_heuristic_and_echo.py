"""The seed program's own two roles: the statements of its behaviour, one test each."""

from __future__ import annotations

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.model.messages import (
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    UserMessage,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import SEED_FOLLOWUPS, HeuristicEvaluator
from rollstep.core.roles.echo import EchoTargetRole
from rollstep.core.roles.heuristic import HeuristicEvaluatorRole
from rollstep.core.rules.stepper import START, Ask, advance, next_action

from .making import PROJECT, view

REACHED = Stop("goal_reached", "evaluator")


def seed_style(**more: object) -> HeuristicEvaluatorRole:
    return HeuristicEvaluatorRole(HeuristicEvaluator(match="substring", **more))  # type: ignore[arg-type]


async def after(role: HeuristicEvaluatorRole, reply: str, turn: int = 1) -> UserMessage | Stop:
    return await role.next(view("evaluator", user_message("q"), target_reply(reply), turn=turn))


async def test_the_limit_comes_before_a_sentinel() -> None:
    path = (user_message("q"), target_reply("all done"))
    answer = await seed_style().next(view("evaluator", *path, turn=4, max_turns=4))
    assert answer == Stop("max_turns", "evaluator")


@pytest.mark.parametrize("reply", ["Done.", "I am ALL SET now", "abandoned", "Incomplete"])
async def test_a_sentinel_is_a_substring_in_any_letter_case(reply: str) -> None:
    assert await after(seed_style(), reply) == REACHED


@pytest.mark.parametrize(
    ("reply", "stops"),
    [
        ("Done.", True),
        ("All set!", True),
        ("(complete)", True),
        ("abandoned", False),
        ("Incomplete", False),
        ("not done_yet", False),
        ("абандондоне", False),
    ],
)
async def test_by_words_only_whole_words_end_it(reply: str, stops: bool) -> None:
    role = HeuristicEvaluatorRole(HeuristicEvaluator(match="word"))
    assert (await after(role, reply) == REACHED) is stops


async def test_only_the_last_reply_is_looked_at() -> None:
    path = (
        user_message("done"),
        target_reply("all done"),
        user_message("finished"),
        target_reply("Working on it.", (ToolCall("c", "t", "{}"),)),
        tool_result("c", "complete"),
        target_reply("Still working on it."),
    )
    answer = await seed_style().next(view("evaluator", *path, turn=2))
    assert isinstance(answer, UserMessage)


async def test_follow_ups_rotate_by_the_turns_index_so_that_number_one_is_first() -> None:
    said = [payload_text(await after(seed_style(), "go on", turn)) for turn in range(1, 8)]
    assert said == [SEED_FOLLOWUPS[i % 5] for i in range(1, 8)]


async def test_a_retake_gives_the_follow_up_after_it() -> None:
    answer = await seed_style().next(view("evaluator", turn=1, take=1))
    assert payload_text(answer) == SEED_FOLLOWUPS[2]


@pytest.mark.parametrize("match", ["word", "substring"])
async def test_empty_sentinels_never_match(match: str) -> None:
    spec = HeuristicEvaluator(sentinels=("",), match=match)  # type: ignore[arg-type]
    assert isinstance(await after(HeuristicEvaluatorRole(spec), "a b"), UserMessage)
    none = HeuristicEvaluator(sentinels=(), match=match)  # type: ignore[arg-type]
    assert isinstance(await after(HeuristicEvaluatorRole(none), ""), UserMessage)


async def test_sentinels_and_follow_ups_are_the_projects_own() -> None:
    role = seed_style(sentinels=("C++ [ok]", "готово"), followups=("Weiter",))
    assert await after(role, "it says c++ [OK] here") == REACHED
    assert await after(role, "Всё ГОТОВО!") == REACHED
    assert payload_text(await after(role, "done", turn=3)) == "Weiter"


def test_no_follow_ups_at_all_are_refused() -> None:
    with pytest.raises(UsageError, match="followups is empty"):
        seed_style(followups=())


async def echo(*messages: Payload, turn: int) -> str:
    return payload_text(await EchoTargetRole().reply(view("target", *messages, turn=turn)))


async def test_echo_says_how_many_messages_and_repeats_the_last_to_120_characters() -> None:
    first = await echo(user_message("Lay out a garden"), turn=0)
    assert first == "[fixture-agent t1] acknowledged: Lay out a garden"
    long = await echo(user_message("a"), target_reply("b"), user_message("é" * 200), turn=1)
    assert long == f"[fixture-agent t2] acknowledged: {'é' * 120}"


async def test_echo_of_an_empty_message_and_of_none() -> None:
    assert await echo(user_message(""), turn=0) == "[fixture-agent t1] acknowledged: "
    assert await echo(turn=0) == "[fixture-agent t0] acknowledged: "


async def test_the_turns_index_counts_the_user_messages_on_every_legal_path() -> None:
    """What echo relies on instead of counting: walk a path with tool calls and look at each ask."""
    call = ToolCall("c", "t", "{}")
    walk: list[Payload] = []
    for i in range(4):
        walk += [user_message(str(i)), target_reply("", (call,)), tool_result("c", "1")]
        walk += [TargetReply(())]
    position, seen = START, 0
    for payload in walk:
        action = next_action(position, PROJECT)
        if isinstance(action, Ask) and action.role == "target":
            assert action.turn_index + 1 == seen
        seen += isinstance(payload, UserMessage)
        position = advance(position, payload)
