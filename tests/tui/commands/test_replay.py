"""``rollstep replay``: a recorded branch as text, typed where there is somebody to watch."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rollstep.core.model.messages import Stop
from rollstep.core.samples import sample
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.library import Library
from rollstep.tui.commands.replay import ReplayOptions, run_replay
from rollstep.tui.stepview import stop_title

from ..synthetic import HOSTILE, hostile
from .conftest import RunCli, in_a_process

Kept = tuple[Path, str]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Stdout is a terminal from now on; not in a fixture, after which pytest takes it back."""
    made = Terminal()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return made


def test_where_nobody_watches_it_is_there_at_once(
    cli: RunCli, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, rollout = kept
    monkeypatch.setenv("COLUMNS", "100")
    status, out, error = cli("replay", rollout[:8], "--library", library)
    assert (status, error) == (0, "")
    rule = "-" * 85
    assert out == (
        f"{rollout}  Greet, main\n"
        f"\n-- turn 1 of 2 {rule}\n"
        "1  Evaluator\n  Hi.\n"
        "\n2  Target\n  Hello.\n"
        f"\n-- turn 2 of 2 {rule}\n"
        "3  Evaluator\n  And now?\n"
        "\n4  Target\n  Bye.\n"
        f"\n5  {stop_title(Stop('max_turns', 'evaluator'))}\n"
        "\n5 steps, 2 turns; max_turns\n"
    )


@pytest.mark.parametrize(("speed", "typed"), [(1, "\n  An"), (4, "\n  And no"), (16, "now?")])
def test_on_a_terminal_it_is_typed_at_its_speed(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, speed: int, typed: str
) -> None:
    terminal = watched(monkeypatch)
    seen: list[tuple[float, str]] = []

    def sleep(seconds: float) -> None:
        seen.append((seconds, terminal.getvalue()))

    library, rollout = kept
    assert run_replay(rollout, ReplayOptions(library, speed=speed), sleep) == 0
    assert "\x1b[34;1m1  Evaluator\x1b[0m\n" in terminal.getvalue()
    begun = [text for _, text in seen if "3  Evaluator" in text]
    assert begun[0].endswith("3  Evaluator\x1b[0m\n  ") or begun[0].endswith(typed)
    assert any(text.endswith(typed) for text in begun)
    assert seen[0][0] == pytest.approx(0.8 / speed)


def test_at_once_and_plain_are_just_the_text(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    library, rollout = kept

    def never(seconds: float) -> None:
        raise AssertionError("it waited")

    run_replay(rollout, ReplayOptions(library, at_once=True, plain=True), never)
    assert "\x1b" not in terminal.getvalue()
    terminal.truncate(0)
    monkeypatch.setenv("NO_COLOR", "1")
    run_replay(rollout, ReplayOptions(library, at_once=True), never)
    assert "\x1b" not in terminal.getvalue()


def test_an_interrupt_leaves_the_terminal_in_its_own_colours(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = watched(monkeypatch)

    def interrupted(seconds: float) -> None:
        if terminal.getvalue().endswith(("An", "Or")) or len(terminal.getvalue()) > 120:
            raise KeyboardInterrupt

    library, rollout = kept
    with pytest.raises(KeyboardInterrupt):
        run_replay(rollout, ReplayOptions(library), interrupted)
    said = terminal.getvalue()
    assert said.rfind("\x1b[0m") > max(said.rfind("\x1b[3"), said.rfind("\x1b[2m"))


def test_a_branch_by_name_or_number_and_a_bundle(cli: RunCli) -> None:
    bundle = sample("refund").bundle
    assert bundle is not None
    status, out, _ = cli("replay", bundle, "--branch", "as it went")
    assert status == 0
    assert "as it went" in out.split("\n", 1)[0]
    status, other, _ = cli("replay", bundle, "--branch", "2")
    assert status == 0
    assert other != out
    status, _, error = cli("replay", bundle, "--branch", "nope")
    assert (status, "no branch is named 'nope'" in error) == (2, True)


def test_a_rollout_that_is_not_there(cli: RunCli, kept: Kept) -> None:
    status, out, error = cli("replay", "zzzz", "--library", kept[0])
    assert (status, out) == (2, "")
    assert "No rollout zzzz" in error


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_acts_on_the_terminal(cli: RunCli, tmp_path: Path, name: str) -> None:
    from rollstep.core.store.change import Saved

    shown = hostile(HOSTILE[name])
    bundle = tmp_path / "odd.rollstep.jsonl"
    write_bundle([Saved(shown.header, shown.projects, shown.steps)], bundle)
    status, out, _ = cli("replay", bundle)
    assert status == 0
    assert not set(out) & set("\x1b\x07\x08\r\x9b\x9d\u202e\u2066\u200b")


def test_it_loads_no_screen_and_no_model(kept: Kept) -> None:
    code = (
        "import sys; from rollstep.tui.cli import main;"
        f"main(['replay', {kept[1]!r}, '--library', {str(kept[0])!r}]);"
        "print([m for m in ('textual', 'litellm') if m in sys.modules], file=sys.stderr)"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stderr == "[]\n"
    assert in_a_process("replay", kept[1], "--library", kept[0]).returncode == 0
    with Library.open(kept[0], create=False) as library:
        assert library.count() == 1
