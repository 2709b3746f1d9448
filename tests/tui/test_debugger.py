"""The debugger on a real session: stepping, editing, looking, and how keys are guarded."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest
from msgspec.structs import replace
from rollstep.core.model.messages import user_message
from rollstep.tui.screens.editor import EditorScreen
from rollstep.tui.screens.key_guard import KeyGuard
from rollstep.tui.screens.reader import ReaderScreen
from rollstep.tui.screens.start import StartScreen
from rollstep.tui.screens.theme_picker import ThemePicker
from rollstep.tui.settings import load_settings
from rollstep.tui.target import OpenTarget
from textual.events import Paste

from .conftest import Opened
from .synthetic import HOSTILE, big, hostile, refund

SIZES = [(80, 24), (160, 45), (240, 70)]


@pytest.mark.parametrize("size", SIZES)
async def test_the_debugger_at_every_size(
    opened: Opened, same_screen: Callable[..., None], size: tuple[int, int]
) -> None:
    """Title and whose move, status, timeline; three panes with the turns lined up and step 8
    between > and <, with ``+1`` under it; recorded steps behind ┊; what s does; two lines of keys.
    At 80 columns one lane in time order with E, T, S in the margin.
    """
    async with opened(snapshot=refund(), size=size) as driver:
        same_screen(driver.app)


async def test_a_new_rollout_says_how_to_begin(
    opened: Opened, same_screen: Callable[..., None]
) -> None:
    """No step yet; the hint says that s plays the opening message."""
    async with opened(sample="refund", size=(100, 30)) as driver:
        same_screen(driver.app)


async def test_stepping_by_step_turn_and_run(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("s", "s")
        assert [step.role for step in model.path.steps] == ["evaluator", "target"]
        assert model.cursor == 1
        await driver.press("t")
        assert model.path.position(model.cursor).due == "evaluator"
        await driver.press("c")
        assert model.path.stop is not None
        assert model.cursor == len(model.path) - 1
        assert "ended: " in driver.text()


async def test_a_recorded_path_is_walked_free_and_the_cursor_goes_along(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("t", "t", "g", "s")
        assert model.cursor == 1
        assert model.ahead == len(model.path) - 2
        await driver.press("j", "s")
        assert model.cursor == 3
        await driver.press("c")
        assert model.cursor == len(model.path) - 1


async def test_an_override_in_the_editor_makes_a_take_and_undo_takes_it_back(
    opened: Opened,
) -> None:
    async with opened(sample="refund") as driver:
        model = driver.screen.model
        await driver.press("t", "g", "e")
        assert isinstance(driver.app.screen, EditorScreen)
        await driver.pilot.press("end", *" now", "ctrl+s")
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: model.step is not None and model.step.origin == "human")
        assert model.takes(model.cursor) == 2
        assert model.ahead == 0
        assert "0*" in driver.text() or "1*" in driver.text()
        await driver.press("u")
        assert "Undone: override" in driver.text()
        assert model.takes(model.cursor) == 1
        await driver.press("U")
        assert model.takes(model.cursor) == 2


async def test_writing_the_next_step_by_hand(opened: Opened) -> None:
    async with opened(sample="weekend") as driver:
        model = driver.screen.model
        await driver.press("s", "w")
        assert isinstance(driver.app.screen, EditorScreen)
        await driver.pilot.press(*"By hand", "ctrl+s")
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: len(model.path) == 2)
        assert model.path.steps[1].origin == "human"
        assert model.path.steps[1].role == "target"


async def test_deleting_a_turn_asks_which_and_keeps_what_follows(opened: Opened) -> None:
    async with opened(sample="weekend") as driver:
        model = driver.screen.model
        await driver.press("t", "t", "t")
        before = len(model.path)
        model.jump(model.path.turn_starts[1])
        await driver.press("minus")
        await driver.press_until("t", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: len(model.path) < before)
        assert model.path.turns == 2
        assert any(step.copied_from for step in model.path.steps)


async def test_keys_that_act_rest_after_a_paste_and_after_an_answer_and_say_so(
    opened: Opened,
) -> None:
    now = 100.0
    guard = KeyGuard(lambda: now)
    now = 101.0
    async with opened(sample="refund", guard=guard) as driver:
        model = driver.screen.model
        driver.app.post_message(Paste("text\x1b"))
        await driver.pilot.pause()
        await driver.press("s", "x")
        assert len(model.path) == 0
        assert driver.app.screen is driver.app.debugger
        assert "x rests for a moment after a paste: press it again." in driver.text()
        now = 101.31
        await driver.press("s")
        assert len(model.path) == 1
        await driver.press("e")
        assert isinstance(driver.app.screen, EditorScreen)
        await driver.pilot.press("X", "ctrl+s")
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.press("s")
        assert len(model.path) == 1
        assert "s rests for a moment after the editor: press it again." in driver.text()
        await driver.press("e")
        assert isinstance(driver.app.screen, EditorScreen)
        await driver.press("escape")
        now = 101.8
        await driver.press("s")
        assert len(model.path) == 2


@pytest.mark.parametrize("key", ["question_mark", "w", "x", "f2", "colon", "enter", "minus"])
async def test_nothing_rests_after_a_dialog_that_was_cancelled(opened: Opened, key: str) -> None:
    guard = KeyGuard(lambda: 100.0)
    async with opened(sample="refund", guard=guard) as driver:
        model = driver.screen.model
        await driver.press("t", "u", "U", "g")
        at = model.cursor
        await driver.press(key)
        assert driver.app.screen is not driver.app.debugger
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        await driver.press("s")
        assert model.cursor == at + 1


async def test_finding_shows_hits_while_typing_and_esc_goes_back(opened: Opened) -> None:
    async with opened(snapshot=refund()) as driver:
        model = driver.screen.model
        await driver.press("slash")
        await driver.until(lambda: driver.app.focused is not None)
        await driver.pilot.press(*"colleague")
        await driver.until(lambda: model.cursor == 10)
        await driver.pilot.press("enter")
        await driver.pilot.pause()
        assert "hit 1 of 1" in driver.text()
        await driver.press("slash")
        await driver.pilot.press(*"annoyed")
        await driver.until(lambda: model.cursor == 6)
        await driver.pilot.press("escape")
        await driver.until(lambda: model.cursor == 10)


async def test_layouts_of_the_inspector_are_walked_and_remembered(opened: Opened) -> None:
    async with opened(snapshot=refund()) as driver:
        screen = driver.screen
        assert screen.arrangement.inspector.width > 30
        await driver.press("z")
        assert screen.arrangement.below
        await driver.press("z")
        assert not screen.arrangement.inspector
        assert driver.app.settings.inspector == "hidden"
        await driver.press("i")
        assert screen.arrangement.inspector.width > 30


async def test_the_pages_of_the_inspector(opened: Opened) -> None:
    async with opened(snapshot=refund("o8")) as driver:
        seen = []
        for _ in range(6):
            seen.append("\n".join(row.text for row in driver.screen.inspector._rows))
            await driver.press("i")
        assert "takes here: 2" in seen[0]
        assert "given to the evaluator" in seen[1]
        assert "the call to answer" in seen[3]
        assert '"replaces": "s8"' in seen[4]
        assert "- {" in seen[5]
        assert "+ {" in seen[5]


async def test_a_step_full_screen(opened: Opened, same_screen: Callable[..., None]) -> None:
    """Pages on top, status, the whole result of 40 lines from its start, keys in the last line."""
    async with opened(snapshot=refund("s4"), size=(80, 24)) as driver:
        await driver.press("enter")
        assert isinstance(driver.app.screen, ReaderScreen)
        same_screen(driver.app)
        await driver.press("G")
        body = "\n".join(row.text for row in driver.app.screen.body._rows)
        assert '"4439"' in body
        await driver.press("escape")
        assert driver.app.screen is driver.app.debugger


async def test_the_step_full_screen_shows_the_stored_request_where_there_is_one(
    opened: Opened,
) -> None:
    snapshot = refund(head="s2")
    steps = tuple(
        replace(step, call=replace(step.call, request="d1"))
        if step.id == "s2" and step.call
        else step
        for step in snapshot.steps
    )
    async with opened(snapshot=snapshot._replace(steps=steps)) as driver:
        coming: Future[str | None] = Future()
        driver.app.controller.request = lambda digest: coming  # type: ignore[method-assign]
        await driver.press("enter", "i", "i")
        reader = driver.app.screen
        assert isinstance(reader, ReaderScreen)

        def body() -> str:
            return "\n".join(row.text for row in reader.body._rows)

        assert "the stored request is being fetched" in body()
        coming.set_result('{"model": "as it was sent"}')
        await driver.until(lambda: "as it was sent" in body())
        assert "sent to the target for step 2, as stored" in body()
        await driver.press("left_square_bracket", "i", "i", "i", "i", "i")
        assert "nothing was sent" in body()


async def test_a_click_selects_a_step_and_one_on_the_timeline_jumps(opened: Opened) -> None:
    async with opened(snapshot=refund()) as driver:
        screen = driver.screen
        await driver.pilot.click("#lane1", offset=(8, 2))
        assert screen.model.cursor == 1
        x = screen.cells.steps.index(10)
        await driver.pilot.click("#top", offset=(x, 2))
        assert screen.model.cursor == 10
        await driver.press("apostrophe")
        assert screen.model.cursor == 1


async def test_text_dragged_over_is_selected_without_margins_and_copied(opened: Opened) -> None:
    async with opened(snapshot=refund()) as driver:
        lane = driver.screen.lanes[0]
        row = next(y for y, line in enumerate(lane._rows) if "Hi, the blender" in line.text)
        await driver.pilot.mouse_down("#lane0", offset=(5, row))
        await driver.pilot.hover("#lane0", offset=(30, row + 1))
        await driver.pilot.mouse_up("#lane0", offset=(30, row + 1))
        await driver.press("y")
        assert driver.app.clipboard == "Hi, the blender from\norder 4471 arrived"


async def test_copying_a_step_gives_its_text_and_a_link_its_place(opened: Opened) -> None:
    async with opened(snapshot=refund("s7")) as driver:
        await driver.press("y")
        assert driver.app.clipboard.startswith("The customer is annoyed.")
        assert '"damaged in transit"' in driver.app.clipboard
        await driver.press("Y")
        assert driver.app.clipboard == "r-demo#7"


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_texts_are_drawn_stepped_over_and_copied(opened: Opened, name: str) -> None:
    async with opened(snapshot=hostile(HOSTILE[name])) as driver:
        await driver.press("g", "j", "j", "j", "i", "i", "i", "i", "y", "Y", "enter", "escape")
        await driver.press("z", "o", "escape")
        assert driver.app.return_code in (None, 0)


async def test_resizing_while_running(opened: Opened) -> None:
    async with opened(snapshot=big(200)) as driver:
        for size in ((80, 24), (240, 70), (40, 12), (160, 45)):
            await driver.pilot.resize_terminal(*size)
            await driver.pilot.pause()
            assert driver.screen.arrangement.bottom.bottom == size[1]
            assert "MAKE" in driver.text()
            await driver.press("k")


async def test_ten_thousand_steps_wrap_one_screenful(opened: Opened) -> None:
    async with opened(snapshot=big(10_000)) as driver:
        model = driver.screen.model
        await driver.press("g", "G")
        assert model.cursor == 9_999
        assert len(model._blocks) < 400


async def test_a_row_that_has_not_changed_is_not_painted_again(opened: Opened) -> None:
    async with opened(snapshot=refund()) as driver:
        lane = driver.screen.lanes[0]
        painted: list[int] = []
        lane.refresh = lambda *regions, **more: painted.extend(r.height for r in regions)  # type: ignore[method-assign,assignment,return-value]
        driver.screen.repaint()
        assert painted == []
        driver.screen.model.jump(9)
        driver.screen.repaint()
        assert 0 < sum(painted) < lane.size.height


async def test_another_rollout_starts_from_its_own_head(opened: Opened) -> None:
    async with opened(sample="weekend") as driver:
        await driver.press("t")
        first = driver.screen.model
        await driver.press("q")
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        driver.app.dialogs.open_target(OpenTarget(sample="refund"))
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        assert driver.screen.model is not first
        assert driver.screen.model.cursor == -1
        await driver.press("s")
        assert driver.screen.model.cursor == 0


async def test_the_start_screen_opens_what_is_chosen(opened: Opened) -> None:
    async with opened() as driver:
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        await driver.press("enter")
        await driver.until(lambda: driver.app.debugger is not None)
        assert driver.app.debugger is not None


async def test_a_link_opens_at_its_step(opened: Opened, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    async with opened(sample="refund", library=library) as driver:
        await driver.press("t", "t")
        rollout = driver.screen.model.rollout.header.id
    async with opened(OpenTarget(rollout=rollout[:5], step=3), library=library) as driver:
        assert driver.screen.model.cursor == 2
        assert driver.screen.model.ahead > 0


async def test_a_draft_that_was_left_is_offered_again(opened: Opened) -> None:
    async with opened(sample="weekend") as driver:
        await driver.press("s", "e")
        await driver.pilot.press("end", *" half")
        await driver.pilot.press("escape")
        await driver.until(lambda: driver.app.screen is driver.app.debugger)
        assert any("half" in body for body in driver.app.drafts().values())
        await driver.press("e")
        screen = driver.app.screen
        assert isinstance(screen, EditorScreen)
        payload = screen.model.payload()
        assert payload != user_message("")
        assert "half" in str(payload)


async def test_themes_are_seen_at_once_and_remembered(opened: Opened, tmp_path: Path) -> None:
    own = tmp_path / "config" / "themes"
    own.mkdir(parents=True)
    (own / "broken.yaml").write_text("name: Broken\n")
    async with opened(snapshot=refund()) as driver:
        before = driver.app.palette.theme.id
        await driver.press("f2")
        assert isinstance(driver.app.screen, ThemePicker)
        assert any("broken.yaml" in problem for problem in driver.app.screen.request.problems)
        await driver.press("j")
        seen = driver.app.palette.theme.id
        assert seen != before
        assert driver.app.debugger is not None
        assert driver.app.debugger.lanes[0].palette.theme.id == seen
        await driver.press("escape")
        assert driver.app.palette.theme.id == before
        await driver.press("f2", "j", "enter")
        assert load_settings(tmp_path / "config").theme == seen


async def test_the_command_palette_knows_every_action(opened: Opened) -> None:
    async with opened(snapshot=refund()) as driver:
        await driver.press("colon")
        await driver.pilot.press(*"last step of the branch")
        await driver.until(lambda: bool(driver.app.screen.query("OptionList Option, CommandList")))
        await driver.press_until("enter", lambda: driver.app.screen is driver.app.debugger)
        await driver.until(lambda: driver.screen.model.cursor == 11)


async def test_what_is_walked_is_the_branch_that_is_shown(opened: Opened) -> None:
    async with opened(OpenTarget(sample="refund", recorded=True)) as driver:
        model = driver.screen.model
        leaves = model.rollout.leaves()
        assert len(leaves) >= 3
        for leaf in (leaves[-1], *leaves[:2]):
            model.go_to(leaf)
            shown = [step.id for step in model.path.steps]
            await driver.press("g", "t")
            while model.ahead:
                await driver.press("s")
            assert [step.id for step in model.path.steps] == shown
            assert model.step_id == leaf
        assert model.rollout.leaves() == leaves


async def test_keeping_keeps_what_is_shown_after_the_step(opened: Opened) -> None:
    async with opened(OpenTarget(sample="refund", recorded=True)) as driver:
        model = driver.screen.model
        for leaf in model.rollout.leaves()[:2]:
            model.go_to(leaf)
            shown = [step.id for step in model.path.steps]
            model.jump(0)
            await driver.press("e")
            await driver.pilot.press("end", *" now", "ctrl+s")
            await driver.press_until("k", lambda: driver.app.screen is driver.app.debugger)
            await driver.until(lambda shown=shown: model.path.steps[0].id != shown[0])
            await driver.until(lambda: not driver.app.controller.busy)
            copied = [step.copied_from for step in model.path.steps[1:]]
            assert copied == shown[1:]


async def test_after_a_rerun_the_take_before_is_one_key_away_and_so_is_the_way_back(
    opened: Opened,
) -> None:
    async with opened(snapshot=refund("o9-1")) as driver:
        await driver.press("comma")
        assert driver.screen.model.step_id == "s8"
        assert "Take 1 of 2 of step 8" in driver.text()
        await driver.press("apostrophe")
        assert driver.screen.model.step_id == "o9-1"
        await driver.press("full_stop")
        assert "No take after this: take 2 of 2 of step 8" in driver.text()


async def test_brackets_walk_flags_and_braces_walk_turns(opened: Opened) -> None:
    async with opened(snapshot=refund()) as driver:
        model = driver.screen.model
        await driver.press("left_square_bracket")
        assert model.step_id == "s3"
        await driver.press("left_square_bracket")
        assert "No flagged step before this one." in driver.text()
        await driver.press("right_curly_bracket")
        assert model.step_id == "s6"
        await driver.press("left_curly_bracket")
        assert model.step_id == "s1"
    async with opened(snapshot=big(8)) as driver:
        await driver.press("right_square_bracket")
        assert "No flags in this branch." in driver.text()


async def test_the_pages_of_a_narrow_inspector_have_whole_names(opened: Opened) -> None:
    async with opened(snapshot=refund(), size=(80, 24)) as driver:
        await driver.press("z")
        while driver.screen.arrangement.inspector.width > 40:
            await driver.press("z")
        row = driver.screen.inspector._rows[0].text
        assert "[Msg] Sent:E  T  S  Raw  Diff " in row
        x = row.index("Diff") + 1
        await driver.pilot.click("#inspector", offset=(x, 0))
        assert "[Diff]" in driver.screen.inspector._rows[0].text


async def test_a_layout_is_remembered_for_screens_of_its_kind_only(opened: Opened) -> None:
    async with opened(snapshot=refund(), size=(80, 24)) as driver:
        await driver.press("i")
        assert driver.screen.arrangement.below
        settings = driver.app.settings
        assert (settings.inspector, settings.inspector_narrow) == ("auto", "below")
        await driver.pilot.resize_terminal(160, 45)
        await driver.until(lambda: not driver.screen.arrangement.below)
        assert driver.screen.arrangement.inspector.width > 30
        await driver.press("z", "z")
        assert not driver.screen.arrangement.inspector
        await driver.pilot.resize_terminal(80, 24)
        await driver.until(lambda: driver.screen.arrangement.below)


async def test_a_draft_from_before_is_counted_and_its_step_marked(
    opened: Opened, tmp_path: Path
) -> None:
    library = tmp_path / "library.sqlite"
    async with opened(sample="refund", library=library) as driver:
        await driver.press("t")
        model = driver.screen.model
        assert "draft" not in driver.screen.top._rows[1].text
        driver.app.keep_draft(f"override:{model.path.steps[1].id}", "half")
        rollout = model.rollout.header.id
        assert "1 draft …" in driver.screen.top._rows[1].text
    async with opened(OpenTarget(rollout=rollout), library=library) as driver:
        await driver.until(lambda: "1 draft …" in driver.screen.top._rows[1].text)
        assert "T…" in driver.screen.top._rows[2].text
        slot = next(iter(driver.app.drafts()))
        driver.app.drop_draft(slot)
        assert "draft" not in driver.screen.top._rows[1].text
        assert "T…" not in driver.screen.top._rows[2].text


async def test_the_start_screen_says_that_a_demo_is_not_kept(opened: Opened) -> None:
    async with opened(sample="refund") as driver:
        driver.app.controller.throwaway = True
        await driver.press("s", "q")
        await driver.until(lambda: isinstance(driver.app.screen, StartScreen))
        screen = driver.app.screen
        assert isinstance(screen, StartScreen)
        assert [row.ended for row in screen.request.recent] == ["demo, not kept"]
