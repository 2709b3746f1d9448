"""Names of files, near-duplicates, and who gets how many projects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.authoring.author import shares
from rollstep.core.authoring.naming import file_name, stem_of
from rollstep.core.authoring.nearness import Seen
from rollstep.core.authoring.sources import Source


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Refund a damaged blender!", "refund-a-damaged-blender"),
        ("../../etc/passwd", "etc-passwd"),
        ("Café & Crème", "cafe-creme"),
        ("退款", "project"),
        ("CON", "project-con"),
        ("-rf *", "rf"),
        ("", "project"),
    ],
)
def test_names_are_plain(title: str, stem: str) -> None:
    assert stem_of(title) == stem


@given(st.text())
def test_any_title_makes_a_name(title: str) -> None:
    name = file_name(title, lambda name: False)
    assert name.isascii()
    assert set(name.removesuffix(".yaml")) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert 0 < len(name) < 80


def test_a_name_that_is_taken_gets_a_number() -> None:
    taken = {"a.yaml", "a-2.yaml"}
    assert file_name("A", taken.__contains__) == "a-3.yaml"


GOAL = "The customer gets a refund for order 4471, or a clear reason why not."
OPENING = "Hi, the blender from order 4471 arrived cracked."


@pytest.mark.parametrize(
    ("goal", "opening", "near"),
    [
        (GOAL, OPENING, True),
        (GOAL.replace("4471", "9082"), OPENING.replace("4471", "9082").upper(), True),
        (GOAL.replace("customer", "client"), OPENING, True),
        ("The customer moves a booking to another day.", "Can you move my table to Friday?", False),
        ("", "", False),
    ],
)
def test_the_same_with_other_names_is_near(goal: str, opening: str, near: bool) -> None:
    seen = Seen()
    seen.add("first", GOAL, OPENING)
    assert seen.near(goal, opening) == ("first" if near else "")


def test_nearness_needs_no_spaces_between_words() -> None:
    seen = Seen()
    seen.add("first", "客户要求退还订单4471的款项", "你好,我的搅拌机到货时已经破损")
    assert seen.near("客户要求退还订单9082的款项", "你好,我的搅拌机到货时已经破损")
    assert not seen.near("客户想把预订改到星期五", "请问可以改期吗")


def test_projects_are_shared_out_evenly_and_drawn_by_the_seed() -> None:
    sources = [Source("goal", n, str(n)) for n in range(5)]
    assert [count for _, count in shares(sources, 10, 0)] == [2] * 5
    assert sum(count for _, count in shares(sources, 7, 0)) == 7
    drawn = [[s.line for s, _ in shares(sources, 2, seed)] for seed in range(20)]
    assert all(lines == sorted(lines) and len(lines) == 2 for lines in drawn)
    assert len({tuple(lines) for lines in drawn}) > 3
    assert shares(sources, 2, 1) == shares(sources, 2, 1)
