"""Words in a JSON text, and what is put in their place there, without the rest being written anew:
every other character of the text stays. Pure.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..model.json_texts import is_json

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?', re.DOTALL)
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)
"""One character within a string, as JSON writes it: two escapes may be one."""


class Found(NamedTuple):
    """From ``start`` to ``end`` of the text, and what is to be written there."""

    start: int
    end: int
    put: str


def find_in_json(
    text: str, find: re.Pattern[str], put: Callable[[re.Match[str]], str]
) -> list[Found]:
    """Where it stands, in the text's order. In the strings that are values it is looked for as
    they read, and what is put there is escaped; elsewhere (numbers, names, over the ends of a
    string) the text itself is looked at. A text that is no JSON is text.
    """
    if not is_json(text):
        return list(find_in_text(text, find, put))
    insides: list[tuple[int, int]] = []
    found: list[Found] = []
    for literal in _LITERAL.finditer(text):
        insides.append(literal.span(1))
        if literal[2] is None:
            found += _in_value(text, literal.span(1), find, put)
    taken = [(each.start, each.end) for each in found]
    outside = find_in_text(text, find, put)
    found += [hit for hit in outside if not _within(hit, insides) and not _overlaps(hit, taken)]
    return sorted(found)


def find_in_text(
    text: str, find: re.Pattern[str], put: Callable[[re.Match[str]], str], start: int = 0
) -> Iterator[Found]:
    """Where it stands in a text that is counted from ``start``, and is not that already."""
    for match in find.finditer(text):
        if match[0] and (new := put(match)) != match[0]:
            yield Found(start + match.start(), start + match.end(), new)


def _in_value(
    text: str,
    span: tuple[int, int],
    find: re.Pattern[str],
    put: Callable[[re.Match[str]], str],
) -> Iterator[Found]:
    start, end = span
    inside = text[start:end]
    if "\\" not in inside:
        for hit in find_in_text(inside, find, put, start):
            yield hit._replace(put=_escaped(hit.put))
        return
    written = list(_CHARACTER.finditer(inside))
    read = "".join(json.loads(f'"{each[0]}"') for each in written)
    places = [start + each.start() for each in written] + [end]
    for hit in find_in_text(read, find, put):
        yield Found(places[hit.start], places[hit.end], _escaped(hit.put))


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _within(hit: Found, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether it stands inside one of these."""
    place = bisect_right(spans, hit.start, key=lambda span: span[0]) - 1
    return place >= 0 and hit.end <= spans[place][1]


def _overlaps(hit: Found, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether it shares a character with one of these, which are in order."""
    place = bisect_right(spans, hit.start, key=lambda span: span[1])
    return place < len(spans) and spans[place][0] < hit.end
