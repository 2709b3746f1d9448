"""``?`` on a screen that has keys of its own: all of them, from its bindings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.keys import key_to_character
from textual.screen import Screen

from ..present_bars import key_name

HELP = Binding("question_mark,f1", "help", "Keys", show=False)
"""Stands among the bindings of a screen with ``OwnKeys``."""

_DIGITS = re.compile(r"\d(?: \d)+")


class OwnKeys:
    """A screen whose bindings say what its keys do; ``KEYS_TITLE`` stands over them."""

    KEYS_TITLE: ClassVar[str]

    def action_help(self) -> None:
        """All keys of this screen."""
        from .help import HelpScreen

        assert isinstance(self, Screen)
        screen: Screen[Any] = self
        screen.app.push_screen(HelpScreen([(self.KEYS_TITLE, key_rows(screen.BINDINGS))]))


def key_rows(bindings: Iterable[BindingType]) -> list[tuple[str, str]]:
    """Keys as people write them, and what they do; those that do the same in one row."""
    rows: dict[str, list[str]] = {}
    for binding in bindings:
        assert isinstance(binding, Binding)
        shown = (key_name(key, key_to_character(key)) for key in binding.key.split(","))
        rows.setdefault(binding.description, []).extend(shown)
    return [(_DIGITS.sub(_range, " ".join(keys)), what) for what, keys in rows.items()]


def _range(found: re.Match[str]) -> str:
    return f"{found[0][0]}-{found[0][-1]}"
