"""The README says what is so: its Python runs, its project is valid, its table of keys is fresh."""

import asyncio
import re
import textwrap
from pathlib import Path

import pytest
from rollstep.core import read_project
from rollstep.tui.key_table import with_table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The first code block of this language."""
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def project_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "refund.yaml"
    path.write_text(block("yaml"), encoding="utf-8")
    return path


def test_the_project_file_is_valid(project_file: Path) -> None:
    assert read_project(project_file).title == "Refund a damaged blender"


def test_the_five_lines_play_a_rollout(
    project_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "async def main():\n" + textwrap.indent(block("python"), "    ")
    assert len(block("python").strip().splitlines()) <= 6
    names: dict[str, object] = {}
    exec(code, names)
    asyncio.run(names["main"]())  # type: ignore[operator]
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "evaluator Hi, the blender from order 4471 arrived cracked."
    assert printed[-2:] == [
        "target Then here are your 49.00.",
        "evaluator goal_reached",
    ]


def test_the_table_of_keys_is_the_registrys() -> None:
    assert with_table(README) == README
