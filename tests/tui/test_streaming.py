"""An answer that streams: how often it is told and painted, and that a key goes first."""

from __future__ import annotations

import time

import pytest
from rollstep.core.events import AskStarted, Event, Streamed
from rollstep.tui.screens import stream_paint

from .conftest import Driver, Opened


class Clock:
    """Stands in for the module ``time``."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def _tell(driver: Driver, *events: Event) -> None:
    for event in events:
        driver.app.controller._on_event(event)


async def test_text_that_streams_is_painted_at_most_so_often_and_a_key_brings_it_at_once(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key waits for no paint of the stream: its own shows all that has come. Nothing is painted
    again until the time for it.
    """
    clock = Clock()
    monkeypatch.setattr(stream_paint, "time", clock)
    async with opened(sample="refund") as driver:
        await driver.press("t", "k")
        model = driver.screen.model
        leaf = model.path.steps[-1].id
        _tell(driver, AskStarted("target", leaf, "m", 1))
        await driver.until(lambda: "asking m" in driver.text())
        _tell(driver, Streamed(leaf, "Eins "), Streamed(leaf, "Zwei "))
        await driver.until(lambda: model.asking is not None and model.asking.text == "Eins Zwei ")
        assert "Eins Zwei" not in driver.text()
        await driver.pilot.press("k")
        await driver.until(lambda: "Eins Zwei" in driver.text())
        _tell(driver, Streamed(leaf, "Quattro"))
        await driver.until(lambda: model.asking is not None and "Quattro" in model.asking.text)
        assert "Quattro" not in driver.text()
        clock.now += stream_paint.STREAM_SECONDS
        await driver.until(lambda: "Eins Zwei Quattro" in driver.text())


async def test_text_after_a_pause_is_painted_at_once(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first words of an answer wait for nothing."""
    clock = Clock()
    monkeypatch.setattr(stream_paint, "time", clock)
    async with opened(sample="refund") as driver:
        await driver.press("t")
        leaf = driver.screen.model.path.steps[-1].id
        _tell(driver, AskStarted("target", leaf, "m", 1))
        await driver.until(lambda: "asking m" in driver.text())
        clock.now += 1.0
        waits: list[float] = []
        monkeypatch.setattr(driver.screen, "set_timer", lambda delay, _: waits.append(delay))
        _tell(driver, Streamed(leaf, "Eins "))
        await driver.until(lambda: "Eins" in driver.text())
        assert waits == [stream_paint.STREAM_SECONDS]


async def test_while_it_rests_the_controller_tells_of_all_but_text(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        controller = driver.app.controller
        told: list[object] = []
        controller.post = told.append
        controller.rest(60)
        _tell(driver, Streamed(None, "Eins"), Streamed(None, "Zwei"))
        assert not told
        _tell(driver, AskStarted("target", None, "m", 1))
        assert len(told) == 1
        assert len(controller.take_events()) == 3
        controller.rest(0)
        assert time.monotonic() >= controller._rest_until
        _tell(driver, Streamed(None, "Quattro"))
        assert len(told) == 2
