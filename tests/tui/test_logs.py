"""Logs of other programs: what is recognised, which sample is opened, and finding it again."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.errors import FormatError, InputError, UsageError
from rollstep.core.model.messages import target_reply
from rollstep.tui.controller import Controller
from rollstep.tui.logs import SeveralSamples
from rollstep.tui.samples_read import read_samples
from rollstep.tui.snapshot import Snapshot
from rollstep.tui.start import start_controller
from rollstep.tui.target import OpenTarget
from rollstep.tui.targets import file_kind, parse_target

from .conftest import Driver, Opened
from .logs_for_tests import chats, swe_agent_run, tau2


@pytest.fixture
def controller(engines: list[Controller], tmp_path: Path) -> Controller:
    made = start_controller(tmp_path / "library.sqlite")
    engines.append(made)
    made.started.result()
    return made


def _open(controller: Controller, path: Path, number: int | None = None) -> Snapshot:
    return controller.open(OpenTarget(path, number=number)).result()


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.jsonl", '{"task_id": "t", "user_text": "Hi"}\n', "seeds"),
        ("a.jsonl", '{"taskid": "t", "user_text": 3}\n', "seeds"),
        ("a.jsonl", '{"user_text": "cut off\n', "seeds"),
        ("a.jsonl", '{"messages": [], "user_text": "Hi", "agent_text": "Ho"}\n', "log"),
        ("a.jsonl", '{"messages": [{"role": "user", "content": "user_text"}]}\n', "log"),
        ("a.json", '\ufeff\n{"simulations": []}', "log"),
        ("noname", '[{"messages": []}]', "log"),
        ("a.jsonl", "not json at all\n", "log"),
        ("a.yaml", "title: x\n", "project"),
        ("x.txt", '{"rollstep_bundle": 1}\n', "bundle"),
    ],
)
def test_a_file_is_known_by_how_it_begins(tmp_path: Path, name: str, text: str, kind: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert file_kind(path) == kind


def test_a_file_of_no_known_kind_is_refused_with_what_was_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary,\n")
    with pytest.raises(InputError) as caught:
        parse_target(str(path))
    for words in ("notes.txt", "project files", "seed rows", "bundles", "tau2", "openai"):
        assert words in str(caught.value)


def test_a_log_of_records_that_nobody_knows_is_refused_in_one_line(
    controller: Controller, tmp_path: Path
) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"weather": "fine"}')
    with pytest.raises(FormatError, match=r"odd\.json.*'weather'.*Looked for"):
        _open(controller, path)


def test_the_only_sample_of_a_log_opens_at_its_first_step(
    controller: Controller, tmp_path: Path
) -> None:
    snapshot = _open(controller, tau2(tmp_path / "results.json", 0.0))
    assert [step.origin for step in snapshot.steps[:4]] == ["import"] * 4
    assert snapshot.head == snapshot.steps[0].id
    assert snapshot.header.format == "tau2"
    assert snapshot.scores[0].name == "reward"


def test_a_log_of_several_samples_has_to_be_told_which(
    controller: Controller, tmp_path: Path
) -> None:
    path = tau2(tmp_path / "results.json", 0.0, 1.0)
    with pytest.raises(SeveralSamples, match=r"results\.json#2"):
        _open(controller, path)
    target = parse_target(f"{path}#2")
    assert target == OpenTarget(path, number=2)
    snapshot = controller.open(target).result()
    assert "sample 1, message 1" in str(snapshot.steps[0].payload)


def test_a_log_is_read_as_the_format_that_is_named(controller: Controller, tmp_path: Path) -> None:
    """As ``import --format`` reads it, and in the list of samples too."""
    row = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    path = tmp_path / "rows.txt"
    path.write_text(f"{json.dumps(row)}\n{json.dumps(row)}\n")
    assert controller.open(parse_target(f"{path}#2")).result().header.format == "openai"
    asked = parse_target(str(path), "trl")
    with pytest.raises(SeveralSamples) as several:
        controller.open(asked).result()
    assert several.value.log == asked
    named = controller.open(parse_target(f"{path}#2", "trl")).result()
    assert named.header.format == "trl"
    told: list[tuple[str, str]] = []

    def tell(lines: list[Any], done: bool, words: str) -> None:
        told.extend((line.format, line.problem or words) for line in lines)

    read_samples(path, tell, threading.Event(), "trl")
    assert told == [("trl", ""), ("trl", "")]
    with pytest.raises(UsageError, match="There is no format 'nope' to read"):
        parse_target(str(path), "nope")


def test_a_sample_that_is_not_there_is_named(controller: Controller, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"there is no record 9"):
        _open(controller, tau2(tmp_path / "results.json", 0.0), 9)


def test_opening_a_sample_again_finds_the_edits_and_doubles_nothing(
    controller: Controller, tmp_path: Path
) -> None:
    path = chats(tmp_path / "chats.jsonl", 3)
    first = _open(controller, path, 2)
    reply = first.steps[1]
    assert controller.override(reply.id, target_reply("better"), "stay", "kinder")
    assert controller._running is not None
    controller._running.result()
    _open(controller, path, 3)
    again = _open(controller, path, 2)
    assert again.header.id == first.header.id
    assert len(again.steps) == len(first.steps) + 1
    edited = [step for step in again.steps if step.origin == "human"]
    assert [step.reason for step in edited] == ["kinder"]
    assert again.head == edited[0].id
    assert len(controller.recent().result()) == 2


async def test_what_was_odd_about_a_sample_is_told_when_it_is_opened_first(
    opened: Opened, tmp_path: Path
) -> None:
    path = tmp_path / "odd.json"
    messages = [
        {"role": "user", "content": "Hi."},
        {"role": "critic", "content": "Hm."},
        {"role": "tool", "content": "r", "tool_call_id": "c9"},
    ]
    path.write_text(json.dumps({"messages": messages}))
    async with opened(OpenTarget(path), library=tmp_path / "l.db") as driver:
        assert driver.screen.flashed is not None
        assert driver.screen.flashed[0] == (
            "As it was read: line 1: messages[1]: the role 'critic' is not known; shown as a "
            "system note (2 such notes)"
        )
    async with opened(OpenTarget(path), library=tmp_path / "l.db") as driver:
        assert driver.screen.flashed is None


async def test_as_sent_is_what_the_log_recorded_or_says_that_it_is_made_up(
    opened: Opened, tmp_path: Path
) -> None:
    path = tmp_path / "run.traj"
    path.write_text(json.dumps(swe_agent_run()))
    async with opened(OpenTarget(path), library=tmp_path / "l.db") as driver:
        await driver.press("j", "i", "i")
        await driver.until(lambda: "as it was asked" in sent(driver))
        assert "sent to the target for step 2, recorded request" in sent(driver)
        await driver.press("k", "i", "i", "i", "i", "i")
        assert "reconstructed: the import holds no request" in sent(driver)


def sent(driver: Driver) -> str:
    """The page of the inspector, its lines joined."""
    return " ".join(block.text for block in driver.screen.document.blocks)
