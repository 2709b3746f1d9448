"""Takes as texts to be read side by side: what a take says, and where it differs from another, in
styled lines that are wrapped only as far as they are looked at. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    Stop,
    TargetReply,
    ToolResult,
    UserMessage,
    parts_text,
    reasoning_text,
)
from rollstep.core.rules.word_diff import Stretch, word_diff

from .inspector import pretty
from .rows import Row, Span
from .sanitize import visible
from .stepview import other_part, stop_title
from .wrap import TAB, wrap_line

SHOWN = 60_000
"""Characters of one section that are shown; the rest is said in words."""

_ALIKE = 0.6
"""Where less of two texts is the same, words that went are left out: they would be a salad."""


class Section(NamedTuple):
    """A stretch of a take: sections of one ``key`` are compared with each other."""

    key: str
    style: str
    text: str


def sections(payload: Payload) -> list[Section]:
    """All that a take says, in the order in which it is read."""
    if isinstance(payload, Stop):
        return [Section("stop", "stop", stop_title(payload)), Section("text", "text", payload.note)]
    found: list[Section] = []
    if isinstance(payload, ToolResult) and payload.is_error:
        found.append(Section("error", "error", "an error"))
    speaker = payload if isinstance(payload, TargetReply | UserMessage) else None
    if speaker is not None and speaker.reasoning:
        found.append(Section("reasoning", "reasoning", f"∴ {reasoning_text(speaker.reasoning)}"))
    text = parts_text(payload.parts)
    found.append(Section("text", "text", pretty(text) if isinstance(payload, ToolResult) else text))
    for index, part in enumerate(payload.parts):
        if isinstance(part, OtherPart):
            found.append(Section(f"part {index}", "dim", other_part(part)))
    if isinstance(payload, TargetReply) and payload.refusal:
        found.append(Section("refusal", "error", f"refused: {payload.refusal}"))
    for index, call in enumerate(speaker.tool_calls if speaker is not None else ()):
        found.append(Section(f"call {index}", "call", f"> {call.name}"))
        found.append(Section(f"arguments {index}", "text", pretty(call.arguments)))
    return [section for section in found if section.text] or [Section("text", "dim", "(empty)")]


def compared(payload: Payload, base: Payload | None) -> list[Span]:
    """A take as styled stretches, each section on lines of its own. With a ``base``, the words that
    only the take has are marked, and those that only the base has stand in ``[- -]``.
    """
    own = sections(payload)
    if base is None:
        return _joined([[(_cut(section.text), section.style)] for section in own])
    others = sections(base)
    kept = {section.key for section in own}
    found: list[list[Span]] = []
    for section in own:
        other = next((each for each in others if each.key == section.key), None)
        if other is not None:
            place = others.index(other)
            found += _gone(others[:place], kept)
            del others[: place + 1]
        found.append(_differing(section, other))
    return _joined(found + _gone(others, kept))


def _gone(sections: list[Section], kept: set[str]) -> list[list[Span]]:
    """What only the base has, where it stood; a call that went is named by its tool."""
    return [
        [(f"[-{_cut(section.text)}-]", "removed")]
        for section in sections
        if section.key not in kept and not section.key.startswith("arguments")
    ]


def _differing(section: Section, other: Section | None) -> list[Span]:
    if other is None:
        return [(_cut(section.text), "added:new")]
    stretches = word_diff(_cut(other.text), _cut(section.text))
    same = sum(len(s.text) for s in stretches if s.kind == "same")
    alike = same >= _ALIKE * max(len(section.text), 1)
    return [span for s in stretches if (span := _span(s, section.style, alike)) is not None]


def _span(stretch: Stretch, style: str, alike: bool) -> Span | None:
    if stretch.kind == "same":
        return stretch.text, style
    if stretch.kind == "added":
        return stretch.text, "added:new"
    return (f"[-{stretch.text}-]", "removed") if alike and stretch.text.strip() else None


def _joined(found: list[list[Span]]) -> list[Span]:
    spans: list[Span] = []
    for number, section in enumerate(found):
        spans += [("\n", "text"), *section] if number else section
    return spans


def _cut(text: str) -> str:
    left = len(text) - SHOWN
    return text if left <= 0 else f"{text[:SHOWN]}\n+{left:,} characters; Enter, then E: all of it"


class Flow:
    """Styled text in lines of a width, made as far as they are asked for."""

    def __init__(self, spans: Sequence[Span], width: int) -> None:
        self._starts: list[int] = []
        self._styles: list[str] = []
        pieces: list[str] = []
        at = 0
        for text, style in spans:
            shown = visible(text).replace("\t", " " * TAB)
            self._starts.append(at)
            self._styles.append(style)
            pieces.append(shown)
            at += len(shown)
        self._text = "".join(pieces)
        self._lines: list[Row] = []
        self._rest = self._wrapped(max(width, 1))

    def rows(self, first: int, count: int) -> list[Row]:
        """Lines ``first`` to ``first + count``, as many as there are."""
        for line in self._rest:
            self._lines.append(line)
            if len(self._lines) >= first + count:
                break
        return self._lines[first : first + count]

    def height(self) -> int:
        """How many lines there are: wraps all of it."""
        self._lines.extend(self._rest)
        return len(self._lines)

    def _wrapped(self, width: int) -> Iterator[Row]:
        start = 0
        while True:
            newline = self._text.find("\n", start)
            stop = len(self._text) if newline < 0 else newline
            for piece, at in wrap_line(self._text, start, stop, width):
                yield self._row(at, at + len(piece))
            if newline < 0:
                return
            start = newline + 1

    def _row(self, start: int, stop: int) -> Row:
        spans: list[Span] = []
        index = max(bisect_right(self._starts, start) - 1, 0)
        while start < stop:
            end = self._starts[index + 1] if index + 1 < len(self._starts) else stop
            text = self._text[start : min(end, stop)]
            if text:
                spans.append((text, self._styles[index]))
            start, index = max(start, end), index + 1
        return Row(tuple(spans))
