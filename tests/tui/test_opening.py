"""What is opened, how the app ends, and what a crash leaves behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from rollstep.core.errors import RollstepError
from rollstep.core.model.messages import user_message
from rollstep.core.projects.reader import read_project
from rollstep.core.samples import Sample, list_samples
from rollstep.core.store.change import Summary
from rollstep.tui.controller import Controller
from rollstep.tui.crash import crash_words
from rollstep.tui.opening import recorded_project
from rollstep.tui.screens.arrange import arrange, chosen_place, next_place
from rollstep.tui.snapshot import Snapshot
from rollstep.tui.start import start_controller
from rollstep.tui.starting import ago, start_request
from rollstep.tui.target import OpenTarget

from .conftest import Opened

SAMPLES = [sample for sample in list_samples() if sample.bundle is not None]


@pytest.fixture
def controller(engines: list[Controller], tmp_path: Path) -> Controller:
    made = start_controller(tmp_path / "library.sqlite")
    engines.append(made)
    made.started.result()
    return made


def _open(controller: Controller, **target: object) -> Snapshot:
    return controller.open(OpenTarget(**target)).result()  # type: ignore[arg-type]


def test_what_happens_while_another_rollout_is_opened_is_not_told_of_the_one_shown(
    controller: Controller,
) -> None:
    """Its head is moved to the step that the link names: a step which is not in the one shown."""
    first = _open(controller, sample="refund", recorded=True)
    _open(controller, sample="weekend", recorded=True)
    controller.take_events()
    told: list[object] = []
    controller.post = lambda message: told.extend(controller.take_events())
    _open(controller, rollout=first.header.id, step=5)
    assert told == []
    assert controller.take_events() == []


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_samples_recording_holds_the_project_of_its_file(sample: Sample) -> None:
    assert sample.bundle is not None
    assert recorded_project(sample.bundle) == read_project(sample.project)


def test_samples_open_afresh_or_as_recorded(controller: Controller) -> None:
    assert _open(controller, sample="refund").steps == ()
    recorded = _open(controller, sample="refund", recorded=True)
    assert len(recorded.steps) > 10
    assert recorded.head == recorded.steps[0].id
    assert recorded.leaf in {branch.leaf_id for branch in recorded.branches}


def test_files_of_every_kind_open(controller: Controller, tmp_path: Path) -> None:
    sample = SAMPLES[0]
    assert _open(controller, path=sample.project).projects[0].title == sample.title
    assert _open(controller, path=sample.bundle).steps
    seeds = tmp_path / "seeds.jsonl"
    seeds.write_text('{"task_id": "a", "user_text": "Hi"}\n{"task_id": "b", "user_text": "Yo"}\n')
    assert _open(controller, path=seeds, record=1).projects[0].opening == "Yo"


def test_what_cannot_be_opened_says_why(controller: Controller, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("title: [")
    for target, words in (
        (OpenTarget(path=bad), "bad.yaml"),
        (OpenTarget(rollout="nothere"), "nothere"),
        (OpenTarget(sample="nosuch"), "There is no sample"),
        (OpenTarget(sample="refund", step=99), "There is no step 99"),
    ):
        with pytest.raises(RollstepError, match=words):
            controller.open(target).result()


def test_a_copy_up_to_here_is_a_rollout_of_its_own(controller: Controller) -> None:
    first = _open(controller, sample="refund", recorded=True)
    at = first.steps[3].id
    copy = controller.open_copy(first.projects[-1], at, "").result()
    assert copy.header.id != first.header.id
    assert [s.payload for s in copy.steps] == [s.payload for s in first.steps[:4]]
    assert not {s.id for s in copy.steps} & {s.id for s in first.steps}
    assert copy.head == copy.steps[-1].id


def test_events_of_the_rollout_before_are_not_taken_for_this_ones(controller: Controller) -> None:
    _open(controller, sample="weekend")
    assert controller.write(user_message("x"), None)
    assert controller._running is not None
    controller._running.result()
    _open(controller, sample="refund")
    assert controller.take_events() == []


def test_one_command_at_a_time(controller: Controller) -> None:
    _open(controller, sample="weekend")
    assert controller.command("wait", lambda session: asyncio.sleep(0.2))
    assert controller.busy
    assert not controller.step(None)
    assert controller._running is not None
    controller._running.result()
    assert controller.step(None)


def test_a_crash_says_where_its_report_is_and_keeps_secrets_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret123")

    def fails() -> None:
        held = "a-value" * 3
        raise RuntimeError(f"call with sk-verysecret123 failed {len(held)}")

    with pytest.raises(RuntimeError) as caught:
        fails()
    words = crash_words(caught.value, tmp_path / "crashes")
    report = next((tmp_path / "crashes").iterdir())
    assert str(report) in words
    for text in (words, report.read_text()):
        assert "verysecret" not in text
    assert "a-valuea-value" not in report.read_text()
    assert report.stat().st_mode & 0o077 == 0


async def test_an_error_in_the_app_ends_it_with_words(opened: Opened) -> None:
    apps = []

    async def fails() -> None:
        async with opened(sample="refund") as driver:
            apps.append(driver.app)
            driver.app.call_later(lambda: 1 / 0)
            await driver.pilot.pause()
            await driver.pilot.pause()

    with pytest.raises(ZeroDivisionError):
        await fails()
    assert apps[0].return_code == 1
    assert "ZeroDivisionError" in apps[0].crash_words


def test_the_presenter_loads_no_textual() -> None:
    code = (
        "import sys, rollstep.tui.presenter, rollstep.tui.panes, rollstep.tui.inspector, "
        "rollstep.tui.actions, rollstep.tui.start; "
        "sys.exit(any(name.startswith('textual') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("size", "place"),
    [((80, 24), "hidden"), ((110, 40), "below"), ((160, 45), "right"), ((240, 70), "right")],
)
def test_the_inspector_stands_where_there_is_room(size: tuple[int, int], place: str) -> None:
    assert chosen_place(*size, "auto") == place
    for _ in range(3):
        after = next_place(*size, place)
        assert chosen_place(*size, after) != chosen_place(*size, place)
        place = after


@pytest.mark.parametrize("size", [(20, 8), (80, 24), (160, 45), (240, 70)])
@pytest.mark.parametrize("place", ["auto", "right", "below", "hidden"])
def test_the_parts_fill_the_screen(size: tuple[int, int], place: str) -> None:
    parts = arrange(*size, place)
    area = sum(r.area for r in (parts.top, parts.panes, parts.inspector, parts.bottom))
    assert area == size[0] * size[1]


def test_how_long_ago() -> None:
    assert [ago(s) for s in (5, 90, 7200, 200_000)] == [
        "just now", "1 minute ago", "2 hours ago", "2 days ago",
    ]  # fmt: skip


def test_a_rollout_that_waits_says_why_in_the_start_list() -> None:
    waits = Summary("r1", "R", 4, 1, 0, "parked", "", 0.0, status_note="breakpoint 1 at step 4")
    ended = Summary("r2", "R", 4, 1, 0, "ended", "goal_reached", 0.0, status_note="old")
    rows = start_request([waits, ended], now=60.0).recent
    assert [row.ended for row in rows] == ["parked: breakpoint 1 at step 4", "goal_reached"]
