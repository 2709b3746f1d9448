"""What an imported trajectory still knows of its source, for the writer of the same format.

Readers keep what no field of ours holds in ``Step.extra`` and in the header's ``extra``, both JSON
objects. Only the writer of the format that was read uses them, and only for steps that are still
the imported ones: copies keep them, edits do not.
"""

from __future__ import annotations

from typing import Any

from ..model.steps import Step
from .jsonl import RawJson
from .reading.json_in import JsonProblem, JsonReader, as_text, finite, is_named
from .subject import Subject

EDIT = "$edit"
"""The key of ``Step.extra`` that marks a step whose origin is another because its source says so:
an edit that was made before the file was written."""


class Source:
    """What the steps of one subject and its record had besides our fields."""

    def __init__(self, subject: Subject, name: str) -> None:
        self.here = subject.format == name
        """Whether the subject was read as this very format."""
        self._subject = subject
        self._parse = JsonReader().parse

    def of_step(self, step: Step) -> dict[str, Any]:
        """What the source said of a step; nothing for one that was made or edited here."""
        if not self.here or not step.extra:
            return {}
        found = self._table(step.extra)
        return found if step.origin == "import" or EDIT in found else {}

    def has(self, step: Step) -> bool:
        """Whether the step stands where the source had it, as the source had it."""
        if not self.here or step.copied_from is not None:
            return False
        return step.origin == "import" or bool(self.of_step(step))

    def of_record(self) -> dict[str, Any]:
        """What the source said of the whole record."""
        return self._table(self._subject.extra) if self.here and self._subject.extra else {}

    def _table(self, text: str) -> dict[str, Any]:
        found, _ = self._parse(text)
        return found if isinstance(found, dict) else {}


def plain(value: Any) -> RawJson:
    """A value of the source as JSON, its numbers as they stood. NaN and infinities, which are no
    JSON, become null.
    """
    return RawJson(as_text(finite(value)))


def json_of(text: str) -> Any:
    """What the JSON text of a part or a block says; None where it is no JSON."""
    try:
        return JsonReader().parse(text)[0]
    except JsonProblem:
        return None


def as_it_is(text: str) -> RawJson:
    """JSON text as it stands, unless it holds what is no JSON (``plain``)."""
    return plain(json_of(text)) if has_odd_numbers(text) else RawJson(text)


def has_odd_numbers(text: str) -> bool:
    """Whether a NaN or an infinity stands in this JSON text (and not only in its strings)."""
    if "NaN" not in text and "Infinity" not in text:
        return False
    return _any_odd(JsonReader().parse(text)[0])


def odd_number_notes(subject: Subject, name: str) -> list[str]:
    """A note, where what the source said holds a NaN or an infinity that has to be written."""
    if subject.format != name:
        return []
    texts = [subject.extra, *(step.extra for step in subject.trajectory.steps)]
    if not any(text and has_odd_numbers(text) for text in texts):
        return []
    return ["NaN and infinities of the source, which are no JSON, are written as null"]


def _any_odd(value: Any) -> bool:
    if isinstance(value, float):
        return is_named(value)
    if isinstance(value, dict):
        return any(map(_any_odd, value.values()))
    return isinstance(value, list) and any(map(_any_odd, value))
