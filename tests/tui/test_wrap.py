"""Wrapping by cell width, only as far as it is seen."""

from hypothesis import given
from hypothesis import strategies as st
from rollstep.tui.cells import cells
from rollstep.tui.sanitize import visible
from rollstep.tui.wrap import fit, pad, wrap


def test_words_break_at_blanks_and_keep_indentation() -> None:
    text = "The quick brown fox\n\n    indented code\nlonger-than-the-width"
    assert wrap(text, 12, 99).lines == [
        "The quick", "brown fox", "", "    indented", "code", "longer-than-", "the-width",
    ]  # fmt: skip


def test_wide_characters_and_joined_emoji_are_never_split() -> None:
    family = "👨‍👩‍👧"
    lines = wrap("你好世界这是" + family * 3, 5, 99).lines
    assert "".join(lines) == "你好世界这是" + family * 3
    assert all(line.count("\u200d") % 2 == 0 for line in lines)


def test_what_is_left_out_is_counted() -> None:
    assert wrap("a\nb\nc\nd", 10, 2) == (["a", "b"], 2, 0)
    assert wrap("x" * 100, 10, 3) == (["x" * 10] * 3, 1, 70)


def test_a_huge_single_line_costs_only_its_head() -> None:
    wrapped = wrap("word " * 2_000_000, 40, 10)
    assert len(wrapped.lines) == 10
    assert wrapped.more_chars > 9_000_000


def test_a_line_longer_than_one_slice_loses_nothing() -> None:
    text = " ".join(f"w{i}" for i in range(9000))
    lines = wrap(text, 37, 10**6).lines
    assert " ".join(lines).split() == text.split()


def test_tabs_become_blanks() -> None:
    assert wrap("a\tb", 10, 1).lines == ["a   b"]


@given(st.text(max_size=200), st.integers(2, 40))
def test_every_line_fits_and_no_word_is_lost(text: str, width: int) -> None:
    shown = visible(text)
    lines = wrap(shown, width, 10**6).lines
    assert all(cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(shown.split())


@given(st.text(max_size=60), st.integers(1, 30))
def test_padding_is_exact(text: str, width: int) -> None:
    shown = visible(text).replace("\n", " ").replace("\t", " ")
    assert cells(pad(shown, width)) == width
    assert cells(fit(shown, width)) <= width


def test_spacing_marks_take_a_cell_as_terminals_draw_them() -> None:
    # Measured in tmux 3.3 with a cursor report after each word.
    for word, drawn in {"नमस्ते": 4, "दुनिया": 5, "தமிழ்": 4, "မြန်မာ": 5, "ไทยที่": 4, "한국": 4}.items():
        assert cells(word) == drawn, word
    lines = wrap("दुनिया की " * 9, 9, 99).lines
    assert all(cells(line) <= 9 for line in lines)
    assert "".join("".join(lines).split()) == "दुनियाकी" * 9
