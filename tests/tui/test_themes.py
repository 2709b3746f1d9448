"""Theme files: all of ours are good, readable, and what is wrong with one is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from rollstep.core.errors import ThemeError
from rollstep.tui.palette import Palette, textual_theme
from rollstep.tui.settings import Settings, load_settings, save_settings
from rollstep.tui.themes import (
    BUILT_IN,
    COLOURS,
    FIELDS,
    Theme,
    find_theme,
    parse_theme,
    read_theme,
    read_themes,
    theme_files,
)

FILES = sorted(BUILT_IN.glob("*.yaml"))


def _light(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(theme: Theme, one: str, other: str) -> float:
    high, low = sorted((_light(theme.colours[one]), _light(theme.colours[other])), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_there_are_themes_for_every_need() -> None:
    themes = [read_theme(path) for path in FILES]
    assert len(themes) >= 6
    assert sum(not theme.dark for theme in themes) >= 2
    assert {"high-contrast", "colour-blind", "night"} <= {theme.id for theme in themes}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_theme_can_be_read_by_the_eye(path: Path) -> None:
    theme = read_theme(path)
    least = 7.0 if theme.id == "high-contrast" else 4.5
    for ground in ("background", "surface", "selection"):
        for name in COLOURS:
            if name in ("background", "surface", "rule", "selection", "hit"):
                continue
            wanted = 3.0 if name == "dim" and ground == "selection" else least
            assert _contrast(theme, name, ground) >= wanted, (name, ground)
    assert _contrast(theme, "text", "hit") >= 4.5


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_yaml_library_reads_the_same_from_it(path: Path) -> None:
    theme = read_theme(path)
    assert yaml.safe_load(path.read_text()) == {
        "name": theme.name,
        "dark": theme.dark,
        **theme.colours,
    }
    assert textual_theme(theme).dark == theme.dark


def test_every_fault_is_named_with_its_field_and_line() -> None:
    text = "name: X\ndark: yes\ntext: #ffffff\nbackgroud: '#000000'\n  - a\nname: Y\n"
    with pytest.raises(ThemeError) as caught:
        parse_theme(text, "x", "x.yaml")
    words = str(caught.value)
    for line in (
        "x.yaml: line 2: dark: is 'yes'.",
        "x.yaml: line 3: text: is empty. Write a colour as",
        "x.yaml: line 4: backgroud: is no field of a theme. Did you mean background?",
        "x.yaml: line 5: is not `field: value`.",
        "x.yaml: line 6: name: is given twice.",
        "x.yaml: selection: is missing.",
    ):
        assert line in words


def test_a_users_own_theme_is_found_and_a_bad_one_does_not_hide_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "themes"
    folder.mkdir()
    mine = (BUILT_IN / "paper.yaml").read_text().replace("name: Paper", 'name: "Mine"  # own')
    (folder / "mine.yaml").write_text(mine.replace("\n", "\r\n"))
    (folder / "bad.yaml").write_text("name: Bad\n")
    assert find_theme("mine", tmp_path).name == "Mine"
    assert set(theme_files(tmp_path)) == {path.stem for path in FILES} | {"mine", "bad"}
    themes, problems = read_themes(tmp_path)
    assert len(themes) == len(FILES) + 1
    assert "bad.yaml" in str(problems[0])
    with pytest.raises(ThemeError, match="There is no theme"):
        find_theme("../../etc/passwd", tmp_path)


def test_a_theme_that_is_no_text_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_bytes(b"name: \xff\xfe")
    with pytest.raises(ThemeError, match="not UTF-8"):
        read_theme(path)


def test_every_style_says_more_than_its_colour_where_it_must() -> None:
    palette = Palette(find_theme("night", None))
    assert palette.style("text:hit").underline
    assert palette.style("cursor").reverse
    assert palette.style("alarm").reverse
    assert palette.style("evaluator:strong").bold
    assert palette.style("evaluator").color != palette.style("target").color
    assert palette.style("text:ahead").color != palette.style("text").color
    assert set(FIELDS) > set(COLOURS)


def test_settings_are_kept_and_a_broken_file_means_the_usual_ones(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none") == Settings()
    save_settings(tmp_path, Settings("paper", "below"))
    assert load_settings(tmp_path) == Settings("paper", "below")
    assert (tmp_path / "settings.json").stat().st_mode & 0o077 == 0
    (tmp_path / "settings.json").write_text("{broken")
    assert load_settings(tmp_path) == Settings()
    (tmp_path / "settings.json").write_text('{"theme": 3, "inspector": "left"}')
    assert load_settings(tmp_path) == Settings()
