"""``Q`` in the library: a queue of what is selected or listed, or one that was not finished."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..sanitize import one_line
from .choose import ChooseRequest, ChooseScreen, Option

if TYPE_CHECKING:
    from rollstep.core.review.keeping import KeptQueue, ListedQueue

    from .library import LibraryScreen

_MOST = 8
"""Unfinished queues that are offered."""


class Reviewing:
    """The beginning of a queue, for one library screen."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        model = screen.model
        assert model.found is not None
        query = model.found.query
        count = len(model.chosen) or len(model)
        rollouts = f"rollout{'s' if count != 1 else ''}"
        self._keys = model.meant() if model.chosen else model.found.all_keys()
        self._meant = f"the {count:,} {'selected' if model.chosen else 'listed'} {rollouts}"
        self._words = f"{count:,} selected of {query or 'all'}" if model.chosen else query
        self._by = screen.rollstep.controller.engine.author

    def ask(self) -> None:
        """Begin one, or go on with one of this person's that was not finished."""
        screen = self.screen
        # What is typed until the queue is there is meant for it.
        screen.rollstep.guard.opened("a queue was asked for")

        def found(answer: tuple[list[ListedQueue], str]) -> None:
            queues, screen.rollstep.review_guide = answer
            mine = [each for each in queues if each.head.by == self._by and each.progress.left]
            if screen.is_current:
                self._choose(mine[:_MOST]) if mine else self._begin()

        screen.ask(_queues_and_guide, found)

    def _choose(self, unfinished: list[ListedQueue]) -> None:
        options = [Option("", f"begin with {self._meant}", key="b")]
        options += [
            Option(each.head.name, f"go on: {_named(each)}", _left(each), key=str(number))
            for number, each in enumerate(unfinished, 1)
        ]

        def chosen(name: str | None) -> None:
            if name:
                self._go_on(name)
            elif name is not None:
                self._begin()

        self.screen.app.push_screen(ChooseScreen(ChooseRequest("Review", tuple(options))), chosen)

    def _begin(self) -> None:
        from rollstep.core.review.keeping import begin_queue_of

        keys, words, by, now = self._keys, self._words, self._by, time.time()

        def begin(library: Any) -> KeptQueue:
            return begin_queue_of(library, keys, words, by, now)

        self.screen.ask(begin, self._open)

    def _go_on(self, name: str) -> None:
        from rollstep.core.review.keeping import open_queue

        self.screen.ask(lambda library: open_queue(library, name), self._open)

    def _open(self, queue: KeptQueue) -> None:
        if self.screen.is_current:
            self.screen.dismiss(queue)


def _queues_and_guide(library: Any) -> tuple[list[ListedQueue], str]:
    """Raises ConfigError where the guide cannot be read, as the command does."""
    from rollstep.core.config.loading import guide_of
    from rollstep.core.review.keeping import listed_queues

    from ..settings import configuration

    return listed_queues(library), guide_of(configuration())


def _named(listed: ListedQueue) -> str:
    frozen = datetime.fromtimestamp(listed.head.frozen_at).strftime("%d %b %H:%M")
    return f"{one_line(listed.head.query or 'all rollouts')}, frozen {frozen}"


def _left(listed: ListedQueue) -> str:
    return f"{listed.progress.left:,} of {listed.progress.total:,} left"
