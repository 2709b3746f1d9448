"""A filter that is typed over a list: what stands in it, and what a key does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.events import Key


class TypedFilter:
    """``text`` cuts a list down; ``typing`` while its letters are being typed."""

    def __init__(self) -> None:
        self.text = ""
        self.typing = False

    @property
    def used(self) -> bool:
        """Whether there is something to get out of."""
        return self.typing or bool(self.text)

    def clear(self) -> None:
        """All rows again."""
        self.text, self.typing = "", False

    def take(self, event: Key) -> bool:
        """Take a key while the filter is typed; whether it was one for the filter."""
        if not self.typing:
            return False
        if event.key == "enter":
            self.typing = False
        elif event.key == "backspace":
            self.text = self.text[:-1]
        elif event.is_printable and event.character:
            self.text += event.character
        else:
            return False
        event.stop()
        event.prevent_default()
        return True

    def lets_in(self, *texts: str) -> bool:
        """Whether a row of these texts is to be shown."""
        return self.text.casefold() in " ".join(texts).casefold()

    def words(self, keys: str, showing: str = "   showing ") -> str:
        """The line of keys: what is typed, or the keys and what is shown."""
        if self.typing:
            return f"/{self.text}▏"
        return f"{keys}{showing}{self.text}" if self.text else keys
