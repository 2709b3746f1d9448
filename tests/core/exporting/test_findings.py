"""Secrets and hidden characters in exports: found with their place, and replaced when asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rollstep.core.exporting.items import Item
from rollstep.core.exporting.many import export_many, survey
from rollstep.core.exporting.plan import Plan
from rollstep.core.exporting.searching import known_secrets
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    Reasoning,
    TargetReply,
    ToolCall,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    EchoTarget,
    EvaluatorLine,
    HeuristicEvaluator,
    Project,
    ScriptedEvaluator,
    Tool,
)
from rollstep.core.model.steps import Step
from rollstep.core.store.change import Saved

from .making import saved, step

KEY = "correct horse battery staple"
GITHUB = "ghp_" + "a1" * 18
SECRETS = {KEY: "SHOP_API_KEY"}


def leaking(**changes: Any) -> Saved:
    """Secrets in a message, in arguments, in a result, in the system text and in reasoning."""
    project = Project(
        "Leak",
        EchoTarget(f"Use {KEY}."),
        HeuristicEvaluator(),
        opening="Hi.",
        tools=(Tool("find"),),
    )
    call = ToolCall("c1", "find", json.dumps({"token": GITHUB}))
    steps: list[Step] = [
        step("a", None, user_message("Hi."), seq=1),
        step(
            "b",
            "a",
            TargetReply(text_parts(""), (Reasoning(f"I have {KEY}"),), (call,)),
            seq=2,
        ),
        step("c", "b", tool_result("c1", f"zero\u200bwidth {KEY} and {KEY}"), seq=3),
        step("d", "c", target_reply("Done.\r\n"), seq=4, reason=f"because {KEY}"),
    ]
    header = msgspec.structs.replace(saved().header, title=f"About {KEY}")
    return msgspec.structs.replace(Saved(header, (project,), tuple(steps), head="d"), **changes)


def plan(name: str = "openai", **fields: Any) -> Plan:
    return Plan(format=name, **fields)


def found(name: str, **fields: Any) -> list[str]:
    done = survey(plan(name, **fields), [Item(leaking())], several=False, secrets=SECRETS)
    return [each.render() for each in done.found]


def test_each_is_told_with_its_place_and_never_how_it_reads() -> None:
    assert found("openai") == [
        "SHOP_API_KEY (r1, project, system text, character 5)",
        "a GitHub token (r1, step 2, arguments of find, character 12)",
        "SHOP_API_KEY (r1, step 3, text, character 12)",
        "SHOP_API_KEY (r1, step 3, text, character 45)",
        "hidden character U+200B (r1, step 3, text, character 5)",
        "SHOP_API_KEY (r1, step 4, reason of the edit, character 9)",
        "SHOP_API_KEY (r1, project, title, character 7)",
    ]


def test_all_of_a_project_is_looked_at_where_it_is_written() -> None:
    evaluator = ScriptedEvaluator((EvaluatorLine("Hi."), EvaluatorLine(f"It is {KEY}.")))
    project = msgspec.structs.replace(leaking().projects[0], evaluator=evaluator)
    whole = leaking(projects=(project,))
    told = survey(plan("project"), [Item(whole)], several=False, secrets=SECRETS).found
    assert [each.where for each in told] == ["system text", "evaluator messages 2 text"]
    told = survey(plan("openai"), [Item(whole)], several=False, secrets=SECRETS).found
    assert "evaluator messages 2 text" not in [each.where for each in told]


def test_what_stands_beside_the_export_is_looked_at_too(tmp_path: Path) -> None:
    whole = leaking()
    clean = step("c2", "b", tool_result("c1", "zero"), seq=5, origin="human", replaces="c")
    end = step("d2", "c2", target_reply("Done."), seq=6)
    edited = msgspec.structs.replace(
        whole, steps=(*whole.steps, clean, end), head="d2", marks=(Mark("d2", note=f"No {KEY}"),)
    )
    done = survey(plan(), [Item(edited)], several=False, secrets=SECRETS)
    told = [each.render() for each in done.found]
    assert "SHOP_API_KEY (r1, step 3, text of what it replaced, character 12)" in told
    assert "SHOP_API_KEY (r1, step 4, note on it, character 4)" in told
    export_many(plan(redact=True), [Item(edited)], tmp_path / "x", several=False, secrets=SECRETS)
    assert KEY not in (tmp_path / "x.provenance.jsonl").read_text()


def test_what_a_format_leaves_out_is_not_looked_at() -> None:
    assert not [words for words in found("openai") if "reasoning" in words]
    assert "SHOP_API_KEY (r1, step 2, reasoning, character 8)" in found("bundle")
    assert "SHOP_API_KEY (r1, step 4, reason of the edit, character 9)" in found("bundle")


def test_without_redaction_nothing_is_changed_and_the_report_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    done = export_many(plan(), [Item(leaking())], path, several=False, secrets=SECRETS)
    assert path.read_text().count(KEY) == 3
    assert done.secrets == 6
    assert "found: a GitHub token (r1, step 2, arguments of find, character 12)" in done.report()


@pytest.mark.parametrize("name", ["openai", "markdown", "bundle", "project"])
def test_redaction_leaves_no_secret_in_any_file(tmp_path: Path, name: str) -> None:
    def requests(digest: str) -> str:
        return json.dumps({"key": KEY})

    item = Item(leaking(), requests)
    done = export_many(
        plan(name, redact=True), [item], tmp_path / "x", several=False, secrets=SECRETS
    )
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in written
    assert GITHUB.encode() not in written
    assert b"[redacted: SHOP_API_KEY]" in written
    assert any(line.startswith("replaced: SHOP_API_KEY (") for line in done.report())


@pytest.mark.parametrize("name", ["openai", "atif", "html", "bundle"])
def test_redaction_reaches_ids_that_came_from_outside(tmp_path: Path, name: str) -> None:
    whole = leaking()
    reply = TargetReply(text_parts(""), (), (ToolCall(KEY, "find", "{}"),))
    result = tool_result(KEY, "ok")
    steps = (
        msgspec.structs.replace(whole.steps[1], payload=reply),
        msgspec.structs.replace(whole.steps[2], payload=result),
    )
    project = msgspec.structs.replace(whole.projects[0], id=f"of {KEY}")
    item = Item(
        msgspec.structs.replace(
            whole, projects=(project,), steps=(whole.steps[0], *steps, *whole.steps[3:])
        )
    )
    done = export_many(
        plan(name, redact=True), [item], tmp_path / "x", several=False, secrets=SECRETS
    )
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in written
    assert any("id of a call of find" in line for line in done.report())


def test_redacted_arguments_are_still_json_and_the_rest_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    export_many(plan(redact=True), [Item(leaking())], path, several=False, secrets=SECRETS)
    messages = json.loads(path.read_text())["messages"]
    call = messages[2]["tool_calls"][0]["function"]
    assert json.loads(call["arguments"]) == {"token": "[redacted: a GitHub token]"}
    marker = "[redacted: SHOP_API_KEY]"
    assert messages[3]["content"] == f"zero\u200bwidth {marker} and {marker}"
    assert messages[4]["content"] == "Done.\r\n"


def test_a_secret_of_a_step_that_branches_share_is_told_once() -> None:
    whole = leaking()
    other = step("e", "c", target_reply("Other."), seq=5)
    both = msgspec.structs.replace(whole, steps=(*whole.steps, other))
    done = survey(plan(branches="all"), [Item(both)], secrets=SECRETS)
    assert (done.written, done.secrets) == (2, 6)


def test_keys_of_the_environment_are_known() -> None:
    environ = {"SHOP_API_KEY": KEY, "HOME": "/home/mira/with/a/long/name", "MY_TOKEN": "short"}
    known = known_secrets(environ)
    assert known[KEY] == "SHOP_API_KEY"
    assert "/home/mira/with/a/long/name" not in known
    assert "short" not in known


@pytest.mark.usefixtures("formats")
def test_what_is_found_in_a_trajectory_that_is_refused_is_not_told() -> None:
    whole = leaking()
    refused = step("e", "d", user_message("refuse"), seq=5)
    both = msgspec.structs.replace(whole, steps=(*whole.steps, refused), head="e")
    done = survey(plan("turns"), [Item(both)], secrets=SECRETS)
    assert (done.refused, done.found) == (1, [])
