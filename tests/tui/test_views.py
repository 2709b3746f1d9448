"""Rows of every part: timeline, panes, inspector, find; and hostile text in every slot."""

from __future__ import annotations

import unicodedata
from itertools import chain as flat

import msgspec
import pytest
from rollstep.core.model.messages import (
    Stop,
    TargetReply,
    Text,
    ToolCall,
    target_reply,
    user_message,
)
from rollstep.core.model.project import HumanEvaluator, ScriptedEvaluator
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Attempt
from rollstep.core.rules.lint import cheap
from rollstep.tui import bars
from rollstep.tui.actions import ACTIONS, BY_ID, footer, key_table
from rollstep.tui.cells import cells
from rollstep.tui.document import SHOWN, Block, Document
from rollstep.tui.find import Find
from rollstep.tui.inspector import TABS, diff_blocks, document
from rollstep.tui.panes import PaneView
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.requests import Stored
from rollstep.tui.rows import Row
from rollstep.tui.snapshot import Asking, Snapshot
from rollstep.tui.stepview import call_text, pane_lines
from rollstep.tui.timeline import timeline

from .synthetic import HOSTILE, big, chain, hostile, project, refund


def _text(rows: list[Row]) -> str:
    return "\n".join(row.text for row in rows)


def _all_rows(model: DebuggerModel, width: int, height: int) -> list[Row]:
    view = PaneView(model)
    view.resize(width, height, narrow=width < 100)
    rows = [bars.header(model, width), bars.status(model, width), bars.hint(model, width)]
    rows.append(timeline(model, width).row)
    for index in range(len(model.path)):
        model.jump(index)
        view.show_cursor()
        rows += flat.from_iterable(view.rows())
        for tab in TABS:
            page = document(model, tab)
            page.resize(width // 3, 400)
            rows += page.rows()
    return rows


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_slot_lets_a_character_through_that_acts_or_hides(name: str, width: int) -> None:
    model = DebuggerModel(hostile(HOSTILE[name]))
    attempt = Attempt("a", "s6", "target", "raised", HOSTILE[name], "", HOSTILE[name])
    model.attempts["s6"] = [attempt]
    model.notice = HOSTILE[name]
    for row in _all_rows(model, width, 40):
        for char in row.text:
            assert unicodedata.category(char) not in ("Cc", "Cs", "Co", "Cf"), (row.text, char)


@pytest.mark.parametrize("width", [40, 80, 109, 110, 160, 240])
def test_no_row_is_wider_than_its_pane(width: int) -> None:
    model = DebuggerModel(refund())
    view = PaneView(model)
    widths = view.resize(width, 60, narrow=width < 100)
    view.show_cursor()
    for lane, rows in zip(widths, view.rows(), strict=True):
        for row in rows:
            assert cells(row.text) <= lane, row.text
    for row in (bars.header(model, width), bars.status(model, width), *footer(width)):
        assert cells(row.text) <= width, row.text


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("title", ["A long title " * 20, "दुनिया की धन वापसी " * 20, "退款" * 60])
def test_whose_move_it_is_stays_whole_however_long_the_title(width: int, title: str) -> None:
    steps = chain((user_message("Hi."), Stop("goal_reached", "evaluator")))
    snapshot = Snapshot(RolloutHeader("r", title), (project(title),), steps, head="s2")
    text = bars.header(DebuggerModel(snapshot), width).text
    assert text.rstrip().endswith("nobody's move")
    assert "ended: goal_reached" in text
    assert cells(text) == width


def test_the_status_line_keeps_all_players_at_80_columns_and_marks_what_is_cut() -> None:
    model = DebuggerModel(refund())
    line = bars.status(model, 80).text
    assert line.endswith("E script  T script  S rules")
    assert "1!" in line
    assert "1 flag !" in bars.status(model, 120).text
    assert bars.status(model, 50).text.endswith("…")


def test_the_timeline_says_what_is_ahead_and_where_the_cursor_is() -> None:
    line = timeline(DebuggerModel(refund()), 120)
    assert line.row.text.strip() == (
        "1 E T S! S T │ 2 E T[S+1]t │ 3 e t end goal_reached"
    )  # fmt: skip
    assert line.steps[line.row.text.index("[S")] == 7


def test_the_timeline_of_a_long_rollout_is_a_window_around_the_cursor() -> None:
    model = DebuggerModel(big(10_000))
    model.jump(5000)
    text = timeline(model, 100).row.text
    assert cells(text) <= 100
    assert "1251" in text
    assert text.lstrip().startswith("‹")
    assert text.endswith("more ›")


def test_hits_are_marked_on_the_timeline_and_in_the_panes() -> None:
    model = DebuggerModel(refund())
    view = PaneView(model)
    view.resize(120, 60, narrow=False)
    view.query, view.hits = "policy", {6, 7}
    spans = [span for row in view.rows()[1] for span in row.spans]
    assert any(text == "policy" and ":hit" in style for text, style in spans)
    styles = [style for _, style in timeline(model, 120, {6}).row.spans]
    assert sum(":hit" in style for style in styles) == 1


def test_find_looks_into_texts_arguments_and_reasoning_and_goes_round() -> None:
    model = DebuggerModel(refund())
    for query, hits in {
        "POLICY": [6],
        "annoyed": [6],
        "damaged in transit": [6],
        "goal_reached": [11],
        "nowhere": [],
    }.items():
        search = Find(model.path.steps, query, 8)
        while search.work():
            pass
        assert search.hits == hits
    assert Find(model.path.steps, "policy", 0).next(6) is None


def test_find_stops_when_its_slice_of_time_is_over_and_goes_on() -> None:
    model = DebuggerModel(big(400))
    now = iter(range(10_000))
    search = Find(model.path.steps, "looking", 0)
    assert search.work(clock=lambda: next(now) * 0.01)
    assert not search.done
    while search.work():
        pass
    assert len(search.hits) == 100
    assert search.next(0) == 1
    assert search.next(0, -1) == 397


def test_a_long_text_is_cut_with_how_much_is_left() -> None:
    reply = target_reply("\n".join(f"line {i}" for i in range(100)))
    lines = pane_lines(reply, None, 40)
    assert len(lines) == 10
    assert lines[-1].text == "+91 lines"
    assert "characters" in pane_lines(target_reply("x" * 10_000), None, 40)[-1].text


def test_calls_stay_visible_under_a_long_text() -> None:
    reply = TargetReply((Text("word " * 500),), tool_calls=(ToolCall("c", "search", '{"q": "x"}'),))
    assert pane_lines(reply, None, 40)[-1].text == '> search(q="x")'


def test_arguments_that_are_no_object_are_shown_as_they_came_and_flagged() -> None:
    odd = ToolCall("c", "search", "[1, 2")
    assert call_text(odd) == "search([1, 2)"
    step = chain((TargetReply((), tool_calls=(odd, ToolCall("d", "go", "[]"))),))[0]
    assert [flag.words for flag in cheap(step)] == [
        "arguments of search are not valid JSON",
        "arguments of go are not a JSON object",
    ]


def test_the_inspector_shows_the_step_what_was_sent_and_the_difference() -> None:
    model = DebuggerModel(refund("o8"))
    pages = {tab.id: [block.text for block in document(model, tab).blocks] for tab in TABS}
    message = "\n".join(pages["message"])
    assert "reason: what if it were refundable?" in message
    assert "takes here: 2" in message
    assert "s here" in message
    sent = "\n".join(pages["sent_tool"])
    assert "the call to answer" in sent
    assert "nothing was sent" in sent
    assert '"replaces": "s8"' in "\n".join(pages["raw"])
    assert any(text.startswith("- ") for text in pages["diff"])
    assert any(text.startswith("+ ") for text in pages["diff"])


def test_a_stored_request_is_shown_as_it_was_sent() -> None:
    model = DebuggerModel(refund("s7"))
    tab = next(tab for tab in TABS if tab.role == "target")
    texts = [block.text for block in document(model, tab, Stored('{"model": "m"}')).blocks]
    assert "as stored" in texts[0]
    assert texts[1] == '{\n  "model": "m"\n}'


def test_a_difference_keeps_the_lines_that_are_equal() -> None:
    blocks = [block.text for block in diff_blocks("a\nb\nc", "a\nB\nc")]
    assert blocks == ["a", "- b", "+ B", "c"]


def test_a_document_wraps_only_what_is_seen() -> None:
    page = Document([Block("text", f"paragraph {i} " * 50) for i in range(5000)], at_end=True)
    page.resize(40, 20)
    assert len(page._lines) < 40
    assert "4999" in _text(page.rows())
    page.to_end(False)
    assert "paragraph 0" in _text(page.rows())


def test_a_huge_block_says_how_much_is_not_shown() -> None:
    page = Document([Block("text", "x" * (SHOWN + 5))])
    assert page.lines(0)[-1].startswith("+5 characters")


def test_the_footer_fits_and_keeps_the_help_key() -> None:
    for width in (40, 80, 120, 160, 240):
        first, second = footer(width)
        assert second.text.rstrip().endswith("? keys")
        assert first.text.rstrip().endswith("q back")


def test_no_key_does_two_things_and_no_key_that_pays_has_a_shifted_twin() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))
    for action in ACTIONS:
        if action.guard != "free":
            twins = [a for a in ACTIONS if action.short.upper() in a.keys and a is not action]
            free = ("edit_outside", "redo", "accept", "reject", "unsure")
            assert all(twin.id in free for twin in twins), action


def test_every_action_stands_in_the_table_of_keys() -> None:
    helps = [text for _, rows in key_table() for _, text in rows]
    assert sorted(helps) == sorted(action.help for action in ACTIONS)
    assert BY_ID["step"].keys == ("s", "f10")


def test_streamed_text_is_shown_from_its_end() -> None:
    snapshot: Snapshot = refund("o9-1")
    model = DebuggerModel(snapshot)
    text = " ".join(f"word{i}" for i in range(5000))
    model.asking = Asking("evaluator", "o9-1", "m", text)
    model._retail()
    lines = model.item_lines(len(model.path))
    assert len(lines) == 10
    assert "word4999" in lines[-1].text


def test_a_lane_without_tools_is_folded_to_a_strip() -> None:
    bare = project()
    plain = Snapshot(refund().header, (bare,), chain((target_reply("x"),)))
    bare = msgspec.structs.replace(bare, tools=(), tool_simulator=None)
    model = DebuggerModel(plain._replace(projects=(bare,)))
    assert PaneView(model).resize(120, 20, narrow=False)[2] == 3


def test_an_answer_on_its_way_in_a_new_turn_is_drawn_wherever_the_cursor_is() -> None:
    model = DebuggerModel(refund("o9-1"))
    model.asking = Asking("evaluator", "o9-1", "m")
    model._retail()
    view = PaneView(model)
    view.resize(120, 60, narrow=False)
    for index in (0, len(model.path) - 1):
        model.jump(index)
        view.show_cursor()
        text = "\n".join(_text(rows) for rows in view.rows())
        assert "asking m" in text
        assert "turn 3" in text


@pytest.mark.parametrize(
    ("played_by", "opening", "key"),
    [
        (HumanEvaluator(), None, "w"),
        (HumanEvaluator(), "Hello", "s"),
        (ScriptedEvaluator(), None, "s"),
    ],
)
def test_the_key_that_begins_is_the_one_that_does(
    played_by: HumanEvaluator | ScriptedEvaluator, opening: str | None, key: str
) -> None:
    begun = refund()
    mine = msgspec.structs.replace(project(), evaluator=played_by, opening=opening)
    model = DebuggerModel(Snapshot(begun.header, (mine,), ()))
    view = PaneView(model)
    view.resize(160, 30, narrow=False)
    assert f"Press {key} to begin." in " ".join(_text(view.rows()[0]).split())
    page = document(model, TABS[0])
    page.resize(60, 40)
    assert f"{key} here" in _text(page.rows())


def test_the_full_screen_reader_promises_no_key_that_it_has_not() -> None:
    model = DebuggerModel(refund())
    pages = [document(model, TABS[0]), document(model, TABS[0], reading=True)]
    for page in pages:
        page.resize(80, 40)
    beside, full = (_text(page.rows()) for page in pages)
    for words in ("\ns here", ", and . walk them"):
        assert words in beside
        assert words not in full
    assert "takes here: 2" in full
