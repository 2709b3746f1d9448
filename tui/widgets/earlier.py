"""What was typed into a line before, walked with the arrows. Pure."""

from __future__ import annotations

from collections.abc import Sequence


class Earlier:
    """Texts, the last one first, and where in them the line is."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._texts = tuple(texts)
        self._at = -1
        """-1: at what the human types."""
        self._typed = ""
        self._put = ""
        """What stood in the line when it was opened, or was put there last."""

    def __bool__(self) -> bool:
        return bool(self._texts)

    def begin(self, text: str) -> None:
        """The line is opened with this text."""
        self._at, self._typed, self._put = -1, text, text

    def takes(self, by: int, text: str, *, choosing: bool, offers: bool) -> bool:
        """Whether an arrow walks these, and not the completions: where there are none, and in a
        line that is empty or as it was put, as long as no completion was chosen.
        """
        if not self._texts:
            return False
        as_put = text == self._put and not choosing
        return not offers or (as_put and (by < 0 or self._at >= 0))

    def walk(self, by: int, text: str) -> str | None:
        """The text before (-1) or after the one in the line; None at the ends."""
        if text != self._put:  # it was changed: that is what is typed now
            self._at, self._typed = -1, text
        at = self._at
        while True:
            at -= by
            if not -1 <= at < len(self._texts):
                return None
            new = self._typed if at < 0 else self._texts[at]
            if new != text:
                break
        self._at, self._put = at, new
        return new
