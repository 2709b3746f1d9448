"""What could stand at the cursor of a query that is being typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from .nodes import (
    BARE_VALUE,
    JSON_WORDS,
    NUMBER,
    OPERATORS_OF,
    Field,
    Value,
    Vocabulary,
    quoted,
    ref_text,
)
from .parsing import Piece, pieces
from .schema_values import Declared

OFFERED = 200
"""Completions that are offered at most."""

_OPERATOR_WORDS = {
    "=": "is",
    "!=": "is something else",
    "<": "less than",
    "<=": "at most",
    ">": "more than",
    ">=": "at least",
    "~": "matches a regular expression",
    ":": "contains, in any letter case",
}
_OPERATOR_PART = re.compile(r"[=!<>~:]*\Z")
_WORD_PART = re.compile(r"[^\s()\"=!<>~:]*\Z")
_VALUE_PART = re.compile(r"(?:\"(?:\\.|[^\"\\])*|[^\s()\"]*)\Z", re.DOTALL)
_REST = re.compile(r"[^\s()\"=!<>~:]*")


class Completion(msgspec.Struct, frozen=True):
    """``replacement`` would stand in the place of the text from ``start`` to ``end``; ``words``
    say what it is.
    """

    replacement: str
    start: int
    end: int
    words: str = ""


def completions(
    text: str,
    cursor: int,
    vocabulary: Vocabulary,
    values: Mapping[str, Sequence[Value]] | None = None,
    declared: Mapping[str, Declared] | None = None,
) -> list[Completion]:
    """What could stand at the cursor, the likeliest first. ``values`` are those that are known to
    occur, by field, as a query names it (``tool``, ``args/order_id``); ``declared`` is what may.
    """
    known, declared = values or {}, declared or {}
    before = text[: max(0, min(cursor, len(text)))]
    read = pieces(before, vocabulary)
    last = read[-1] if read else None
    touching = last is not None and last.end == len(before)
    if touching and last is not None and last.kind in ("field", "keyword"):
        read = read[:-1]  # it may go on
        last = read[-1] if read else None
    if last is not None and _awaits_value(last, touching):
        longer = _longer(before, last, vocabulary) if touching else []
        return longer + _values(text, before, last, vocabulary, known, declared)
    found: list[Completion] = []
    if last is not None and last.kind == "field":
        found += _operators(before, last, vocabulary)
    if last is not None and last.kind in ("field", "value", "close"):
        found += _joining(text, before)
    return (found + _fields(text, before, vocabulary, known, declared))[:OFFERED]


def _awaits_value(last: Piece, touching: bool) -> bool:
    return last.kind == "operator" or (last.kind == "value" and touching and last.ref is not None)


def _values(
    text: str,
    before: str,
    last: Piece,
    vocabulary: Vocabulary,
    known: Mapping[str, Sequence[Value]],
    declared: Mapping[str, Declared],
) -> list[Completion]:
    """Values of the field that the last piece belongs to."""
    ref = last.ref
    field = vocabulary.get(ref.name) if ref is not None else None
    if ref is None or field is None:
        return []
    begun = before[last.start :] if last.kind == "value" else before[last.end :].lstrip()
    if not _VALUE_PART.fullmatch(begun.rstrip('"') if last.kind == "value" else begun):
        return []
    start = len(before) - len(begun)
    end = start + len(begun) + _rest(text, len(before))
    wanted = begun.strip('"').casefold()
    offered: dict[str, str] = {}
    for word in field.words:
        offered.setdefault(value_text(word, field), "")
    if field.kind == "flag":
        offered |= {"true": "", "false": ""}
    for value in () if field.only else known.get(ref_text(ref), ()):
        offered.setdefault(value_text(value, field), vocabulary.occurs)
    if (member := declared.get(ref_text(ref))) is not None:
        for value in member.values:
            offered.setdefault(value_text(value, field), f"may be so, {member.whose}")
    first = [shown for shown in offered if shown.strip('"').casefold().startswith(wanted)]
    later = [shown for shown in offered if wanted in shown.casefold() and shown not in first]
    return [
        Completion(shown, start, end, offered[shown])
        for shown in (*first, *later)[:OFFERED]
        if shown != begun
    ]


def _operators(before: str, last: Piece, vocabulary: Vocabulary) -> list[Completion]:
    assert last.ref is not None
    field = vocabulary.get(last.ref.name)
    assert field is not None
    begun = before[last.end :].lstrip()
    if not _OPERATOR_PART.fullmatch(begun):
        return []
    start = len(before) - len(begun)
    return [
        Completion(op, start, len(before), _OPERATOR_WORDS[op])
        for op in OPERATORS_OF[field.kind]
        if op.startswith(begun) and op != begun
    ]


def _longer(before: str, last: Piece, vocabulary: Vocabulary) -> list[Completion]:
    """Operators that begin with the one that was typed."""
    if last.kind != "operator":
        return []
    return _operators(before, msgspec.structs.replace(last, end=last.start), vocabulary)


def _joining(text: str, before: str) -> list[Completion]:
    """``and`` and ``or``, where something stands before the cursor that they could join."""
    begun, start, end = _word(text, before)
    both = (("and", "both must hold"), ("or", "one must hold"))
    return [
        Completion(word, start, end, words)
        for word, words in both
        if word.startswith(begun.lower()) and word != begun and before[:start][-1:] in (" ", ")")
    ]


def _fields(
    text: str,
    before: str,
    vocabulary: Vocabulary,
    known: Mapping[str, Sequence[Value]],
    declared: Mapping[str, Declared],
) -> list[Completion]:
    begun, start, end = _word(text, before)
    offered = {field.name: field.help for field in vocabulary.fields}
    offered["not"] = "what follows must not hold"
    for name in known:
        if name not in offered:
            offered[name] = vocabulary.occurs
    for name, member in declared.items():
        offered[name] = member.words
    folded = begun.casefold()
    first = [name for name in offered if name.casefold().startswith(folded)]
    later = [name for name in offered if folded in name.casefold() and name not in first]
    there = text[start:end]
    return [
        Completion(name, start, end, offered[name]) for name in (*first, *later) if name != there
    ]


def _word(text: str, before: str) -> tuple[str, int, int]:
    """The word that the cursor stands in: as far as it is typed, its start and its end."""
    match = _WORD_PART.search(before)
    assert match is not None
    return match[0], match.start(), len(before) + _rest(text, len(before))


def _rest(text: str, cursor: int) -> int:
    match = _REST.match(text, cursor)
    return len(match[0]) if match else 0


def value_text(value: Value, field: Field) -> str:
    """A value as a query writes it."""
    if isinstance(value, str):
        bare = BARE_VALUE.fullmatch(value) is not None
        if field.kind == "json" and (NUMBER.fullmatch(value) or value in JSON_WORDS):
            bare = False
        return value if bare else quoted(value)
    return msgspec.json.encode(value).decode()
