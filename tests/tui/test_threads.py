"""What must not hold up the screen runs on the engine's thread."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.store.library import Library

from .conftest import Opened


async def test_the_library_is_used_on_another_thread_than_the_screens(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that hangs must not freeze the picture: not at a step, an edit, an undo or a draft."""
    used: set[threading.Thread] = set()
    begin = Library._transaction

    def watched(self: Library, *args: Any, **options: Any) -> Any:
        used.add(threading.current_thread())
        return begin(self, *args, **options)

    async with opened(sample="refund") as driver:
        monkeypatch.setattr(Library, "_transaction", watched)
        await driver.press("s", "s", "s", "t", "u", "U", "k", "k", "g", "G")
        steps = len(driver.screen.model.rollout)
    assert steps > 3
    assert used
    assert threading.current_thread() not in used


def test_news_from_before_the_app_waits_for_it_and_loads_nothing(tmp_path: Path) -> None:
    """The engine opens a rollout while Textual is being imported: two threads importing it at once
    end in a module that is half there.
    """
    script = (
        "import sys\n"
        "from rollstep.tui.start import start_controller\n"
        "from rollstep.tui.target import OpenTarget\n"
        "controller = start_controller(None)\n"
        "controller.open(OpenTarget(sample='refund', recorded=True, step=3)).result()\n"
        "controller.engine.submit(controller.engine.session.go_to(None)).result()\n"
        "assert controller.take_events()\n"
        "controller.stop()\n"
        "sys.exit(any(name.partition('.')[0] == 'textual' for name in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False)
    assert done.returncode == 0
