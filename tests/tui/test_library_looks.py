"""How the library screen looks, what strange titles do to it, and that its keys rest."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.messages import target_reply, user_message
from rollstep.core.model.steps import Call, Step
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library
from rollstep.tui.controller import Controller
from rollstep.tui.screens.key_guard import KeyGuard
from rollstep.tui.screens.replace import ReplaceScreen
from textual.events import Paste

from tests.core.store.making import conversation, first
from tests.screen_text import screen_text

from .conftest import Opened
from .synthetic import HOSTILE
from .test_library import listed, text
from .test_library_replace import asked

_TITLES = (
    "Refund a damaged blender",
    "返品の依頼：ミキサーが割れて届いた、注文番号は四四七一です。返金を希望します",
    "متجر: استرداد المبلغ",
    "👩🏽‍🍳 A cook asks for a spare lid and says why it broke, at length, three times",
    "A title\nof two lines\tand a tab",
)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rollouts with titles of all kinds, marked, scored, edited."""
    path = tmp_path / "library.sqlite"
    with Library.open(path) as library:
        for number, title in enumerate(_TITLES):
            steps = list(conversation(number + 1, "s", stop="goal_reached" if number % 2 else ""))
            call = Call(model="gpt-4.1-mini", cost=0.0031 * number)
            steps[1] = msgspec.structs.replace(steps[1], call=call if number else None)
            made = first(f"r{number}", tuple(steps), head=steps[-1].id)
            assert made.header is not None
            header = msgspec.structs.replace(made.header, title=title)
            library.commit(msgspec.structs.replace(made, header=header))
            verdict = ("accept", "reject", "unsure", None, None)[number]
            mark = Mark(steps[-1].id, verdict=verdict, tags=("refund",), by="mira", at=1.0)
            library.commit(Change(f"r{number}", marks=(mark,)))
        library.commit(Change("r0", scores=(Score("tau2", 0.0, "issue_refund never called"),)))
        over = Step("h1", "s0", "target", target_reply("By hand."), "human", replaces="s1")
        library.commit(Change("r1", steps=(over,), head="h1"))
    monkeypatch.setattr(Controller, "library_path", property(lambda self: Path("my.sqlite")))
    return path


SIZES = [(80, 24), (120, 30), (160, 45)]


@pytest.mark.parametrize("size", SIZES)
async def test_the_library_at_every_size(
    opened: Opened, path: Path, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Look for: columns in line under wide titles, the selection, the page of the first row."""
    async with opened(library=path, size=size) as driver:
        screen = await listed(driver)
        await driver.press("G", "v", "g", "j")
        await driver.until(lambda: any("tau2 0.0" in r.text for r in screen.page._rows))
        same_screen(driver.app)
        await driver.press("z")
        same_screen(driver.app, "wide")


@pytest.mark.parametrize("size", SIZES)
async def test_a_hit_to_be_replaced_at_every_size(
    opened: Opened, path: Path, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Look for: which of how many, where it is, the change, the keys."""
    async with opened(library=path, size=size) as driver:
        await listed(driver)
        await driver.press("G")
        await asked(driver, "answer", "reply", "plainer")
        await driver.until(lambda: isinstance(driver.app.screen, ReplaceScreen))
        await driver.until(lambda: "[-answer-]" in screen_text(driver.app))
        same_screen(driver.app)


@pytest.mark.parametrize("name", sorted(HOSTILE))
async def test_hostile_titles_stay_in_their_line(opened: Opened, tmp_path: Path, name: str) -> None:
    path = tmp_path / "library.sqlite"
    bad = HOSTILE[name]
    with Library.open(path) as library:
        steps = conversation(1, "s")
        made = first("r0", steps, head=steps[-1].id)
        assert made.header is not None
        header = msgspec.structs.replace(made.header, title=bad, source=bad)
        library.commit(msgspec.structs.replace(made, header=header))
        mark = Mark("s1", verdict="accept", tags=(bad,), note=bad, by=bad, at=1.0)
        library.commit(Change("r0", marks=(mark,)))
        library.commit(first("r1", (Step("t1", None, "evaluator", user_message(bad), "script"),)))
    async with opened(library=path, size=(160, 45)) as driver:
        screen = await listed(driver)
        await driver.press("j")
        await driver.until(lambda: any("question 0" in r.text for r in screen.page._rows))
        drawn = text(driver)
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in drawn if c != "\n")
        assert not any(0xD800 <= ord(c) < 0xE000 or c in "\u202e\u2028" for c in drawn)


async def test_keys_that_decide_rest_after_a_paste(opened: Opened, path: Path) -> None:
    times = itertools.chain([0.0] * 10_000)
    async with opened(library=path, guard=KeyGuard(lambda: next(times))) as driver:
        await listed(driver)
        driver.app.screen.post_message(Paste("AAAA"))
        driver.app.post_message(Paste("AAAA"))
        await driver.pilot.pause()
        await driver.press("A")
        assert "rests for a moment after a paste" in text(driver)
        await driver.press("u")
        assert "rests for a moment after a paste" in text(driver)
        with Library.open(path) as library:
            assert [mark.verdict for mark in library.load("r4").marks] == [None]
