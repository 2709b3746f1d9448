"""The first thing that an edit changed, in a few words."""

from __future__ import annotations

import pytest
from rollstep.core.model.messages import (
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    tool_result,
    user_message,
)
from rollstep.tui.changed import changed_words


def reply(*calls: tuple[str, str]) -> TargetReply:
    return TargetReply((), tool_calls=tuple(ToolCall("c", name, text) for name, text in calls))


FAR = "the same words again " * 400 + "and then "
OSLO, BERGEN = '{"city": "Oslo", "days": 3}', '{"city": "Bergen", "days": 3}'


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (reply(("find", OSLO)), reply(("find", BERGEN)), 'find(city: "Oslo" → "Bergen")'),
        (reply(("find", OSLO)), reply(("find", '{"city": "Oslo"}')), "find(without days)"),
        (reply(("find", "{}")), reply(("find", '{"n": 1}')), "find(+ n: 1)"),
        (reply(("find", '{"n":1}')), reply(("find", '{"n": 1}')), "find(written otherwise)"),
        (reply(("find", '{"n": 1}')), reply(("find", '{"n": true}')), "find(n: 1 → true)"),
        (reply(("find", "{no")), reply(("find", "{yes")), "find({no → yes)"),
        (reply(("find", "{}")), reply(("look", "{}")), "find → look"),
        (reply(), reply(("find", "{}")), "+ find()"),
        (reply(("find", "{}")), reply(), "without find()"),
        (
            tool_result("c", '{\n  "id": 1,\n  "refundable": false\n}'),
            tool_result("c", '{\n  "id": 1,\n  "refundable": true\n}'),
            "refundable: false → true",
        ),
        (
            tool_result("c", '{"ok": false, "rule": "R-14", "left": 3}'),
            tool_result("c", '{"ok": true, "rule": "R-02"}'),
            "ok: false → true …",
        ),
        (reply(("find", OSLO)), reply(("find", '{"days": 9}')), "find(without city …)"),
        (user_message("Hello"), user_message("Hello there"), "Hello + there"),
        (user_message(""), user_message("Hi"), "(empty) → Hi"),
        (
            user_message("Return? I'm not returning it, it came out of the box."),
            user_message("Fine. Here is your photo: crack.jpg"),
            "Return? I'm not returning it, it came out of the box. → "
            "Fine. Here is your photo: crack.jpg",
        ),
        (user_message("One, two, three."), user_message("One, 2, 3."), "One, two → 2 …"),
        (
            user_message("No. Under rule R-14 this order can't be refunded; take our survey?"),
            user_message("No, not from here: R-14 is for returns, and yours isn't one. R-02!"),
            "No. Under rule R-14 this order can't be refunded; take our s… → "
            "No, not from here: R-14 is for returns, and yours isn't one.…",
        ),
        (
            user_message(FAR + "one"),
            user_message(FAR + "two"),
            "…me words again and then one → two",
        ),
        (Stop("max_turns", "rule"), user_message("Go on"), "stop by rule: max_turns → Go on"),
        (tool_result("c", "x"), tool_result("c", "x", is_error=True), "an error"),
        (user_message("a"), user_message("a"), ""),
    ],
)
def test_what_changed(old: Payload, new: Payload, words: str) -> None:
    assert changed_words(old, new) == words
