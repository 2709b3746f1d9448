"""The small bar under an editor that asks one question at a time, answered by one key."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from ..sanitize import one_line
from .key_guard import KeyGuard


@dataclass(frozen=True)
class Answer:
    """One key, how it is shown, and what it means."""

    key: str
    shown: str
    words: str


class SaveBar(Static):
    """Shows hints while there is no question; takes the focus while there is one."""

    DEFAULT_CSS = """
    SaveBar {
        height: auto;
        max-height: 6;
        padding: 0 1;
        color: $text-muted;
        &:focus { background: $primary-muted; color: $text; }
    }
    """

    class Answered(Message):
        """A key was pressed: ``key`` is the answer's, or ``escape``."""

        def __init__(self, question: str, key: str) -> None:
            super().__init__()
            self.question = question
            self.key = key

    def __init__(self, guard: KeyGuard) -> None:
        super().__init__()
        self.guard = guard
        self._question = ""
        self._answers: tuple[Answer, ...] = ()
        self._hints = ""

    @property
    def asking(self) -> str:
        """The name of the question being asked, or the empty string."""
        return self._question

    def hint(self, words: str) -> None:
        """Keys to show while nothing is asked."""
        self._hints = words
        if not self._question:
            self.update(Content(one_line(words)))

    def ask(self, question: str, words: list[str], answers: tuple[Answer, ...]) -> None:
        """Ask: ``words`` above, the answers' keys below."""
        self._question, self._answers = question, answers
        pieces: list[str | tuple[str, str]] = []
        for line in words:
            pieces.append(f"{one_line(line)}\n")
        for answer in (*answers, Answer("escape", "Esc", "back")):
            pieces += [(f" {answer.shown} ", "bold reverse"), f" {one_line(answer.words)}   "]
        self.update(Content.assemble(*pieces))
        self.can_focus = True
        self.focus()

    def done(self) -> None:
        """Back to hints."""
        self._question, self._answers = "", ()
        self.can_focus = False
        self.update(Content(one_line(self._hints)))

    def on_key(self, event: events.Key) -> None:
        """An answer, or nothing."""
        if not self._question or event.key in ("tab", "shift+tab", "ctrl+q", "ctrl+c"):
            return
        event.stop()
        event.prevent_default()
        if self.guard.closed:
            return
        if event.key in ("escape", *(answer.key for answer in self._answers)):
            question = self._question
            self.done()
            self.post_message(self.Answered(question, event.key))
