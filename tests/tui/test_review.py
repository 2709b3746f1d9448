"""The queue's screen: rollouts are read and judged one after the other; nothing that was said is
lost, and what others said is seen afterwards.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.messages import target_reply
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.review.giving import give_mark
from rollstep.core.review.keeping import KeptQueue, listed_queues, open_queue
from rollstep.core.review.queue import Entry, Queue
from rollstep.core.review.reading import steps_read
from rollstep.core.rules.marking import MarkChange
from rollstep.core.session import Session
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library
from rollstep.tui.review.model import ReviewModel
from rollstep.tui.screens import review_look
from rollstep.tui.screens.debugger import DebuggerScreen
from rollstep.tui.screens.help import HelpScreen
from rollstep.tui.screens.key_guard import KeyGuard
from rollstep.tui.screens.mark_menu import WhyScreen
from rollstep.tui.screens.review import ReviewScreen

from tests.core.store.making import conversation, first
from tests.screen_text import screen_text

from .conftest import Driver, Opened
from .synthetic import refund
from .test_key_order import burst

FROZEN = datetime(2026, 11, 29, 9, 2).timestamp()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six rollouts of one to three turns."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for number in range(6):
            steps = conversation(1 + number % 3, f"r{number}-", stop="goal_reached")
            library.commit(first(f"r{number}", steps, head=steps[-1].id))
    return path


_IDS = tuple(f"r{n}" for n in range(6))


def queue(
    by: str = "mira", ids: tuple[str, ...] = _IDS, at: int = 0, entries: tuple[Entry, ...] = ()
) -> KeptQueue:
    return KeptQueue(Queue("verdict:none", by, FROZEN, ids, at, entries))


async def reviewing(driver: Driver, model: ReviewModel) -> ReviewScreen:
    driver.app.dialogs.open_review(model)
    await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen))
    screen = driver.app.screen
    assert isinstance(screen, ReviewScreen)
    await driver.until(lambda: model.shown is not None and not screen._loading)
    return screen


def text(screen: ReviewScreen) -> str:
    return "\n".join(row.text for pane in screen.panes for row in pane._rows)


async def settled(driver: Driver, model: ReviewModel) -> None:
    await driver.until(lambda: not model.waiting and model.shown is not None)


def verdicts(path: Path, rollout_id: str) -> dict[str, str | None]:
    with Library.open(path) as library:
        return {mark.by: mark.verdict for mark in library.load(rollout_id).marks}


def kept(path: Path) -> Queue:
    with Library.open(path) as library:
        return open_queue(library, listed_queues(library)[0].head.name).queue


async def test_a_rollout_is_read_and_accepted_and_the_next_comes_up(
    opened: Opened, path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        assert "title of r0" in text(screen)
        await driver.press("space")
        assert "read 1 of 1" in text(screen)
        await driver.press("A")
        await settled(driver, model)
        assert model.queue.current == "r1"
        assert "Accepted: title of r0. u takes it back." in text(screen)
        assert " A 1  R 0  M 0" in text(screen)
        assert verdicts(path, "r0") == {"mira": "accept"}
        assert kept(path).verdicts() == {"r0": "accept"}
        with Library.open(path) as library:
            assert len(steps_read(library, "r0", "mira")) == 3


async def test_a_verdict_on_an_unread_turn_asks_once(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        await driver.press("M")
        assert "1 of 1 turns not read yet" in text(screen)
        assert model.queue.entries == ()
        await driver.press("M")
        await settled(driver, model)
        assert verdicts(path, "r0") == {"mira": "unsure"}


async def test_a_rejection_takes_a_reason_by_number(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        await reviewing(driver, model)
        await driver.press("space", "R")
        await driver.until(lambda: isinstance(driver.app.screen, WhyScreen))
        await driver.press("1")
        await driver.until(lambda: model.queue.current == "r1")
        await settled(driver, model)
        with Library.open(path) as library:
            assert [(m.verdict, m.note) for m in library.load("r0").marks] == [
                ("reject", "wrong facts")
            ]


async def test_u_takes_the_last_mark_back_and_returns(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        await driver.press("space", "A")
        await settled(driver, model)
        await driver.press("m", "4")
        await settled(driver, model)
        assert "● ● ● ● -" in text(screen)
        await driver.press("u")
        await settled(driver, model)
        assert model.queue.current == "r1"
        assert "● ● ● ● -" not in text(screen)
        await driver.press("u")
        await settled(driver, model)
        assert model.queue.current == "r0"
        assert verdicts(path, "r0") == {"mira": None}
        assert kept(path).entries == ()


async def test_what_others_say_is_seen_after_the_own_verdict(opened: Opened, path: Path) -> None:
    with Library.open(path) as library:
        mark = Mark("r0-2", verdict="reject", note="no receipt", by="jo", at=FROZEN)
        library.commit(Change("r0", marks=(mark,)))
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        assert "shown when yours is given" in text(screen)
        assert "no receipt" not in text(screen)
        await driver.press("space", "A")
        await settled(driver, model)
        assert "Accepted: title of r0. jo: R no receipt. u takes it back." in text(screen)
        await driver.press("K")
        await settled(driver, model)
        assert "R jo" in text(screen)
        assert "no receipt" in text(screen)
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await reviewing(driver, ReviewModel(queue("li"), show_others=True))
        assert "no receipt" in text(screen)


async def test_two_reviewers_each_have_a_queue_and_verdicts_of_their_own(
    opened: Opened, path: Path
) -> None:
    for name, key in (("mira", "A"), ("jo", "M")):
        async with opened(library=path, size=(120, 30)) as driver:
            model = ReviewModel(queue(name))
            await reviewing(driver, model)
            await driver.press("space", key)
            await settled(driver, model)
    assert verdicts(path, "r0") == {"mira": "accept", "jo": "unsure"}
    with Library.open(path) as library:
        names = [listed.head.name for listed in listed_queues(library)]
        found = {q.by: q.verdicts() for q in (open_queue(library, name).queue for name in names)}
    assert found == {"mira": {"r0": "accept"}, "jo": {"r0": "unsure"}}


async def test_enter_opens_the_debugger_and_q_comes_back(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        driver.app.controller.engine._author = "mira"
        model = ReviewModel(queue())
        await reviewing(driver, model)
        await driver.press("J", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        await driver.press("A")
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen))
        await settled(driver, model)
        assert model.queue.current == "r1"
        assert model.queue.verdicts() == {"r1": "accept"}, "given in the debugger"


async def test_a_mark_that_cannot_be_saved_does_not_count(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rollstep.core.errors import StoreError

    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)

        def full(*_: object) -> None:
            raise StoreError("Not saved: the disk is full.")

        monkeypatch.setattr("rollstep.tui.review.keeper.give_mark", full)
        await driver.press("space", "A")
        await driver.until(lambda: "NOT SAVED" in text(screen))
        await settled(driver, model)
        assert model.queue.current == "r0"
        assert model.queue.verdicts() == {}


async def test_the_last_verdict_ends_the_queue(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        for _ in range(6):
            await driver.press("A", "A")
            await settled(driver, model)
        assert "Each rollout of this queue has its verdict" in text(screen)
        assert "all decided" in text(screen)
        assert kept(path).finished


async def test_text_is_found(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        await driver.press("J", "J")
        await settled(driver, model)
        await driver.press("slash")
        await driver.until(lambda: driver.app.focused is not None)
        await driver.press(*"answer", "enter")
        await driver.until(lambda: driver.app.focused is None)
        assert screen.cursor == 1
        await driver.press("n")
        assert screen.cursor == 3


async def test_the_guide_stands_with_the_keys(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        driver.app.review_guide = "Accept only what a customer would be glad of."
        await reviewing(driver, ReviewModel(queue()))
        await driver.press("question_mark")
        await driver.until(lambda: isinstance(driver.app.screen, HelpScreen))
        assert "a customer would be glad of" in screen_text(driver.app)


async def test_after_a_restart_the_last_mark_is_taken_back_too(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        await reviewing(driver, model)
        await driver.press("space", "A")
        await settled(driver, model)
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(KeptQueue(kept(path)))
        await reviewing(driver, model)
        assert model.queue.current == "r1"
        await driver.press("u")
        await settled(driver, model)
        assert model.queue.current == "r0"
        assert verdicts(path, "r0") == {"mira": None}


async def test_what_is_typed_behind_a_key_that_marks_is_typed_into_what_it_opens(
    opened: Opened, path: Path
) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        await reviewing(driver, model)
        await driver.press("space")
        burst(driver.app, ["m", "4", "m", "t", *"goox", "backspace", "d"])
        await driver.until(lambda: getattr(driver.app.focused, "value", "") == "good")
        await driver.press_until("enter", lambda: model.mine.tags == ("good",))
        assert model.mine.rating == 4
        burst(driver.app, ["R", *"bad x", "backspace", "backspace", "enter"])
        await driver.until(lambda: model.queue.verdicts() == {"r0": "reject"})
        await settled(driver, model)
        await driver.press("K")
        await settled(driver, model)
        assert model.mine.note == "bad"


async def test_a_mark_that_was_saved_before_a_kill_counts_though_the_queue_was_not(
    opened: Opened, path: Path
) -> None:
    with Library.open(path) as library:
        mark = Mark("r0-2", verdict="accept", by="mira", at=FROZEN + 1)
        library.commit(Change("r0", marks=(mark,)))
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        assert model.queue.verdicts() == {"r0": "accept"}
        assert " A 1  R 0  M 0" in text(screen)


async def test_the_place_is_kept_when_q_leaves(opened: Opened, path: Path) -> None:
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        await driver.press("J", "J", "q")
        await driver.until(lambda: not screen.is_attached)
    assert kept(path).at == 2


async def test_keys_that_decide_rest_when_another_rollout_comes_up(
    opened: Opened, path: Path
) -> None:
    now = 0.0
    async with opened(library=path, size=(120, 30), guard=KeyGuard(lambda: now)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        now = 10.0
        await driver.press("A", "A", "A")
        await settled(driver, model)
        assert model.queue.verdicts() == {"r0": "accept"}
        assert "A rests for a moment" in text(screen)


async def test_a_parked_rollout_is_taken_up_in_the_debugger(opened: Opened, path: Path) -> None:
    with Library.open(path) as library:
        steps = conversation(1, "p-")
        library.commit(first("p1", steps, head=steps[-1].id))
        library.commit(Change("p1", status="parked", status_note="breakpoint 1 at step 2"))
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue(ids=("p1", "r0")))
        screen = await reviewing(driver, model)
        await driver.until(lambda: "1 parked" in text(screen))
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, DebuggerScreen))
        assert "parked: breakpoint 1 at step 2" in driver.text()
        await driver.press("c")
        await driver.until(lambda: len(driver.screen.model.path) > 2)
        await driver.until(lambda: not driver.app.controller.busy)
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen))
        await settled(driver, model)
        assert model.shown is not None
        assert len(model.shown.model.path) > 2


@pytest.mark.parametrize("size", [(80, 24), (120, 30), (160, 45)])
async def test_the_queue_at_every_size(
    opened: Opened,
    path: Path,
    same_screen: Callable[..., None],
    size: tuple[int, int],
) -> None:
    """Look for: the bar, the place, the turns with what was read, marks, flags and copies."""
    made = refund("o9-1")
    steps = [msgspec.structs.replace(step, seq=0) for step in made.steps]
    steps[-1] = msgspec.structs.replace(steps[-1], copied_from=steps[0].id)
    with Library.open(path) as library:
        header = RolloutHeader("r9", "Refund a damaged blender")
        library.commit(Change("r9", header, made.projects, tuple(steps), head=made.head))
        library.commit(Change("r9", scores=(Score("tau2", 0.0, "issue_refund never called"),)))
        mark = Mark("r0-2", verdict="accept", by="mira", at=FROZEN + 1)
        library.commit(Change("r0", marks=(mark,)))
    entry = Entry("r0", "r0-2", "accept", decides=True, seconds=98.0)
    begun = queue(ids=("r0", "r9", *_IDS[1:]), at=1, entries=(entry,))
    async with opened(library=path, size=size) as driver:
        model = ReviewModel(begun)
        await reviewing(driver, model)
        await driver.press("}", "k")
        same_screen(driver.app)


async def test_what_another_program_says_in_the_same_queue_is_seen_at_the_next_mark(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review_look, "SECONDS", 3600)
    with Library.open(path) as other:
        queue().stay_at(other, 0)
        second = open_queue(other, queue().queue.name)
        async with opened(library=path, size=(120, 30)) as driver:
            model = ReviewModel(open_queue(other, queue().queue.name))
            screen = await reviewing(driver, model)
            await driver.until(lambda: not model.wanted() and not screen._loading)
            for number, verdict in ((1, "reject"), (3, "accept")):
                rollout_id, leaf = f"r{number}", other.load(f"r{number}").steps[-1].id
                await give_mark(other, rollout_id, leaf, MarkChange(verdict=verdict), "mira")  # type: ignore[arg-type]
                entry = Entry(rollout_id, leaf, verdict, decides=True, id=f"theirs {number}")  # type: ignore[arg-type]
                second.say(other, entry, number)
            await driver.press("space", "A")
            await settled(driver, model)
            assert model.queue.current == "r1", "nobody knew of it when the key was pressed"
            await driver.until(lambda: "R rejected" in text(screen))
            assert " A 2  R 1  M 0" in text(screen)
            assert len(second.look(other).said) == 1
            await driver.press("u")
            await settled(driver, model)
            assert model.queue.current == "r0", "what was said here last, not there"
            assert " A 1  R 1  M 0" in text(screen)
    assert kept(path).verdicts() == {"r1": "reject", "r3": "accept"}


async def test_a_verdict_given_in_another_window_is_seen_before_any_key(
    opened: Opened, path: Path
) -> None:
    with Library.open(path) as other:
        queue().stay_at(other, 0)
        second = open_queue(other, queue().queue.name)
        async with opened(library=path, size=(120, 30)) as driver:
            model = ReviewModel(open_queue(other, queue().queue.name))
            screen = await reviewing(driver, model)
            await driver.until(lambda: not model.wanted() and not screen._loading)
            leaf = other.load("r0").steps[-1].id
            await give_mark(other, "r0", leaf, MarkChange(verdict="accept"), "mira")
            second.say(other, Entry("r0", leaf, "accept", decides=True, id="theirs"), 0)
            await driver.until(lambda: "Decided in another window just now." in text(screen))
            await driver.until(lambda: "A accepted" in text(screen))
            assert " A 1  R 0  M 0" in text(screen)


async def test_a_mark_that_cannot_be_saved_is_said_also_where_its_screen_was_left(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rollstep.core.errors import StoreError

    begun, full_now = threading.Event(), threading.Event()

    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)

        async def full(*_: object) -> None:
            begun.set()
            await asyncio.to_thread(full_now.wait, 20)
            raise StoreError("Not saved: the disk is full.")

        monkeypatch.setattr("rollstep.tui.review.keeper.give_mark", full)
        await driver.press("space")
        await driver.pilot.press("A")
        await driver.until(begun.is_set)
        await driver.pilot.press("enter")
        await driver.until(lambda: driver.app.screen is not screen)
        full_now.set()
        await driver.until(lambda: model.unsaved != "")
        debugger = driver.app.debugger
        assert debugger is not None
        shown = "\n".join(row.text for pane in debugger.all_panes for row in pane._rows)
        assert "NOT SAVED, and not counted: the disk is full. (your mark on title of r0)" in shown
        assert model.queue.verdicts() == {}
        assert (model.queue.current, driver.app.dialogs.listed()) == ("r1", "2 of 6")


async def test_steps_that_are_read_are_kept_again_and_the_end_says_what_is_left(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rollstep.core.errors import StoreError

    def full(*_: object) -> None:
        raise StoreError("Not saved: the disk is full.")

    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue(at=2))
        screen = await reviewing(driver, model)
        await driver.press("G", "j")
        assert "The end; 3 turns before it not read yet: g goes there." in text(screen)
        await driver.press("g")
        with monkeypatch.context() as patch:
            patch.setattr("rollstep.tui.review.keeper.keep_steps_read", full)
            await driver.press("j")
            await driver.until(lambda: bool(model.unkept))
        for _ in range(6):
            await driver.press("j")
        assert "All of it is read: A R M decide." in text(screen)
        await driver.until(lambda: not model.unkept)
        await driver.press("q")
        await driver.until(lambda: not screen.is_attached)
    with Library.open(path) as library:
        assert len(steps_read(library, "r2", "mira")) == 7


async def test_a_place_that_cannot_be_kept_is_said_once_and_again_later(
    opened: Opened, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rollstep.core.errors import StoreError

    def full(*_: object) -> None:
        raise StoreError("Not saved: the disk is full.")

    async with opened(library=path, size=(120, 30)) as driver:
        screen = await reviewing(driver, ReviewModel(queue()))
        with monkeypatch.context() as patch:
            patch.setattr(KeptQueue, "stay_at", full)
            await driver.press("q")
            await driver.until(lambda: "The place is not kept" in text(screen))
            assert screen.is_attached
        await driver.press("J")
        assert not screen._leaving, "the next q keeps the place again"
        await driver.press("q")
        await driver.until(lambda: not screen.is_attached)
    assert kept(path).at == 1


async def test_a_verdict_from_before_an_edit_is_shown_as_outdated(
    opened: Opened, path: Path
) -> None:
    with Library.open(path) as library:
        await give_mark(library, "r0", "r0-2", MarkChange(verdict="accept"), "mira")
        session = Session.reopen(library.load("r0"), library, author="mira")
        await session.override("r0-1", target_reply("Another."), after="keep")
        await session.close()
    async with opened(library=path, size=(120, 30)) as driver:
        model = ReviewModel(queue())
        screen = await reviewing(driver, model)
        assert "verdict  A! edited sin" in text(screen)
        assert model.queue.verdicts() == {}


async def test_a_step_that_is_not_trained_on_has_a_sign(opened: Opened, path: Path) -> None:
    with Library.open(path) as library:
        await give_mark(library, "r0", "r0-1", MarkChange(train=False), "mira")
    async with opened(library=path, size=(120, 30)) as driver:
        screen = await reviewing(driver, ReviewModel(queue()))
        assert [row.text[:8] for row in screen.text._rows if row.text.startswith("T")] == [
            "T  2  - "
        ]
