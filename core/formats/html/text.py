"""From text to HTML: the one door through which anything reaches the page."""

from __future__ import annotations

import json
from html import escape

from ...rules.hidden import belongs, is_clean, mark, unsafe
from ...rules.json_layout import lay_out
from ...rules.word_diff import Stretch

_LAID_OUT = 100_000
"""JSON longer than this is shown as it came."""


def el(tag: str, *inner: str, cls: str = "", **attributes: str) -> str:
    """An element. ``inner`` is HTML already; attributes are texts, and a trailing underscore keeps
    their names from Python's words.
    """
    given = {"class": cls, **attributes} if cls else attributes
    pairs = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{plain(value)}"' if value else f" {name}"
        for name, value in given.items()
    )
    return f"<{tag}{pairs}>{''.join(inner)}</{tag}>"


def shown(text: str, *, breaks: bool = False) -> str:
    """A text as HTML, with a mark for everything that hides or acts; ``breaks`` marks line feeds
    and tabs too, for places of one line.
    """
    if is_clean(text) and not (breaks and ("\n" in text or "\t" in text)):
        return escape(text)
    pieces: list[str] = []
    start = 0
    for found in unsafe(breaks).finditer(text):
        if belongs(found):
            continue
        pieces += (escape(text[start : found.start()]), _marked(mark(found)))
        start = found.end()
    pieces.append(escape(text[start:]))
    return "".join(pieces)


def _marked(sign: str) -> str:
    return f'<span class="hid">{escape(sign)}</span>'


def plain(text: str) -> str:
    """A text of one line for an attribute or a title, where marks cannot be elements."""
    return escape(unsafe(breaks=True).sub(mark, text))


def line(text: str) -> str:
    """A text for a place of one line."""
    return shown(text, breaks=True)


def block(text: str, cls: str = "text") -> str:
    """A text on lines of its own; its own direction, and its own line breaks."""
    return el("div", shown(text), cls=cls, dir="auto")


def json_block(text: str) -> str:
    """JSON laid out over lines, every token as it was written; other text as it is."""
    return block(laid_out(text), "json")


def laid_out(text: str) -> str:
    """JSON objects and lists over lines; anything else as it is."""
    if len(text) > _LAID_OUT or text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return lay_out(text)


def fold(summary: str, *inner: str, cls: str = "", opened: bool = False) -> str:
    """Something that opens with a click. ``summary`` is HTML."""
    more = {"open": ""} if opened else {}
    return el("details", el("summary", summary), *inner, cls=cls, **more)


_TAGS = {"same": "span", "removed": "del", "added": "ins"}


def difference(stretches: list[Stretch]) -> str:
    """Two texts as one, with what was taken out and put in."""
    pieces = [el(_TAGS[stretch.kind], shown(stretch.text)) for stretch in stretches]
    return el("div", *pieces, cls="text", dir="auto")
