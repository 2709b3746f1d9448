"""What the controller tells the app, from the engine's thread."""

from __future__ import annotations

from textual.message import Message


class EngineNews(Message):
    """Events are waiting to be taken from the controller."""


class CommandEnded(Message):
    """A command of the human is over. ``result`` is what the session gave, ``error`` why not."""

    def __init__(self, label: str, result: object, error: BaseException | None) -> None:
        super().__init__()
        self.label = label
        self.result = result
        self.error = error
