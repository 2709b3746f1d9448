"""The floor: what a bare Textual app with one Static costs on this machine, now."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class Floor(App[None]):
    """Shows a number that the keys j and k change; q quits."""

    BINDINGS = [("j", "add(1)"), ("k", "add(-1)"), ("q", "quit")]  # noqa: RUF012 (Textual's way)

    number = 0

    def compose(self) -> ComposeResult:
        """The one Static."""
        yield Static("floor 0", markup=False)

    def action_add(self, by: int) -> None:
        """Show another number."""
        self.number += by
        self.query_one(Static).update(f"floor {self.number}")


if __name__ == "__main__":
    Floor().run()
