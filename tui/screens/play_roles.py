"""A small dialog, once for an import: who plays each role from here on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rollstep.core.model.steps import Step
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..playing import RoleChoice, Roles, choice_words, lacking, ways
from ..sanitize import one_line
from ..who import LANES
from ..widgets.row_list import Column, ListRow, RowList
from ..widgets.text_box import TextBox
from .key_guard import KeyGuard

_COLUMNS = (Column(14, "strong"), Column(13), Column(look="muted"))
_KEYS = "Enter go on   j k role   h l who plays it   m model   Esc back"
_TYPING = "As litellm calls it; NAME @ http://… for a server of your own.   Enter back to the roles"
_TEXT = (
    "This was imported, and nobody has said yet who plays on. Asked once: the project remembers it."
)


@dataclass(frozen=True)
class PlayRolesRequest:
    """``roles`` is what is proposed, ``path`` what is recorded, ``turns`` how many there have been
    on the branch that goes on.
    """

    roles: Roles
    path: Sequence[Step]
    turns: int


class PlayRolesScreen(ModalScreen[Roles | None]):
    """Dismisses with how the roles are played, or None."""

    CSS_PATH = "play_roles.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h,left", "change(-1)", "Who plays it"),
        Binding("l,right", "change(1)", "Who plays it"),
        Binding("m", "model", "Name the model"),
        Binding("escape", "back", "Back"),
    ]

    def __init__(self, request: PlayRolesRequest) -> None:
        super().__init__()
        self._path, self._turns = request.path, request.turns
        self._roles = list(request.roles)
        self._guard = KeyGuard()
        self._list = RowList()
        self._box = TextBox(single_line=True)
        self._row = Horizontal(Static("model", id="name"), self._box, id="row")
        self._keys = Static(_KEYS, id="keys")

    def compose(self) -> ComposeResult:
        """Why it is asked, the roles, the model of the one under the cursor, the keys."""
        with Vertical(id="dialog"):
            yield Static("Who plays from here?", id="title")
            yield Static(Content(_TEXT), id="text")
            yield self._list
            yield self._row
            yield self._keys

    def on_mount(self) -> None:
        """What is proposed can be taken at once."""
        self._guard.opened("the dialog opens")
        self._list.focus()
        self._show()

    @property
    def _at(self) -> int:
        return max(self._list.cursor, 0)

    def _show(self) -> None:
        rows = [
            ListRow(
                (LANES[place], f"‹ {choice.playing} ›", self._words(choice)),
                choice.role,
                _COLUMNS,
            )
            for place, choice in enumerate(self._roles)
        ]
        self._list.show(rows)
        self._show_model()

    def _words(self, choice: RoleChoice) -> str:
        return choice_words(self._path, self._turns, choice)

    def _show_model(self) -> None:
        choice = self._roles[self._at]
        live = choice.playing == "live"
        self._row.display = live
        if live and self._box.value != choice.model:
            self._box.value = choice.model

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """The model of another role."""
        self._show_model()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter: go on so, unless a model is lacking."""
        missing = lacking(tuple(self._roles))
        if self._guard.closed:
            self._say(self._guard.words("Enter"))
        elif missing is not None:
            self._list.go_to(missing.role)
            self._show_model()
            self.action_model()
            self._say(f"Name the model that is to play this role. {_TYPING}")
        else:
            self.dismiss(tuple(self._roles))

    def action_change(self, by: int) -> None:
        """Somebody else plays the role under the cursor."""
        if not self._list.has_focus:
            return
        choice = self._roles[self._at]
        known = ways(self._path, choice.role)
        following = known[(known.index(choice.playing) + by) % len(known)]
        model = choice.model or self._any_model() if following == "live" else choice.model
        self._roles[self._at] = RoleChoice(choice.role, following, model)
        self._show()
        self._say(_KEYS)

    def _any_model(self) -> str:
        return next((choice.model for choice in self._roles if choice.model), "")

    def action_model(self) -> None:
        """Type the model's name."""
        if self._roles[self._at].playing != "live":
            self._say("Only a live role has a model: l chooses another way to play it.")
            return
        self._box.focus()
        self._box.move_cursor(self._box.document.end)
        self._say(_TYPING)

    def on_text_box_pasted(self) -> None:
        """Enter rests for a moment: it may be the paste's own tail."""
        self._guard.pasted()

    def on_text_box_submitted(self) -> None:
        """The name is typed."""
        self._take_model()

    def action_back(self) -> None:
        """Out of the model's name, then out."""
        if self._box.has_focus:
            self._take_model()
        else:
            self.dismiss(None)

    def _take_model(self) -> None:
        self._roles[self._at] = self._roles[self._at]._replace(model=self._box.value.strip())
        self._list.focus()
        self._show()
        self._say(_KEYS)

    def _say(self, words: str) -> None:
        self._keys.update(Content(one_line(words)))
