"""A path being typed, with the names that it may go on as; Tab completes."""

from __future__ import annotations

import os

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from ..sanitize import one_line
from ..screens.path_completion import Completion, complete
from .text_box import TextBox


class PathField(Vertical):
    """A one-line box over a line of names. Posts ``Typed`` as the path changes and ``Chosen`` on
    Enter.
    """

    DEFAULT_CSS = """
    PathField {
        height: auto;
        .path-names { height: auto; max-height: 3; padding: 0 1; color: $text-muted; }
    }
    """

    class Typed(Message):
        """The path is another."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    class Chosen(Message):
        """Enter: this path."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    def __init__(self, path: str = "", *, suffixes: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.box = TextBox(path, single_line=True)
        self.suffixes = suffixes
        self._names = Static("", classes="path-names")
        self._completion: Completion | None = None

    def compose(self) -> ComposeResult:
        """The box, the names."""
        yield self.box
        yield self._names

    @property
    def path(self) -> str:
        """What is typed, as it is."""
        return self.box.value

    @path.setter
    def path(self, path: str) -> None:
        self.box.value = path
        self.box.move_cursor(self.box.document.end)

    @property
    def expanded(self) -> str:
        """The path with ``~`` put in full."""
        return os.path.expanduser(self.path)

    def on_mount(self) -> None:
        """Go on typing at the end."""
        self.box.move_cursor(self.box.document.end)
        self._look(self.path)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """A key."""
        event.stop()
        self._completion = None
        self._look(self.path)
        self.post_message(self.Typed(self.path))

    def on_text_box_submitted(self, event: TextBox.Submitted) -> None:
        """Enter."""
        event.stop()
        self.post_message(self.Chosen(self.path))

    def on_key(self, event: events.Key) -> None:
        """Tab completes as far as it is certain; where there is nothing to add it goes on to the
        next field.
        """
        done = self._completion
        if event.key == "tab" and done is not None and done.text != self.path:
            event.stop()
            event.prevent_default()
            self.path = done.text

    @work(thread=True, exclusive=True)
    def _look(self, path: str) -> None:
        """Off the screen's loop: a folder may be slow."""
        found = complete(path, suffixes=self.suffixes)
        if self.is_attached:
            self.app.call_from_thread(self._show, path, found)

    def _show(self, path: str, found: Completion) -> None:
        if path != self.path:
            return
        self._completion = found
        shown = "  ".join(one_line(name) for name in found.names[:40])
        if found.problem:
            shown = one_line(found.problem)
        self._names.update(Content(shown))
