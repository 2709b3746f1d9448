"""What must not hold up the screen runs on the engine's thread."""

from __future__ import annotations

import os
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


def test_a_key_right_after_a_paint_waits_for_the_next_one_no_longer_than_this(
    tmp_path: Path,
) -> None:
    """Textual reads how often it paints when it is loaded; the user's own choice stands."""
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from rollstep.core.errors import RollstepError\n"
        "from rollstep.tui.app import run_app\n"
        "from rollstep.tui.target import OpenTarget\n"
        "try:\n"
        "    run_app(library=None, throwaway=True, target=OpenTarget(path=Path('missing.yaml')))\n"
        "except RollstepError:\n"
        "    print(round(1 / sys.modules['textual.screen'].UPDATE_PERIOD))\n"
    )
    usual = {name: value for name, value in os.environ.items() if name != "TEXTUAL_FPS"}
    for env, paints in ((usual, 120), (usual | {"TEXTUAL_FPS": "30"}, 30)):
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
        assert int(done.stdout) == paints
