"""The player of the present mode, with a clock that is told: what is typed when, and what comes
next.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rollstep.core.model.messages import Payload, target_reply, tool_result, user_message
from rollstep.tui.document import SHOWN, Block
from rollstep.tui.path import Path
from rollstep.tui.present_page import Page
from rollstep.tui.present_player import SPEEDS, TYPED, Player
from rollstep.tui.present_steps import Shown, pieces, shown_step

from .synthetic import REFUND, call, chain, project

TICK = 0.05


def player(payloads: Sequence[Payload] = REFUND, at: int = 0, width: int = 100) -> Player:
    made = Player(Path(chain(tuple(payloads))), project(), at)
    made.page.resize(width, 200)
    made.tick(0.0)
    return made


def text(shown: Player) -> str:
    shown.page.resize(shown.page.width, 200)
    return "\n".join(line.text.rstrip() for line in shown.page.rows()).rstrip()


class Clock:
    """Ticks as a screen does."""

    def __init__(self, shown: Player) -> None:
        self.now = 0.0
        self.shown = shown

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / TICK)):
            self.now += TICK
            self.shown.tick(self.now)


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_message_is_typed_at_its_speed(speed: int) -> None:
    shown = player([user_message("x" * 10_000)])
    while shown.speed < speed:
        shown.faster(1)
    Clock(shown).run(1.0)
    line_ends = text(shown).count("\n") - 2
    assert text(shown).count("x") + line_ends == pytest.approx(TYPED * speed, abs=1)


def test_steps_come_one_after_the_other_and_a_turn_takes_the_one_before_away() -> None:
    shown = player()
    clock = Clock(shown)
    clock.run(0.1)
    assert text(shown) == "\n┃ 1  Evaluator\n┃ Hi,"
    clock.run(3)
    assert "4471 arrived cracked." in text(shown)
    assert "2  Target" in text(shown)
    while shown.turn == 1:
        clock.run(1)
    assert text(shown).startswith("\n┃ 6  Evaluator\n┃ It")
    while shown.playing:
        clock.run(1)
    assert (shown.at, shown.at_end) == (len(REFUND) - 1, True)
    assert "goal_reached" in text(shown)
    assert not shown.tick(clock.now + 1)
    assert not shown.toggle()


def test_a_paused_player_stands_still_and_time_that_passed_does_not_count() -> None:
    shown = player([user_message("x" * 1000)])
    clock = Clock(shown)
    clock.run(1)
    assert shown.toggle()
    before = text(shown)
    assert not shown.tick(clock.now + 60)
    assert text(shown) == before
    shown.toggle()
    shown.tick(clock.now + 61)
    assert text(shown) == before
    shown.tick(clock.now + 61 + TICK)
    typed = text(shown).count("x") - before.count("x")
    assert typed == pytest.approx(TYPED * TICK, abs=1)


def test_a_program_that_was_held_up_does_not_jump() -> None:
    shown = player([user_message("x" * 1000)])
    shown.tick(100.0)
    assert text(shown).count("x") == TYPED / 4


def test_arrows_go_to_steps_and_leave_nothing_half_typed() -> None:
    shown = player()
    assert shown.go(1)
    assert "arrived cracked." in text(shown)
    assert shown.at == 1
    assert text(shown).endswith("┃ 2  Target\n    ┃")
    assert shown.go(-1)
    assert "2  Target" not in text(shown)
    assert not player(at=-1).go(-1)


def test_while_paused_steps_are_whole_at_once() -> None:
    shown = player()
    shown.toggle()
    shown.go(1)
    assert "get_order\n" in text(shown)
    assert shown.page.whole


def test_at_the_last_step_next_shows_the_rest_of_it() -> None:
    shown = player([user_message("x" * 100)])
    assert shown.go(1)
    assert text(shown).count("x") == 100
    assert not shown.go(1)


def test_chapters_are_turns_and_0_is_the_cover() -> None:
    shown = player()
    assert shown.chapter(3)
    assert (shown.at, shown.turn, shown.turns) == (9, 3, 3)
    assert not shown.chapter(4)
    assert shown.chapter(0)
    assert shown.step is None
    assert "The customer gets a refund for order 4471." in text(shown)
    assert "E  Evaluator: script" in text(shown)
    assert shown.go(1)
    assert shown.at == 0


def test_a_step_in_the_middle_of_a_turn_has_the_turn_before_it() -> None:
    shown = player(at=4)
    assert "arrived cracked." in text(shown)
    assert '"error": "no such order"' in text(shown)
    assert text(shown).endswith("┃ 5  Target\n    ┃")


def test_in_the_middle_of_a_very_long_turn_only_the_steps_near_it_are_made() -> None:
    calls = [target_reply("", (call(n, "get_order"),)) for n in range(150)]
    results = [tool_result(f"c{n}", f"result {n}") for n in range(150)]
    turn = [step for pair in zip(calls, results, strict=True) for step in pair]
    shown = player([user_message("Go."), *turn], at=200)
    shown.page.resize(100, 5000)
    seen = text(shown)
    assert seen.startswith("\n… 160 steps of this turn before\n")
    assert "201  Tool simulator  get_order()" in seen
    assert ("result 98" in seen, "result 70" in seen) == (True, False)


def test_other_widths_keep_what_was_typed() -> None:
    shown = player([user_message("word " * 200)])
    Clock(shown).run(4)
    before = text(shown).count("word")
    shown.page.resize(40, 200)
    assert abs(text(shown).count("word") - before) <= 2
    assert max(len(line) for line in text(shown).split("\n")) <= 40


def test_the_view_follows_what_is_typed_until_it_is_scrolled_and_again_at_the_end() -> None:
    shown = player([user_message("\n".join(f"line {n}" for n in range(200)))])
    page = shown.page
    page.resize(80, 10)
    clock = Clock(shown)
    clock.run(10)
    page.resize(80, 10)
    assert "line 50" in "".join(line.text for line in page.rows())
    page.scroll(-20)
    seen = page.rows()
    clock.run(2)
    page.resize(80, 10)
    assert page.rows() == seen
    page.scroll(500)
    clock.run(2)
    page.resize(80, 10)
    assert not page.more_below()


def test_what_acts_on_a_terminal_is_shown_instead() -> None:
    shown = player([user_message("a\x1b[2Jb\u202e")])
    shown.go(1)
    assert "a␛[2Jb‹U+202E›" in text(shown)


def test_letters_with_marks_and_emoji_are_typed_whole() -> None:
    said = "e\u0301👍🏽👩‍👩‍👧é"
    shown = player([user_message(said * 3)])
    ends = set()
    while not shown.page.whole:
        shown.page.type(1)
        if not shown.page.whole:
            ends.add(shown.page.lines(len(shown.page.blocks) - 1)[-1])
    whole = {said[:n] for n in (2, 4, 9, 10)}
    assert {end[len(said) * (len(end) // len(said)) :] for end in ends} <= {"", *whole}


def test_a_tick_makes_no_more_lines_for_a_longer_text() -> None:
    """However long the text is, what is typed stands in a piece of a few screenfuls."""
    long = "\n".join("some words of a line" for _ in range(8_000))
    shown = player([user_message(long)])
    while not shown.page.whole:
        shown.page.type(500)
        assert len(shown.page.lines(len(shown.page.blocks) - 1)) < 420
    assert sum(line.text.endswith("some words of a line") for line in _all(shown.page)) == 8_000


def _all(page: Page) -> list[object]:
    page.resize(80, 20_000)
    return page.rows()  # type: ignore[return-value]


def test_pieces_are_the_text_again() -> None:
    for said in ("a", "x" * 20_000, "\n".join(["y" * 50] * 2000), "\n" * 9000, "ab\n" * 5000):
        cut = list(pieces(said))
        assert max(map(len, cut)) <= 8_192
        assert "".join(cut).replace("\n", "") == said.replace("\n", "")
    assert "\n".join(pieces("ab\n" * 5000)) == "ab\n" * 5000
    assert list(pieces("z" * (SHOWN + 7)))[-1] == "+7 characters"


def test_results_are_typed_faster_than_messages() -> None:
    (step,) = chain((tool_result("c", "slow"),))
    paces = {shown.pace for shown in shown_step(1, step, call(1, "get"))}
    (said,) = chain((target_reply("fast"),))
    assert max(paces) > max(shown.pace for shown in shown_step(1, said, None))


def test_a_page_of_nothing_is_whole() -> None:
    page = Page([Shown(Block("text", "at once"))])
    assert page.whole
    page.type(100)
    assert page.rows()[0].text == "at once"
