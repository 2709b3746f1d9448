"""What would look wrong in a terminal, and what to do about it."""

from __future__ import annotations

import pytest
from rollstep.tui.doctor.check import Check
from rollstep.tui.doctor.terminal import Terminal, check_terminal

GOOD = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "en_GB.UTF-8"}


def checked(
    environ: dict[str, str] | None = None,
    size: tuple[int, int] | None = (160, 45),
    encoding: str = "utf-8",
) -> dict[str, Check]:
    terminal = Terminal(GOOD if environ is None else environ, size, encoding)
    return {check.about: check for check in check_terminal(terminal)}


def test_in_a_good_one_all_is_well() -> None:
    assert {check.level for check in checked().values()} == {"ok"}
    assert checked()["terminal"].words == "160 columns, 45 rows"


@pytest.mark.parametrize("size", [(79, 24), (80, 23), (10, 5), (0, 0)])
def test_one_that_is_too_small_is_a_problem(size: tuple[int, int]) -> None:
    found = checked(size=size)["terminal"]
    assert found.level == "problem"
    assert "80 by 24" in found.todo


def test_without_one_the_screen_only_is_missing() -> None:
    found = checked(size=None)
    assert found["terminal"].level == "note"
    assert "colours" not in found


@pytest.mark.parametrize(
    ("environ", "level", "words"),
    [
        ({**GOOD, "NO_COLOR": "1"}, "note", "NO_COLOR"),
        ({"TERM": "dumb"}, "problem", "TERM is dumb"),
        ({}, "problem", "TERM is not set"),
        ({"TERM": "vt100"}, "note", "16 or fewer"),
        ({"TERM": "screen-256color"}, "note", "256 (TERM is screen-256color)"),
        ({"TERM": "xterm", "COLORTERM": "24bit"}, "ok", "16 million"),
    ],
)
def test_how_many_colours_there_are(environ: dict[str, str], level: str, words: str) -> None:
    found = checked(environ)["colours"]
    assert found.level == level
    assert words in found.words
    assert found.todo or level == "ok"


@pytest.mark.parametrize("encoding", ["ANSI_X3.4-1968", "iso8859-1", "", "no-such"])
def test_an_output_that_is_not_utf_8_is_a_problem(encoding: str) -> None:
    assert checked(encoding=encoding)["letters"].level == "problem"


def test_a_locale_that_is_not_utf_8_is_named_by_what_wins() -> None:
    found = checked({**GOOD, "LC_ALL": "C"})["letters"]
    assert found.level == "note"
    assert "LC_ALL is C" in found.words


@pytest.mark.parametrize(
    ("name", "about"), [("TMUX", "tmux"), ("STY", "screen"), ("SSH_CONNECTION", "ssh")]
)
def test_what_stands_between_is_told(name: str, about: str) -> None:
    assert about not in checked()
    assert "copying" in checked({**GOOD, name: "x"})[about].words
