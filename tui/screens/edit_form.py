"""The editor's fields: boxes that follow the edit model, and the checks beside their labels."""

from __future__ import annotations

from collections.abc import Iterator

from rollstep.core.rules.schema_example import example_text
from textual import work
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import TextArea

from .edit_model import SHOWN, EditModel, Field
from .edit_panels import FieldBox, FieldPanel
from .json_check import arguments_fault, json_fault, schema_note


class EditForm(VerticalScroll, can_focus=False):
    """Shows a model's fields and takes what is typed. Reading a box costs as much as its text is
    long, so it is read when the keys rest, by ``sync``.
    """

    class Touched(Message):
        """Something was typed, or a check has come to its end."""

    def __init__(self, model: EditModel) -> None:
        super().__init__(id="fields")
        self.model = model
        self._dirty: set[str] = set()
        self._last: FieldBox | None = None
        self._schema_words = ""

    @property
    def panels(self) -> Iterator[FieldPanel]:
        """The fields on the screen that the model still has, from the top."""
        return (panel for panel in self.query(FieldPanel) if self.model.has(panel.field.key))

    @property
    def current(self) -> FieldPanel | None:
        """The field that has the focus, or had it last."""
        panels = list(self.panels)
        return next((p for p in panels if p.box is self._last), panels[0] if panels else None)

    async def show(self, focus: str = "") -> None:
        """Show the fields that the model has now."""
        self._dirty.clear()
        self._last = None
        await self.remove_children()
        fields = list(self.model.fields())
        panels = [FieldPanel(field, self._choices(field)) for field in fields]
        texts = [panel for panel in panels if not panel.field.single_line]
        if len(texts) == 1 or self.model.state.shape == "message":
            texts[0].add_class("-main")
        await self.mount_all(panels)
        self.focus_field(focus)

    def focus_field(self, key: str = "") -> None:
        """Put the focus on this field, else on the last one that had it, else on the first."""
        panels = list(self.panels)
        wanted = next((p for p in panels if p.field.key == key), None) or self.current
        if wanted is not None:
            wanted.box.focus()

    def sync(self) -> None:
        """Read the boxes that were typed in."""
        for panel in self.panels:
            key = panel.field.key
            if key in self._dirty:
                before = self.model.get(key)
                self.model.set(key, panel.box.value)
                if key.endswith(".name"):
                    self._follow_tool(key, before, self.model.get(key))
        self._dirty.clear()

    def check(self) -> None:
        """Say beside each label what is wrong with its text."""
        for panel in self.panels:
            self._check(panel)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """A key."""
        event.stop()
        if isinstance(event.text_area, FieldBox):
            self._dirty.add(event.text_area.key)
            self.post_message(self.Touched())

    def on_text_area_selection_changed(self) -> None:
        """The cursor moved; it may stand on a mark that has a name."""
        self.post_message(self.Touched())

    def on_descendant_focus(self) -> None:
        """Another field is looked at."""
        focused = self.screen.focused
        if isinstance(focused, FieldBox):
            self._last = focused
            self.post_message(self.Touched())

    def _choices(self, field: Field) -> tuple[str, ...]:
        if field.key == "stop.reason":
            return self.model.request.stop_reasons
        if field.key.endswith(".name"):
            return tuple(tool.name for tool in self.model.request.tools)
        return ()

    def _follow_tool(self, key: str, before: str, after: str) -> None:
        """An added call's arguments follow its tool, while they are still the example's."""
        examples = {tool.name: example_text(tool.parameters) for tool in self.model.request.tools}
        arguments = key.removesuffix("name") + "arguments"
        if after == before or after not in examples:
            return
        if self.model.get(arguments) not in (examples.get(before), "{}", ""):
            return
        for panel in self.panels:
            if panel.field.key == arguments and panel.field.original is None:
                panel.box.put(examples[after])

    def _check(self, panel: FieldPanel) -> None:
        key, text = panel.field.key, self.model.get(panel.field.key)
        if len(text) > SHOWN:
            return
        if panel.field.json:
            fault = arguments_fault(text) if key.startswith("call.") else json_fault(text)
            if fault is not None:
                panel.note(fault.words(), fault=True)
                return
        if self.model.state.shape == "result" and self.model.request.returns:
            self._check_schema(text, self.model.request.returns)
            panel.note(self._schema_words or "fits its schema", fault=bool(self._schema_words))
        else:
            panel.note("JSON" if panel.field.json else "")

    @work(thread=True, exclusive=True, group="schema")
    def _check_schema(self, text: str, schema: str) -> None:
        """Off the screen's loop: the checker takes a while to load, and a schema to check."""
        words = schema_note(text, schema)
        if self.is_attached and words != self._schema_words:
            self._schema_words = words
            self.app.call_from_thread(self.post_message, self.Touched())
