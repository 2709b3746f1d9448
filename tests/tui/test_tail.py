"""What stands after the last step: an answer that grows is wrapped piece by piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.tui import tail as tail_module
from rollstep.tui.sanitize import visible
from rollstep.tui.snapshot import Asking
from rollstep.tui.tail import Growing, Tail
from rollstep.tui.wrap import wrap

PIECES = st.lists(st.text("ab c\né漢🙂", max_size=12), max_size=40)


@given(PIECES, st.integers(1, 20), st.integers(1, 6))
def test_the_lines_of_a_growing_text_are_those_of_the_whole(
    pieces: list[str], width: int, count: int
) -> None:
    growing, text = Growing(), ""
    for piece in pieces:
        text += piece
        assert growing.lines(text, width, count) == wrap(text, width, 10_000).lines[-count:]


@given(st.lists(st.text("ab \n\x1b\u200b\u0301", max_size=12), max_size=40))
def test_marks_for_hidden_characters_are_those_of_the_whole(pieces: list[str]) -> None:
    """So long as the text is short enough to be looked at from its beginning."""
    growing, text = Growing(), ""
    for piece in pieces:
        text += piece
        whole = wrap(visible(text), 10, 10_000).lines[-4:]
        assert growing.lines(text, 10, 4)[-1] == whole[-1]


def test_what_stands_already_is_not_wrapped_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    real = tail_module.visible
    monkeypatch.setattr(tail_module, "visible", lambda text: sizes.append(len(text)) or real(text))
    growing, text = Growing(), ""
    for number in range(2000):
        text += f" token{number}"
        growing.lines(text, 40, 9)
    assert max(sizes) < 500


def test_another_width_wraps_anew_and_a_long_text_at_once_is_cut() -> None:
    growing, text = Growing(), " ".join(f"word{number}" for number in range(300))
    assert growing.lines(text, 30, 5) == wrap(text, 30, 10_000).lines[-5:]
    assert growing.lines(text, 50, 5) == wrap(text, 50, 10_000).lines[-5:]
    text += " more" * 5_000
    assert growing.lines(text, 50, 5)[-1].endswith("more more")


def test_the_next_answer_shows_nothing_of_the_one_before() -> None:
    tail = Tail()
    before = Asking("target", "a", "m", "old words " * 100, started=1.0)
    tail.lines(before, 30)
    after = Asking("target", "b", "m", "new words " * 200, started=2.0)
    shown = [line.text for line in tail.lines(after, 30)[1:]]
    assert shown == wrap(after.text, 30, 10_000).lines[-9:]


def test_lines_are_made_once_for_every_change() -> None:
    tail = Tail()
    asking = Asking("target", "a", "m", "words")
    lines = tail.lines(asking, 30)
    assert tail.lines(asking, 30) is lines
    assert tail.lines(asking.more(" more", 1.0), 30)[-1].text == "words more"
    assert tail.lines(asking, 31) is not lines
