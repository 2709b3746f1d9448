"""The editor's pieces: a labelled field, and the panel that shows what stood there before and what
was changed.
"""

from __future__ import annotations

from rollstep.core.rules.word_diff import Stretch, folded, summary, word_diff
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ..sanitize import one_line, visible
from ..widgets.line_view import LineView, Passage
from ..widgets.text_box import TextBox
from .edit_model import Field

LONGEST_STRETCH = 4_000
"""Characters of one removed or added stretch that the panel shows."""


class FieldBox(TextBox):
    """The text of one field."""

    def __init__(self, field: Field, choices: tuple[str, ...] = ()) -> None:
        super().__init__(
            field.text,
            language="json" if field.json else "text",
            single_line=field.single_line,
            choices=choices,
        )
        self.key = field.key


class FieldPanel(Vertical):
    """A field under its label."""

    def __init__(self, field: Field, choices: tuple[str, ...] = ()) -> None:
        super().__init__(classes="-line" if field.single_line else "")
        self.field = field
        self.hint = _choices_hint(choices)
        self.label = Static(classes="label")
        self.box = FieldBox(field, choices)

    def compose(self) -> ComposeResult:
        """The label and the box."""
        yield self.label
        yield self.box

    def on_mount(self) -> None:
        """Write the label."""
        self.note("")

    def note(self, words: str, *, fault: bool = False) -> None:
        """Say something beside the label."""
        field = self.field
        said = words or self.hint
        if not said and field.hidden_tail:
            said = f"{field.hidden_tail:,} more characters stay as they are; Ctrl+G opens all"
        sign = "! " if fault else ""
        self.label.update(
            Content.assemble(
                (one_line(field.label), "bold"),
                "  ",
                (sign + one_line(said), "$warning" if fault else "$foreground 60%"),
            )
        )


class ChangesPanel(Vertical):
    """What stood in a field before, and what was changed, word by word."""

    def __init__(self) -> None:
        super().__init__(id="changes")
        self.heading = Static(classes="label")
        self.changes = Static()
        self.before_label = Static("before", classes="label")
        self.before = LineView()
        self._shown: tuple[str, str, str] | None = None
        self._summary = ""

    def focus_changes(self) -> None:
        """Let the keys scroll the changes."""
        self.query_one(VerticalScroll).focus()

    def compose(self) -> ComposeResult:
        """The changes above, the original below."""
        yield self.heading
        with VerticalScroll(can_focus=True):
            yield self.changes
        yield self.before_label
        yield self.before

    def show(self, field: Field, text: str) -> str:
        """Compare ``text`` with the field's original; returns the changes in a few words."""
        before = field.original or ""
        if self._shown != (field.key, before, text):
            stretches = word_diff(before, text)
            self._summary = summary(stretches)
            if self._shown is None or self._shown[:2] != (field.key, before):
                self.before.show([Passage(before, json=field.json)])
            self._shown = (field.key, before, text)
            self.heading.update(
                Content.assemble(
                    (f"changes in {field.label}", "bold"),
                    ("  " + (self._summary or "none"), "$foreground 60%"),
                )
            )
            self.changes.update(diff_content(stretches))
        return self._summary

    def tell(self, heading: str, text: str, before_label: str, before: str) -> None:
        """Show two other texts, where there is nothing to compare with."""
        self._shown = None
        self.heading.update(Content.assemble((one_line(heading), "bold")))
        self.changes.update(Content(visible(text[:LONGEST_STRETCH])))
        self.before_label.update(Content.assemble((one_line(before_label), "bold")))
        self.before.show([Passage(before, json=True)])


def diff_content(stretches: list[Stretch]) -> Content:
    """The stretches as text: ``[-removed-]`` and ``{+added+}``, coloured too."""
    pieces: list[str | tuple[str, str]] = []
    for stretch in folded(stretches):
        text = stretch.text
        if len(text) > LONGEST_STRETCH:
            text = f"{text[:LONGEST_STRETCH]} … {len(text) - LONGEST_STRETCH:,} more"
        if stretch.kind == "same":
            pieces.append(visible(text))
        elif stretch.kind == "removed":
            pieces.append((f"[-{visible(text)}-]", "$text-error on $error-muted"))
        else:
            pieces.append((f"{{+{visible(text)}+}}", "$text-success on $success-muted"))
    return Content.assemble(*pieces)


def _choices_hint(choices: tuple[str, ...]) -> str:
    if not choices:
        return ""
    shown = " · ".join(choices[:6]) + (" · …" if len(choices) > 6 else "")
    return f"↑ ↓ {shown}"
