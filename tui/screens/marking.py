"""Asking for a mark: verdicts at once, a reason for a rejection, and what stands behind ``m``. The
debugger and the queue ask alike; each does with the answer what is its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from rollstep.core.model.marks import Mark
from rollstep.core.rules.marking import HIGHEST_RATING, MarkChange

from .mark_menu import KeyMenu, MenuRow, WhyScreen
from .reason import ReasonRequest, ReasonScreen

if TYPE_CHECKING:
    from ..rollstep_app import RollstepApp

Then = Callable[[str, MarkChange], None]
"""Told on which step the mark is to be changed, and how."""

_TYPED = 9
"""Tags that were typed and are offered again."""


class Marked(NamedTuple):
    """What is marked: the end of the branch with what was said of it, and the step at hand; or
    ``many`` rollouts, in words.
    """

    leaf: Mark
    step: Mark | None = None
    number: int = 0
    many: str = ""


class MarkAsking:
    """The questions; ``then`` is told the answers."""

    def __init__(self, app: RollstepApp, then: Then) -> None:
        self.app = app
        self.then = then

    def reject(self, marked: Marked) -> None:
        """Reject, and ask why."""

        def given(reason: str | None) -> None:
            if reason is None:
                return
            self.app.guard.opened("the dialog")
            change = MarkChange(verdict="reject")
            if reason:
                change = MarkChange(verdict="reject", note=reason)
            self.then(marked.leaf.step_id, change)

        reasons = self.app.review_keys.reasons
        title = f"Reject {marked.many}: why?" if marked.many else "Reject: why?"
        self.app.push_screen(WhyScreen(title, reasons), given)

    def mark(self, marked: Marked) -> None:
        """The menu of all other marks."""
        leaf, step = marked.leaf, marked.step
        rows = [
            MenuRow(str(n), f"rating {n} of {HIGHEST_RATING}", leaf.rating == n)
            for n in range(1, HIGHEST_RATING + 1)
        ]
        rows += [
            MenuRow("0", "no rating"),
            MenuRow("t", "tags, on and off", bool(leaf.tags)),
            MenuRow("n", "a note", bool(leaf.note)),
            MenuRow("-", "take the verdict off"),
        ]
        if step is not None:
            trained = step.train is not False
            rows.append(MenuRow("w", f"train on step {marked.number}, on or off", trained))

        def chosen(key: str | None) -> None:
            if key is None:
                return
            if key.isdecimal():
                self.then(leaf.step_id, MarkChange(rating=int(key) or None))
            elif key == "t":
                self._tag(leaf)
            elif key == "n":
                self._note(leaf)
            elif key == "-":
                self.then(leaf.step_id, MarkChange(verdict=None))
            elif step is not None:
                self.then(step.step_id, MarkChange(train=step.train is False))

        self.app.push_screen(KeyMenu(f"Mark {marked.many}".rstrip(), tuple(rows)), chosen)

    def _tag(self, leaf: Mark) -> None:
        tags = self._lettered(leaf)
        if not tags:
            self._typed_tag(leaf)
            return
        rows = [MenuRow(letter, tag, tag in leaf.tags) for letter, tag in tags.items()]
        rows.append(MenuRow("enter", "another, typed"))

        def chosen(key: str | None) -> None:
            if key == "enter":
                self._typed_tag(leaf)
            elif key is not None:
                self.then(leaf.step_id, MarkChange(toggle_tag=tags[key]))

        self.app.push_screen(KeyMenu("Tags: a letter puts one on, or off", tuple(rows)), chosen)

    def _lettered(self, leaf: Mark) -> dict[str, str]:
        """Tags behind a key: those of the configuration, then with a number those that stand here
        and those that were typed last.
        """
        tags = dict(self.app.review_keys.tags)
        others = dict.fromkeys((*leaf.tags, *reversed(self.app.typed_tags)))
        free = (digit for digit in "123456789" if digit not in tags)
        known = set(tags.values())
        tags |= dict(zip(free, (tag for tag in others if tag not in known), strict=False))
        return tags

    def _typed_tag(self, leaf: Mark) -> None:
        def typed(text: str) -> MarkChange:
            if text:
                before = (tag for tag in self.app.typed_tags if tag != text)
                self.app.typed_tags = [*before, text][-_TYPED:]
            return MarkChange(toggle_tag=text)

        words = f"now: {', '.join(leaf.tags)}" if leaf.tags else ""
        self._ask(leaf, "tag", words, leaf.tags, typed)

    def _note(self, leaf: Mark) -> None:
        words = f"now: {leaf.note}" if leaf.note else ""
        earlier = (leaf.note,) if leaf.note else ()
        self._ask(leaf, "note", words, earlier, lambda text: MarkChange(note=text))

    def _ask(
        self,
        leaf: Mark,
        name: str,
        words: str,
        earlier: tuple[str, ...],
        change: Callable[[str], MarkChange],
    ) -> None:
        def given(text: str | None) -> None:
            if text is not None:
                self.app.guard.opened("the dialog")
                self.then(leaf.step_id, change(text))

        title = "Tag, on or off" if name == "tag" else "Note"
        request = ReasonRequest(title, words, "Enter keeps it", earlier, name)
        self.app.push_screen(ReasonScreen(request), given)
