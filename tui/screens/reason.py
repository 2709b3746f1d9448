"""A small dialog that asks why, and offers the reasons that were given before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..widgets.text_box import TextBox
from ..wrap import fit
from .key_guard import KeyGuard

_LISTED = 5
"""Earlier reasons that are shown; Up and Down go through all."""
_WIDTH = 76


@dataclass(frozen=True)
class ReasonRequest:
    """``title`` says what the reason is for, ``text`` more about it, ``keys`` what Enter does.
    ``earlier`` are reasons that were given before, the last one first; ``name`` stands before the
    line.
    """

    title: str
    text: str = ""
    keys: str = "Enter"
    earlier: tuple[str, ...] = ()
    name: str = "reason"


class ReasonScreen(ModalScreen[str | None]):
    """Dismisses with the reason, which may be empty, or None."""

    CSS_PATH = "reason.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("ctrl+s", "go", "Go"),
    ]

    def __init__(self, request: ReasonRequest) -> None:
        super().__init__()
        self.request = request
        self._guard = KeyGuard()
        self._box = TextBox(single_line=True, choices=request.earlier)

    def compose(self) -> ComposeResult:
        """What it is for, the line, the earlier reasons, the keys."""
        request = self.request
        with Vertical(id="dialog"):
            yield Static(Content(one_line(request.title)), id="title")
            if request.text:
                yield Static(Content(visible(request.text)), id="text")
            with Horizontal(id="row"):
                yield Static(Content(self.request.name), id="name")
                yield self._box
            if request.earlier:
                yield Static(Content(self._earlier()), id="earlier")
            yield Static(Content(self._keys()), id="keys")

    def on_mount(self) -> None:
        """Type at once."""
        self._box.focus()
        self._guard.opened("the dialog opens")

    def _earlier(self) -> str:
        reasons = self.request.earlier
        lines = [fit(one_line(reason[:400]), _WIDTH) for reason in reasons[:_LISTED]]
        more = len(reasons) - _LISTED
        return "\n".join([*lines, *([f"and {more} more"] if more > 0 else [])])

    def _keys(self) -> str:
        up = "   Up Down an earlier reason" if self.request.earlier else ""
        return f"{self.request.keys}{up}   Esc cancel"

    def on_text_box_pasted(self) -> None:
        """Enter rests for a moment: it may be the paste's own tail."""
        self._guard.pasted()

    def on_text_box_submitted(self) -> None:
        """Enter."""
        self.action_go()

    def action_go(self) -> None:
        """With what the line says now."""
        if self._guard.closed:
            self.query_one("#keys", Static).update(Content(self._guard.words("Enter")))
        else:
            self.dismiss(self._box.value)

    def action_cancel(self) -> None:
        """Nothing happens."""
        self.dismiss(None)
