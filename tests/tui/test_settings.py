"""What is remembered between starts."""

from __future__ import annotations

from pathlib import Path

from rollstep.tui.settings import Settings, load_settings, save_settings


def test_settings_come_back_and_broken_ones_are_the_usual(tmp_path: Path) -> None:
    wanted = Settings("paper", "hidden", "below")
    save_settings(tmp_path, wanted)
    assert load_settings(tmp_path) == wanted
    (tmp_path / "settings.json").write_text('{"inspector": "right", "inspector_narrow": "up"}')
    assert load_settings(tmp_path) == Settings(inspector="right")
    (tmp_path / "settings.json").write_text("[")
    assert load_settings(tmp_path) == Settings()
