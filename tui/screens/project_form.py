"""The project form: a new project, blank, from a seed row, or a copy, edited field by field."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import ClassVar, Literal

from rollstep.core.errors import RollstepError
from rollstep.core.model.project import Project
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static, TextArea

from ..sanitize import one_line, visible
from ..widgets.path_field import PathField
from ..widgets.row_list import Column, ListRow, RowList
from ..widgets.text_box import TextBox
from .export_types import file_stem, free_path
from .key_guard import KeyGuard
from .project_model import EXAMPLES, FIELDS, HINTS, LABELS, FormFault, ProjectModel
from .project_types import ProjectRequest, ProjectResult
from .save_bar import Answer, SaveBar

DRAFT_SECONDS = 0.7
REFRESH_SECONDS = 0.15
_ONE_LINE = ("title", "max_turns")
_ROW = (Column(1, "warning"), Column())
_KEYS = "Ctrl+S use or save   Tab list and text   Ctrl+O next field   Esc leave"

Where = Literal["yaml", "seed"]


class ProjectFormScreen(Screen[ProjectResult]):
    """Dismisses with a ProjectResult. ``on_draft`` is given the body of the draft soon after keys
    were pressed.
    """

    CSS_PATH = "project_form.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Use or save"),
        Binding("escape", "leave", "Leave; what was typed is kept as a draft"),
        Binding("ctrl+o,f2", "next_field", "Next field"),
    ]

    def __init__(
        self, request: ProjectRequest, *, on_draft: Callable[[str], None] | None = None
    ) -> None:
        super().__init__()
        self.request = request
        self.model = ProjectModel(request.project, request.draft)
        self._on_draft = on_draft
        self._guard = KeyGuard()
        self._bar = SaveBar(self._guard)
        self._list = RowList(self._rows(()))
        self._boxes = {field: self._box(field) for field in FIELDS}
        self._field = FIELDS[0]
        self._faults: list[FormFault] = []
        self._refresh_due = self._draft_due = False
        self._where: Where = "yaml"
        self._saved_to = ""
        self._said = "The draft you left is back." if self.model.draft_loaded else request.note

    def _box(self, field: str) -> TextBox:
        return TextBox(
            self.model.texts[field],
            single_line=field in _ONE_LINE,
            placeholder=Content(EXAMPLES.get(field, "")),
            name=field,
        )

    # What is on it

    def compose(self) -> ComposeResult:
        """Fields at the left, the text of one at the right, what is wrong below."""
        with Horizontal(id="title"):
            yield Static(Content(one_line(self.request.title)), id="title-words")
            yield Static("", id="status")
        with Horizontal(id="body"):
            yield self._list
            with Vertical(id="text"):
                yield Static("", id="hint")
                yield from self._boxes.values()
        yield Static("", id="notes")
        yield Vertical(id="path")
        yield self._bar

    def on_mount(self) -> None:
        """Begin with the title."""
        self._bar.hint(_KEYS)
        self._show_field(FIELDS[0])
        self._boxes[FIELDS[0]].focus()
        self._boxes[FIELDS[0]].select_all()
        self._refresh()

    def _rows(self, wrong: tuple[str, ...]) -> list[ListRow]:
        return [
            ListRow(("!" if field in wrong else "", _label(field)), field, _ROW) for field in FIELDS
        ]

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Show the field that the cursor stands on."""
        self._show_field(str(event.row.key))

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Enter goes into the text."""
        self._boxes[self._field].focus()

    def action_next_field(self) -> None:
        """The next field's text, after the last the first."""
        following = FIELDS[(FIELDS.index(self._field) + 1) % len(FIELDS)]
        self._go_to(following)

    def _go_to(self, field: str) -> None:
        self._list.go_to(field)
        self._show_field(field)
        self._boxes[field].focus()

    def _show_field(self, field: str) -> None:
        self._field = field
        for name, box in self._boxes.items():
            box.display = name == field
        self.query_one("#hint", Static).update(
            Content.assemble((_label(field), "bold"), (f"  {HINTS[field]}", "$foreground 60%"))
        )

    # While typing

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """A key: look at it when the keys rest."""
        if event.text_area.name in FIELDS and not self._refresh_due:
            self._refresh_due = True
            self.set_timer(REFRESH_SECONDS, self._refresh)

    def on_text_box_pasted(self) -> None:
        """Keys that decide rest for a moment."""
        self._guard.pasted()

    def on_text_box_submitted(self) -> None:
        """Enter in a one-line field goes on to the next."""
        self.action_next_field()

    def _sync(self) -> None:
        for field, box in self._boxes.items():
            self.model.set(field, box.value)

    def _refresh(self) -> None:
        self._refresh_due = False
        if not self.is_attached:
            return
        self._sync()
        self._check()
        if self.model.changed and self._on_draft is not None and not self._draft_due:
            self._draft_due = True
            self.set_timer(DRAFT_SECONDS, self._keep_draft)

    @work(thread=True, exclusive=True, group="check")
    def _check(self) -> None:
        """Off the screen's loop: a project may be large, and the checker takes time to load."""
        _, faults = self.model.check()
        if self.is_attached:
            self.app.call_from_thread(self._checked, faults)

    def _checked(self, faults: list[FormFault]) -> None:
        if not self.query("#status"):
            return  # the form was left while it was being checked
        if faults != self._faults:
            self._list.show(self._rows(tuple(fault.field for fault in faults)))
        self._faults = faults
        count = len(faults)
        status = f"{count} fault{'' if count == 1 else 's'}" if faults else "ready"
        self.query_one("#status", Static).update(Content(status))
        lines = [f"! {fault.render()}" for fault in faults[:4]]
        if count > 4:
            lines.append(f"  and {count - 4} more")
        lines = [self._said, *lines] if self._said else lines
        notes = self.query_one("#notes", Static)
        notes.update(Content(visible("\n".join(map(one_line, lines)))))
        notes.display = bool(lines)

    def _keep_draft(self) -> None:
        self._draft_due = False
        if self._on_draft is not None and self.is_attached:
            self._sync()
            self._on_draft(self.model.dump())

    def action_leave(self) -> None:
        """Out of the path; out of the form, with what was typed kept as a draft."""
        if self._guard.closed:
            return
        if self.query(PathField):
            self._close_path()
            return
        self._sync()
        if self.model.changed:
            path = self._saved_to
            self.dismiss(ProjectResult("draft", path=path, draft=self.model.dump()))
        else:
            self.dismiss(ProjectResult("closed", path=self._saved_to))

    # Using and saving

    def action_save(self) -> None:
        """Use it, or save it; or go to what is wrong."""
        if self._guard.closed or self._bar.asking:
            return
        self._sync()
        project, faults = self.model.check()
        if project is None:
            self._say("")
            self._checked(faults)
            self._go_to_fault(faults[0])
            return
        self._ask_what("")

    def _ask_what(self, said: str) -> None:
        answers = (
            Answer("enter", "Enter", "start with it"),
            Answer("f", "f", "save as a project file"),
            Answer("s", "s", "save as a seed row"),
        )
        self._bar.ask("what", [said] if said else [], answers)

    async def on_save_bar_answered(self, event: SaveBar.Answered) -> None:
        """Go on with what was answered."""
        if event.key == "escape":
            self._boxes[self._field].focus()
        elif event.question == "overwrite":
            self._write(self._typed_path(), overwrite=True)
        elif event.key == "enter":
            self.dismiss(ProjectResult("use", self._project(), self._saved_to))
        else:
            await self._ask_path("yaml" if event.key == "f" else "seed")

    def _project(self) -> Project:
        project, faults = self.model.check()
        assert project is not None, faults
        return project

    def _go_to_fault(self, fault: FormFault) -> None:
        self._go_to(fault.field)
        box = self._boxes[fault.field]
        if fault.line:
            box.move_cursor((min(fault.line, box.document.line_count) - 1, 0))

    async def _ask_path(self, where: Where) -> None:
        self._where = where
        stem, folder = file_stem(self.model.texts["title"]), self.request.folder
        suffix = ".yaml" if where == "yaml" else ".jsonl"
        start = self._saved_to if where == "yaml" else ""
        field = PathField(start or free_path(folder, stem, suffix), suffixes=(suffix,))
        area = self.query_one("#path", Vertical)
        await area.remove_children()
        await area.mount(field)
        field.box.focus()
        self._bar.hint("Enter save   Tab complete   Esc back")
        if where == "seed":
            from .project_files import seed_losses

            lost = seed_losses(self._project())
            self._say("A seed row cannot hold: " + " ".join(lost) if lost else "")

    def _typed_path(self) -> str:
        return self.query_one(PathField).expanded.strip()

    async def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        """Enter on the path."""
        path = self._typed_path()
        if not path:
            self._say("Type where to save it.")
        elif self._where == "yaml" and await asyncio.to_thread(os.path.isfile, path):
            answer = Answer("o", "o", "write over it")
            self._bar.ask("overwrite", ["A file is there already:", path], (answer,))
        else:
            self._write(path, overwrite=False)

    @work(group="write")
    async def _write(self, path: str, *, overwrite: bool) -> None:
        from .project_files import save_seed_row, save_yaml

        try:
            if self._where == "yaml":
                words = await asyncio.to_thread(
                    save_yaml, self._project(), path, overwrite=overwrite
                )
                self._saved_to = path
            else:
                words = await asyncio.to_thread(save_seed_row, self._project(), path)
        except (RollstepError, OSError) as error:
            self._say(f"Not saved: {error}")
            self.query_one(PathField).box.focus()
            return
        self._say(words)
        self._close_path()
        self._ask_what(words)

    def _close_path(self) -> None:
        self.query(PathField).remove()
        self._bar.hint(_KEYS)
        self._boxes[self._field].focus()

    def _say(self, words: str) -> None:
        self._said = words
        self._checked(self._faults)


def _label(field: str) -> str:
    return LABELS.get(field, field).capitalize()
