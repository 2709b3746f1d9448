"""The words with which the target begins, where the receiver wants the user to begin: refused with
what can be done; left out, or told in the system text, as the person says, and not without a note.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import ExportError
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.messages import (
    OtherPart,
    TargetReply,
    ToolCall,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import HumanTarget

from .conftest import make_project, make_subject
from .reading_back import rows_of, with_options

HELLO, MORE = target_reply("Hi! How can I help?"), target_reply("I am here.")
REST = (user_message("My order is broken."), target_reply("I am sorry."))
CALL = ToolCall("c1", "get_order", "{}")
FORMATS_OF_USERS_FIRST = ("anthropic", "sharegpt")
TOLD = "You began this conversation, with these words:\n\nHi! How can I help?"


def row_of(fmt: str, *payloads: Any, greeting: str, system: str | None = "Be kind.") -> Any:
    project = make_project(target=HumanTarget(system=system))
    subject = with_options(make_subject(*payloads, project=project), greeting=greeting)
    (row,) = rows_of(fmt, subject)
    return json.loads(row.data), row.steps, report(subject, FORMATS[fmt]).notes


def said(row: Any) -> list[str]:
    messages = row.get("messages") or row["conversations"]
    return [message.get("content") or message["value"] for message in messages]


@pytest.mark.parametrize("fmt", FORMATS_OF_USERS_FIRST)
def test_it_is_refused_with_what_can_be_done_until_the_person_says_otherwise(fmt: str) -> None:
    subject = make_subject(HELLO, *REST)
    (fault,) = report(subject, FORMATS[fmt]).refused
    assert "(step 1); rule: " in fault.render()
    assert fault.hint == (
        "Have the greeting left out (--greeting drop), or told in the system text (system)."
    )
    with pytest.raises(ExportError, match="--greeting drop"):
        rows_of(fmt, subject)


@pytest.mark.parametrize("fmt", FORMATS_OF_USERS_FIRST)
def test_it_is_left_out_and_nothing_else_is(fmt: str) -> None:
    row, steps, notes = row_of(fmt, HELLO, MORE, *REST, greeting="drop")
    assert said(row) == ["My order is broken.", "I am sorry."]
    assert (row["system"], steps) == ("Be kind.", (3, 4))
    assert any(
        note.startswith("the greeting with which the target begins is left out (step 1, 2)")
        for note in notes
    )


@pytest.mark.parametrize("fmt", FORMATS_OF_USERS_FIRST)
@pytest.mark.parametrize("system", ["Be kind.", None])
def test_it_is_told_in_the_system_text(fmt: str, system: str | None) -> None:
    row, steps, notes = row_of(fmt, HELLO, *REST, greeting="system", system=system)
    assert said(row) == ["My order is broken.", "I am sorry."]
    assert steps == (2, 3)
    blocks = row["system"]
    if isinstance(blocks, list):
        blocks = "\n\n".join(block["text"] for block in blocks)
    assert blocks == (f"{system}\n\n{TOLD}" if system else TOLD)
    words = "the greeting with which the target begins is told in the system text (step 1)"
    assert any(note.startswith(words) for note in notes)


@pytest.mark.parametrize("fmt", FORMATS_OF_USERS_FIRST)
@pytest.mark.parametrize("greeting", ["drop", "system"])
@pytest.mark.parametrize(
    "first",
    [
        (target_reply("Let me look.", (CALL,)), tool_result("c1", "{}")),
        (target_reply("", (CALL,)), tool_result("c1", "{}"), HELLO),
    ],
)
def test_what_the_target_does_is_no_greeting(fmt: str, greeting: str, first: Any) -> None:
    subject = with_options(make_subject(*first, *REST), greeting=greeting)
    assert report(subject, FORMATS[fmt]).refused


@pytest.mark.parametrize("fmt", FORMATS_OF_USERS_FIRST)
def test_an_image_is_no_greeting(fmt: str) -> None:
    image = TargetReply((OtherPart("image", "image/png", 1, '{"type": "image"}'),))
    subject = with_options(make_subject(image, *REST), greeting="drop")
    assert report(subject, FORMATS[fmt]).refused


@pytest.mark.parametrize("fmt", FORMATS_OF_USERS_FIRST)
def test_a_file_that_is_only_checked_is_not_made_better(fmt: str) -> None:
    subject = with_options(make_subject(HELLO, *REST), greeting="drop")
    assert report(msgspec.structs.replace(subject, as_it_is=True), FORMATS[fmt]).refused


@pytest.mark.parametrize("fmt", FORMATS_OF_USERS_FIRST)
@pytest.mark.parametrize("greeting", ["drop", "system"])
def test_where_the_user_begins_nothing_changes(fmt: str, greeting: str) -> None:
    plain = row_of(fmt, *REST, greeting="refuse")
    assert row_of(fmt, *REST, greeting=greeting) == plain
