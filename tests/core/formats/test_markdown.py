from __future__ import annotations

import pytest
from rollstep.core.formats.markdown import fenced, render
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.marks import Score
from rollstep.core.model.messages import ToolCall, target_reply, tool_result, user_message

from .conftest import make_subject
from .samples import DATA, everything, from_openai_rows


def test_everything_is_written_as_in_the_golden_file() -> None:
    assert render(everything()) == (DATA / "everything.md").read_bytes()


@pytest.mark.parametrize("text", ["```\nx\n```", "a ```` b", "~~~", "", "# h", "x\n"])
def test_no_text_can_close_its_fence(text: str) -> None:
    lines = fenced(text).split("\n")
    fence = lines[-1]
    assert lines[0] == fence + "text"
    assert "\n".join(lines[1:-1]) == text
    assert fence not in text


def test_an_injected_fault_is_called_one_and_other_formats_say_that_they_lose_it() -> None:
    call = ToolCall("c1", "get_order", "{}")
    subject = make_subject(
        user_message("Hi."),
        target_reply("", (call,)),
        (tool_result("c1", "late", is_error=True), {"injected": "timeout"}),
    )
    assert "_an injected fault, `timeout`_" in render(subject).decode("utf-8")
    lost = [loss.render() for loss in report(subject, FORMATS["openai"]).lost]
    assert "that a tool result is an injected fault (step 3)" in lost
    assert "faults" not in [loss.what for loss in report(subject, FORMATS["markdown"]).lost]


def test_lone_surrogates_become_six_characters_and_the_report_says_so() -> None:
    (subject,) = from_openai_rows("lone_surrogates.jsonl")
    assert r"half emoji \ud83d here" in render(subject).decode("utf-8")
    assert "lone surrogates (step 1, 3, 4)" in report(subject, FORMATS["markdown"]).render()


def test_a_plain_trajectory_loses_only_what_markdown_does_not_show() -> None:
    subject = make_subject(user_message("Hi."), target_reply("Hello."))
    lost = [loss.what for loss in report(subject, FORMATS["markdown"]).lost]
    assert lost == ["project"]


def test_scores_stand_at_the_top_with_what_they_say_and_cite() -> None:
    subject = make_subject(
        user_message("Hi."),
        target_reply("No."),
        scores=(Score("reward", 0.0, "never `called`", "tau2", ("s2",)), Score("tone", 1.0)),
    )
    text = render(subject).decode("utf-8")
    assert "Score: FAILED, `tau2 reward 0.0` (step 2)\n\n```text\nnever `called`\n```" in text
    assert "\n\nScore: `tone 1.0`\n\n## Turn 1" in text
