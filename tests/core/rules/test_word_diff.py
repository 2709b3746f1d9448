from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.rules.word_diff import Stretch, folded, summary, word_diff

words = st.lists(st.sampled_from(["a", "bc", "\n", " ", ".", "é", "城"]), max_size=40).map("".join)


@given(words, words)
def test_the_stretches_hold_both_texts_whole(old: str, new: str) -> None:
    diff = word_diff(old, new)
    assert "".join(s.text for s in diff if s.kind != "added") == old
    assert "".join(s.text for s in diff if s.kind != "removed") == new


def test_words_put_before_a_text_leave_it_alone() -> None:
    diff = word_diff("Let me see", "Sure! Let me see")
    assert diff == [Stretch("added", "Sure! "), Stretch("same", "Let me see")]


def test_a_changed_word_is_shown_whole() -> None:
    diff = word_diff("refund of 49.00 is late", "refund of 47.00 is late")
    assert [(s.kind, s.text) for s in diff if s.kind != "same"] == [
        ("removed", "49"),
        ("added", "47"),
    ]
    assert summary(diff) == "+1 -1 words"


def test_equal_texts_have_no_changes() -> None:
    assert summary(word_diff("a b", "a b")) == ""
    assert word_diff("", "") == []


def test_a_huge_text_falls_back_to_lines_and_then_to_one_replacement() -> None:
    old = "\n".join(f"line {n} old words here" for n in range(1_000))
    new = "\n".join(f"line {n} new words here" for n in range(1_000))
    assert "".join(s.text for s in word_diff(old, new) if s.kind != "removed") == new
    one, other = "x\n" * 5_000 + "a", "y\n" * 5_000 + "b"
    assert word_diff(one, other) == [Stretch("removed", one), Stretch("added", other)]


def test_long_kept_stretches_are_folded_and_counted() -> None:
    long = "word " * 1_000
    shown = folded(word_diff(long + "end", long + "END"))
    assert len("".join(s.text for s in shown)) < 400
    assert "4,7" in shown[0].text
