"""What the library screen does to rollouts and its list: marks, orders, saved filters, numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rollstep.core.listing.rollout_list import ORDERS, Order
from rollstep.core.marking import Marked, MarkedRollout
from rollstep.core.model.marks import Mark
from rollstep.core.rules.marking import MarkChange
from rollstep.core.store.facts import RolloutFacts

from ..library.marks import mark_keys, unmark
from ..library.words import said
from .choose import ChooseRequest, ChooseScreen, Option, confirm
from .library_work import not_reached
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

    def do_mark(self) -> None:
        """Choose a rating, tags, a note."""
        if self.screen.model.meant_count:
            self._asking.mark(self._marked())

    def _marked(self) -> MarkedHere:
        """What the menus show as set already: of one rollout what lists know of it."""
        model = self.screen.model
        if model.meant_count > 1:
            return MarkedHere(Mark(""), many=self._meant_words())
        row = model.row(model.place_meant())
        facts = (row.facts if row is not None else None) or RolloutFacts()
        return MarkedHere(Mark("", rating=facts.rating, tags=facts.tags, note=facts.notes))

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
        if marked := found.done:
            self.screen.model.done.append(lambda screen: screen.making.unmark(marked))
        words = f"{said(change)}: {len(found.done):,}. u takes it back."
        self.screen.was_done(words, found.failed)

    def unmark(self, marked: tuple[MarkedRollout, ...]) -> None:
        """Take these marks back."""
        screen = self.screen

        def taken_back(found: Marked) -> None:
            if left := not_reached(marked, found.done, found.failed):
                screen.model.done.append(lambda screen: screen.making.unmark(left))
            screen.was_done(f"Marks taken back: {len(found.done):,}.", found.failed)

        engine = screen.rollstep.controller.engine
        screen.working.run(
            "Taking marks back", lambda progress: unmark(engine, marked, progress), taken_back
        )

    def do_undo(self) -> None:
        """Take back what was done here last."""
        if done := self.screen.model.done:
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
                self._save_filter(query)
            elif value == "forget":
                self._forget_filter(kept)
            elif value is not None:
                screen.model.query = kept[value.removeprefix("use ")].decode()
                screen.list_anew()

        request = ChooseRequest("Saved filters", tuple(options), filterable=True)
        screen.app.push_screen(ChooseScreen(request), chosen)

    def _save_filter(self, query: str) -> None:
        screen = self.screen

        def named(name: str | None) -> None:
            if name:
                screen.ask(
                    lambda library: library.keep(_FILTERS, name, query.encode()),
                    lambda _: screen.flash(f"Saved as {name}; f lists it.", "ok"),
                )

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
