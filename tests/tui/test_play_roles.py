"""Going on from an import: who plays is asked at the first step, once, and remembered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.model.checking import check
from rollstep.core.model.messages import ToolCall, target_reply, tool_result, user_message
from rollstep.core.model.project import (
    HumanEvaluator,
    HumanSimulator,
    HumanTarget,
    LlmSimulator,
    LlmTarget,
    Project,
    RulesSimulator,
    ScriptedEvaluator,
)
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Call, Step, role_of
from rollstep.tui.playing import (
    RoleChoice,
    lacking,
    played,
    proposed,
    recorded_path,
    unasked,
)
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.screens.play_roles import PlayRolesScreen
from rollstep.tui.snapshot import Snapshot
from rollstep.tui.target import OpenTarget
from rollstep.tui.widgets.row_list import RowList

from .conftest import Driver, Opened

CALL = ToolCall("c1", "get_order", '{"id": 1}')


def chat(path: Path) -> Path:
    """A conversation of two turns with a tool call, in OpenAI's shape."""
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "get_order", "arguments": '{"id": 1}'},
    }
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Where is it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"status": "lost"}'},
        {"role": "assistant", "content": "It is lost."},
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": "Nothing."},
    ]
    path.write_text(json.dumps({"messages": messages}) + "\n")
    return path


def cells(driver: Driver) -> list[tuple[str, ...]]:
    return [row.cells for rows in driver.app.screen.query(RowList) for row in rows.rows]


async def asked(driver: Driver) -> None:
    await driver.until(lambda: isinstance(driver.app.screen, PlayRolesScreen))
    await driver.until(lambda: bool(cells(driver)))


def chosen(driver: Driver) -> str:
    return " ".join(row[1] for row in cells(driver))


async def answer(driver: Driver) -> None:
    """Enter, as soon as the dialog's keys rest no more."""
    await driver.press_until("enter", lambda: not isinstance(driver.app.screen, PlayRolesScreen))
    await driver.until(driver._settled)


@pytest.mark.parametrize("key", ["s", "t", "c", "r"])
async def test_the_first_step_asks_who_plays_and_none_before(
    opened: Opened, tmp_path: Path, key: str
) -> None:
    target = OpenTarget(chat(tmp_path / "chat.jsonl"))
    async with opened(target, library=tmp_path / "l.db") as driver:
        await driver.press("s", "s", "s")
        assert isinstance(driver.app.screen, DebuggerScreen)  # recorded steps are only walked
        await driver.press("G", key)
        await asked(driver)
        assert chosen(driver) == "‹ human › ‹ human › ‹ recorded ›"
        await driver.pilot.press("escape")
        assert isinstance(driver.app.screen, DebuggerScreen)
        assert len(driver.screen.model.rollout.projects) == 1


async def test_what_was_chosen_plays_on_is_remembered_and_not_asked_again(
    opened: Opened, tmp_path: Path
) -> None:
    target = OpenTarget(chat(tmp_path / "chat.jsonl"))
    library = tmp_path / "l.db"
    async with opened(target, library=library) as driver:
        await driver.press("G", "s")
        await asked(driver)
        await driver.pilot.press("l", "j", "l")  # they as they were recorded, too
        assert chosen(driver) == "‹ recorded › ‹ recorded › ‹ recorded ›"
        await answer(driver)
        await driver.until(lambda: len(driver.screen.model.path) == 7)
        project = driver.screen.model.project
        assert isinstance(project.evaluator, ScriptedEvaluator)
        assert isinstance(project.tool_simulator, RulesSimulator)
        assert project.target.system == "Be kind."
        assert driver.screen.model.path.stop is not None  # the script's end
        assert json.loads(project.metadata)["played_by"]["target"] == "recorded"
    async with opened(target, library=library) as driver:
        assert not unasked(driver.screen.model)
        assert len(driver.screen.model.rollout.projects) == 2


async def test_an_override_goes_on_with_what_was_recorded_after_it(
    opened: Opened, tmp_path: Path
) -> None:
    """The third reply is replaced, and the evaluator's second message still comes at its turn."""
    target = OpenTarget(chat(tmp_path / "chat.jsonl"))
    async with opened(target, library=tmp_path / "l.db") as driver:
        reply = driver.screen.model.path.steps[3]
        driver.app.controller.override(reply.id, target_reply("Found."), "stay", "")
        await driver.until(lambda: driver.screen.model.path.edits == 1)
        await driver.until(driver._settled)
        await driver.press("s")
        await asked(driver)
        await answer(driver)
        await driver.until(lambda: len(driver.screen.model.path) == 5)
        assert "And now?" in driver.text()


async def test_a_rerun_asks_who_plays_and_goes_on_to_the_end_of_its_turn(
    opened: Opened, tmp_path: Path
) -> None:
    """The result is overridden; the target's reply to the recorded one does not fit it, and is
    written by hand.
    """
    target = OpenTarget(chat(tmp_path / "chat.jsonl"))
    async with opened(target, library=tmp_path / "l.db") as driver:
        message = driver.screen.model.path.steps[0]
        again = user_message("Where is it? Tell me.")
        driver.app.controller.override(message.id, again, "rerun", "")
        await asked(driver)
        assert chosen(driver) == "‹ recorded › ‹ human › ‹ recorded ›"
        await driver.pilot.press("j", "l")
        await answer(driver)
        await driver.until(lambda: len(driver.screen.model.path) == 4)
        assert driver.screen.model.path.edits == 1
        assert "It is lost." in driver.text()


async def test_who_chooses_to_write_is_taken_to_the_editor_and_not_asked_again(
    opened: Opened, tmp_path: Path
) -> None:
    target = OpenTarget(chat(tmp_path / "chat.jsonl"))
    async with opened(target, library=tmp_path / "l.db") as driver:
        await driver.press("G", "s")
        await asked(driver)
        assert cells(driver)[0][1] == "‹ human ›"
        await answer(driver)
        await driver.until(lambda: isinstance(driver.app.screen, EditorScreen))
        await driver.pilot.press("escape")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.press("s")
        await driver.until(lambda: isinstance(driver.app.screen, EditorScreen))


async def test_a_live_role_needs_a_model(opened: Opened, tmp_path: Path) -> None:
    target = OpenTarget(chat(tmp_path / "chat.jsonl"))
    async with opened(target, library=tmp_path / "l.db") as driver:
        await driver.press("G", "s")
        await asked(driver)
        await driver.pilot.press("j", "h")
        assert cells(driver)[1][1:] == ("‹ live ›", "a model: m names it, may cost money")
        await driver.press_until(
            "enter", lambda: not driver.app.screen.query_one(RowList).has_focus
        )
        await driver.pilot.press(*"x/y", "enter")
        assert cells(driver)[1][2] == "x/y, may cost money"
        await answer(driver)
        debugger = driver.app.debugger
        assert debugger is not None
        assert debugger.model.project.target == LlmTarget("x/y", system="Be kind.")


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_who_plays_is_asked_at_every_size(
    opened: Opened, same_screen: Callable[..., None], tmp_path: Path, size: tuple[int, int]
) -> None:
    """Three roles, how each is played and what that means; the model of a live one."""
    target = OpenTarget(chat(tmp_path / "chat.jsonl"))
    async with opened(target, library=tmp_path / "l.db", size=size) as driver:
        await driver.press("G", "s")
        await asked(driver)
        await driver.pilot.press("j", "h")
        await driver.pilot.pause()
        same_screen(driver.app)


# what is proposed, and what comes of it


def imported(*payloads: Any, model: str = "", metadata: str = "{}") -> DebuggerModel:
    call = Call(model) if model else None
    steps = [
        Step(
            *(f"s{n}", f"s{n - 1}" if n else None, role_of(payload), payload, "import"),
            seq=n + 1,
            call=call if role_of(payload) == "target" else None,
        )
        for n, payload in enumerate(payloads)
    ]
    project = Project(
        *("t", HumanTarget(system="S."), HumanEvaluator(persona="Ann", stop_when="done")),
        tool_simulator=HumanSimulator(),
        metadata=metadata,
    )
    header = RolloutHeader("imp-1", "t", format="openai")
    return DebuggerModel(Snapshot(header, (project,), tuple(steps), head=steps[-1].id))


SAID = (
    user_message("a"),
    target_reply("", (CALL,)),
    tool_result("c1", "r"),
    target_reply("b"),
)


def test_the_target_is_live_where_it_is_known_which_model_it_was() -> None:
    path = recorded_path(imported(*SAID, model="openai/gpt-4.1"))
    assert proposed(path, 0) == (
        RoleChoice("evaluator", "recorded"),
        RoleChoice("target", "live", "openai/gpt-4.1"),
        RoleChoice("tool", "recorded"),
    )
    before = (RoleChoice("target", "human"),)
    assert proposed(path, 1)[0] == RoleChoice("evaluator", "human")  # nothing is left of it
    assert proposed(path, 0, before)[1] == RoleChoice("target", "human")


def test_what_is_not_recorded_is_written() -> None:
    path = recorded_path(imported(target_reply("b")))
    assert [choice.playing for choice in proposed(path, 0)] == ["human", "human", "human"]


def test_the_project_keeps_what_is_said_of_the_roles_and_of_everything_else() -> None:
    model = imported(*SAID, metadata='{"price": 1.10}')
    path = recorded_path(model)
    roles = (
        RoleChoice("evaluator", "live", "m/e"),
        RoleChoice("target", "live", " m/t @ http://127.0.0.1:8000/v1"),
        RoleChoice("tool", "live", "m/s"),
    )
    project = played(model.project, path, roles)
    check(project, Project, "project")
    assert (project.evaluator.persona, project.evaluator.stop_when) == ("Ann", "done")
    assert project.target == LlmTarget("m/t", "S.", "http://127.0.0.1:8000/v1")
    assert isinstance(project.tool_simulator, LlmSimulator)
    assert [each.tool for each in project.tool_simulator.examples] == ["get_order"]
    assert project.metadata.startswith('{"price": 1.10, "played_by": {"evaluator": "live"')
    assert lacking((RoleChoice("target", "live", " "),)) is not None
    assert lacking(roles) is None


def test_there_are_turns_to_go_on_with() -> None:
    model = imported(*(user_message("a"), target_reply("b")) * 12)
    path = recorded_path(model)
    assert model.project.max_turns == 10
    assert played(model.project, path, proposed(path, 12)).max_turns == 22


def test_only_an_import_is_asked_about() -> None:
    model = imported(*SAID)
    assert unasked(model)
    own = DebuggerModel(
        Snapshot(RolloutHeader("r1", "t"), (model.project,), tuple(model.path.steps))
    )
    assert not unasked(own)
