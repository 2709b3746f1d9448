"""The seed program's loop, statements 4 to 8, for objects written for its interfaces."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.model.messages import (
    Stop,
    ToolCall,
    UserMessage,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import LlmTarget
from rollstep.core.model.view import View
from rollstep.core.roles.adapt import UserRole

from .making import PROJECT, view


async def next_of(decider: Any, asked: View) -> Any:
    return (await UserRole("evaluator", decider).next(asked)).payload


async def reply_of(client: Any, asked: View) -> Any:
    return (await UserRole("target", client).reply(asked)).payload


PATH = (user_message("one"), target_reply("two"))


class Decider:
    """Gives one decision, and keeps what it was called with."""

    def __init__(self, **decision: Any) -> None:
        self.decision = SimpleNamespace(**decision)
        self.seen: dict[str, Any] = {}

    def decide(self, **given: Any) -> Any:
        self.seen = given
        given["history"].append("mine")
        given["project"].metadata["mine"] = 1
        return self.decision


async def decide(turn: int = 1, max_turns: int = 3, **decision: Any) -> UserMessage | Stop:
    return await next_of(
        Decider(**decision), view("evaluator", *PATH, turn=turn, max_turns=max_turns)
    )


async def test_the_target_sees_the_system_text_and_the_whole_history() -> None:
    """Statement 4."""
    seen: list[Any] = []

    class Client:
        def respond(self, *, project: Any, history: list[Any]) -> str:
            seen.extend((m.role, m.content) for m in history)
            history.clear()
            return "ok"

    project = msgspec.structs.replace(PROJECT, target=LlmTarget("m", system=""))
    path = (
        *PATH,
        user_message("three"),
        target_reply("", (ToolCall("c", "t", "{}"),)),
        tool_result("c", "four"),
    )
    asked = view("target", *path, project=project)
    for _ in range(2):
        assert payload_text(await reply_of(Client(), asked)) == "ok"
    whole = [
        ("system", ""),
        ("user", "one"),
        ("assistant", "two"),
        ("user", "three"),
        ("assistant", ""),
        ("tool", "four"),
    ]
    assert seen == whole * 2, "one call's change reached the next"


async def test_the_evaluator_sees_the_reply_but_no_system_text_and_cannot_change_ours() -> None:
    """Statement 4, ours: the system text reaches it only through the project."""
    project = msgspec.structs.replace(
        PROJECT, target=LlmTarget("m", system="secret"), metadata='{"seed_task_id": "x"}'
    )
    decider = Decider(terminate=False, next_user_text="go on")
    asked = view("evaluator", *PATH, turn=1, project=project)
    for _ in range(2):
        await next_of(decider, asked)
        history = decider.seen["history"]
        assert [(m.role, m.content) for m in history[:-1]] == [
            ("user", "one"),
            ("assistant", "two"),
        ]
        assert decider.seen["project"].metadata == {"seed_task_id": "x", "mine": 1}
        assert decider.seen["project"].initial_user_text == "one"


async def test_it_is_asked_with_the_next_turns_index_and_may_stop_after_the_last() -> None:
    """Statement 5: its goal_reached wins over max_turns."""
    decider = Decider(terminate=True, reason="goal_reached")
    asked = view("evaluator", *PATH, turn=3, max_turns=3)
    assert await next_of(decider, asked) == Stop("goal_reached", "evaluator")
    assert (decider.seen["turn_index"], decider.seen["max_turns"]) == (3, 3)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [("goal_reached",) * 2, ("bored", "bored"), (None, "max_turns"), ("", "max_turns")],
)
async def test_terminate_stops_with_its_reason_or_max_turns(reason: Any, stop: str) -> None:
    """Statement 6: unknown reasons pass through, the next text is ignored."""
    decision = await decide(terminate=True, reason=reason, next_user_text="ignored")
    assert decision == Stop(stop, "evaluator")


async def test_terminate_without_a_reason_at_all_is_max_turns() -> None:
    """Statement 6, for a decision that has no such field."""
    assert await decide(terminate=True) == Stop("max_turns", "evaluator")


async def test_no_next_text_is_goal_reached_and_at_the_limit_max_turns() -> None:
    """Statement 7."""
    assert await decide(terminate=False, next_user_text=None) == Stop("goal_reached", "evaluator")
    last = await decide(turn=3, terminate=False, next_user_text=None)
    assert last == Stop("max_turns", "evaluator")


async def test_an_empty_next_text_is_sent() -> None:
    """Statement 8."""
    assert await decide(terminate=False, next_user_text="") == user_message("")


async def test_async_objects_and_dicts_are_taken_too() -> None:
    class Async:
        async def decide(self, **given: Any) -> dict[str, Any]:
            return {"terminate": False, "next_user_text": "later"}

        async def respond(self, **given: Any) -> str:
            return "async"

    assert await next_of(Async(), view("evaluator", *PATH)) == user_message("later")
    assert await reply_of(Async(), view("target", *PATH)) == target_reply("async")


@pytest.mark.parametrize(
    ("decision", "kind", "words"),
    [
        (None, "empty", "None instead of a decision"),
        ("go on", "bad_reply", "without terminate"),
        ({"terminate": False, "next_user_text": 5}, "bad_reply", "next_user_text is an int"),
        ({"terminate": True, "reason": 5}, "bad_reply", "reason is an int"),
    ],
)
async def test_what_is_no_decision_is_said_in_words(decision: Any, kind: str, words: str) -> None:
    class Odd:
        def decide(self, **given: Any) -> Any:
            return decision

    with pytest.raises(RoleError, match=words) as caught:
        await next_of(Odd(), view("evaluator", *PATH))
    assert caught.value.kind == kind


@pytest.mark.parametrize(("said", "kind"), [(None, "empty"), (5, "bad_reply"), ([], "bad_reply")])
async def test_what_is_no_text_is_no_reply(said: Any, kind: str) -> None:
    class Odd:
        def respond(self, **given: Any) -> Any:
            return said

    with pytest.raises(RoleError) as caught:
        await reply_of(Odd(), view("target", *PATH))
    assert caught.value.kind == kind


async def test_an_empty_text_is_a_reply() -> None:
    class Silent:
        def respond(self, **given: Any) -> str:
            return ""

    assert await reply_of(Silent(), view("target", *PATH)) == target_reply("")
