"""PyYAML's complaints in a human's words."""

from __future__ import annotations

import yaml

from ..errors import Fault

_WORDS = (
    (
        "mapping values are not allowed",
        'a ": " cannot stand here.',
        "Put the text in quotes, or check the indentation.",
    ),
    (
        "could not find expected ':'",
        "a key without its colon.",
        'A key is written "key: value"; text of several lines needs a | after the colon.',
    ),
    (
        "did not find expected key",
        "this line does not fit the lines before it.",
        "Check its indentation, and quotes in quoted text.",
    ),
    (
        "did not find expected '-' indicator",
        "this line does not fit the list before it.",
        'Each item begins with "- ", all in the same column.',
    ),
    ("expected ',' or", "a bracket or brace is not closed, or a comma is missing.", ""),
    ("expected node content", "a value is missing here, or a bracket is not closed.", ""),
    ("maximum nesting depth", "nested too deeply.", "Flatten it, or keep it as a text."),
    ("unexpected end of stream", "a quote that is opened is never closed.", ""),
    ("undefined tag handle", "tags are refused.", "Put the text in quotes."),
    ("unknown escape character", "a backslash in double quotes begins an unknown escape.", ""),
    ("invalid Unicode character escape", "this escape names no character.", ""),
)


class NotYaml(Exception):
    """The text is no YAML that could be looked at any further."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def as_fault(error: yaml.MarkedYAMLError, text: str) -> Fault:
    """The fault that a YAML parser stopped at."""
    mark = error.problem_mark or error.context_mark
    if error.context_mark and "unexpected end of stream" in (error.problem or ""):
        mark = error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    tabbed = _tab_line(text, line)
    if tabbed:
        return Fault("tab used for indentation; use spaces.", line=tabbed)
    problem = error.problem or "not YAML"
    if "cannot start any token" in problem:
        char = _char_at(text, line, column)
        hint = "Put the text in quotes."
        return Fault(f"{char!r} cannot begin a value.", line=line, column=column, hint=hint)
    known = (words for part, *words in _WORDS if part in problem)
    message, hint = next(known, (f"not YAML: {problem}.", ""))
    started = error.context_mark.line + 1 if error.context_mark and error.context else 0
    if started and started != line:
        message = f"{message.rstrip('.')} (what it belongs to starts at line {started})."
    return Fault(message, line=line, column=column, hint=hint)


def _tab_line(text: str, line: int) -> int:
    """The number of the line, this one or the one before, that a tab indents; 0 if none does."""
    lines = text.splitlines()
    for number in (line, line - 1):
        if 1 <= number <= len(lines):
            content = lines[number - 1]
            if "\t" in content[: len(content) - len(content.lstrip())]:
                return number
    return 0


def _char_at(text: str, line: int, column: int) -> str:
    lines = text.splitlines()
    if 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]):
        return lines[line - 1][column - 1]
    return "this"
