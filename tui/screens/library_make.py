"""What the library screen does to rollouts and its list: marks, orders, saved filters, numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from rollstep.core.errors import RollstepError
from rollstep.core.listing.rollout_list import ORDERS, Order
from rollstep.core.marking import Marked, MarkedRollout
from rollstep.core.model.marks import Mark
from rollstep.core.rules.marking import MarkChange

from ..library.marks import mark_keys, own_mark_of, unmark
from ..library.words import said
from .choose import ChooseRequest, ChooseScreen, Option, confirm
from .library_work import left_of
from .marking import MarkAsking
from .marking import Marked as MarkedHere
from .reason import ReasonRequest, ReasonScreen

if TYPE_CHECKING:
    from .library import LibraryScreen

_FILTERS = "filter"
"""Under this kind the library keeps saved filters."""
_ASK_FROM = 2
"""Marks on so many rollouts or more ask first."""


class Making:
    """The actions of one library screen."""

    def __init__(self, screen: LibraryScreen) -> None:
        self.screen = screen
        self._asking = MarkAsking(screen.rollstep, lambda _, change: self._mark(change))

    # marks

    def do_accept(self) -> None:
        """Accept."""
        self._mark(MarkChange(verdict="accept"))

    def do_unsure(self) -> None:
        """Neither."""
        self._mark(MarkChange(verdict="unsure"))

    def do_reject(self) -> None:
        """Reject, with a reason."""
        if self.screen.model.meant_count:
            self._asking.reject(self._marked())

    def do_mark(self) -> Awaitable[None] | None:
        """Choose a rating, tags, a note."""
        screen, model = self.screen, self.screen.model
        if model.meant_count > 1:
            self._asking.mark(self._marked())
        elif keys := model.meant():
            return self._mark_one(own_mark_of(screen.rollstep.controller.engine, keys[0]))
        return None

    async def _mark_one(self, reading: Future[Mark]) -> None:
        """The menu shows what this person said of it already."""
        try:
            mark = await asyncio.wrap_future(reading)
        except RollstepError as error:
            self.screen.flash(str(error))
        else:
            self._asking.mark(MarkedHere(mark))

    def _marked(self) -> MarkedHere:
        many = self._meant_words() if self.screen.model.meant_count > 1 else ""
        return MarkedHere(Mark(""), many=many)

    def _meant_words(self) -> str:
        count = self.screen.model.meant_count
        return "this rollout" if count == 1 else f"{count:,} rollouts"

    def _mark(self, change: MarkChange) -> None:
        screen = self.screen
        keys = screen.model.meant()
        if not keys:
            return

        def go(answer: str | None = "yes") -> None:
            if answer == "yes":
                engine = screen.rollstep.controller.engine
                screen.working.run(
                    "Marking",
                    lambda progress: mark_keys(engine, keys, change, progress),
                    lambda found: self._was_marked(*found),
                )

        if len(keys) < _ASK_FROM:
            go()
            return
        request = confirm(f"{said(change)}: {len(keys):,} rollouts?", yes="Yes, mark them")
        screen.app.push_screen(ChooseScreen(request), go)

    def _was_marked(self, change: MarkChange, found: Marked) -> None:
        working = self.screen.working
        words = f"{said(change)}: {len(found.done):,}."
        if marked := found.done:
            working.done.append(lambda screen: screen.making.unmark(marked))
            words += " u takes it back."
        if found.same:
            words += f" {found.same:,} said so already."
        working.say_done(words, found.failed)

    def unmark(self, marked: tuple[MarkedRollout, ...]) -> None:
        """Take these marks back."""
        working = self.screen.working

        def taken_back(found: Marked) -> None:
            if left := left_of(marked, found.done, found.over):
                working.done.append(lambda screen: screen.making.unmark(left))
            words = f"Marks taken back: {len(found.done):,}."
            working.say_done(words, (*found.failed, *found.over))

        engine = self.screen.rollstep.controller.engine
        working.run(
            "Taking marks back",
            lambda progress: unmark(engine, marked, progress),
            taken_back,
            undoes=lambda screen: screen.making.unmark(marked),
        )

    def do_undo(self) -> None:
        """Take back what was done here last."""
        if done := self.screen.working.done:
            done.pop()(self.screen)
        else:
            self.screen.flash("Nothing was done here that could be taken back.", "dim")

    def do_library_hide(self) -> None:
        """Out of sight, or back."""
        from .library_hide import Hiding

        if self.screen.model.meant_count:
            Hiding(self.screen).ask(self._meant_words())

    def do_library_replace(self) -> None:
        """Replace words over the selection."""
        from .library_replace import Replacing

        if self.screen.model.meant_count:
            Replacing(self.screen).ask(self._meant_words())

    def do_library_review(self) -> None:
        """Go through the selection, or through all that is listed."""
        from .library_review import Reviewing

        if self.screen.model.found is not None and len(self.screen.model):
            Reviewing(self.screen).ask()
        else:
            self.screen.flash("There is nothing to review.", "dim")

    # the list

    def do_library_order(self) -> None:
        """Sort by another column."""
        model = self.screen.model
        options = tuple(Option(name, name) for name in ORDERS)

        def chosen(name: str | None) -> None:
            if name is not None:
                words = ("title", "source", "model", "tags", "stop", "status", "verdict")
                self._sort(Order(name, name not in words))

        request = ChooseRequest("Sort by", options, chosen=model.order.by, filterable=True)
        self.screen.app.push_screen(ChooseScreen(request), chosen)

    def do_library_reverse(self) -> None:
        """The other way round."""
        order = self.screen.model.order
        self._sort(Order(order.by, not order.descending))

    def _sort(self, order: Order) -> None:
        self.screen.model.order = order
        self.screen.list_anew()

    def do_library_filters(self) -> None:
        """Saved filters."""
        self.screen.ask(lambda library: library.kept(_FILTERS), self._choose_filter)

    def _choose_filter(self, kept: dict[str, bytes]) -> None:
        screen = self.screen
        query = screen.model.query
        options = [Option(f"use {name}", name, body.decode()) for name, body in kept.items()]
        if query:
            options.append(Option("save", "save this one …", query, key="s"))
        if kept:
            options.append(Option("forget", "forget one …", key="f"))
        if not options:
            screen.flash("No filter is saved: / types one, f saves it.", "dim")
            return

        def chosen(value: str | None) -> None:
            if value == "save":
                self._save_filter(query, kept)
            elif value == "forget":
                self._forget_filter(kept)
            elif value is not None:
                screen.model.query = kept[value.removeprefix("use ")].decode()
                screen.list_anew()

        request = ChooseRequest("Saved filters", tuple(options), filterable=True)
        screen.app.push_screen(ChooseScreen(request), chosen)

    def _save_filter(self, query: str, kept: dict[str, bytes]) -> None:
        screen = self.screen

        def save(name: str, words: str) -> None:
            screen.ask(
                lambda library: library.keep(_FILTERS, name, query.encode()),
                lambda _: screen.flash(words, "ok"),
            )

        def named(name: str | None) -> None:
            if not name:
                return
            if name not in kept or kept[name] == query.encode():
                save(name, f"Saved as {name}; f lists it.")
                return

            def answered(answer: str | None) -> None:
                if answer == "yes":
                    save(name, f"{name} was replaced; f lists it.")
                else:
                    screen.flash(f"Not saved: {name} stays as it is.", "dim")

            text = f"It is {kept[name].decode()}"
            request = confirm(f"{name} is saved already: replace it?", text, yes="Yes, replace it")
            screen.app.push_screen(ChooseScreen(request), answered)

        request = ReasonRequest("Save the filter as", query, keys="Enter saves it")
        screen.app.push_screen(ReasonScreen(request), named)

    def _forget_filter(self, kept: dict[str, bytes]) -> None:
        screen = self.screen
        options = tuple(Option(name, name, body.decode()) for name, body in kept.items())

        def chosen(name: str | None) -> None:
            if name is not None:
                screen.ask(
                    lambda library: library.drop(_FILTERS, name),
                    lambda _: screen.flash(f"{name} is forgotten.", "ok"),
                )

        screen.app.push_screen(ChooseScreen(ChooseRequest("Forget a filter", options)), chosen)

    # numbers

    def do_library_numbers(self) -> None:
        """Numbers of what is listed."""
        self.screen.numbers.count()

    # exports

    def do_export(self) -> None:
        """Export the selection, or all that is listed."""
        model = self.screen.model
        if model.found is None or not len(model):
            self.screen.flash("There is nothing to export.", "dim")
            return
        from ..exporting_many import many_exporter
        from .export import ExportScreen

        keys = model.meant() if model.chosen else model.found.all_keys()
        listed = "selected" if model.chosen else "listed"
        what = f"{len(keys):,} {listed} rollout{'s' if len(keys) != 1 else ''}"

        def ended(done: Any) -> None:
            if done is not None:
                self.screen.rollstep.guard.opened("the export")
                self.screen.flash(done.words, "ok")

        def ready(exporter: Any) -> None:
            self.screen.app.push_screen(ExportScreen(exporter.request()), ended)

        self.screen.ask(many_exporter(keys, what), ready)
