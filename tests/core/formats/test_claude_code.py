from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from rollstep.core.errors import FormatError
from rollstep.core.formats import claude_code
from rollstep.core.formats.reading.record import Imported
from rollstep.core.model.messages import TargetReply, ToolResult, text_parts
from rollstep.core.model.rollout import Rollout, RolloutHeader

from .foreign import mangled, read_all, spoken, survives

SESSION = "11111111-aaaa"


def line(kind: str, uuid: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/repo",
        "sessionId": SESSION,
        "version": "2.0.1",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid,
        "timestamp": "2026-03-01T10:00:00.500Z",
        **more,
    }


def asks(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return line("user", uuid, parent, message={"role": "user", "content": content}, **more)


def replies(
    uuid: str, parent: str | None, name: str, *blocks: dict[str, Any], **more: Any
) -> dict[str, Any]:
    message = {
        "id": name,
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": list(blocks),
        "stop_reason": more.pop("stop_reason", None),
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 7},
    }
    return line("assistant", uuid, parent, message=message, **more)


def says(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def uses(name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": given}


def result(uuid: str, parent: str, name: str, content: Any = "ok", **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": name, "content": content, **more}
    return asks(uuid, parent, [block], toolUseResult={"stdout": content})


LINES: list[dict[str, Any]] = [
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    asks("u1", None, "Fix the bug."),
    line("attachment", "at1", "u1", attachment={"type": "todo"}),
    replies("a1", "at1", "m1", {"type": "thinking", "thinking": "Hm.", "signature": "sig"}),
    replies("a2", "a1", "m1", says("Let me look.")),
    replies("a3", "a2", "m1", uses("t1", command="ls")),
    result("r1", "a3", "t1"),
    replies("a4", "a3", "m1", uses("t2", command="cat x"), stop_reason="tool_use"),
    result("r2", "a4", "t2", "no such file", is_error=True),
    replies("a5", "r2", "m2", says("It is fixed."), stop_reason="end_turn"),
    {"type": "summary", "summary": "Fixing a bug", "leafUuid": "a5"},
]


def read_one(lines: list[dict[str, Any]] = LINES) -> Imported:
    (imported,) = read_all(claude_code.READER, lines)
    return imported


def branch(imported: Imported, leaf: str) -> list[str]:
    """What was said on the way to a leaf."""
    rollout = Rollout(RolloutHeader("r", ""), [imported.project])
    rollout.add_all(imported.steps)
    path = {step.id for step in rollout.path(leaf)}
    lines = zip(imported.steps, spoken(imported), strict=True)
    return [words for step, words in lines if step.id in path]


def test_the_blocks_of_a_reply_are_put_together_and_its_results_follow_it() -> None:
    imported = read_one()
    assert spoken(imported) == [
        "evaluator: Fix the bug.",
        'target: Let me look. [Bash {"command": "ls"} t1] [Bash {"command": "cat x"} t2]',
        "tool: ok <t1>",
        "tool: no such file <t2 error>",
        "target: It is fixed.",
    ]
    assert [step.parent_id for step in imported.steps[1:]] == [s.id for s in imported.steps[:-1]]
    reply = imported.steps[1].payload
    assert isinstance(reply, TargetReply)
    assert (reply.reasoning[0].text, reply.reasoning[0].signature) == ("Hm.", "sig")
    assert reply.finish_reason == "tool_calls"
    assert imported.steps[2].payload == ToolResult("t1", text_parts("ok"))


def test_what_the_lines_say_besides() -> None:
    imported = read_one()
    call = imported.steps[1].call
    assert call is not None
    assert (call.model, call.usage.prompt_tokens, call.usage.cached_tokens) == ("claude-x", 43, 40)
    assert call.response_id == "m1"
    assert imported.steps[0].created_at == 1772359200.5
    assert '"toolUseResult": {"stdout": "ok"}' in imported.steps[2].extra
    assert '"uuid": "u1"' in imported.steps[0].extra
    assert imported.key == SESSION
    assert imported.title == "Fixing a bug"
    assert '"gitBranch": "main"' in imported.project.metadata
    words = " ".join(note.message for note in imported.notes)
    assert "1 attachment, 1 file-history-snapshot" in words


def test_what_was_said_anew_is_a_branch() -> None:
    again = (
        asks("u2", "a5", "Now tests."),
        asks("u3", "a5", "No, docs."),
        replies("a6", "u3", "m3", says("Docs.")),
    )
    imported = read_one([*LINES, *again])
    assert imported.head is not None
    assert branch(imported, imported.head)[-2:] == ["evaluator: No, docs.", "target: Docs."]
    tests = next(
        s for s in imported.steps if getattr(s.payload, "parts", ()) == text_parts("Now tests.")
    )
    assert branch(imported, tests.id)[-2:] == ["target: It is fixed.", "evaluator: Now tests."]


def test_a_session_that_has_grown_gives_the_same_steps_and_more() -> None:
    before = read_one(LINES[:7])
    after = read_one([*LINES, asks("u9", "a5", "Thanks.")])
    # The reply that was cut off is another one; what came before it is the same.
    assert before.steps[0] == after.steps[0]
    whole = read_one()
    assert whole.steps == after.steps[: len(whole.steps)]
    assert whole.key == after.key


def test_side_conversations_are_trajectories_of_their_own() -> None:
    side = [
        asks("s1", None, "Search.", isSidechain=True, agentId="ag1"),
        replies("s2", "s1", "m8", says("Found."), isSidechain=True, agentId="ag1"),
    ]
    main, agent = read_all(claude_code.READER, [*LINES[:7], *side, *LINES[7:]])
    assert len(main.steps) == 5
    assert spoken(agent) == ["evaluator: Search.", "target: Found."]
    assert agent.key == f"{SESSION}/ag1"


def test_what_the_program_put_in_is_told() -> None:
    meta = asks("u0", None, "Caveat: …", isMeta=True)
    imported = read_one([meta, {**LINES[1], "parentUuid": "u0"}, *LINES[2:]])
    assert imported.steps[0].author == "Claude Code"
    assert any("1 messages were put in" in note.message for note in imported.notes)


def test_a_shortened_conversation_goes_on_behind_what_it_was() -> None:
    cut = line("system", "c1", None, subtype="compact_boundary", logicalParentUuid="a5")
    summary = asks("u5", "c1", "Summary: all fine.", isCompactSummary=True)
    imported = read_one([*LINES, cut, summary])
    assert imported.steps[-1].parent_id == imported.steps[-2].id
    assert any(note.line == 12 and "shortened" in note.message for note in imported.notes)


def test_a_call_that_failed_is_an_attempt() -> None:
    failed = replies("e1", "a5", "m9", says("API Error: overloaded"), isApiErrorMessage=True)
    imported = read_one([*LINES, failed, asks("u6", "e1", "Again.")])
    (attempt,) = imported.attempts
    assert (attempt.words, attempt.parent_id) == ("API Error: overloaded", imported.steps[4].id)
    assert imported.steps[-1].parent_id == imported.steps[4].id


def test_a_file_that_begins_in_the_middle_says_so() -> None:
    imported = read_one(LINES[9:])
    assert spoken(imported) == ["target: It is fixed."]
    assert any("not in the file" in note.message for note in imported.notes)


def test_sessions_in_one_file_are_told_apart() -> None:
    other = {**asks("z1", None, "Hi."), "sessionId": "2222"}
    found = read_all(claude_code.READER, [*LINES, other])
    assert [imported.key for imported in found] == [SESSION, "2222"]


def test_the_title_that_a_person_gave_counts() -> None:
    titles = [
        {"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION},
        {"type": "ai-title", "aiTitle": "Its", "sessionId": SESSION},
    ]
    assert read_one([*LINES, *titles]).title == "Mine"
    assert read_one(LINES[:-1]).title == "Fix the bug."


def test_how_surely_a_line_is_of_a_session() -> None:
    assert all(claude_code.recognise(each) >= 91 for each in LINES)
    assert claude_code.recognise({"type": "user", "message": {}}) == 0
    assert claude_code.recognise({"type": "message", "role": "user"}) == 0


def test_lines_without_a_message_are_refused() -> None:
    with pytest.raises(FormatError, match="no line"):
        read_all(claude_code.READER, [LINES[0], LINES[2]])


@given(mangled(LINES))
def test_wrong_types_give_notes_or_a_refusal(value: Any) -> None:
    survives(claude_code.READER, value)
