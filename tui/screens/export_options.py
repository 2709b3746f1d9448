"""The options of an export as a list: a row each, whose value changes in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from ..widgets.row_list import Column, ListRow, RowList
from .export_types import ExportOption

_COLUMNS = (Column(10, "muted"), Column())


class OptionList(RowList):
    """``show_options`` says which there are; h and l, arrows or Space change a row's value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,space", "turn(1)", "Next value", show=False),
        Binding("left,h,backspace", "turn(-1)", "Value before", show=False),
    ]

    class Turned(Message):
        """A value is another."""

    def __init__(self) -> None:
        super().__init__()
        self._options: tuple[ExportOption, ...] = ()
        self.values: dict[str, str] = {}
        """What is chosen, by name, of all options that were ever shown."""

    def show_options(self, options: Sequence[ExportOption]) -> None:
        """Show these, with what is chosen."""
        self._options = tuple(options)
        self.show([self._row(option) for option in options])

    def _row(self, option: ExportOption) -> ListRow:
        value = self.values.setdefault(option.name, option.values[0][0])
        arrows = "‹ › " if len(option.values) > 1 else "    "
        return ListRow((option.label, arrows + option.words(value)), option.name, _COLUMNS)

    def action_turn(self, by: int) -> None:
        """The next value of the row under the cursor, or the one before."""
        row = self.current
        option = next((o for o in self._options if row is not None and o.name == row.key), None)
        if option is None or len(option.values) < 2:
            return
        names = [value for value, _ in option.values]
        at = names.index(self.values[option.name])
        self.values[option.name] = names[(at + by) % len(names)]
        self.show([self._row(each) for each in self._options])
        self.post_message(self.Turned())
