"""The editor: a step's texts, to be overridden or written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from rich.cells import cell_len
from rollstep.core.rules.json_layout import lay_out
from rollstep.core.rules.schema_example import example_text
from textual import events
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static, TextArea

from ..sanitize import one_line
from ..widgets.text_box import TextBox
from . import external_editor
from .edit_form import EditForm
from .edit_model import EditModel, shown_part
from .edit_panels import ChangesPanel
from .edit_types import After, EditRequest, EditResult
from .external_editor import Edited
from .json_check import json_fault
from .key_guard import KeyGuard
from .save_bar import Answer, SaveBar

DRAFT_SECONDS = 0.7
"""A draft is kept so long after a key, however fast more keys follow."""
REFRESH_SECONDS = 0.08
"""Checks and the comparison follow the keys at this distance."""
WIDE = 120
"""From this width on, text and changes stand side by side."""

External = Callable[..., Edited]

_KEYS: dict[str, After] = {"enter": "stay", "k": "keep", "r": "rerun"}


class EditorScreen(Screen[EditResult]):
    """Edits one step. Dismisses with an EditResult; ``on_draft`` is given the body of the draft
    soon after keys were pressed, so that a crash loses no more than a second of typing.
    """

    CSS_PATH = "editor.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save"),
        Binding("escape", "leave", "Leave; the text is kept as a draft"),
        Binding("f2,ctrl+o", "changes", "Show the changes and what was there before"),
        Binding("f3,ctrl+l", "switch", "Message or stop"),
        Binding("f4,ctrl+b", "add_call", "Add a call"),
        Binding("f6", "lay_out", "Lay out JSON over lines", priority=True),
        Binding("f8", "remove_call", "Remove this call"),
        Binding("f9,ctrl+t", "toggle_error", "The result is an error, or is none"),
        Binding("f5,ctrl+r", "start_over", "Start over from the original"),
        Binding("ctrl+g", "external", "Open this text in $EDITOR"),
    ]

    def __init__(
        self,
        request: EditRequest,
        *,
        on_draft: Callable[[str], None] | None = None,
        external: External = external_editor.edit,
    ) -> None:
        super().__init__()
        self.request = request
        self.model = EditModel(request)
        self._form = EditForm(self.model)
        self._reason = TextBox(self.model.state.reason, single_line=True)
        self._changes = ChangesPanel()
        self._guard = KeyGuard()
        self._bar = SaveBar(self._guard)
        self._on_draft = on_draft
        self._external = external
        self._refresh_due = self._draft_due = False
        self._said = ""

    # What is on it

    def compose(self) -> ComposeResult:
        """Title, fields beside changes, notes, the reason, the bar."""
        with Horizontal(id="title"):
            yield Static(Content(one_line(self.request.title)), id="title-words")
            yield Static("", id="status")
        yield Static(Content(self._before_it()), id="context")
        with Horizontal(id="body"):
            yield self._form
            yield self._changes
        yield Static("", id="notes")
        with Horizontal(id="why"):
            yield Static("why (optional)", id="why-label")
            yield self._reason
        yield self._bar

    def _before_it(self) -> str:
        call = self.request.call
        words = self.request.context or (f"answers {call.name} {call.arguments}" if call else "")
        return one_line(words[:1_000])

    async def on_mount(self) -> None:
        """Show the fields; open the human's own editor if that was asked for."""
        self.query_one("#context").display = bool(self._before_it())
        await self._show()
        if self.request.external:
            self.call_after_refresh(self.action_external)

    async def _show(self, focus: str = "") -> None:
        await self._form.show(focus)
        self._bar.hint(self._hints())
        self._refresh()

    def _hints(self) -> str:
        """The keys, in full where they fit into the line."""
        keys = list(self._keys())
        full = "  ".join(words for words, _ in keys)
        fits = cell_len(full) <= self.app.size.width - 2
        return full if fits else "  ".join(short for _, short in keys if short)

    def _keys(self) -> Iterator[tuple[str, str]]:
        """Each key in full and in short, empty where it gives way."""
        shape, state = self.model.state.shape, self.model.state
        yield "Ctrl+S save", "Ctrl+S save"
        yield "Esc leave, kept as a draft", "Esc leave"
        yield "Tab next field", ""
        yield ("F2 text", "F2 text") if self.has_class("-instead") else ("F2 changes", "F2 diff")
        if self.model.can_switch:
            words = "F3 stop instead" if shape == "message" else "F3 message instead"
            yield words, words
        if shape == "reply":
            yield "F4 add a call", "F4 +call"
            yield "F8 remove this call", "F8 -call"
        if shape in ("reply", "result"):
            yield "F6 lay out JSON", "F6 lay out"
        if shape == "result":
            words = "F9 no error" if state.is_error else "F9 mark as error"
            yield words, words
        yield "Ctrl+G $EDITOR", "^G $EDITOR"

    def on_resize(self, event: events.Resize) -> None:
        """Beside each other when there is room."""
        self.set_class(event.size.width >= WIDE and self._has_other_side, "-both")
        if event.size.width >= WIDE:
            self.remove_class("-instead")
        self._bar.hint(self._hints())

    @property
    def _has_other_side(self) -> bool:
        return self.request.original is not None or self.request.call is not None

    # While typing

    def on_edit_form_touched(self) -> None:
        """Something was typed."""
        self._later()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """The reason was typed."""
        self._later()

    def on_text_box_pasted(self) -> None:
        """Keys that decide rest for a moment."""
        self._guard.pasted()

    def on_text_box_submitted(self) -> None:
        """Enter in a one-line field goes on to the next."""
        self.focus_next()

    def _later(self) -> None:
        if not self._refresh_due:
            self._refresh_due = True
            self.set_timer(REFRESH_SECONDS, self._refresh)

    def _sync(self) -> None:
        self._form.sync()
        self.model.state.reason = self._reason.value

    def _refresh(self) -> None:
        """Everything that follows from what was typed."""
        self._refresh_due = False
        if not self.is_attached:
            return
        self._sync()
        self._form.check()
        self._compare()
        self._say_notes()
        if self.model.state_differs():
            self._draft_later()

    def _compare(self) -> None:
        panel, request = self._form.current, self.request
        words = "by hand"
        if request.original is not None:
            words = "changed" if self.model.changed else "not changed"
            if panel is not None:
                text = shown_part(self.model.get(panel.field.key))
                words = self._changes.show(panel.field, text) or words
        elif request.call is not None:
            call = request.call
            self._changes.tell(
                f"answers {call.name}", call.arguments, "returns schema", request.returns or ""
            )
        self.query_one("#status", Static).update(Content(words))

    def _say_notes(self) -> None:
        notes = [self._said] if self._said else []
        if self.model.draft_loaded:
            notes.append("The draft you left is back. F5 starts over from the original.")
        elif self.model.draft_unreadable:
            notes.append("A draft was kept here, but it cannot be read.")
        notes += ["The result is marked as an error."] if self.model.state.is_error else []
        notes += [*self.model.others(), *self.model.notes()]
        panel = self._form.current
        mark = panel.box.mark_at_cursor() if panel is not None else ""
        notes += [f"under the cursor: {mark}"] if mark else []
        shown = self.query_one("#notes", Static)
        shown.update(Content("\n".join(map(one_line, notes))))
        shown.display = bool(notes)

    def _say(self, words: str) -> None:
        self._said = words
        self._later()

    # Drafts

    def _draft_later(self) -> None:
        if self._on_draft is not None and not self._draft_due:
            self._draft_due = True
            self.set_timer(DRAFT_SECONDS, self._keep_draft)

    def _keep_draft(self) -> None:
        self._draft_due = False
        if self._on_draft is not None and self.is_attached:
            self._sync()
            self._on_draft(self.model.dump())

    def action_leave(self) -> None:
        """Close; what was typed is kept as a draft."""
        if self._guard.closed:
            return
        self._sync()
        if self.model.state_differs():
            self.dismiss(EditResult("draft", draft=self.model.dump()))
        else:
            self.dismiss(EditResult("closed"))

    # Saving: what is wrong, then what follows, then done

    def action_save(self) -> None:
        """Save, after the questions that there are."""
        if self._guard.closed or self._bar.asking:
            return
        self._sync()
        if self.request.original is not None and not self.model.changed:
            self.dismiss(EditResult("unchanged"))
            return
        problems = self.model.problems()
        if problems:
            keep = Answer("y", "y", "keep anyway, it is data")
            self._bar.ask("problems", problems[:4], (keep,))
        else:
            self._ask_after()

    def _ask_after(self) -> None:
        if self.request.original is None:
            self._finish("stay")
            return
        answers = [Answer("enter", "Enter", "stay here")]
        if self.request.follows:
            count = self.request.follows
            steps = "step that follows" if count == 1 else f"{count} steps that follow"
            answers.append(Answer("k", "k", f"keep the {steps}"))
        if self.request.rerun:
            answers.append(Answer("r", "r", f"rerun to the turn's end ({self.request.rerun})"))
        self._bar.ask("after", ["Saves a new take; the original stays. Then:"], (*answers,))

    async def on_save_bar_answered(self, event: SaveBar.Answered) -> None:
        """Go on, or back to the text."""
        if event.key == "escape":
            self._form.focus_field()
        elif event.question == "over":
            await self._start_over()
        elif event.question == "problems":
            self._ask_after()
        else:
            self._finish(_KEYS[event.key])

    def _finish(self, after: After) -> None:
        reason = self.model.state.reason
        draft = self.model.dump()  # for who finds that it cannot be saved just now
        state = self.model.simulator_state()
        self.dismiss(EditResult("saved", self.model.payload(), after, reason, draft, state))

    # Other keys

    def action_changes(self) -> None:
        """Show the changes beside the text, instead of it where it is narrow, or not at all."""
        if not self._has_other_side:
            self._say("There is nothing to compare with: this step is new.")
            return
        self.toggle_class("-both" if self.size.width >= WIDE else "-instead")
        if self.has_class("-instead"):
            self._changes.focus_changes()
        else:
            self._form.focus_field()
        self._bar.hint(self._hints())

    async def action_switch(self) -> None:
        """Say something or stop."""
        if self.model.can_switch:
            self._sync()
            self.model.switch()
            await self._show()

    async def action_add_call(self) -> None:
        """One more call at the end."""
        if self.model.state.shape != "reply":
            return
        self._sync()
        tool = self.request.tools[0] if self.request.tools else None
        uid = (
            self.model.add_call(tool.name, example_text(tool.parameters))
            if tool is not None
            else self.model.add_call()
        )
        await self._show(f"call.{uid}.name")

    async def action_remove_call(self) -> None:
        """Take away the call that has the focus."""
        panel = self._form.current
        kind, _, rest = panel.field.key.partition(".") if panel is not None else ("", "", "")
        if kind != "call":
            self._say("Put the cursor into the call that is to go.")
            return
        self._sync()
        self.model.remove_call(int(rest.partition(".")[0]))
        self._said = "The call is gone. F5 starts over from the original."
        await self._show()

    def action_toggle_error(self) -> None:
        """Mark the result as a failure of the tool, or as none."""
        if self.model.state.shape == "result":
            self.model.state.is_error = not self.model.state.is_error
            self._bar.hint(self._hints())
            self._later()

    def action_lay_out(self) -> None:
        """Lay this text out over lines if it is JSON; Ctrl+Z takes it back."""
        panel = self._form.current
        if panel is None or self._bar.asking or panel.field.hidden_tail:
            return
        text = panel.box.value
        fault = json_fault(text)
        if fault is None:
            panel.box.put(lay_out(text))
        self._say(f"Not JSON: {fault.words()}" if fault is not None else "")

    async def action_start_over(self) -> None:
        """Back to the original, without what was typed; asks first if there is anything."""
        self._sync()
        if self.model.state_differs():
            answer = Answer("y", "y", "throw away what was typed")
            self._bar.ask("over", ["Start over from the original?"], (answer,))
        else:
            await self._start_over()

    async def _start_over(self) -> None:
        self.model.start_over()
        self._reason.value = ""
        self._said = "Back to the original."
        await self._show()

    async def action_external(self) -> None:
        """The same text in the human's own editor; only a changed file is an edit."""
        self._sync()
        panel = self._form.current
        if panel is None:
            return
        key, suffix = panel.field.key, ".json" if panel.field.json else ".txt"
        whole = self.model.get(key)
        try:
            with self.app.suspend():
                result = self._external(whole, suffix=suffix)
        except SuspendNotSupported:
            self._say("Here the terminal cannot be lent to another editor.")
            return
        self._said = result.words
        if result.text is not None:
            self.model.put(key, result.text)
            self._said = "Taken over from your editor."
            if panel.field.hidden_tail or shown_part(result.text) != result.text:
                await self._show(key)
            else:
                panel.box.put(result.text)
        self.refresh()
        self._later()
