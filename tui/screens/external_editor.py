"""The same text in the human's own editor: written to a private file, edited, read back. Pure of
Textual; the screen suspends the app around ``edit``.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Run = Callable[[list[str]], int]
"""Runs a command on the terminal and returns its exit status. Raises OSError."""


@dataclass(frozen=True)
class Edited:
    """What came back: the new text, or None when it did not change; ``words`` say what happened
    where there is something to say.
    """

    text: str | None
    words: str = ""


def editor_command(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The human's editor from VISUAL or EDITOR as a command; empty when neither is set."""
    for name in ("VISUAL", "EDITOR"):
        value = environment.get(name, "").strip()
        if value:
            try:
                return shlex.split(value)
            except ValueError:
                return [value]
    return []


def edit(
    text: str,
    *,
    suffix: str = ".txt",
    command: list[str] | None = None,
    run: Run | None = None,
) -> Edited:
    """Open ``text`` in the human's editor and wait. Only a changed file is an edit; a final newline
    that the editor added is not. Never raises for what an editor may do: it says so in words.
    """
    command = editor_command() if command is None else command
    if not command:
        return Edited(None, "No editor is set. Set EDITOR, for example: export EDITOR=nano")
    folder = Path(tempfile.mkdtemp(prefix="rollstep-"))
    path = folder / f"text{suffix}"
    keep = False
    try:
        before = text.encode("utf-8", "surrogatepass")
        _write_private(path, before)
        status = (run or _run)([*command, str(path)])
        if status != 0:
            return Edited(None, f"{command[0]} ended with status {status}; nothing was changed.")
        after = path.read_bytes()
        if after == before:
            return Edited(None, "Nothing was changed.")
        new = _without_added_newline(text, after.decode("utf-8", "surrogatepass"))
        return Edited(None, "Nothing was changed.") if new == text else Edited(new)
    except UnicodeDecodeError as error:
        keep = True
        return Edited(
            None,
            f"The saved file is not UTF-8 (byte {error.start + 1}), so nothing was changed; "
            f"it is kept at {path}",
        )
    except FileNotFoundError:
        lost = command[0] if shutil.which(command[0]) is None else "the file"
        return Edited(None, f"Could not find {lost}. Set EDITOR to an editor that is installed.")
    except OSError as error:
        return Edited(None, f"{command[0]} could not be used: {error.strerror or error}")
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str]) -> int:
    return subprocess.call(command)


def _write_private(path: Path, data: bytes) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)


def _without_added_newline(old: str, new: str) -> str:
    """Without the newline that editors put at the end of a file, if ``old`` had none."""
    if old.endswith("\n") or not new.endswith("\n"):
        return new
    if new.endswith("\r\n") and "\r\n" in old:
        return new[:-2]
    return new[:-1]
