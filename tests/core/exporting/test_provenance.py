"""What stands beside an export: of each message who made it, what it replaced, and what was said
of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.exporting.items import Item
from rollstep.core.exporting.many import export_many
from rollstep.core.exporting.plan import Plan
from rollstep.core.formats.options import WriteOptions
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import tool_result
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from ..projects_for_tests import played, refund


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.throwaway() as opened:
        yield opened


async def edited(library: Library) -> Session:
    """A played rollout whose third step a human replaced, what follows kept; a flag silenced, and
    marks on a reply and on the leaf.
    """
    session = await played(refund(), author="mira", library=library)
    old = session.rollout.path(session.head)[2]
    result = tool_result(old.payload.call_id, '{"status": "lost \ud800"}')  # type: ignore[union-attr]
    done = await session.override(old.id, result, "keep", "what if")
    assert done.step is not None
    stale = session.rollout.children(done.step.id)[0]
    await session.silence(stale, "stale", "reads well")
    path = session.rollout.path(session.rollout.newest_leaf(session.head))
    await session.mark(Mark(path[4].id, train=False, note="too long", by="mira"))
    await session.mark(Mark(path[-1].id, verdict="accept", tags=("good",), by="mira"))
    return session


def export(session: Session, folder: Path, **plan: Any) -> list[dict[str, Any]]:
    """The lines beside an export of the branch that is shown."""
    path = folder / "x.jsonl"
    export_many(
        Plan(format="openai", **plan), [Item(session.saved())], path, several=False, force=True
    )
    beside = Path(f"{path}.provenance.jsonl").read_text("ascii").splitlines()
    assert len(beside) == len(path.read_text().splitlines())
    return [json.loads(line) for line in beside]


async def test_a_row_says_of_which_rollout_and_branch_it_is(
    library: Library, tmp_path: Path
) -> None:
    session = await edited(library)
    (line,) = export(session, tmp_path)
    leaf = session.rollout.path(session.head)[-1]
    leaf = session.rollout.steps[session.rollout.newest_leaf(leaf.id) or ""]
    assert (line["rollstep_provenance"], line["row"]) == (2, 1)
    assert (line["rollout"], line["title"]) == (session.rollout.header.id, "Refund")
    assert line["branch"]["id"] == leaf.id
    assert line["branch"]["marks"] == [{"verdict": "accept", "tags": ["good"], "by": "mira"}]


async def test_each_message_is_told_of_in_its_place(library: Library, tmp_path: Path) -> None:
    session = await edited(library)
    (line,) = export(session, tmp_path)
    row = json.loads((tmp_path / "x.jsonl").read_text())
    told = line["messages"]
    assert len(told) == len(row["messages"])
    assert told[0] == {"step": 0, "origin": "project"}
    path = session.rollout.path(session.rollout.newest_leaf(session.head))
    assert [each["id"] for each in told[1:]] == [step.id for step in path[: len(told) - 1]]
    assert [each["role"] for each in told[1:4]] == ["evaluator", "target", "tool"]
    assert told[1]["origin"] == "script"
    assert line["stop"]["id"] == path[-1].id


async def test_an_edit_says_by_whom_why_and_what_stood_there(
    library: Library, tmp_path: Path
) -> None:
    (line,) = export(await edited(library), tmp_path)
    message = line["messages"][3]
    assert (message["origin"], message["author"], message["reason"]) == ("human", "mira", "what if")
    assert message["edit"] == {"kind": "override", "author": "mira", "reason": "what if"}
    replaced = message["replaces"]
    assert (replaced["origin"], replaced["seq"]) == ("script", 3)
    assert replaced["payload"]["parts"][0]["text"].startswith('{"status": "delivered"')


async def test_a_copy_names_the_step_it_is_copied_from_with_flags_and_silences(
    library: Library, tmp_path: Path
) -> None:
    (line,) = export(await edited(library), tmp_path)
    kept, reply = line["messages"][4:6]
    assert (kept["copied_from"]["seq"], reply["copied_from"]["seq"]) == (4, 5)
    flags = {flag["rule"]: flag["silence"] for flag in kept["flags"]}
    assert flags["stale"]["reason"] == "reads well"
    assert {flag["rule"]: flag["silence"] for flag in reply["flags"]}["stale"] is None
    assert reply["marks"] == [{"note": "too long", "train": False, "by": "mira"}]


async def test_a_row_for_each_reply_tells_of_the_messages_that_it_has(
    library: Library, tmp_path: Path
) -> None:
    session, path = await edited(library), tmp_path / "x.jsonl"
    plan = Plan(format="trl-prompt-completion", branches="all")
    export_many(plan, [Item(session.saved())], path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    beside = Path(f"{path}.provenance.jsonl").read_text().splitlines()
    for number, (row, line) in enumerate(zip(rows, map(json.loads, beside), strict=True), 1):
        assert line["row"] == number
        assert len(line["messages"]) == len(row["prompt"]) + len(row["completion"])
        roles = [message["role"] for message in (*row["prompt"], *row["completion"])]
        told = [_chat_role(message) for message in line["messages"]]
        assert told == roles


def _chat_role(message: dict[str, Any]) -> str:
    return {"evaluator": "user", "target": "assistant", "tool": "tool"}.get(
        message.get("role", ""), "system"
    )


async def test_steps_between_that_have_no_message_are_told_of_too(
    library: Library, tmp_path: Path
) -> None:
    session, path = await edited(library), tmp_path / "x.jsonl"
    export_many(Plan(format="turn-records"), [Item(session.saved())], path)
    beside = Path(f"{path}.provenance.jsonl").read_text().splitlines()
    first, second = map(json.loads, beside)
    assert [each["step"] for each in first["messages"]] == [0, 1, 5]
    assert [each["step"] for each in first["others"]] == [2, 3, 4]
    assert first["others"][1]["replaces"]["seq"] == 3
    assert "others" not in second


async def test_renamed_tools_have_their_map_in_each_line(library: Library, tmp_path: Path) -> None:
    options = WriteOptions(renames=(("get_order", "find_order"),))
    (line,) = export(await edited(library), tmp_path, options=options)
    assert line["renames"] == {"get_order": "find_order"}
    assert "find_order" in (tmp_path / "x.jsonl").read_text()


async def test_where_it_came_from_and_where_it_stands_are_named(tmp_path: Path) -> None:
    session = await played(refund(), source="seeds.jsonl", record=4)
    (line,) = export(session, tmp_path)
    assert (line["source"], line["record"]) == ("seeds.jsonl", 4)


async def test_the_page_of_exports_names_every_field(library: Library, tmp_path: Path) -> None:
    session = await edited(library)
    options = WriteOptions(renames=(("get_order", "find_order"),))
    (line,) = export(session, tmp_path, options=options)
    page = (Path(__file__).parents[3] / "docs" / "export.md").read_text("utf-8")
    named = set(re.findall(r"`(\w+)`", page[page.index("## What stands beside it") :]))
    fields = set(line) | {field for message in line["messages"] for field in message}
    assert fields - named == set()
