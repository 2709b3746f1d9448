"""What stands after the last step, as a pane shows it: a failure, or an answer on its way.

An answer grows with every token while it is painted over and over. Lines of it that are complete
stay as they are and are not wrapped again.
"""

from __future__ import annotations

from rollstep.core.model.steps import Attempt

from .failing import what_now
from .sanitize import one_line, visible
from .snapshot import Asking
from .stepview import PANE_LINES, PaneLine, text_lines
from .wrap import fit, wrap_line

_NOTICE_LINES = 3
_PARTIAL_LINES = 4
_LONGEST = 4000
"""Characters that are wrapped at once of a text which cannot be wrapped piece by piece."""


class Growing:
    """The last lines of a text that only grows."""

    def __init__(self) -> None:
        self._width = 0
        self._seen = 0
        self._start = 0
        """Where a line begins, above those that are asked for."""

    def lines(self, text: str, width: int, count: int) -> list[str]:
        """The last ``count`` lines at this width; the text begins as it did the last time."""
        if width != self._width or len(text) < self._seen:
            self._width, self._start = width, 0
        self._seen = len(text)
        # Of a text that came at once, so much is enough to fill the lines.
        if len(text) - self._start > _LONGEST:
            self._start = max(self._start, len(text) - _LONGEST // 2)
        fresh = text[self._start :]
        shown = visible(fresh)
        pieces = _pieces(shown, width)
        if shown == fresh and len(pieces) > count:
            # Marks for hidden characters change places; a text without them keeps its own.
            self._start += pieces[-count][1]
        return [piece for piece, _ in pieces[-count:]]


def _pieces(text: str, width: int) -> list[tuple[str, int]]:
    """The lines of a text, each with the place at which it begins."""
    found: list[tuple[str, int]] = []
    start = 0
    while True:
        newline = text.find("\n", start)
        stop = len(text) if newline < 0 else newline
        found += wrap_line(text, start, stop, width)
        if newline < 0:
            return found
        start = newline + 1


class Tail:
    """The lines of what stands there, made once for every change of it."""

    def __init__(self) -> None:
        self._made: tuple[Attempt | Asking, int] | None = None
        self._lines: list[PaneLine] = []
        self._growing = Growing()
        self._asked: tuple[str | None, float] | None = None

    def lines(self, tail: Attempt | Asking, width: int) -> list[PaneLine]:
        """The lines of a failure or an answer, at this width."""
        made = self._made
        if made is None or made[0] is not tail or made[1] != width:
            self._made = tail, width
            if isinstance(tail, Asking):
                self._lines = self._asking(tail, width)
            else:
                self._lines = failed_lines(tail, width)
        return self._lines

    def _asking(self, asking: Asking, width: int) -> list[PaneLine]:
        pace = asking.pace(brief=True)
        who = fit(one_line(asking.who), max(width - len(pace) - 10, 8))
        lines = [PaneLine("busy", fit(f"asking {who} … {pace}".rstrip(), width))]
        if asking.notice:
            lines += text_lines(asking.notice, width, "warn", _NOTICE_LINES)
        if self._asked != (asking.parent_id, asking.started):
            self._asked, self._growing = (asking.parent_id, asking.started), Growing()
        if asking.text:
            text = self._growing.lines(asking.text, width, PANE_LINES - len(lines))
            lines += [PaneLine("text", line) for line in text]
        return lines


def failed_lines(attempt: Attempt, width: int) -> list[PaneLine]:
    """A failure: what happened, what had arrived, and what can be done."""
    lines = text_lines(attempt.words, width, "error", PANE_LINES)
    if attempt.partial:
        lines += text_lines(attempt.partial, width, "text", _PARTIAL_LINES)
    more = text_lines(what_now(attempt), width, "dim", PANE_LINES)
    how = "cancelled" if attempt.kind == "cancelled" else "failed"
    return [PaneLine("error", how), *lines, *more]
