"""What a human does not touch in an editor keeps its exact characters."""

from hypothesis import given
from hypothesis import strategies as st
from rollstep.tui.sanitize import visible
from rollstep.tui.widgets.text_marks import UNSAFE, TextMarks, describe, glyph

ODD = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\r\n\x00\x1b\u202e\u200d\ud800\udc00\U00100000é👩🏽"
texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(codec=None)), max_size=60)


@given(texts)
def test_decode_gives_back_what_was_encoded(text: str) -> None:
    marks = TextMarks()
    assert marks.decode(marks.encode(text)) == text


@given(texts)
def test_the_widget_sees_no_character_that_it_would_change(text: str) -> None:
    held = TextMarks().encode(text)
    assert len(held) == len(text)
    assert "\n".join(held.splitlines()) + ("\n" if held.endswith("\n") else "") == held
    held.encode("utf-8")


@given(texts, texts, st.data())
def test_an_edit_touches_only_what_was_touched(text: str, pasted: str, data: st.DataObject) -> None:
    marks = TextMarks()
    held = marks.encode(text)
    start = data.draw(st.integers(0, len(held)))
    end = data.draw(st.integers(start, len(held)))
    edited = held[:start] + marks.encode(pasted) + held[end:]
    assert marks.decode(edited) == text[:start] + pasted + text[end:]


@given(texts)
def test_a_single_line_box_holds_no_line_break(text: str) -> None:
    marks = TextMarks(single_line=True)
    held = marks.encode(text)
    assert len(held.splitlines()) <= 1
    assert marks.decode(held) == text


@given(texts)
def test_what_is_drawn_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    marks = TextMarks()
    shown = marks.show(marks.encode(text))
    assert len(shown) == len(text)
    assert not UNSAFE.search(shown)
    assert "\x1b" not in shown


@given(st.characters(codec=None))
def test_the_last_line_of_defence_finds_nothing_left_to_do(char: str) -> None:
    marks = TextMarks()
    shown = marks.show(marks.encode(f"a{char}b"))
    assert visible(shown) == shown


def test_joiners_stay_where_writing_needs_them_and_are_marked_elsewhere() -> None:
    marks = TextMarks()
    for real in ("👩\u200d💻", "می\u200cخواهم", "❤\ufe0f", "1\ufe0f\u20e3"):
        assert marks.encode(real) == real
    for hidden in ("ad\u200dmin", "a\ufe0f", "\u200c"):
        assert marks.encode(hidden) != hidden


def test_marks_are_named_for_people() -> None:
    assert glyph("\x1b") == "␛"
    assert glyph("\r") == "␍"
    assert describe("\u202e") == "U+202E RIGHT-TO-LEFT OVERRIDE"
    assert describe("\x00") == "U+0000 NUL"
    assert describe("\ud83d") == "U+D83D half of a surrogate pair"
