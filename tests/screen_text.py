"""The screen of a running Textual app as plain text, for snapshots.

Text and not SVG: a snapshot is read in a diff by a human, and does not change with a colour or a
Textual release. What colours must say is asserted by tests of their own.
"""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console
from textual.app import App


def screen_text(app: App[Any]) -> str:
    """What a human would read on the screen now, a line per row, trailing spaces cut off.

    Screens that shine through behind a modal one are in it, as they are in a terminal. The app must
    be running (``async with app.run_test(size=(160, 45))``); let it settle with ``pilot.pause()``
    first.
    """
    width, height = app.size
    console = Console(
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
        safe_box=False,
    )
    # What App.export_screenshot renders; Textual has no public way to it that is not SVG.
    console.print(
        app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    )
    lines = console.export_text(styles=False).split("\n")
    return "\n".join(line.rstrip() for line in lines[:height]).rstrip("\n") + "\n"
