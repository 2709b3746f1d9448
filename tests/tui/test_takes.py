"""Takes in the app: r and its dialog, the screen that shows them side by side, and walking many."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from rollstep.core.model.messages import (
    Reasoning,
    TargetReply,
    Text,
    ToolCall,
    payload_text,
    target_reply,
    tool_result,
)
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Call, Step
from rollstep.tui.inspector import TABS, document
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.screens.help import HelpScreen
from rollstep.tui.screens.retake import RetakeScreen
from rollstep.tui.screens.takes import TakesScreen
from rollstep.tui.snapshot import Snapshot
from rollstep.tui.take_params import differing
from rollstep.tui.take_texts import Flow, compared, sections
from rollstep.tui.target import OpenTarget

from ..screen_text import screen_text
from .conftest import Driver, Opened
from .synthetic import REFUND, chain, project, refund

SIZES = [(80, 24), (160, 45)]


def replies(*texts: str, calls: tuple[ToolCall, ...] = ()) -> Snapshot:
    """An opening, and so many takes of the reply to it."""
    steps = list(chain(REFUND[:1]))
    for number, text in enumerate(texts, 2):
        made = Call("openai/gpt-4.1-mini", cost=0.0009)
        payload = TargetReply((Text(text),), tool_calls=calls)
        steps.append(Step(f"t{number}", "s1", "target", payload, "model", seq=number, call=made))
    return Snapshot(RolloutHeader("r", "Refund"), (project(),), tuple(steps), head="t2")


async def with_takes(driver: Driver) -> DebuggerModel:
    """The refund sample at its first reply that has alternatives."""
    await driver.press("t")
    model = driver.screen.model
    session = driver.app.controller.engine.session
    assert session is not None
    for index in range(len(model.path)):
        model.jump(index)
        step_id = model.step_id
        if index and driver.app.controller.alternatives(step_id or "", 1).result(10):
            return model
    raise AssertionError("no step with an alternative")


async def test_parameters_that_differ_between_takes_stand_over_each(opened: Opened) -> None:
    snapshot = replies("one", "two", "three")
    params = ['{"temperature": 0.2, "seed": 1}', '{"temperature": 1, "seed": 1}', '{"seed": 1}']
    told = dict(zip(("t2", "t3", "t4"), params, strict=True))
    steps = tuple(
        replace(step, call=replace(step.call, params=told[step.id])) if step.call else step
        for step in snapshot.steps
    )
    async with opened(snapshot=snapshot._replace(steps=steps), size=(160, 45)) as driver:
        await driver.press("vertical_line")
        screen = driver.app.screen
        assert isinstance(screen, TakesScreen)
        heads = [" ".join(row.text for row in head._rows) for head in screen.heads[:3]]
        assert "temperature 0.2" in heads[0]
        assert "temperature 1" in heads[1]
        assert "temperature not set" in heads[2]
        assert not any("seed" in head for head in heads)


async def test_a_question_mark_lists_the_keys_of_the_takes(opened: Opened) -> None:
    async with opened(snapshot=replies("one", "two"), size=(160, 45)) as driver:
        await driver.press("vertical_line", "question_mark")
        assert isinstance(driver.app.screen, HelpScreen)
        text = screen_text(driver.app)
        assert "TAKES: of one step, side by side" in text
        assert "Show differences, or not" in text
        await driver.press("escape")
        assert isinstance(driver.app.screen, TakesScreen)


def test_takes_that_were_asked_alike_say_nothing_of_it() -> None:
    assert differing(replies("one", "two").steps) == {}
    long = [
        replace(step, call=Call("m", params=p))
        for step, p in zip(
            replies("one", "two").steps[1:],
            ('{"stop": "' + "x" * 50 + '"}', "no JSON"),
            strict=True,
        )
    ]
    assert list(differing(long).values()) == ['stop "' + "x" * 39 + "…", "stop not set"]


async def test_r_and_enter_give_the_scripts_next_alternative(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = await with_takes(driver)
        old = model.step
        await driver.press("r")
        assert isinstance(driver.app.screen, RetakeScreen)
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: model.step is not None and model.step is not old)
        await driver.until(lambda: "1 new take" in driver.text())
        assert model.takes(model.cursor) == 2
        assert "| shows all side by side" in driver.text()
        await driver.press("comma")
        assert model.step == old


async def test_the_dialog_says_what_the_script_would_say_next_or_that_it_has_no_more(
    opened: Opened, same_screen: Callable[..., None]
) -> None:
    """Title; how many; offline and free; the next alternative in a few words. Behind it the
    debugger.
    """
    async with opened(sample="refund", size=(100, 30)) as driver:
        model = await with_takes(driver)
        await driver.press("r")
        dialog = driver.app.screen
        assert isinstance(dialog, RetakeScreen)
        await driver.until(lambda: bool(dialog._next))
        same_screen(driver.app)
        await driver.press("9")
        await driver.until(lambda: "no more than" in str(dialog.query_one("#about").render()))
        await driver.press_until("enter", lambda: driver.app.screen is not dialog)
        await driver.until(lambda: isinstance(driver.app.screen, TakesScreen))
        await driver.press("escape", "r")
        again = driver.app.screen
        assert isinstance(again, RetakeScreen)
        await driver.until(lambda: isinstance(again._next, str))
        assert "no other answer" in str(again.query_one("#about").render())
        takes = model.takes(model.cursor)
        for _ in range(3):
            await driver.press("enter")
        await driver.press("escape")
        assert model.takes(model.cursor) == takes


async def test_where_nobody_is_asked_r_says_so(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("r")
        assert "s makes the first" in driver.text()
        await driver.press("s", "r")
        assert "the project's opening message" in driver.text()
        assert driver.app.screen is driver.app.debugger


@pytest.mark.parametrize("size", SIZES)
async def test_takes_side_by_side(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Two takes of step 8: by whom, how many steps come after, an edit with its reason; false and
    true are marked as other words; the base says that it is compared with.
    """
    async with opened(snapshot=refund(), size=size) as driver:
        await driver.press("vertical_line")
        assert isinstance(driver.app.screen, TakesScreen)
        await driver.press("l")
        same_screen(driver.app)


@pytest.mark.parametrize("size", SIZES)
async def test_many_takes_scroll_sideways(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Takes 4 and before; the keys line says how many are more at either side."""
    texts = [f"You will get {n}9.00 back within {n} days, I promise. " * 3 for n in range(1, 8)]
    async with opened(snapshot=replies(*texts), size=size) as driver:
        await driver.press("vertical_line", "l", "l", "l", "l")
        same_screen(driver.app)
        screen = driver.app.screen
        assert isinstance(screen, TakesScreen)
        await driver.press("7")
        model = driver.screen.model
        assert model.step_id == "t8"
        assert "Take 7 of 7 of step 2" in driver.text()


async def test_choosing_a_take_is_where_later_steps_follow(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = await with_takes(driver)
        first, index = model.step_id, model.cursor
        await driver.press("c")
        model.jump(index)
        ahead = model.ahead
        assert ahead
        await driver.press("r")
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: model.takes(index) == 2 and model.step_id != first)
        await driver.press("vertical_line", "enter")
        assert model.ahead == 0
        await driver.press("vertical_line", "h", "enter")
        assert (model.step_id, model.ahead) == (first, ahead)
        await driver.press("s")
        assert model.path.at[first or ""] == index
        assert model.cursor == index + 1
        await driver.press("vertical_line", "escape")
        assert driver.app.screen is driver.app.debugger


async def test_d_shows_the_takes_as_they_are(opened: Opened) -> None:
    async with opened(snapshot=replies("the price is 10", "the price is 20")) as driver:
        await driver.press("vertical_line")
        screen = driver.app.screen
        assert isinstance(screen, TakesScreen)
        assert "[-10-]" in screen.bodies[1]._rows[0].text
        await driver.press("d")
        assert [body._rows[0].text.strip("│ ") for body in screen.bodies[:2]] == [
            "the price is 10",
            "the price is 20",
        ]


async def test_a_take_that_comes_while_they_are_looked_at_is_shown(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = await with_takes(driver)
        step_id = model.step_id or ""
        await driver.press("r")
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: model.takes(model.cursor) == 2)
        await driver.press("vertical_line")
        screen = driver.app.screen
        assert isinstance(screen, TakesScreen)
        payload = target_reply("By hand.")
        if isinstance(model.rollout.steps[step_id].payload, TargetReply):
            driver.app.controller.override(step_id, payload, "stay", "")
            await driver.until(lambda: len(screen.takes) == 3)
            assert "By hand." in screen.bodies[2]._rows[0].text


async def test_without_another_take_the_key_says_what_makes_one(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        await driver.press("s", "vertical_line")
        assert "r asks for one" in driver.text()


async def test_a_live_role_can_be_told_otherwise_and_r_remembers(
    opened: Opened, same_screen: Callable[..., None]
) -> None:
    """How many, model and temperature of the project, an instruction; the cost of so many calls."""
    async with opened(OpenTarget(sample="refund_live"), size=(100, 30)) as driver:
        session = driver.app.controller.engine.session
        assert session is not None
        await driver.press("s")
        written = driver.app.controller.engine.submit(session.write(target_reply("Hm.")))
        written.result(10)
        model = driver.screen.model
        await driver.until(lambda: len(model.path) == 2)
        model.jump(1)
        await driver.press("r")
        dialog = driver.app.screen
        assert isinstance(dialog, RetakeScreen)
        same_screen(driver.app)
        await driver.press("3", "tab", "tab", "tab", *"Be kind.")
        assert dialog.choice.takes == 3
        assert "3 calls to" in str(dialog.query_one("#about").render())
        seen: list[object] = []
        driver.app.controller.command = lambda label, work: seen.append(work) or True  # type: ignore[method-assign]
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        assert len(seen) == 1
        await driver.press("r")
        again = driver.app.screen
        assert isinstance(again, RetakeScreen)
        assert (again.choice.count, again.choice.instruction) == ("3", "Be kind.")
        await driver.press("shift+tab", "shift+tab", *"warm")
        assert "temperature is a number" in str(again.query_one("#about").render())
        for _ in range(3):
            await driver.press("enter")
        assert driver.app.screen is again


def test_a_take_is_compared_section_by_section() -> None:
    call = ToolCall("a", "get_order", '{"order_id": "4417"}')
    other = ToolCall("b", "get_order", '{"order_id": "4471"}')
    base = TargetReply((Text("Let me look at it."),), tool_calls=(call,))
    take = TargetReply((Text("Let me look at that."),), tool_calls=(other, other))
    spans = compared(take, base)
    assert ("that", "added:new") in spans
    assert ("[-it-]", "removed") in spans
    assert ("4471", "added:new") in spans
    assert [style for text, style in spans if text == "> get_order"] == ["call", "added:new"]
    assert "".join(text for text, _ in compared(take, None)).count("4471") == 2


def test_a_rewritten_text_marks_only_what_it_says() -> None:
    spans = compared(target_reply("Nothing of the kind, dear."), target_reply("I see. 49.00 back."))
    assert not any(style == "removed" for _, style in spans)


def test_results_are_laid_out_and_a_gone_section_is_said() -> None:
    result = tool_result("c", '{"a": 1, "b": [1, 2]}')
    assert sections(result)[0].text.count("\n") > 3
    spans = compared(tool_result("c", "fine"), tool_result("c", "fine", is_error=True))
    assert spans == [("[-an error-]", "removed"), ("\n", "text"), ("fine", "text")]


def test_reasoning_has_its_sign_and_what_went_of_it_stands_where_it_was() -> None:
    thought = TargetReply((Text("Yes."),), (Reasoning("I think so."),))
    spans = compared(target_reply("Yes."), thought)
    assert spans == [("[-∴ I think so.-]", "removed"), ("\n", "text"), ("Yes.", "text")]
    assert compared(thought, None)[0] == ("∴ I think so.", "reasoning")


def test_a_huge_take_is_wrapped_only_where_it_is_seen() -> None:
    flow = Flow(compared(target_reply("many words \t" * 100_000), None), 40)
    assert len(flow.rows(0, 30)) == 30
    assert len(flow._lines) == 30
    assert flow.rows(2, 2) == flow.rows(0, 4)[2:]
    assert flow.height() > 1000
    assert "characters" in "".join(row.text for row in flow.rows(flow.height() - 3, 3))


def test_two_thousand_takes_are_walked_in_place(opened: Opened) -> None:
    model = DebuggerModel(replies(*(f"answer {n}" for n in range(2000))))
    model.jump(1)
    for _ in range(50):
        assert model.next_take(1).moved
    assert payload_text(model.path.steps[1].payload) == "answer 50"
    assert model.next_take(-1).words == "take 50 of 2000 of step 2"


def test_the_way_back_to_a_take_is_the_branch_that_was_shown_through_it() -> None:
    """Step 8 has a take with one step after it; the branch left was not the newest."""
    model = DebuggerModel(refund())
    first = [step.id for step in model.path.steps]
    newer = Step("n9", "s8", "target", target_reply("Newer."), "script", seq=20)
    model.rollout.add(newer)
    assert model.next_take(1).moved
    assert model.path.steps[-1].id == "o9-1"
    assert model.next_take(-1).moved
    assert [step.id for step in model.path.steps] == first
    assert model.take_new_leaf() == first[-1]


def test_the_inspector_lists_the_takes_near_the_one_that_is_shown() -> None:
    model = DebuggerModel(replies(*(f"answer {n}" for n in range(2000))))
    model.go_to("t1001")
    listed = [block.text for block in document(model, TABS[0]).blocks if "answer" in block.text]
    assert len(listed) < 30
    assert ">1000  answer 999" in listed
    words = [block.text for block in document(model, TABS[0]).blocks]
    assert "… 989 before" in words
    assert "… 990 after" in words
