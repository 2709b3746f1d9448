"""The export dialog: format, choices, path; and what becomes of it, before it writes."""

from __future__ import annotations

import asyncio
import os
from typing import ClassVar

from rollstep.core.errors import RollstepError
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..widgets.path_field import PathField
from ..widgets.row_list import Column, ListRow, RowList
from .export_options import OptionList
from .export_types import (
    ExportChoice,
    ExportDone,
    ExportFormat,
    ExportReport,
    ExportRequest,
    free_path,
    with_suffix,
)
from .key_guard import KeyGuard
from .save_bar import Answer, SaveBar

_FORMAT = (Column(0, "strong"),)
_PROGRESS_SECONDS = 0.3
_TIGHT = 30
"""Lines of the screen below which nothing stands apart."""


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
        self._format = request.start_format()
        rows = [ListRow((fmt.name,), fmt, _FORMAT) for fmt in request.formats]
        self._formats = RowList(rows, id="formats")
        self._options = OptionList()
        self._options.id = "options"
        self._suffix = self._format.suffix
        self._path = PathField(free_path(request.folder, request.stem, self._suffix))
        self._report: ExportReport | None = None
        self._guard = KeyGuard()
        self._bar = SaveBar(self._guard)
        self._writing = False

    def compose(self) -> ComposeResult:
        """Choices on top, the report below, keys in the last line."""
        yield Static(Content(one_line(self.request.title)), id="title")
        with Horizontal(id="choices"):
            yield self._formats
            yield self._options
        yield Static("", id="what")
        with Horizontal(classes="row"):
            yield Static("path", classes="name")
            yield self._path
        yield Static("", id="report-title")
        with VerticalScroll(id="report-area", can_focus=True):
            yield Static("", id="report")
        yield self._bar

    def on_mount(self) -> None:
        """Stand on the format; look at it."""
        self._formats.go_to(self._format)
        self._formats.focus()
        self._show_format()
        self._bar.hint("Enter write   Tab next   j k choose   h l change a choice   Esc cancel")
        if self.request.progress is not None:
            self.set_interval(_PROGRESS_SECONDS, self._tell_progress)

    def on_resize(self, event: events.Resize) -> None:
        """Small screens have no room for blank lines."""
        self.set_class(event.size.height < _TIGHT, "-tight")

    @property
    def values(self) -> dict[str, str]:
        """What is chosen, of the options that the format has."""
        return self.request.asked(self._format, self._options.values)

    # Looking

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Another format has other choices, another suffix, another report."""
        if isinstance(event.row.key, ExportFormat) and event.row.key != self._format:
            self._format = event.row.key
            self._show_format()

    def on_option_list_turned(self) -> None:
        """Another choice."""
        self._look()

    def _show_format(self) -> None:
        known = {option.name: option for option in self.request.options}
        self._options.show_options([known[name] for name in self._format.options if name in known])
        self.query_one("#what", Static).update(Content(one_line(self._format.what)))
        self._look()

    def _look(self) -> None:
        suffix = self.request.suffix(self._format, self.values)
        self._path.path = with_suffix(self._path.path, self._suffix, suffix)
        self._suffix = suffix
        self._report = None
        self._show_report()
        self._ask_report(self._format.name, self.values)

    @work(group="look", exclusive=True)
    async def _ask_report(self, name: str, values: dict[str, str]) -> None:
        try:
            self._report = await self.request.report(name, values)
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
        lines: list[Content] = [
            Content.styled(visible(line), "$text-warning") for line in report.warn
        ]
        lines += [Content(visible(line)) for line in report.lines]
        self.query_one("#report", Static).update(Content("\n").join(lines))

    def _tell_progress(self) -> None:
        assert self.request.progress is not None
        if self._writing:
            self._say(f"writing … {self.request.progress()}   Esc stops it")
        elif self._report is None:
            words = Content(f"looking … {self.request.progress()}")
            self.query_one("#report-title", Static).update(words)

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
            self._say("It cannot be written so: see above. Choose another format, or otherwise.")
        elif not path:
            self._say("Type where to write it.")
        elif await asyncio.to_thread(os.path.isdir, path):
            await self._into_folder(path)
        elif await asyncio.to_thread(os.path.lexists, path):
            self._ask("A file is there already:", path, "write over it")
        else:
            await self._write(path, overwrite=False)

    async def _into_folder(self, path: str) -> None:
        if self._suffix:
            self._say(f"{path} is a folder: add a file name.")
        elif await asyncio.to_thread(os.listdir, path):
            self._ask("The folder holds something:", path, "write over files of the same names")
        else:
            await self._write(path, overwrite=False)

    def _ask(self, question: str, path: str, over: str) -> None:
        self._bar.ask("overwrite", [question, path], (Answer("o", "o", over),))

    async def on_save_bar_answered(self, event: SaveBar.Answered) -> None:
        """Over it, or back to the path."""
        if event.key == "o":
            await self._write(self._path.expanded.strip(), overwrite=True)
        else:
            self._path.box.focus()

    async def _write(self, path: str, *, overwrite: bool) -> None:
        choice = ExportChoice(self._format.name, path, self.values, overwrite)
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
        """Nothing is written; what is being written can be stopped where that takes long."""
        if self.request.cancel is not None:
            self.request.cancel()
        if not self._writing:
            self.dismiss(None)
