"""Other keys for actions: what is refused, and that every place that names a key follows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rollstep.core.config.keys import Config
from rollstep.core.config.loading import Loaded, load_config
from rollstep.core.errors import ConfigError
from rollstep.tui.actions import ACTIONS, Action
from rollstep.tui.remapping import remapped


def keyed(overrides: dict[str, str]) -> Loaded:
    return Loaded(Config(keys=overrides), {})


def by_id(overrides: dict[str, str]) -> dict[str, Action]:
    return {action.id: action for action in remapped(keyed(overrides)).registry}


def test_nothing_is_changed_by_nothing() -> None:
    assert remapped(keyed({})).registry == ACTIONS


def test_a_key_moves_from_one_action_to_another() -> None:
    found = by_id({"step": "n f10", "hit_next": "ctrl+n"})
    assert (found["step"].keys, found["step"].short) == (("n", "f10"), "n")
    assert (found["hit_next"].keys, found["hit_next"].short) == (("ctrl+n",), "Ctrl+N")
    assert found["retake"] == next(a for a in ACTIONS if a.id == "retake")


def test_a_key_that_is_taken_is_gone_where_it_was() -> None:
    found = by_id({"step": "t"})
    assert found["turn"].keys == ()
    assert found["turn"].short == ":"


def test_signs_are_written_as_they_are() -> None:
    found = by_id({"next_flag": ">", "find": "?", "help": "f1"})
    assert found["next_flag"].keys == ("greater_than_sign",)
    assert found["next_flag"].short == ">"
    assert found["find"].keys == ("question_mark",)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"stepp": "s"}, "keys.stepp: there is no such action. Did you mean step?"),
        ({"step": "hyper+q"}, "'hyper+q' is no key"),
        ({"step": "x", "turn": "x"}, "keys.turn: 'x' is given to step too."),
        ({"step": "escape"}, "keys.cancel: it has no key left."),
        ({"help": ""}, "keys.help: it has no key left."),
    ],
)
def test_what_is_refused(overrides: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        remapped(keyed(overrides))
    assert words in str(caught.value)


def test_a_fault_is_said_with_its_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('author = "ana"\n[keys]\nstep = "s"\nflop = "x"\nturn = "hyper+x"\n')
    with pytest.raises(ConfigError) as caught:
        remapped(load_config(tmp_path, None, {}))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{path}: line 4: keys.flop: there is no such action.")
    assert lines[1].startswith(f"{path}: line 5: keys.turn: 'hyper+x' is no key.")


def test_bindings_footer_and_help_follow() -> None:
    """In a process of its own: the registry is changed before any screen is loaded."""
    script = """
from rollstep.tui.remapping import apply_keys
from rollstep.core.config.keys import Config
from rollstep.core.config.loading import Loaded
apply_keys(Loaded(Config(keys={"step": "x f10", "export": "s", "next": "m"}), {}))
from rollstep.tui.actions import footer, key_table
from rollstep.tui.screens.debugger import DebuggerScreen
bound = {key: b.action for b in DebuggerScreen.BINDINGS for key in b.key.split(",")}
shown = "".join(text for line in footer(200) for text, _ in line.spans)
keys = dict(pair[::-1] for _, rows in key_table() for pair in rows)
first = "One step: walks a recorded one, else asks the role"
print(" x step " in shown, "m k" in shown, keys[first])
print(bound["x"], bound["s"])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["True True x F10", "act('step') act('export')"]
