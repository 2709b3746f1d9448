"""The README's picture."""

from __future__ import annotations

import re
from html import unescape

from .screenshot import CELL, picture


async def test_the_picture_keeps_indents_as_places_and_fetches_nothing() -> None:
    svg = await picture()
    texts = [
        (float(x), unescape(text))
        for x, text in re.findall(r'<text[^>]*x="([\d.]+)"[^>]*>([^<]*)</text>', svg)
    ]
    brace = next(x for x, text in texts if text == "{")
    keys = [x for x, text in texts if text.startswith('"order_id":') and x > brace]
    assert keys == [round(brace + 2 * CELL, 1)]
    assert "@font-face" not in svg
