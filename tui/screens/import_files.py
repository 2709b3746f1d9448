"""Importing other programs' logs and datasets: what is recognised first, then the import."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from rollstep.core.errors import RollstepError
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..import_look import Preview, look, progress_words, summary_lines, take_in
from ..sanitize import one_line
from ..widgets.path_field import PathField
from .key_guard import KeyGuard

if TYPE_CHECKING:
    from rollstep.core.importing import FileProgress, ImportSummary

Stage = Literal["typing", "looking", "seen", "importing", "done"]
_KEYS: dict[Stage, str] = {
    "typing": "Enter look into it   Tab complete   Esc back",
    "looking": "looking …   Esc back",
    "seen": "Enter import   Tab another path   Esc back",
    "importing": "importing …   Esc stops it, what was taken in stays",
    "done": "Enter open the first   p pick one   Tab another path   Esc back",
}
_COLOURS = {
    "strong": "bold",
    "error": "$text-error",
    "warn": "$text-warning",
    "ok": "$text-success",
    "dim": "$text-muted",
}


@dataclass(frozen=True)
class ImportDone:
    """What to do after an import: open this rollout, or pick one of this file's."""

    rollout: str = ""
    path: str = ""


class ImportScreen(Screen[ImportDone | None]):
    """A path, what is in it, how the import goes. Dismisses with what to open, or None."""

    CSS_PATH = "import_files.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go", "Go on"),
        Binding("tab", "again", "Another path"),
        Binding("p", "pick", "Pick one"),
        Binding("escape", "back", "Back"),
    ]

    def __init__(self, library: Callable[[], Path | None], path: str = "") -> None:
        """``library`` gives the path of the library that is imported into."""
        super().__init__()
        self._library = library
        self._field = PathField(path)
        self._stage: Stage = "typing"
        self._stop = threading.Event()
        self._guard = KeyGuard()
        self._path = Path()
        self._rollouts: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The path, what was found, how far it is, the keys."""
        yield Static("Import logs and datasets of other programs", id="title")
        yield self._field
        with VerticalScroll(id="found", can_focus=True):
            yield Static("", id="lines")
        yield Static("", id="progress")
        yield Static("", id="keys")

    def on_mount(self) -> None:
        """Type a path."""
        self._enter("typing")

    def on_unmount(self) -> None:
        """Nothing goes on behind a screen that is gone."""
        self._stop.set()

    def _enter(self, stage: Stage) -> None:
        self._stage = stage
        if stage == "typing":
            self._field.box.focus()
        else:
            self.query_one("#found").focus()
        self.query_one("#keys", Static).update(Content(_KEYS[stage]))
        if stage != "importing":
            self._say_progress("")

    # Looking

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        """Enter on a path."""
        if self._stage == "typing":
            self._begin()

    def _begin(self) -> None:
        """Look into what is there."""
        typed = self._field.expanded.strip()
        if typed:
            self._path = Path(typed)
            self._stop = threading.Event()
            self._enter("looking")
            self._show([("dim", "looking into it …")])
            self._look(self._path, self._stop)

    def on_text_box_pasted(self) -> None:
        """Enter rests for a moment: it may be the paste's own tail."""
        self._guard.pasted()

    @work(thread=True, group="look")
    def _look(self, path: Path, stop: threading.Event) -> None:
        found = look(path, stop)
        if not stop.is_set() and self.is_attached:
            self.app.call_from_thread(self._looked, found, stop)

    def _looked(self, found: Preview, stop: threading.Event) -> None:
        if stop is self._stop and self._stage == "looking":
            self._show(found.lines())
            self._guard.opened("what was found")
            self._enter("seen" if found.useful else "typing")

    # Importing

    def action_go(self) -> None:
        """Import what was seen; or open the first of what was imported."""
        if self._stage == "typing":
            self._begin()
        elif self._stage not in ("seen", "done"):
            return
        elif self._guard.closed:
            self._say_progress(self._guard.words("Enter"))
        elif self._stage == "done":
            if self._rollouts:
                self.dismiss(ImportDone(rollout=self._rollouts[0]))
        else:
            library = self._library()
            if library is None:
                self._show([("error", "There is no library to import into.")])
                return
            self._stop = threading.Event()
            self._enter("importing")
            self._import(self._path, library, self._stop)

    @work(thread=True, group="import")
    def _import(self, path: Path, library: Path, stop: threading.Event) -> None:
        def tell(progress: FileProgress) -> None:
            if not stop.is_set():
                self.app.call_from_thread(self._say_progress, progress_words(progress))

        try:
            summary = take_in(path, library, tell, stop)
        except RollstepError as error:
            if self.is_attached:
                self.app.call_from_thread(self._failed, str(error))
            return
        if self.is_attached:
            self.app.call_from_thread(self._imported, summary)

    def _failed(self, words: str) -> None:
        if self.query("#lines"):
            self._show([("error", words)])
            self._enter("typing")

    def _imported(self, summary: ImportSummary) -> None:
        if self.query("#lines"):
            self._rollouts = summary.rollout_ids
            self._show(summary_lines(summary))
            self._guard.opened("the import")
            self._enter("done")

    # The rest

    def action_pick(self) -> None:
        """Pick one of what was imported."""
        if self._stage == "done" and self._path.is_file():
            self.dismiss(ImportDone(path=str(self._path)))

    def action_again(self) -> None:
        """Another path."""
        if self._stage in ("seen", "done"):
            self._enter("typing")

    def action_back(self) -> None:
        """Stop what is going on; else away."""
        if self._stage == "importing":
            self._stop.set()
            self._say_progress("stopping …")
        else:
            self._stop.set()
            self.dismiss(None)

    def _show(self, lines: list[tuple[str, str]]) -> None:
        pieces: list[Content | tuple[str, str] | str] = []
        for style, text in lines:
            for each in text.split("\n"):
                shown = f"{one_line(each)}\n"
                pieces.append((shown, _COLOURS[style]) if style in _COLOURS else shown)
        self.query_one("#lines", Static).update(Content.assemble(*pieces))

    def _say_progress(self, words: str) -> None:
        for line in self.query("#progress"):
            assert isinstance(line, Static)
            line.update(Content(one_line(words)))
