"""The last line of defence against outside text, for whatever did not pass through ``visible``."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from .sanitize import one_line


class SafeText(LineFilter):
    """No segment that reaches the terminal holds an unsafe character, and no link leads anywhere
    but to http(s).
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments, made safe; the same list when they are safe already."""
        if all(
            (segment.control or (segment.text.isascii() and segment.text.isprintable()))
            and not (segment.style is not None and segment.style.link)
            for segment in segments
        ):
            return segments
        return [self._safe(segment) for segment in segments]

    @staticmethod
    def _safe(segment: Segment) -> Segment:
        text, style, control = segment
        if control:
            return segment
        if style is not None and style.link and not style.link.startswith(("http://", "https://")):
            style = style.update_link(None)
        return Segment(one_line(text), style, control)
