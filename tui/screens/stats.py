"""Numbers of rollouts, full screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from ..stats_tables import stats_tables

if TYPE_CHECKING:
    from rollstep.core.listing.stats import Stats


class StatsScreen(Screen[None]):
    """Shows the tables; Esc or q goes back."""

    DEFAULT_CSS = """
    StatsScreen VerticalScroll { padding: 1 2; }
    StatsScreen #keys { height: 1; padding: 0 1; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Back"),
        Binding("j", "scroll_to(1)", "Down", show=False),
        Binding("k", "scroll_to(-1)", "Up", show=False),
    ]

    def __init__(self, stats: Stats, what: str) -> None:
        super().__init__()
        self._tables = stats_tables(stats, what)

    def compose(self) -> ComposeResult:
        """The tables, and how to leave."""
        with VerticalScroll():
            yield Static(self._tables, markup=False)
        yield Static("j k scroll   q back   rollstep stats --json for programs", id="keys")

    def action_scroll_to(self, by: int) -> None:
        """A line on or back."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)
