"""What the project form edits: plain texts for plain fields, YAML for the parts with a shape of
their own. Pure; imports no Textual.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from rollstep.core.errors import Fault, ProjectFileError, RollstepError
from rollstep.core.model.project import Project
from rollstep.core.projects.reader import parse_project
from rollstep.core.projects.writer import project_yaml

_TOP_KEY = re.compile(r"^([\w.-]+|\"[^\"]*\"):", re.MULTILINE)
_PLAIN = ("title", "goal", "opening", "max_turns", "persona", "system")
_YAML = ("evaluator", "target", "tools", "tool_simulator")
_MORE = "more"
FIELDS = ("title", "goal", "opening", "max_turns", "persona", "evaluator", "system", "target",
          "tools", "tool_simulator", _MORE)  # fmt: skip
"""All fields, in the order in which the form shows them."""

LABELS = {
    "persona": "evaluator plays",
    "system": "system text",
    "max_turns": "max turns",
    "tool_simulator": "tool rules",
    _MORE: "everything else",
}
HINTS = {
    "title": "name shown everywhere",
    "goal": "what the user wants to reach",
    "opening": "the first message; empty: the evaluator is asked for one",
    "max_turns": "turns after which the rollout ends",
    "persona": "who the evaluator is, in words; empty: none",
    "system": "sent to the target first; empty: none",
    "evaluator": "YAML: kind, lines, stop words",
    "target": "YAML: kind, model or replies",
    "tools": "YAML: what the target may call",
    "tool_simulator": "YAML: what answers the calls",
    _MORE: "YAML: stop rules, breakpoints, metadata",
}
EXAMPLES = {
    "tools": """tools:
  - name: get_order
    description: Find an order by its number.
    parameters: {type: object, properties: {order_id: {type: string}}}
    returns: {type: object, properties: {status: {type: string}}}
""",
    "tool_simulator": """tool_simulator:
  kind: rules
  rules:
    - tool: get_order
      when: {order_id: "4471"}
      respond: {status: delivered}
""",
    _MORE: """stop: {max_cost_usd: 0.50, repeated_exchanges: 3}
breakpoints:
  - {role: tool, tool: issue_refund}
metadata: {}
""",
}
"""Shown faintly where nothing stands yet."""


@dataclass(frozen=True)
class FormFault:
    """One thing wrong, with the field that it is in; ``line`` counts from 1 in that field's
    text.
    """

    field: str
    words: str
    line: int = 0

    def render(self) -> str:
        """The fault in one line."""
        place = f", line {self.line}" if self.line else ""
        return f"{LABELS.get(self.field, self.field)}{place}: {self.words}"


class ProjectModel:
    """The texts of a project while they are edited. Nothing typed is ever thrown away: what cannot
    be read as a project is a fault beside its text.
    """

    def __init__(self, project: Project, draft: str = "") -> None:
        self._base = project
        self.start = _texts_of(project)
        self.texts = dict(self.start)
        self.draft_loaded = bool(draft) and self._load(draft)

    @property
    def changed(self) -> bool:
        """Whether anything differs from what was opened."""
        return self.texts != self.start

    def set(self, field: str, text: str) -> None:
        """Take what was typed."""
        self.texts[field] = text

    def check(self) -> tuple[Project | None, list[FormFault]]:
        """The project, or None and all that is wrong."""
        faults = list(self._plain_faults())
        text, starts = self._document()
        try:
            parsed = parse_project(text, "form")
        except ProjectFileError as error:
            return None, faults + [_placed(fault, starts) for fault in error.faults]
        if faults:
            return None, faults
        project = self._joined(parsed)
        return self._whole(project)

    def dump(self) -> str:
        """The draft's body."""
        return json.dumps({"v": 1, "texts": self.texts})

    def _whole(self, project: Project) -> tuple[Project | None, list[FormFault]]:
        """Written and read once more: what is used is what a file would give."""
        try:
            return parse_project(project_yaml(project), "form"), []
        except ProjectFileError as error:
            return None, [FormFault(_field_of(f.where), f.message) for f in error.faults]
        except RollstepError as error:
            return None, [FormFault(_MORE, str(error))]

    def _load(self, body: str) -> bool:
        try:
            texts: Any = json.loads(body)["texts"]
            loaded = {field: texts[field] for field in FIELDS}
        except (ValueError, TypeError, KeyError):
            return False
        if not all(isinstance(text, str) for text in loaded.values()):
            return False
        self.texts = loaded
        return True

    def _plain_faults(self) -> Iterator[FormFault]:
        if not self.texts["title"].strip():
            yield FormFault("title", "a project needs a title")
        number = self.texts["max_turns"].strip()
        if not (number.isascii() and number.isdigit() and int(number) >= 1):
            yield FormFault("max_turns", "a whole number, at least 1")

    def _document(self) -> tuple[str, list[tuple[int, str]]]:
        """One YAML text of the shaped fields, and the line at which each begins."""
        pieces, starts, line = ["title: form\n"], [], 2
        for field in (*_YAML, _MORE):
            text = self.texts[field]
            if text.strip():
                starts.append((line, field))
                text = text if text.endswith("\n") else f"{text}\n"
                pieces.append(text)
                line += text.count("\n")
        return "".join(pieces), starts

    def _joined(self, parsed: Project) -> Project:
        texts = self.texts
        evaluator, target = parsed.evaluator, parsed.target
        if hasattr(evaluator, "persona"):
            evaluator = msgspec.structs.replace(evaluator, persona=texts["persona"])
        if hasattr(target, "system"):
            target = msgspec.structs.replace(target, system=self._optional("system"))
        return msgspec.structs.replace(
            parsed,
            title=texts["title"],
            goal=texts["goal"],
            opening=self._optional("opening"),
            max_turns=int(texts["max_turns"]),
            evaluator=evaluator,
            target=target,
        )

    def _optional(self, field: str) -> str | None:
        """A text, or None where it is empty; untouched it stays what it was, as an empty text is
        not the same as none.
        """
        text = self.texts[field]
        if text == self.start[field]:
            given: str | None = getattr(
                self._base if field == "opening" else self._base.target, field, None
            )
            return given
        return text or None


def _texts_of(project: Project) -> dict[str, str]:
    texts = {
        "title": project.title,
        "goal": project.goal,
        "opening": project.opening or "",
        "max_turns": str(project.max_turns),
        "persona": getattr(project.evaluator, "persona", ""),
        "system": getattr(project.target, "system", None) or "",
    }
    evaluator, target = project.evaluator, project.target
    if hasattr(evaluator, "persona"):
        evaluator = msgspec.structs.replace(evaluator, persona="")
    if hasattr(target, "system"):
        target = msgspec.structs.replace(target, system=None)
    shaped = msgspec.structs.replace(
        project, title="form", goal="", opening=None, max_turns=10,
        evaluator=evaluator, target=target,
    )  # fmt: skip
    return texts | _sections(project_yaml(shaped))


def _sections(text: str) -> dict[str, str]:
    """The YAML cut at its top-level keys."""
    sections = dict.fromkeys((*_YAML, _MORE), "")
    starts = [(match.start(), match.group(1)) for match in _TOP_KEY.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    for (start, key), end in zip(starts, ends, strict=True):
        if key in _YAML:
            sections[key] = text[start:end]
        elif key not in ("title", "version"):
            sections[_MORE] += text[start:end]
    return sections


def _placed(fault: Fault, starts: list[tuple[int, str]]) -> FormFault:
    """The fault in the field that it is in."""
    words = " ".join(piece for piece in (fault.message, fault.hint) if piece)
    where = fault.where
    field, line = _field_of(where), 0
    for start, name in starts:
        if fault.line >= start:
            field, line = name, fault.line - start + 1
    return FormFault(field, f"{where}: {words}" if where and where != field else words, line)


def _field_of(where: str) -> str:
    name = re.split(r"[.\[]", where, maxsplit=1)[0]
    return name if name in FIELDS else _MORE
