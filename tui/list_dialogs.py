"""The lists that rollouts are opened from: the library's table and the queue. A rollout goes back
to where it came from, and ``J`` and ``K`` to its neighbours there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from .target import OpenTarget

if TYPE_CHECKING:
    from rollstep.core.review.keeping import KeptQueue

    from .library.model import LibraryModel
    from .review.model import ReviewModel
    from .rollstep_app import RollstepApp
    from .screens.library_work import Working


class ListDialogs(ABC):
    """The part of the dialogs that knows of lists."""

    def __init__(self, app: RollstepApp) -> None:
        self.app = app
        self._library: LibraryModel | None = None
        """The list that the shown rollout was opened from."""
        self._review: ReviewModel | None = None
        """The queue that the shown rollout was opened from."""
        self._begun_from: LibraryModel | None = None
        """The list that the queue was begun from."""
        self._library_work: Working | None = None

    @abstractmethod
    def open_target(self, target: OpenTarget, path: str = "") -> None:
        """Open it, from no list."""

    @abstractmethod
    def open_start(self, notice: str = "", path: str = "") -> None:
        """The start screen."""

    def _opened_from_no_list(self) -> None:
        self._library = self._review = self._begun_from = None

    def library_work(self) -> Working:
        """What is being done with rollouts of the library, whichever screen asked for it."""
        if self._library_work is None:
            from .screens.library_work import Working

            self._library_work = Working(self.app)
        return self._library_work

    def open_library(self, query: str = "") -> None:
        """The table of all rollouts, or of those that a query means."""
        from .library.model import LibraryModel

        self._show_library(LibraryModel(query))

    def _show_library(self, model: LibraryModel) -> None:
        from .screens.library import LibraryScreen

        app = self.app

        def chosen(target: OpenTarget | KeptQueue | None) -> None:
            if isinstance(target, OpenTarget):
                self.open_target(target)
                self._library = model
            elif target is not None:
                from .review.model import ReviewModel

                show_others = app.review_keys.show_others
                self.open_review(ReviewModel(target, show_others=show_others), model)
            elif app.debugger is None:
                self._library = None
                self.open_start()

        app.push_screen(LibraryScreen(app, model), chosen)

    def open_review(self, model: ReviewModel, begun_from: LibraryModel | None = None) -> None:
        """The queue; from the debugger on one of its rollouts ``q`` comes back to it, and from it
        to the list that it was begun from.
        """
        from .screens.review import ReviewScreen

        app = self.app

        def chosen(rollout_id: str | None) -> None:
            if rollout_id is not None:
                self._open_of_queue(model, begun_from)
            elif begun_from is not None:
                self._show_library(begun_from)
            else:
                app.exit()

        app.push_screen(ReviewScreen(app, model), chosen)

    def _open_of_queue(self, model: ReviewModel, begun_from: LibraryModel | None) -> None:
        self.open_target(OpenTarget(rollout=model.queue.current))
        self._review, self._begun_from = model, begun_from

    def listed(self) -> str:
        """``3 of 50``: which one of the list the shown rollout is; empty where there is none."""
        if self._review is not None:
            queue = self._review.queue
            return f"{queue.at + 1:,} of {len(queue.ids):,}"
        model = self._library
        return f"{model.at + 1:,} of {len(model):,}" if model is not None and len(model) else ""

    def open_beside(self, by: int) -> None:
        """The next rollout of the list that the shown one was opened from, or the one before."""
        if self._review is not None:
            self._open_beside_in_queue(self._review, by)
        elif self._library is not None:
            self._open_beside_in_library(self._library, by)
        else:
            words = "This rollout was opened from no list: rollstep library opens one."
            self.app.say(words, "dim")

    def _open_beside_in_queue(self, model: ReviewModel, by: int) -> None:
        from .review.keeper import Keeper

        app, left = self.app, model.queue.current
        if not model.go_to(model.queue.at + by):
            self._say_end(by, len(model.queue.ids))
            return
        model.watch.rest()
        model.forget(left)
        keeper = Keeper(app.controller.engine, model.kept)
        app.when_done(keeper.stay_at(model.queue.at), model.noted)
        self._open_of_queue(model, self._begun_from)

    def _open_beside_in_library(self, model: LibraryModel, by: int) -> None:
        app = self.app
        if not model.move(by):
            self._say_end(by, len(model))
            return
        key = model.key

        def found(ids: list[str]) -> None:
            if self._library is not model or model.key != key:
                return  # another key came first
            if not ids:
                app.say("That rollout is in the library no longer.")
                return
            self.open_target(OpenTarget(rollout=ids[0]))
            self._library = model

        app.when_done(
            app.controller.with_library(lambda library: library.ids_of([key or 0])), found
        )

    def _say_end(self, by: int, count: int) -> None:
        self.app.say(f"This is the {'last' if by > 0 else 'first'} of {count:,}.", "dim")

    def back_to_list(self) -> bool:
        """To the list that the shown rollout was opened from; whether there is one."""
        if self._library is not None:
            self._show_library(self._library)
        elif self._review is not None:
            self._review.forget(self._review.queue.current)
            self.open_review(self._review, self._begun_from)
        else:
            return False
        return True
