"""A row of a comparison as lines: the texts of both sides wrapped, with the words that differ
marked. Only what is seen is ever made, and a huge text costs as much as what is shown of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    payload_text,
    reasoning_text,
)
from rollstep.core.rules.compare import Comparison, Row, Side
from rollstep.core.rules.payload_changes import calls_of, payload_changes
from rollstep.core.rules.word_diff import Kind, Stretch, folded, word_diff

from ..cells import cells
from ..rows import Span
from ..sanitize import one_line, visible
from ..stepview import call_text, first_words, left_out, other_part, stop_title
from ..wrap import TAB, fit, wrap_line

Line = tuple[Span, ...]

_LEFT: Kind = "removed"
_RIGHT: Kind = "added"

_LEAD = 160
"""Characters before the first difference of a long text that are shown."""
_KEEP = 100
"""Characters that are kept of either end of a long stretch that is the same."""
_LEAST_ALIKE = 0.4
"""Texts that share less than this are shown as wholly different: single words that happen to be
in both only confuse."""
_CALL = 2_000
"""Arguments longer than this are shown as they came."""
_UNSEEN = {
    "finish reason": "",
    "reasoning as received": "the reasoning as the provider sent it is another",
    "how the text is cut into parts": "the text is cut into other parts",
}
"""Differences that no text shows, and the words for those whose values say nothing."""


class Section(NamedTuple):
    """A piece of a step that is compared with the same piece on the other side."""

    style: str
    left: str
    right: str
    lead: str = ""


def row_lines(
    comparison: Comparison, row: Row, width: int, limit: int
) -> tuple[list[Line], list[Line]]:
    """The lines of a row on the left and on the right, each side at most ``limit`` and each line
    at most ``width`` cells; none for a side that has no step here.
    """
    left = _payload(comparison.left, row.left)
    right = _payload(comparison.right, row.right)
    if row.kind == "same":
        line = [_brief(comparison.left, row.left, width)]
        return line, line
    pieces = sections(comparison, row)
    alone = row.kind != "changed"
    sides: list[list[Line]] = []
    for payload, kind in ((left, _LEFT), (right, _RIGHT)):
        if payload is None:
            sides.append([])
            continue
        found = [(piece, _side_spans(piece, kind, width * limit, alone)) for piece in pieces]
        paragraphs = [[(piece.lead, piece.style), *spans] for piece, spans in found if spans]
        sides.append(wrap_spans(paragraphs or [[("(empty)", "dim")]], width, limit))
    return sides[0], sides[1]


def _payload(side: Side, index: int | None) -> Payload | None:
    return side.steps[index].payload if index is not None else None


def _brief(side: Side, index: int | None, width: int) -> Line:
    """A step that is the same on both sides, in one line."""
    payload = _payload(side, index)
    assert payload is not None
    assert index is not None
    words = first_words(payload, width)
    if isinstance(payload, Stop):
        words = stop_title(payload)
    elif isinstance(payload, ToolResult):
        call = side.calls.get(index)
        words = f"{one_line(call.name) if call else 'result'}: {words}"
    elif not words:
        words = "> " + "; ".join(call_text(call, width) for call in calls_of(payload)[:3])
    return ((fit(words, width), "dim"),)


def sections(comparison: Comparison, row: Row) -> list[Section]:
    """The pieces of the two steps of a row, those beside each other that belong together."""
    left, right = _payload(comparison.left, row.left), _payload(comparison.right, row.right)
    found = [*_heads(comparison, row), *_texts(left, right), *_calls(left, right)]
    if left is not None and right is not None:
        found += _unseen(left, right)
    return [piece for piece in found if piece.left or piece.right]


def _heads(comparison: Comparison, row: Row) -> Iterator[Section]:
    left, right = _head(comparison.left, row.left), _head(comparison.right, row.right)
    stops = any(isinstance(_payload(*at), Stop) for at in _places(comparison, row))
    yield Section("stop" if stops else "name", left, right)


def _places(comparison: Comparison, row: Row) -> tuple[tuple[Side, int | None], ...]:
    return (comparison.left, row.left), (comparison.right, row.right)


def _head(side: Side, index: int | None) -> str:
    payload = _payload(side, index)
    if isinstance(payload, Stop):
        return stop_title(payload)
    if not isinstance(payload, ToolResult) or index is None:
        return ""
    call = side.calls.get(index)
    return (call.name if call else "answers no call") + ("  error" if payload.is_error else "")


def _texts(left: Payload | None, right: Payload | None) -> Iterator[Section]:
    yield Section("reasoning", _reasoning(left), _reasoning(right), "∴ ")
    yield Section("text", _text(left), _text(right))
    yield Section("dim", _others(left), _others(right))
    yield Section("error", _refusal(left), _refusal(right), "refused: ")


def _reasoning(payload: Payload | None) -> str:
    if isinstance(payload, UserMessage | TargetReply):
        return reasoning_text(payload.reasoning)
    return ""


def _text(payload: Payload | None) -> str:
    return payload_text(payload) if payload is not None else ""


def _others(payload: Payload | None) -> str:
    if payload is None or isinstance(payload, Stop):
        return ""
    return "\n".join(other_part(part) for part in payload.parts if isinstance(part, OtherPart))


def _refusal(payload: Payload | None) -> str:
    return payload.refusal if isinstance(payload, TargetReply) else ""


def _calls(left: Payload | None, right: Payload | None) -> Iterator[Section]:
    ours, theirs = (calls_of(p) if p is not None else () for p in (left, right))
    for one, other in zip_longest(ours, theirs):
        words = _call(one), _call(other)
        if words[0] == words[1]:  # the same values; perhaps not as they are written
            came = _as_it_came(one), _as_it_came(other)
            words = came if came[0] != came[1] else words
        yield Section("call", *words, lead="> ")


def _call(call: ToolCall | None) -> str:
    if call is None or len(call.arguments) > _CALL:
        return _as_it_came(call)
    return call_text(call, _CALL)


def _as_it_came(call: ToolCall | None) -> str:
    return f"{call.name}({call.arguments})" if call is not None else ""


def _unseen(left: Payload, right: Payload) -> Iterator[Section]:
    for change in payload_changes(left, right):
        words = _UNSEEN.get(change.what)
        if words:
            yield Section("dim", words, words)
        elif words is not None:
            yield Section("dim", change.left or "(none)", change.right or "(none)", "finish: ")


# words


def stretches(left: str, right: str, most: int) -> list[Stretch]:
    """What differs between two texts, as far as ``most`` characters around the first difference
    show it.
    """
    start = max(_first_difference(left, right) - _LEAD, 0) if _longest(left, right) > most else 0
    ends = left[start : start + most], right[start : start + most]
    found = word_diff(*ends)
    same = sum(_letters(piece.text) for piece in found if piece.kind == "same")
    if same < _LEAST_ALIKE * min(map(_letters, ends)):
        found = [Stretch(_LEFT, ends[0]), Stretch(_RIGHT, ends[1])]
    elif _longest(left, right) > start + most:
        found = _without_ragged_end(found)
    found = folded(found, _KEEP)
    if start:
        found.insert(0, Stretch("same", f"… {start:,} the same … "))
    for kind, text in ((_LEFT, left), (_RIGHT, right)):
        more = len(text) - start - most
        if more > 0:
            found.append(Stretch(kind, f" … {more:,} more characters"))
    return found


def _letters(text: str) -> int:
    """Characters that are no spaces: those are in every text."""
    return len(text) - text.count(" ")


def _longest(left: str, right: str) -> int:
    return max(len(left), len(right))


def _first_difference(left: str, right: str) -> int:
    """Where two texts part, to within a few characters."""
    at, step = 0, 65_536
    while step > 16:
        if left[at : at + step] == right[at : at + step] and at < len(left):
            at += step
        else:
            step //= 4
    return at


def _without_ragged_end(found: list[Stretch]) -> list[Stretch]:
    """Where texts are cut at one length, the ends differ only for what differed before them."""
    end = len(found)
    while end and found[end - 1].kind != "same":
        end -= 1
    return found[:end] if any(piece.kind != "same" for piece in found[:end]) else found


def _side_spans(piece: Section, kind: Kind, most: int, alone: bool) -> list[Span]:
    """One side's text in spans: what only this side has in the style of ``kind``, unless the
    whole step is ``alone``.
    """
    own, other = (piece.left, piece.right) if kind == _LEFT else (piece.right, piece.left)
    marked = f"{kind}:new"
    if not own:
        return []
    if alone or not other:
        return [(own, piece.style if alone else marked)]
    if own == other:
        more = len(own) - _LEAD
        rest = f" … {more:,} more, the same" if more > 40 else ""
        return [(own[:_LEAD] if rest else own, piece.style), (rest, "more")]
    return [
        (found.text, piece.style if found.kind == "same" else marked)
        for found in stretches(piece.left, piece.right, max(most, 4 * _LEAD))
        if found.kind in ("same", kind)
    ]


# wrapping


def wrap_spans(paragraphs: Sequence[Sequence[Span]], width: int, limit: int) -> list[Line]:
    """Styled paragraphs in lines of at most ``width`` cells; where there would be more than
    ``limit``, the last says how much is left out.
    """
    lines: list[Line] = []
    for number, paragraph in enumerate(paragraphs):
        spans, cut = _cut(paragraph, limit * width * 2 + 512)
        text = "".join(piece for piece, _ in spans)
        ends = list(accumulate(len(piece) for piece, _ in spans))
        styles = [style for _, style in spans]
        start = 0
        while start <= len(text):
            stop = text.find("\n", start)
            stop = len(text) if stop < 0 else stop
            for piece, at in wrap_line(text, start, stop, width):
                if len(lines) == limit:
                    more = text.count("\n", at) + cut.count("\n") + len(paragraphs) - number
                    words = left_out(more, len(text) - at + len(cut) if more == 1 else 0)
                    return [*lines[:-1], ((fit(words, width), "more"),)]
                lines.append(_styled(piece, at, ends, styles))
            start = stop + 1
    return lines


def _cut(spans: Sequence[Span], most: int) -> tuple[list[Span], str]:
    """The spans made safe, up to so many characters, and the text that is cut off: a huge text is
    cut before it is looked at.
    """
    kept: list[Span] = []
    cut = ""
    for text, style in spans:
        head, rest = text[:most], text[most:]
        most -= len(head)
        cut += rest
        if head:
            kept.append((visible(head).replace("\t", " " * TAB), style))
    return kept, cut


def _styled(piece: str, at: int, ends: Sequence[int], styles: Sequence[str]) -> Line:
    """A piece of the joined text that begins at ``at``, cut where its style changes."""
    spans: list[Span] = []
    place = bisect_right(ends, at)
    done = 0
    while done < len(piece) and place < len(ends):
        take = min(ends[place] - at - done, len(piece) - done)
        if take:
            spans.append((piece[done : done + take], styles[place]))
        done += take
        place += 1
    return tuple(spans)


def line_cells(line: Line) -> int:
    """How wide a line is."""
    return sum(cells(text) for text, _ in line)
