"""Choosing what to compare with: what this rollout holds at once, other rollouts when the library
has been asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from textual.content import Content
from textual.widgets import Static

from ..comparing.choices import Choice
from .choose import ChooseRequest, ChooseScreen, Option

_LOOKING = "Looking for other rollouts of this project …"
_NOTHING = "There is nothing to compare with: one branch, and no other rollout of this project."


class CompareChoice(ChooseScreen):
    """The list of what can be compared with the branch that is shown."""

    def __init__(self, found: Iterable[Choice], chosen: str) -> None:
        options = tuple(_option(choice) for choice in found)
        title = "Compare the branch shown with"
        super().__init__(ChooseRequest(title, options, _LOOKING, chosen, filterable=True))

    def add(self, found: Iterable[Choice]) -> None:
        """Other rollouts, as soon as they are known."""
        before = self._list.current
        options = (*self.request.options, *(_option(choice) for choice in found))
        self.request = replace(self.request, options=options)
        text = self.query_one("#text", Static)
        text.update(Content("" if options else _NOTHING))
        text.display = not options
        self._list.styles.height = max(len(options), 1)
        self._fit()
        self._refilter()
        if before is None or before.key == options[0].value:  # nobody has moved yet
            self._list.go_to(self.request.chosen)


def _option(choice: Choice) -> Option:
    return Option(choice.id, choice.words, choice.detail)
