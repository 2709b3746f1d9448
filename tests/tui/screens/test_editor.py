"""The editor screen: typing, saving, drafts, and what is said on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    UserMessage,
    tool_result,
    user_message,
)
from rollstep.core.model.project import Tool
from rollstep.tui.screens.edit_types import EditRequest, EditResult, Shape
from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.screens.external_editor import Edited
from textual.events import Paste

from ...screen_text import screen_text
from .hosting import NARROW, NOTHING, WIDE, Host, settle, type_text, wait_for

ODD = "one\u2028two\r\nthree\x85four \ud83d\x1b[31m"
CALL = ToolCall("c1", "get_order", '{"order_id": "4471"}')
REPLY = TargetReply(
    (Text("Let me look that up."),),
    (Reasoning("They gave the number.", signature="s"),),
    (CALL, ToolCall("c2", "list_orders", "{}")),
)
RETURNS = '{"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}'
TOOLS = (
    Tool("get_order", parameters='{"properties": {"order_id": {"type": "string"}}}'),
    Tool("issue_refund", parameters='{"properties": {"amount": {"type": "number"}}}'),
)


def open_editor(shape: Shape, original: Payload | None = None, **more: Any) -> Host:
    screen = {key: more.pop(key) for key in ("on_draft", "external") if key in more}
    request = EditRequest("20 tool result: check_policy [/b]", shape, original, **more)
    return Host(EditorScreen(request, **screen))


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_open_and_save_without_a_key_is_no_edit(size: tuple[int, int]) -> None:
    app = open_editor("message", user_message(ODD))
    async with app.run_test(size=size) as pilot:
        await pilot.press("ctrl+s")
        assert app.result == EditResult("unchanged")


async def test_a_real_edit_touches_only_what_was_typed() -> None:
    app = open_editor("message", user_message(ODD))
    async with app.run_test(size=NARROW) as pilot:
        await type_text(pilot, "No. ")
        await pilot.press("ctrl+s", "enter")
        assert (app.result.outcome, app.result.payload) == ("saved", user_message("No. " + ODD))


@pytest.mark.parametrize(("key", "after"), [("enter", "stay"), ("k", "keep"), ("r", "rerun")])
async def test_after_saving_one_key_says_what_follows(key: str, after: str) -> None:
    app = open_editor("message", user_message("hi"), follows=4, rerun="offline, free")
    async with app.run_test(size=NARROW) as pilot:
        await type_text(pilot, "x")
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "keep the 4 steps that follow" in screen_text(app)
        assert "offline, free" in screen_text(app)
        await pilot.press(key)
        assert app.result.after == after


async def test_keep_and_rerun_are_not_offered_where_there_is_nothing_to_keep_or_run() -> None:
    app = open_editor("message", user_message("hi"))
    async with app.run_test(size=NARROW) as pilot:
        await type_text(pilot, "x")
        await pilot.press("ctrl+s", "k", "r")
        assert app.result is NOTHING
        await pilot.press("escape")
        await type_text(pilot, "y")
        await pilot.press("ctrl+s", "enter")
        assert app.result.payload == user_message("xyhi")


async def test_the_reason_goes_along() -> None:
    app = open_editor("message", user_message("hi"))
    async with app.run_test(size=NARROW) as pilot:
        await type_text(pilot, "x")
        await pilot.press("tab")
        await type_text(pilot, "too soft")
        await pilot.press("ctrl+s", "enter")
        assert app.result.reason == "too soft"


async def test_leaving_keeps_a_draft_that_comes_back() -> None:
    app = open_editor("reply", REPLY)
    async with app.run_test(size=NARROW) as pilot:
        await type_text(pilot, "Hm. ")
        await pilot.press("escape")
        assert app.result.outcome == "draft"
    again = open_editor("reply", REPLY, draft=app.result.draft)
    async with again.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: "draft you left is back" in screen_text(again))
        await pilot.press("ctrl+s", "enter")
        assert again.result.payload.parts == (Text("Hm. Let me look that up."),)


async def test_starting_over_asks_and_drops_a_draft() -> None:
    app = open_editor("message", user_message("hi"), draft="{}")
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: "cannot be read" in screen_text(app))
        await type_text(pilot, "x")
        await pilot.press("f5", "escape")
        assert app.result is NOTHING
        await pilot.press("f5", "y")
        await wait_for(pilot, lambda: "Back to the original" in screen_text(app))
        await pilot.press("escape")
        assert app.result == EditResult("closed")


async def test_a_draft_is_kept_while_the_keys_go_on() -> None:
    kept: list[str] = []
    app = open_editor("message", user_message("hi"), on_draft=kept.append)
    async with app.run_test(size=NARROW) as pilot:
        await type_text(pilot, "a")
        for _ in range(200):
            await type_text(pilot, "b")
            if kept:
                break
        assert '"ab' in kept[0]


async def test_a_json_fault_is_shown_while_typing_and_asked_about_on_saving() -> None:
    app = open_editor("reply", REPLY)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("tab", "tab", "tab", "end", "x")
        await wait_for(pilot, lambda: "! line 1, column 21: Extra data" in screen_text(app))
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "call 1 get_order: arguments: line 1, column 21: Extra data" in screen_text(app)
        await pilot.press("y", "enter")
        assert app.result.payload.tool_calls[0].arguments == CALL.arguments + "x"


async def test_arguments_that_are_no_object_can_be_put_right_instead() -> None:
    app = open_editor("reply", REPLY)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("tab", "tab", "tab", "f7")
        await type_text(pilot, "null")
        await pilot.press("ctrl+s", "escape", "f7")
        await type_text(pilot, "{}")
        await pilot.press("ctrl+s", "enter")
        assert app.result.payload.tool_calls[0].arguments == "{}"


async def test_a_call_is_added_with_its_tool_s_arguments_and_another_removed() -> None:
    app = open_editor("reply", REPLY, tools=TOOLS)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("f4", "down")
        await wait_for(pilot, lambda: '"amount": 0.0' in screen_text(app))
        await pilot.press("tab", "shift+tab", "shift+tab", "shift+tab", "f8", "ctrl+s", "enter")
        calls = app.result.payload.tool_calls
        assert [call.name for call in calls] == ["get_order", "issue_refund"]
        assert calls[0] == CALL
        assert calls[1].made_id


async def test_edited_reasoning_says_that_its_signature_goes() -> None:
    app = open_editor("reply", REPLY)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("tab", "x")
        await wait_for(pilot, lambda: "signature no longer fits" in screen_text(app))


async def test_a_result_is_checked_against_its_schema_and_never_held_back() -> None:
    app = open_editor("result", tool_result("c1", "{}"), call=CALL, returns=RETURNS)
    async with app.run_test(size=WIDE) as pilot:
        await wait_for(pilot, lambda: "'status' is a required property" in screen_text(app))
        await pilot.press("space", "ctrl+s", "enter")
        assert app.result.payload == tool_result("c1", " {}")


async def test_a_written_result_shows_what_it_answers_and_is_saved_at_once() -> None:
    app = open_editor("result", call=CALL, returns=RETURNS, prefill='{"status": ""}')
    async with app.run_test(size=WIDE) as pilot:
        await wait_for(pilot, lambda: "answers get_order" in screen_text(app))
        assert "4471" in screen_text(app)
        await wait_for(pilot, lambda: "fits its schema" in screen_text(app))
        await pilot.press("f9", "ctrl+s")
        assert app.result.payload == tool_result("c1", '{"status": ""}', is_error=True)


async def test_the_evaluator_s_move_can_be_a_stop_with_a_reason_from_the_list() -> None:
    app = open_editor("message")
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("f3", "down", "tab")
        await type_text(pilot, "enough")
        await pilot.press("ctrl+s")
        assert app.result.payload == Stop("max_turns", "human", "enough")


async def test_a_stop_s_reason_can_be_one_s_own_words() -> None:
    app = open_editor("stop", Stop("goal_reached", "evaluator"))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("f7")
        await type_text(pilot, "bored")
        await pilot.press("ctrl+s", "enter")
        assert app.result.payload == Stop("bored", "human")


async def test_an_empty_written_message_is_asked_about() -> None:
    app = open_editor("message")
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "The text is empty" in screen_text(app)
        await pilot.press("y")
        assert app.result.payload == user_message("")


async def test_the_changes_show_beside_at_once_where_wide_and_on_a_key_where_narrow() -> None:
    app = open_editor("message", user_message("a refund of 49.00, please"))
    async with app.run_test(size=NARROW) as pilot:
        await type_text(pilot, "Now ")
        await wait_for(pilot, lambda: "+1 word" in screen_text(app))
        assert "{+Now +}" not in screen_text(app)
        await pilot.press("f2")
        await wait_for(pilot, lambda: "{+Now +}a refund" in screen_text(app))
        await pilot.press("f2")
        await pilot.resize_terminal(*WIDE)
        await wait_for(pilot, lambda: "{+Now +}a refund" in screen_text(app))


async def test_json_is_laid_out_over_lines_on_a_key_and_back() -> None:
    app = open_editor("result", tool_result("c1", '{"a":1.50,"b":[]}'), call=CALL)
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: 'answers get_order {"order_id": "4471"}' in screen_text(app))
        await pilot.press("f6", "ctrl+z", "ctrl+s")
        assert app.result == EditResult("unchanged")
    app = open_editor("result", tool_result("c1", '{"a":1.50,"b":[]}'))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("f6", "ctrl+s", "enter")
        assert app.result.payload == tool_result("c1", '{\n  "a": 1.50,\n  "b": []\n}')


async def test_keys_that_arrive_with_a_paste_decide_nothing() -> None:
    app = open_editor("message", user_message("hi"))
    async with app.run_test(size=NARROW) as pilot:
        now = [time.monotonic()]
        app.shown._guard._clock = lambda: now[0]  # type: ignore[attr-defined]
        app.screen.post_message(Paste("a\x1bb"))
        await pilot.pause()
        await pilot.press("escape", "ctrl+s", "enter")
        assert app.result is NOTHING
        now[0] += 1
        await pilot.press("ctrl+s", "enter")
        assert app.result.payload == user_message("a\x1bb\nhi")


def takes(words: str | None, said: str = "") -> Callable[..., Edited]:
    return lambda text, suffix: Edited(words if words is None else text + words, said)


async def test_the_external_editor_s_text_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_editor("message", user_message(ODD), external=takes(" more"))
    async with app.run_test(size=NARROW) as pilot:
        _lend_terminal(monkeypatch, app)
        await pilot.press("ctrl+g")
        await wait_for(pilot, lambda: "Taken over" in screen_text(app))
        await pilot.press("ctrl+s", "enter")
        assert app.result.payload == user_message(ODD + " more")


async def test_the_external_editor_s_failure_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_editor("message", user_message("hi"), external=takes(None, "No editor is set."))
    async with app.run_test(size=NARROW) as pilot:
        _lend_terminal(monkeypatch, app)
        await pilot.press("ctrl+g")
        await wait_for(pilot, lambda: "No editor is set." in screen_text(app))
        await pilot.press("ctrl+s")
        assert app.result == EditResult("unchanged")


async def test_a_terminal_that_cannot_be_lent_is_said() -> None:
    app = open_editor("message", user_message("hi"), external=takes(" x"))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("ctrl+g")
        await wait_for(pilot, lambda: "cannot be lent" in screen_text(app))


def _lend_terminal(monkeypatch: pytest.MonkeyPatch, app: Host) -> None:
    from contextlib import nullcontext

    monkeypatch.setattr(app, "suspend", nullcontext)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_reply_editor_looks_as_stored(
    same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Fields under labels; changes and original beside them where wide; keys in the last line."""
    app = open_editor("reply", REPLY, tools=TOOLS, follows=4, rerun="offline, free")
    async with app.run_test(size=size) as pilot:
        await type_text(pilot, "Sure. ")
        await wait_for(pilot, lambda: "+1 word" in screen_text(app))
        await settle(pilot)
        same_screen(app)


@pytest.mark.parametrize("size", [NARROW, WIDE])
@pytest.mark.parametrize(
    "original",
    [user_message("hi"), REPLY, tool_result("c1", "{}")],
    ids=["message", "reply", "result"],
)
async def test_the_line_of_keys_is_whole_and_says_more_where_there_is_room(
    original: Payload, size: tuple[int, int]
) -> None:
    shapes: dict[type, Shape] = {UserMessage: "message", TargetReply: "reply"}
    app = open_editor(shapes.get(type(original), "result"), original)
    async with app.run_test(size=size) as pilot:
        await wait_for(pilot, lambda: "Ctrl+S save" in screen_text(app))
        keys = screen_text(app).splitlines()[-1]
        assert keys.endswith("G $EDITOR")
        if size == WIDE:
            assert "Tab next field" in keys
            await pilot.resize_terminal(*NARROW)
            await wait_for(pilot, lambda: screen_text(app).splitlines()[-1].endswith("G $EDITOR"))


async def test_a_result_that_is_marked_as_an_error_says_so() -> None:
    app = open_editor("result", tool_result("c1", "{}"))
    async with app.run_test(size=NARROW) as pilot:
        await wait_for(pilot, lambda: "F9 mark as error" in screen_text(app))
        await pilot.press("f9")
        await wait_for(pilot, lambda: "The result is marked as an error." in screen_text(app))
        assert "F9 no error" in screen_text(app)
