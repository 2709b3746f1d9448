"""Texts from real reports, through the editor: nothing is changed that was not touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.model.messages import (
    TargetReply,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.tui.screens.edit_types import EditRequest, EditResult
from rollstep.tui.screens.editor import EditorScreen

from .hosting import NARROW, Host, wait_for

DATA = Path(__file__).parent / "data"


def messages(name: str) -> Iterator[dict[str, Any]]:
    for line in (DATA / f"{name}.jsonl").read_bytes().splitlines():
        yield from json.loads(line)["messages"]


@pytest.mark.parametrize(
    "name",
    [
        "line_separators",
        "control_characters",
        "escape_sequences",
        "hidden_characters",
        "lone_surrogates",
        "markup",
    ],
)
async def test_open_and_save_is_no_edit_and_an_edit_keeps_the_rest(name: str) -> None:
    texts = [m["content"] for m in messages(name) if isinstance(m.get("content"), str)]
    app = Host(EditorScreen(EditRequest("x", "message", user_message(texts[0]))))
    async with app.run_test(size=NARROW) as pilot:
        for text in texts:
            payload = tool_result("c", text)
            await _open(app, EditRequest("x [/b]", "result", payload))
            await pilot.press("ctrl+s")
            await wait_for(pilot, lambda: app.result == EditResult("unchanged"))
            await _open(app, EditRequest("x [/b]", "result", payload))
            await pilot.press("x", "ctrl+s", "enter")
            await wait_for(pilot, lambda: app.result.outcome == "saved")
            assert app.result.payload == tool_result("c", "x" + text)


async def _open(app: Host, request: EditRequest) -> None:
    app.result = None
    await app.push_screen(EditorScreen(request), app._done)


async def test_arguments_that_are_no_object_are_asked_about_and_kept_if_wanted() -> None:
    faulty = [m["tool_calls"][0]["function"] for m in messages("arguments_that_are_no_object")
              if m.get("tool_calls")]  # fmt: skip
    reply = target_reply("", (ToolCall("call_1", "lookup_order", "{}"),))
    app = Host(EditorScreen(EditRequest("x", "reply", reply)))
    async with app.run_test(size=NARROW) as pilot:
        for function in faulty:
            await _open(app, EditRequest("x", "reply", reply))
            screen = app.screen
            assert isinstance(screen, EditorScreen)
            panel = list(screen._form.panels)[-1]
            panel.box.put(function["arguments"])
            await pilot.press("ctrl+s")
            assert screen._bar.asking == "problems"
            await pilot.press("y", "enter")
            await wait_for(pilot, lambda: app.result is not None)
            kept = app.result.payload
            assert isinstance(kept, TargetReply)
            assert kept.tool_calls[0].arguments == function["arguments"]
