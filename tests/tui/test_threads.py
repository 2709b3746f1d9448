"""What must not hold up the screen runs on the engine's thread."""

from __future__ import annotations

import threading
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
