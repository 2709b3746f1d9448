"""A text area that keeps every character it was given and never sends one raw to the terminal."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from .json_colours import json_stretches
from .text_marks import TextMarks, describe

Language = Literal["text", "json"]


class TextBox(TextArea):
    """Multi-line text, or one line of it. ``value`` is the exact text; ``text`` is Textual's own
    view of it, with stand-ins for what it would change.
    """

    DEFAULT_CSS = """
    TextBox {
        border: none;
        padding: 0 1;
        background: $surface;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background: $boost; }
        &.-line { height: 1; scrollbar-size: 0 0; }
        .text-box--mark { color: $warning; text-style: reverse; }
        .text-box--key { color: $primary; }
        .text-box--string { color: $success; }
        .text-box--number { color: $accent; }
        .text-box--word { color: $accent; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "text-box--mark",
        "text-box--key",
        "text-box--string",
        "text-box--number",
        "text-box--word",
    }
    BINDINGS: ClassVar[list[BindingType]] = []

    class Submitted(Message):
        """Enter was pressed in a single-line box."""

        def __init__(self, box: TextBox) -> None:
            super().__init__()
            self.box = box

        @property
        def control(self) -> TextBox:
            """The box."""
            return self.box

    class Pasted(Message):
        """Text was pasted: what follows at once may be the paste's own tail, not keys."""

    def __init__(
        self,
        value: str = "",
        *,
        language: Language = "text",
        single_line: bool = False,
        choices: tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        """Up and Down in a single-line box go through ``choices``."""
        self.marks = TextMarks(single_line=single_line)
        self.single_line = single_line
        self.shows: Language = language
        self.choices = choices
        self._copied = ("", "")
        super().__init__(
            self.marks.encode(value),
            soft_wrap=not single_line,
            highlight_cursor_line=False,
            **more,
        )
        self.set_class(single_line, "-line")

    @property
    def value(self) -> str:
        """The exact text, with every character that the widget itself could not hold."""
        return self.marks.decode(self.text)

    @value.setter
    def value(self, value: str) -> None:
        self.load_text(self.marks.encode(value))

    def put(self, value: str) -> None:
        """Replace the whole text as one edit, which Ctrl+Z takes back."""
        self.replace(self.marks.encode(value), *self._everything(), maintain_selection_offset=False)

    def mark_at_cursor(self) -> str:
        """The name of the marked character under the cursor, or the empty string."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        char = self.marks.char(line[column]) if column < len(line) else None
        return describe(char) if char else ""

    def get_line(self, line_index: int) -> Text:
        """The line as drawn: signs for marked characters, colours for JSON."""
        held = self.document.get_line(line_index)
        shown = self.marks.show(held)
        line = Text(shown, end="", no_wrap=True)
        if self.shows == "json":
            for start, end, kind in json_stretches(shown):
                line.stylize(self.get_component_rich_style(f"text-box--{kind}"), start, end)
        if shown != held:
            style = self.get_component_rich_style("text-box--mark")
            for column, (old, new) in enumerate(zip(held, shown, strict=True)):
                if old != new:
                    line.stylize(style, column, column + 1)
        return line

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines. A box that has just been removed may be asked once more, when its styles are
        gone already: it is blank then.
        """
        if not self.is_attached:
            return [Strip.blank(crop.width) for _ in range(crop.height)]
        return super().render_lines(crop)

    def _refresh_size(self) -> None:
        """Know the size of the text. One line is never higher: the screen need not be laid out anew
        for each letter, which takes longer than all the rest of a key.
        """
        if not self.single_line:
            super()._refresh_size()
            return
        width, height = self.document.get_size(self.indent_width)
        self.set_reactive(TextBox.virtual_size, Size(width + self.gutter_width + 1, height))
        self._refresh_scrollbars()
        self.refresh()

    async def _on_key(self, event: events.Key) -> None:
        if self.single_line and event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Submitted(self))
            return
        if self.choices and event.key in ("up", "down"):
            event.stop()
            event.prevent_default()
            self._choose(1 if event.key == "down" else -1)
            return
        await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        """Insert a paste. Terminals send carriage returns for line ends; they are made newlines,
        everything else stays and is shown as a mark.
        """
        event.stop()
        event.prevent_default()
        self.post_message(self.Pasted())
        if not self.read_only:
            self._insert_outside(event.text.replace("\r\n", "\n").replace("\r", "\n"))

    def action_copy(self) -> None:
        """Copy what is selected, as it looks: no control character reaches the clipboard."""
        if self.selected_text:
            self._copy(self.selected_text)

    def action_cut(self) -> None:
        """Cut what is selected, or the line."""
        if self.read_only:
            return
        start, end = self.selection
        cut = self._delete_cursor_line() if start == end else self._delete_via_keyboard(start, end)
        if cut is not None:
            self._copy(cut.replaced_text)

    def action_paste(self) -> None:
        """Paste; what was copied from this box comes back exactly."""
        if self.read_only:
            return
        shown, exact = self._copied
        clipboard = self.app.clipboard
        self._insert_outside(exact if exact and clipboard == shown else clipboard)

    def _choose(self, by: int) -> None:
        count = len(self.choices)
        if self.value in self.choices:
            index = (self.choices.index(self.value) + by) % count
        else:
            index = 0 if by > 0 else count - 1
        self.put(self.choices[index])

    def _copy(self, held: str) -> None:
        shown = self.marks.show(held)
        self._copied = (shown, self.marks.decode(held))
        self.app.copy_to_clipboard(shown)

    def _insert_outside(self, text: str) -> None:
        result = self._replace_via_keyboard(self.marks.encode(text), *self.selection)
        if result is not None:
            self.move_cursor(result.end_location)

    def _everything(self) -> tuple[tuple[int, int], tuple[int, int]]:
        return self.document.start, self.document.end
