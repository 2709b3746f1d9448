"""The editor in a real terminal: what outside text may do to it, and the human's own editor."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from ...e2e.terminal import Terminal

PROGRAM = """
import json, sys
from textual.app import App
from rollstep.core.model.messages import parts_text, tool_result
from rollstep.tui.screens.edit_types import EditRequest
from rollstep.tui.screens.editor import EditorScreen

text = json.loads(sys.argv[1])

class Host(App):
    def on_mount(self):
        request = EditRequest("Override", "result", tool_result("c", text))
        self.push_screen(EditorScreen(request), self.done)

    def done(self, result):
        payload = None if result.payload is None else parts_text(result.payload.parts)
        self.exit(json.dumps([result.outcome, payload]))

with open("result.json", "w") as file:
    file.write(Host().run())
"""
HOSTILE = (
    "\x1b]52;c;aGFja2Vk\x07\x9b31m\x1b[2J\u202egnp.exe\u2066 [/b][@click=app.quit]x[/] \ud83d\x00"
)


def run(tmp_path: Path, text: str, editor: str = "") -> Terminal:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    if editor:
        env["EDITOR"] = editor
    return Terminal([sys.executable, program, json.dumps(text)], cwd=tmp_path, env=env, columns=100)


def result(terminal: Terminal, tmp_path: Path) -> list[str | None]:
    assert terminal.wait() == 0
    found: list[str | None] = json.loads((tmp_path / "result.json").read_text())
    return found


def test_hostile_text_is_edited_without_acting_and_comes_back_exactly(tmp_path: Path) -> None:
    with run(tmp_path, HOSTILE) as terminal:
        terminal.wait_for("gnp.exe")
        terminal.send("a")
        terminal.wait_for("+1 word")
        for harmful in (b"\x1b]52", b"\xc2\x9b", "\u202e".encode(), b"[/b]\x1b"):
            assert harmful not in terminal.raw
        terminal.send("ctrl+s")
        terminal.wait_for("stay here")
        terminal.send("enter")
        assert result(terminal, tmp_path) == ["saved", "a" + HOSTILE]


def test_pasted_line_ends_become_lines_and_a_save_right_after_is_none(tmp_path: Path) -> None:
    with run(tmp_path, "") as terminal:
        terminal.wait_for("Ctrl+S save")
        terminal.write(b"\x1b[200~one\rtwo\x0b\x1b[201~\x13\r")
        terminal.wait_for("two␋")
        terminal.settle(0.5)
        assert terminal.alive
        terminal.send("ctrl+s")
        terminal.wait_for("stay here")
        terminal.send("enter")
        assert result(terminal, tmp_path) == ["saved", "one\ntwo\x0b\n"]


@pytest.mark.parametrize(
    ("editor", "said"),
    [
        ("sed -i s/old/new/", "Taken over from your editor."),
        ("true", "Nothing was changed."),
        ("false", "false ended with status 1"),
        ("no-such-editor", "Could not find no-such-editor"),
        ("", "Set EDITOR"),
    ],
)
def test_the_human_s_own_editor_takes_the_terminal_and_gives_it_back(
    tmp_path: Path, editor: str, said: str
) -> None:
    with run(tmp_path, "old\r\ntext", editor) as terminal:
        terminal.wait_for("Ctrl+S save")
        terminal.write(b"\x07")
        terminal.wait_for(said)
        terminal.send("ctrl+s")
        if "sed" in editor:
            terminal.wait_for("stay here")
            terminal.send("enter")
            assert result(terminal, tmp_path) == ["saved", "new\r\ntext"]
        else:
            assert result(terminal, tmp_path) == ["unchanged", None]
        assert list(tmp_path.glob("rollstep-*")) == []
