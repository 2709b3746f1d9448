"""The one door: what it marks, what it leaves alone, and the filter behind it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from rollstep.tui.safe_text import SafeText
from rollstep.tui.sanitize import has_hidden, one_line, visible
from textual.color import Color

MARKED = {
    "\x1b[31mred": "␛[31mred",
    "a\rb\x00c\x07d\x08e\x7f": "a␍b␀c␇d␈e␡",
    "\x9b31m \x9d52;c\x85": "‹U+009B›31m ‹U+009D›52;c‹U+0085›",
    "Open \u202egnp.exe\u202c": "Open ‹U+202E›gnp.exe‹U+202C›",
    "ad\u200bmin\ufeff soft\u00adhyphen": "ad‹U+200B›min‹U+FEFF› soft‹U+00AD›hyphen",
    "\U000e0041\U000e0042": "‹U+E0041›‹U+E0042›",
    "\u2066isolate\u2069 \u200fmark": "‹U+2066›isolate‹U+2069› ‹U+200F›mark",
    "a\u2028b\u2029c": "a‹U+2028›b‹U+2029›c",
    "\ud83d lone, swapped \udc00\ud800": "‹\\ud83d› lone, swapped ‹\\udc00›‹\\ud800›",
    "\ufffe\U0001ffff\ue000": "‹U+FFFE›‹U+1FFFF›‹U+E000›",
    "a\u200db": "a‹U+200D›b",
    "a\ufe0fb": "a‹U+FE0F›b",
    "z" + "\u0301" * 9: "z" + "\u0301" * 5 + "‹+4 marks›",
}

LEFT_ALONE = (
    "plain text, with [/bold] and [@click=app.quit]x[/] and trailing \\",
    "مرحبا order 12-34 שלום",
    "می\u200cخواهم",
    "family 👨‍👩‍👧, heart ❤️, thumbs 👍🏽, keycap 1️⃣",
    "你好 こんにちは 한국어 ไทย नमस्ते",
    "line one\nline two\tafter a tab",
    "é as e\u0301",
)


@pytest.mark.parametrize(("text", "shown"), MARKED.items(), ids=range(len(MARKED)))
def test_a_hidden_or_acting_character_becomes_a_mark(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert has_hidden(text)


@pytest.mark.parametrize("text", LEFT_ALONE, ids=range(len(LEFT_ALONE)))
def test_writing_and_emoji_stay_as_they_are(text: str) -> None:
    assert visible(text) is text or visible(text) == text
    assert not has_hidden(text)


def test_clean_text_is_returned_itself() -> None:
    text = "Grüße aus Köln"
    assert visible(text) is text


def test_one_line_marks_breaks_and_tabs() -> None:
    assert one_line("a\nb\tc") == "a␊b␉c"


@given(st.text(st.characters(), max_size=60))
def test_nothing_that_acts_gets_through(text: str) -> None:
    shown = one_line(text)
    for char in shown:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Co")
        assert unicodedata.bidirectional(char) not in (
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        )  # fmt: skip
    assert one_line(shown) == shown


def test_the_filter_marks_what_slipped_past_and_drops_foreign_links() -> None:
    control = Segment("\x1b[2J", None, [(1,)])  # type: ignore[list-item]
    bad = Segment("a\x1bb", Style(link="vscode://open"))
    good = Segment("docs", Style(link="https://example.test"))
    out = SafeText().apply([control, bad, good], Color(0, 0, 0))
    assert out[0] is control
    assert out[1].text == "a␛b"
    assert out[1].style is not None
    assert out[1].style.link is None
    assert out[2].style is not None
    assert out[2].style.link == "https://example.test"
