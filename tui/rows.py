"""What the pure side hands to the widgets: rows of styled spans, safe to draw as they are.

A style is a name that the theme knows, with modifiers after colons (``call:ahead:sel``). Rows are
compared and cached by value, so nothing needs to be told what has changed.
"""

from __future__ import annotations

from typing import NamedTuple

Span = tuple[str, str]
"""Text (already through ``sanitize``) and the name of its style."""


class Row(NamedTuple):
    """One line of a pane. ``fill`` styles the rest of the line; the first ``gutter`` cells are
    not part of the text when it is copied.
    """

    spans: tuple[Span, ...] = ()
    fill: str = "text"
    gutter: int = 0

    @property
    def text(self) -> str:
        """The row without its styles."""
        return "".join(text for text, _ in self.spans)


BLANK = Row()


def row(*spans: Span, fill: str = "text", gutter: int = 0) -> Row:
    """A row of these spans, the empty ones left out."""
    return Row(tuple(span for span in spans if span[0]), fill, gutter)
