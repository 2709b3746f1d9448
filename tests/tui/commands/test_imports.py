"""``rollstep import``: what it prints, what it leaves out, and its exit status."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rollstep.core.importing import FileProgress
from rollstep.core.store.library import Library
from rollstep.tui.commands.file_progress import FileLine, progress_words
from rollstep.tui.commands.interrupting import stop_on_interrupt

from .conftest import RunCli

GOOD = (
    '{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}'
)


def test_what_was_read_written_and_skipped_is_told_with_numbers(
    cli: RunCli, tmp_path: Path
) -> None:
    path = tmp_path / "log[bold].jsonl"
    bad = "\n".join(f'{{"a\x1b[31m": {number}' for number in range(14))
    path.write_text(f"{GOOD}\n{bad}\n{GOOD}\n")
    library = tmp_path / "library.sqlite"
    status, out, err = cli("import", path, "--library", library)
    lines = err.splitlines()
    assert (status, out) == (1, "")
    assert lines[0].startswith(f"skipped: {path}: line 2, column ")
    assert len(lines) == 12
    assert lines[10] == "skipped: 4 more; `rollstep validate` names all of them"
    assert lines[11] == (
        f"read 16 records (openai 2), wrote 2 rollouts, skipped 14; library {library}"
    )
    assert "\x1b" not in err
    with Library.open(library) as opened:
        assert opened.count() == 2


def test_what_is_there_already_is_passed_over(cli: RunCli, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{GOOD}\n{GOOD}\n")
    library = tmp_path / "library.sqlite"
    assert cli("import", path, "--library", library)[0] == 0
    status, _, err = cli("import", path, path, "--library", library)
    assert status == 0
    assert "wrote 0 rollouts, 4 were there already" in err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "the file is empty"),
        ("Notes", "no JSON"),
        ('{"a": 1}', "no format that is known"),
        ("[]", "no records"),
    ],
)
def test_a_file_of_which_nothing_can_be_used_is_status_2(
    content: str, words: str, cli: RunCli, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(content)
    status, _, err = cli("import", path, "--library", tmp_path / "library.sqlite")
    assert status == 2
    assert words in err


def test_a_format_that_is_not_known_is_told_with_those_that_are(
    cli: RunCli, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(GOOD)
    status, _, err = cli("import", path, "--format", "x", "--library", tmp_path / "l.sqlite")
    assert status == 2
    assert "no format 'x'" in err
    assert "openai" in err


def test_ctrl_c_stops_with_what_was_read_saved_and_it_goes_on(tmp_path: Path) -> None:
    path, library = tmp_path / "log.jsonl", tmp_path / "library.sqlite"
    count = 3000
    path.write_text("".join(GOOD.replace("hi", f"hi {number}") + "\n" for number in range(count)))
    script = (
        "import os, signal, sys\n"
        "from rollstep.core.importing.taking import Taking\n"
        "flush = Taking.flush\n"
        "def flush_and_interrupt(self):\n"
        "    flush(self)\n"
        "    if self.written and not os.environ.pop('PRESSED', None):\n"
        "        return\n"
        "    if self.written: os.kill(os.getpid(), signal.SIGINT)\n"
        "Taking.flush = flush_and_interrupt\n"
        "from rollstep.tui.cli import main\n"
        "os.environ['PRESSED'] = '1'\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", script, "import", str(path), "--library", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert "goes on from there" in done.stderr
    with Library.open(library) as opened:
        saved = opened.count()
        assert 0 < saved < count
    command[1:3] = ["-m", "rollstep.tui"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"wrote {count - saved:,} rollouts, {saved:,} were there already" in done.stderr


def test_the_second_ctrl_c_interrupts_at_once() -> None:
    with stop_on_interrupt() as stop:
        assert not stop()
        signal.raise_signal(signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_progress_tells_the_rate_and_the_time_left() -> None:
    told = FileProgress(Path("b.jsonl"), 2, 3, 250_000_000, 1_000_000_000, 90_000)
    assert progress_words(told, 30.0) == (
        "90,000 records, 3,000/s, 25% of 1.0 GB, 1 min 30 s left, file 2 of 3: b.jsonl"
    )
    alone = FileProgress(Path("b"), 1, 1, 0, 0, 5)
    assert progress_words(alone, 0.0) == "5 records, 0/s"


def test_plain_lines_of_progress_come_every_few_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0
    line = FileLine(lambda: now)
    for read in range(12):
        now = float(read)
        line(FileProgress(Path("b"), 1, 1, read, 100, read))
    line.clear()
    assert len(capsys.readouterr().err.splitlines()) == 2


class _Terminal(io.StringIO):
    """What a terminal would be sent."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_one_line_is_written_over_again_and_taken_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    now = 0.0
    line = FileLine(lambda: now)
    for read in (1, 2, 3):
        now += 0.2
        line(FileProgress(Path("a\x1b[31m\nb" + "c" * 200), 1, 2, read, 9, read))
    line.clear()
    shown = terminal.getvalue()
    pieces = shown.split("\r\x1b[K")
    assert len(pieces) == 5
    assert pieces[-1] == ""
    assert not any("\x1b" in piece or "\n" in piece or len(piece) > 79 for piece in pieces)
