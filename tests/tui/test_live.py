"""A live role on the screen: its price beforehand, its answer as it comes, and its failures."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest
from rollstep.core.model.messages import payload_text
from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project, StopRules
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.workers.pool import Workers
from rollstep.tui.document import Block
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.screens.retake import RetakeChoice, RetakeScreen

from ..provider.faults import CANARY, FAULTS, SAID
from ..provider.replies import Reply
from ..provider.server import ProviderServer
from .conftest import Driver, Opened

pytestmark = pytest.mark.xdist_group("models")

SIZES = [(80, 24), (160, 45)]
MODEL = "gpt-4.1-mini"


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def canary(monkeypatch: pytest.MonkeyPatch) -> str:
    """The key that is used, and must be seen nowhere."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    return CANARY


class Live:
    """The app with a rollout whose target is asked at the server."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.model: DebuggerModel = driver.screen.model

    async def start(self, key: str, holds: Callable[[], bool]) -> None:
        """Press a key whose command goes on, until something can be seen of it."""
        await self.driver.pilot.press(key)
        await self.driver.until(holds)
        await self.driver.pilot.pause()

    async def priced(self) -> None:
        """The price of the next step is there."""
        await self.driver.until(lambda: self.model.price_key in self.model.prices)
        await self.driver.pilot.pause()

    def page(self) -> list[Block]:
        return list(self.driver.screen.document.blocks)

    def hint(self) -> str:
        return self.driver.screen.bottom._rows[0].text.strip()


@pytest.fixture
def live(opened: Opened, server: ProviderServer, canary: str) -> Callable[..., object]:
    """``async with live(reply, …) as screen``: after the opening message; the target is next."""

    @asynccontextmanager
    async def playing(
        *answers: object,
        size: tuple[int, int] = (160, 45),
        model: str = MODEL,
        stop: StopRules | None = None,
    ) -> AsyncIterator[Live]:
        server.answer(model, *answers)  # type: ignore[arg-type]
        target = LlmTarget(f"openai/{model}", "Be kind.", server.api_base)
        project = Project(
            "Live", target, HeuristicEvaluator(), opening="Hi", stop=stop or StopRules()
        )
        workers = Workers()

        def roles(project: Project) -> Roles:
            return build_roles(project, trusted=True, models=workers)

        async with opened(sample="weekend", roles=roles, size=size) as driver:
            driver.app.controller.maker.trust = True
            driver.app.controller.engine._at_end = workers.aclose
            driver.app.opening(driver.app.controller.open_project(project))
            await driver.until(lambda: driver.screen.model.rollout.header.title == "Live")
            await driver.press("s")
            live = Live(driver)
            await live.priced()
            yield live

    return playing


@pytest.mark.parametrize("size", SIZES)
async def test_the_price_of_the_next_step_is_said_before_it_is_made(
    live: Callable[..., object],
    server: ProviderServer,
    same_screen: Callable[..., None],
    size: tuple[int, int],
) -> None:
    """In the hint line, and in the inspector with how it comes about."""
    before = len(server.requests)
    async with live(Reply("Here."), size=size) as screen:  # type: ignore[attr-defined]
        assert screen.hint().startswith(
            "s asks gpt-4.1-mini for the target's reply (about $0.0005, at most $0.0524)"
        )
        same_screen(screen.driver.app)
    assert len(server.requests) == before


async def test_a_price_that_nobody_knows_is_said_to_be_unknown_and_so_is_the_sum(
    live: Callable[..., object],
) -> None:
    async with live(Reply("Here."), model="my-own") as screen:  # type: ignore[attr-defined]
        assert "price unknown (a server of your own)" in screen.hint()
        await screen.driver.press("s")
        assert "13 tok  $?  " in screen.driver.text()
        assert "price unknown" in "\n".join(block.text for block in screen.page())


@pytest.mark.parametrize("size", SIZES)
async def test_an_answer_on_its_way_is_seen_with_its_pace(
    live: Callable[..., object], same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """The text so far in the target's pane; the time to the first token and the speed above it and
    in the hint line.
    """

    async with live(FAULTS["hang_amid"], size=size) as screen:  # type: ignore[attr-defined]
        times = iter((1.0, 1.4, *(3.4,) * 99))
        screen.model.clock = lambda: next(times)
        model = screen.model

        def come() -> bool:
            return bool(model.asking and model.asking.text == SAID)

        await screen.start("s", come)
        screen.driver.screen.repaint()
        await screen.driver.pilot.pause()
        same_screen(screen.driver.app)
        await screen.driver.press("escape")
        await screen.driver.until(lambda: not model.busy)


async def test_a_retry_that_waits_is_told_until_it_is_over(live: Callable[..., object]) -> None:
    words = "The provider asked us to wait 12 s. Retrying (2 of 5)"
    async with live(FAULTS["429_after"]) as screen:  # type: ignore[attr-defined]
        model = screen.model
        await screen.start("s", lambda: bool(model.asking and model.asking.notice))
        assert f": {words}; Esc cancels" in screen.hint()
        assert words.split(". ")[0] in " ".join(screen.driver.text().split())
        await screen.driver.press("escape")
        await screen.driver.until(lambda: not model.busy)
        assert words not in screen.driver.text()


@pytest.mark.parametrize("size", SIZES)
async def test_a_failure_says_what_can_be_done_and_w_goes_on_from_what_had_arrived(
    live: Callable[..., object], same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """What went wrong, the text that had arrived, and the keys that help; the editor starts from
    that text and says so.
    """
    async with live(FAULTS["error_event"], size=size) as screen:  # type: ignore[attr-defined]
        driver = screen.driver
        await driver.press("s")
        same_screen(driver.app, "failed")
        await driver.pilot.press("w")
        await driver.until(lambda: isinstance(driver.app.screen, EditorScreen))
        await driver.pilot.pause()
        assert f"{len(SAID)} characters that had arrived" in driver.app.screen.request.title
        await driver.pilot.press("ctrl+s")
        await driver.pilot.pause()
        await driver.until(lambda: not isinstance(driver.app.screen, EditorScreen))
        await driver.until(driver._settled)
        step = screen.model.step
        assert step is not None
        assert (payload_text(step.payload), step.origin) == (SAID, "human")


async def test_a_budget_pauses_before_the_call_and_says_so(
    live: Callable[..., object], server: ProviderServer
) -> None:
    rules = StopRules(max_cost_usd=0.001)
    async with live(Reply("Here."), stop=rules) as screen:  # type: ignore[attr-defined]
        before = len(server.asked(MODEL))
        await screen.driver.press("s")
        assert screen.hint() == (
            "Paused: the next step may cost $0.0066 and $0.0010 is left; "
            "s or c makes it all the same"
        )
        assert len(server.asked(MODEL)) == before
        await screen.driver.press("s")
        assert len(server.asked(MODEL)) == before + 1
        assert screen.model.step.role == "target"


async def test_r_asks_again_where_a_role_failed_and_another_model_if_wanted(
    live: Callable[..., object], server: ProviderServer
) -> None:
    async with live(FAULTS["401"]) as screen:  # type: ignore[attr-defined]
        driver, before = screen.driver, len(server.asked("other"))
        server.answer("other", Reply("From another."))
        await driver.press("s")
        await driver.pilot.press("r")
        await driver.until(lambda: isinstance(driver.app.screen, RetakeScreen))
        await driver.pilot.pause()
        request = driver.app.screen.request
        assert request.title == "Ask gpt-4.1-mini again: step 2, the target's reply"
        chosen = RetakeChoice("1", "openai/other", "")
        assert request.cost(RetakeChoice("1", "openai/gpt-4.1-mini", "")).startswith(
            "1 call to gpt-4.1-mini, each about $0.0005"
        )
        driver.app.screen.dismiss(chosen)
        await driver.until(lambda: len(screen.model.path) == 2)
        await driver.until(driver._settled)
        step = screen.model.step
        assert payload_text(step.payload) == "From another."
        assert step.call.model == "openai/other"
        assert len(server.asked("other")) == before + 1
