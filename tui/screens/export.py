"""The export dialog: format, scope, path; and what the format cannot hold, before it writes."""

from __future__ import annotations

import asyncio
import os
from typing import ClassVar

from rollstep.core.errors import RollstepError
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..widgets.path_field import PathField
from ..widgets.row_list import Column, ListRow, RowList
from .export_types import (
    ExportChoice,
    ExportDone,
    ExportFormat,
    ExportReport,
    ExportRequest,
    Scope,
    free_path,
    with_suffix,
)
from .key_guard import KeyGuard
from .save_bar import Answer, SaveBar

_FORMAT = (Column(14, "strong"), Column(look="muted"))


class ExportScreen(Screen[ExportDone | None]):
    """Dismisses with what was written, or None. What fails is said here and can be put right."""

    CSS_PATH = "export.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "write", "Write"),
        Binding("escape", "cancel", "Cancel"),
    ]

    def __init__(self, request: ExportRequest) -> None:
        super().__init__()
        self.request = request
        start = request.start_format()
        self._formats = RowList([ListRow((f.name, f.what), f, _FORMAT) for f in request.formats])
        self._scopes = RowList(self._scope_rows())
        self._path = PathField(free_path(request.folder, request.stem, start.suffix))
        self._format = start
        self._report: ExportReport | None = None
        self._guard = KeyGuard()
        self._bar = SaveBar(self._guard)
        self._writing = False

    def compose(self) -> ComposeResult:
        """Choices on top, the report below, keys in the last line."""
        yield Static(Content(one_line(self.request.title)), id="title")
        with Vertical(id="choices"):
            with Horizontal(classes="row"):
                yield Static("format", classes="name")
                yield self._formats
            with Horizontal(classes="row"):
                yield Static("what", classes="name")
                yield self._scopes
            with Horizontal(classes="row"):
                yield Static("path", classes="name")
                yield self._path
        yield Static("", id="report-title")
        with VerticalScroll(id="report-area", can_focus=True):
            yield Static("", id="report")
        yield self._bar

    def on_mount(self) -> None:
        """Stand on the format; look at it."""
        self._formats.styles.height = len(self.request.formats)
        self._scopes.styles.height = len(self._scopes.rows)
        self._formats.go_to(self._format)
        self._formats.focus()
        self._bar.hint("Enter write   Tab next   j k choose   Esc cancel")

    def _scope_rows(self) -> list[ListRow]:
        whole, here = self.request.branch_steps, self.request.here_steps
        rows = [ListRow((f"the whole branch, {whole} of {whole} steps",), "branch")]
        if here != whole:
            rows.append(ListRow((f"up to here, {here} of {whole} steps",), "here"))
        return rows

    @property
    def scope(self) -> Scope:
        """How much of the branch."""
        row = self._scopes.current
        return "here" if row is not None and row.key == "here" else "branch"

    # Looking

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Another format or scope: another suffix, another report."""
        if isinstance(event.row.key, ExportFormat) and event.row.key != self._format:
            chosen = event.row.key
            self._path.path = with_suffix(self._path.path, self._format.suffix, chosen.suffix)
            self._format = chosen
        self._scopes.disabled = self._format.whole
        self._look()

    def _look(self) -> None:
        self._report = None
        self._show_report()
        self._ask_report(self._format.name, self.scope)

    @work(group="look", exclusive=True)
    async def _ask_report(self, name: str, scope: Scope) -> None:
        try:
            self._report = await self.request.report(name, scope)
        except (RollstepError, OSError) as error:
            self._report = ExportReport((str(error),), refused=True)
        self._show_report()

    def _show_report(self) -> None:
        report = self._report
        if not self.query("#report-title"):
            return  # the dialog was left while the report was being made
        title = self.query_one("#report-title", Static)
        if report is None:
            title.update(Content("looking …"))
            return
        refused = report.refused
        words = f"{self._format.name} cannot be written" if refused else self._kept_words(report)
        title.update(Content.assemble((f"{'! ' if refused else ''}{words}", "bold")))
        title.set_class(refused, "-refused")
        self.query_one("#report", Static).update(Content(visible("\n".join(report.lines))))

    def _kept_words(self, report: ExportReport) -> str:
        if not report.lines:
            return f"{self._format.name} holds all of it"
        return f"What {self._format.name} makes of it"

    # Writing

    def on_paste(self, event: events.Paste) -> None:
        """Keys that come with a paste write nothing."""
        self._guard.pasted()

    def on_text_box_pasted(self) -> None:
        """The same in the path."""
        self._guard.pasted()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter on a row."""
        self.action_write()

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        """Enter on the path."""
        self.action_write()

    def action_write(self) -> None:
        """Write, after the question that there may be."""
        if not self._writing and not self._bar.asking and not self._guard.closed:
            self._check_and_write()

    @work(group="write")
    async def _check_and_write(self) -> None:
        path = self._path.expanded.strip()
        if self._report is None:
            return
        if self._report.refused:
            self._say("It cannot be written so: see above. Choose another format or scope.")
        elif not path:
            self._say("Type where to write it.")
        elif await asyncio.to_thread(os.path.isdir, path):
            self._say(f"{path} is a folder: add a file name.")
        elif await asyncio.to_thread(os.path.lexists, path):
            answer = Answer("o", "o", "write over it")
            self._bar.ask("overwrite", ["A file is there already:", path], (answer,))
        else:
            await self._write(path, overwrite=False)

    async def on_save_bar_answered(self, event: SaveBar.Answered) -> None:
        """Over it, or back to the path."""
        if event.key == "o":
            await self._write(self._path.expanded.strip(), overwrite=True)
        else:
            self._path.box.focus()

    async def _write(self, path: str, *, overwrite: bool) -> None:
        choice = ExportChoice(self._format.name, self.scope, path, overwrite)
        self._writing = True
        self._say("writing …")
        try:
            words = await self.request.write(choice)
        except FileNotFoundError:
            folder = os.path.dirname(path) or "."
            self._say(f"There is no folder {folder}: choose another path.")
        except (RollstepError, OSError) as error:
            self._say(f"Not written: {error}")
        else:
            self.dismiss(ExportDone(choice, words))
        finally:
            self._writing = False

    def _say(self, words: str) -> None:
        self._bar.hint(words)

    def action_cancel(self) -> None:
        """Nothing is written."""
        if not self._writing:
            self.dismiss(None)
