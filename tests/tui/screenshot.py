"""The README's picture, taken by the app itself.

``python -m tests.tui.screenshot docs/screenshot.svg`` opens the refund sample's recording, goes to
the step with the wrong argument, and exports the screen.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from rollstep.core.samples import sample
from rollstep.tui.rollstep_app import RollstepApp
from rollstep.tui.start import start_controller
from rollstep.tui.target import OpenTarget

SIZE = (160, 45)
CELL = 12.2
"""Width of a cell in the picture."""
KEYS = ("g", "j", "j", "j", "j", "j")


async def picture() -> str:
    """The screen as SVG, without the web font that would be fetched from elsewhere."""
    controller = start_controller(None)
    try:
        controller.started.result()
        recording = sample("refund").bundle
        snapshot = controller.open(OpenTarget(path=recording)).result()
        app = RollstepApp(controller, snapshot)
        async with app.run_test(size=SIZE) as pilot:
            for key in KEYS:
                await pilot.press(key)
                await pilot.pause()
            await pilot.pause(0.2)
            svg = app.export_screenshot(title="rollstep demo refund")
    finally:
        controller.stop()
    return _INDENTED.sub(_indent, re.sub(r"@font-face\s*\{[^}]*\}", "", svg))


_INDENTED = re.compile(
    r'x="([\d.]+)"( y="[\d.]+" textLength=")([\d.]+)("[^>]*>)((?:&#160;)+)(?=[^<])'
)


def _indent(found: re.Match[str]) -> str:
    """Leading blanks as a place further right: not every viewer keeps them."""
    x, y, length, rest, blanks = found.groups()
    wide = CELL * (len(blanks) // len("&#160;"))
    return f'x="{float(x) + wide:g}"{y}{float(length) - wide:g}{rest}'


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(asyncio.run(picture()), encoding="utf-8")
