"""A crash in words, and its report in a file: where it happened, never anybody's values."""

from __future__ import annotations

import os
import traceback
from datetime import UTC, datetime
from pathlib import Path

from rollstep.core.workers.secrets import mask

from .settings import data_folder


def crash_words(error: BaseException, folder: Path | None = None) -> str:
    """What to print after a crash. The report holds the traceback without local variables, with
    secrets of the environment taken out.
    """
    report = mask("".join(traceback.format_exception(error)))
    where = _write(report, folder or data_folder() / "crashes")
    first = f"rollstep crashed: {type(error).__name__}: {mask(str(error))}"
    saved = "Steps that were shown as saved are in the library."
    if where is None:
        return f"{first}\n{saved} The report could not be written; here it is:\n{report}"
    return f"{first}\n{saved} The report is in {where}."


def _write(report: str, folder: Path) -> Path | None:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"crash-{stamp}-{os.getpid()}.txt"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report)
    except OSError:
        return None
    return path
