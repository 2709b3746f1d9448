"""The query language: one line of text that says which steps (or rollouts) are meant.

::

    query := and ("or" and)*
    and   := unary ("and"? unary)*          side by side means and
    unary := ("not" | "-") unary | "(" query ")" | test
    test  := field [op value] | "quoted text" | /regex/
    op    := = != < <= > >= ~ (matches) : (contains, in any letter case)
    value := bare word | "JSON string" | number | true | false | null | /regex/ after ~

Which fields there are, and what may be asked of each, is the vocabulary's to say; the grammar is
the same for all. ``parse`` checks everything that can be known without data, so that a tree can
always be answered. ``docs/query.md`` tells people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Literal

import msgspec

from .habits import in_condition, in_value, meant_field
from .nodes import (
    BARE_NAME,
    BARE_VALUE,
    JSON_WORDS,
    NUMBER,
    OPERATORS,
    OPERATORS_OF,
    And,
    Compare,
    Field,
    Has,
    Node,
    Not,
    Or,
    QueryError,
    Ref,
    Value,
    Vocabulary,
    pattern,
    plain_pattern,
    to_text,
)

__all__ = [
    "And",
    "Compare",
    "Field",
    "Has",
    "Node",
    "Not",
    "Or",
    "Piece",
    "QueryError",
    "Ref",
    "Value",
    "Vocabulary",
    "parse",
    "pattern",
    "pieces",
    "to_text",
]

LONGEST = 20_000
"""Characters that a query may have."""

DEEPEST = 50
"""Brackets and ``not`` that may stand inside each other."""

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[^\W\d]\w*")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_REGEX = re.compile(r"/(?:\\.|[^/\\])*/", re.DOTALL)
_OPERATOR = re.compile("|".join(map(re.escape, OPERATORS)))
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}(:\d{2}(:\d{2})?)?)?)?)?", re.ASCII)
_TOKEN = re.compile(r"(?:[\w$@.-]|~[01])+")
_KEYWORDS = ("and", "or", "not")
_decode_string = json.JSONDecoder(strict=False).decode


class Piece(msgspec.Struct, frozen=True):
    """One part of a query's text, from ``start`` to ``end``: what it is, and which field it names
    or is a value of.
    """

    kind: Literal["field", "operator", "value", "keyword", "open", "close"]
    start: int
    end: int
    ref: Ref | None = None


def parse(text: str, vocabulary: Vocabulary) -> Node:
    """The tree of a query. Raises QueryError and nothing else."""
    return _Parser(text, vocabulary).whole()


def pieces(text: str, vocabulary: Vocabulary) -> tuple[Piece, ...]:
    """The pieces of a query as far as it can be read: for completion and for colours."""
    parser = _Parser(text, vocabulary)
    with suppress(QueryError):  # what was read before it is the answer
        parser.whole()
    return tuple(parser.pieces)


class _Parser:
    """One reading of one text, from left to right."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.pieces: list[Piece] = []
        self._text = text
        self._vocabulary = vocabulary
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        """The query that the text is."""
        if len(self._text) > LONGEST:
            raise QueryError(f"the query is longer than {LONGEST:,} characters", LONGEST + 1)
        self._skip_space()
        if self._at == len(self._text):
            raise self._error("the query is empty")
        node = self._query()
        if self._at < len(self._text):
            raise self._error("a ) without a ( before it")
        return node

    def _query(self) -> Node:
        parts = [self._and()]
        while self._keyword("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Node:
        parts = [self._unary()]
        while True:
            if not self._keyword("and") and self._ends_and():
                break
            parts.append(self._unary())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _ends_and(self) -> bool:
        """Whether nothing follows that could stand side by side with what was read."""
        self._skip_space()
        at = self._at
        return at == len(self._text) or self._text[at] == ")" or self._word_here() == "or"

    def _unary(self) -> Node:
        start = self._at
        if self._keyword("not") or self._minus():
            with _Deeper(self, start):
                return Not(self._unary())
        if self._sign("("):
            with _Deeper(self, start):
                node = self._query()
            if not self._sign(")"):
                raise self._error(f"the ( of column {start + 1} is not closed")
            return node
        return self._test()

    def _test(self) -> Node:
        start = self._at
        sign = self._text[start : start + 1]
        text = Ref(self._vocabulary.text)
        if sign == '"':
            return Compare(text, ":", self._string(text))
        if sign == "/":
            return Compare(text, "~", self._regex(text))
        if not sign:
            raise self._error("something is missing at the end")
        ref, field = self._field()
        self._skip_space()
        at = self._at
        match = _OPERATOR.match(self._text, at)
        if match is None:
            return Has(ref)
        op = match[0]
        if field.kind == "flag" and op == ":":
            op = "="  # parked:yes
        if op not in OPERATORS_OF[field.kind]:
            known = " ".join(OPERATORS_OF[field.kind])
            raise self._error(f"{op} does not go with {field.name}, which takes {known}", at)
        self._take("operator", match.end(), ref)
        return Compare(ref, op, self._value(field, op, ref))

    # -- fields -------------------------------------------------------------------------------

    def _field(self) -> tuple[Ref, Field]:
        start = self._at
        match = _NAME.match(self._text, start)
        if match is None:
            hint = in_condition(self._text, start)
            raise self._error(f"{self._text[start]!r} does not begin a condition{hint}")
        name = match[0]
        field = self._vocabulary.get(name)
        if field is None:
            raise self._no_field(name, start)
        self._at = match.end()
        sign = self._text[self._at : self._at + 1]
        wanted = {"pointer": "/", "name": ".", "": ""}[field.member]
        if sign and sign in "/." and sign != wanted:
            hint = f"; a pointer into it begins with /: {name}/…" if wanted == "/" else ""
            raise self._error(f"nothing can stand behind {name} with a {sign}{hint}")
        ref = Ref(name, self._members(sign), sign == ".") if sign and sign == wanted else Ref(name)
        self._piece("field", start, ref)
        return ref, field

    def _no_field(self, name: str, start: int) -> QueryError:
        known = self._vocabulary.names()
        near = meant_field(name, known) or _nearest(name, known)
        name = name if len(name) <= 40 else f"{name[:39]}…"
        quoted = f'in quotes ("{name}") it is looked for in the {self._vocabulary.text}'
        if inside := next((f.name for f in self._vocabulary.fields if f.member == "pointer"), ""):
            quoted = f"inside {inside} it is {inside}/{name}; {quoted}"
        hint = f"did you mean {near}?" if near else f"{quoted}; fields are {', '.join(known)}"
        return self._error(f"no field '{name}'; {hint}", start)

    def _members(self, sign: str) -> tuple[str, ...]:
        tokens: list[str] = []
        while self._text[self._at : self._at + 1] == sign and not (sign == "." and tokens):
            self._at += 1
            tokens.append(self._member(sign))
        return tuple(tokens)

    def _member(self, sign: str) -> str:
        at = self._at
        if self._text[at : at + 1] == '"':
            return self._json_string()
        match = (_TOKEN if sign == "/" else BARE_NAME).match(self._text, at)
        if match is None:
            if sign == "/":  # a pointer's token may be empty
                return ""
            raise self._error("a name is missing behind the .")
        self._at = match.end()
        return match[0].replace("~1", "/").replace("~0", "~") if sign == "/" else match[0]

    # -- values -------------------------------------------------------------------------------

    def _value(self, field: Field, op: str, ref: Ref) -> Value:
        self._skip_space()
        start = self._at
        sign = self._text[start : start + 1]
        if op == "~":
            return self._regex(ref) if sign == "/" else self._checked(self._words(ref), start)
        if sign == "/":
            hint = "; a regular expression goes with ~" if "~" in OPERATORS_OF[field.kind] else ""
            raise self._error(f"a value that begins with / needs quotes{hint}")
        if sign == '"':
            value: Value = self._string(ref)
            if field.kind in ("number", "flag"):
                raise self._error(f"{field.name} {_WANTED[field.kind]}, without quotes", start)
        else:
            value = self._meant(self._words(ref), field, op, start)
        if field.dated and op not in (":", "~") and _DATE.fullmatch(str(value)) is None:
            raise self._error(f"{field.name} is a date: 2026-11-29 or 2026-11-29T14:03", start)
        if field.only and not _can_hold(field, op, str(value)):
            near = _nearest(str(value), field.words)
            hint = f"; did you mean {near}?" if near else ""
            known = f"{', '.join(field.words[:-1])} or {field.words[-1]}"
            raise self._error(f"{field.name} is {known}{hint}", start)
        return value

    def _meant(self, word: str, field: Field, op: str, start: int) -> Value:
        """What an unquoted value stands for, by the kind of the field."""
        if field.kind in ("word", "text") or field.dated or op == ":":
            return word
        if field.kind == "flag" and word in _YES_AND_NO:
            return word == "yes"
        if (
            field.kind != "number"
            and word in JSON_WORDS
            and (field.kind == "json" or word[0] != "n")
        ):
            return JSON_WORDS[word]
        if field.kind != "flag" and NUMBER.fullmatch(word):
            return self._number(word, start)
        if field.kind == "json":
            return word
        raise self._error(f"{field.name} {_WANTED[field.kind]}", start)

    def _number(self, word: str, start: int) -> Value:
        try:
            number: Value = json.loads(word)
        except ValueError:  # more digits than Python reads
            number = float("inf")
        if number in (float("inf"), float("-inf")):
            raise self._error("this number is too large", start)
        return number

    def _words(self, ref: Ref) -> str:
        """A quoted or a bare value."""
        at = self._at
        if self._text[at : at + 1] == '"':
            return self._string(ref)
        match = BARE_VALUE.match(self._text, at)
        if match is None:
            raise self._error(f"a value is missing{in_value(self._text, at)}")
        self._take("value", match.end(), ref)
        return match[0]

    def _string(self, ref: Ref) -> str:
        start = self._at
        value = self._json_string()
        self._piece("value", start, ref)
        return value

    def _json_string(self) -> str:
        start = self._at
        match = _STRING.match(self._text, start)
        if match is None:
            raise self._error("this quote is not closed", start)
        try:
            value: str = _decode_string(match[0])
        except ValueError as error:
            place = start + getattr(error, "pos", 0)
            raise self._error("no JSON string; a \\ is written \\\\", place) from error
        self._at = match.end()
        return value

    def _regex(self, ref: Ref) -> str:
        start = self._at
        match = _REGEX.match(self._text, start)
        if match is None:
            raise self._error("this regular expression is not closed with a /", start)
        self._take("value", match.end(), ref)
        return self._checked(match[0][1:-1], start)

    def _checked(self, regex: str, start: int) -> str:
        plain = plain_pattern(regex)
        try:
            pattern(plain)
        except ValueError as error:
            raise self._error(str(error), start) from error
        return plain

    # -- reading ------------------------------------------------------------------------------

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _word_here(self) -> str:
        match = _NAME.match(self._text, self._at)
        word = match[0].lower() if match else ""
        return word if word in _KEYWORDS else ""

    def _keyword(self, word: str) -> bool:
        self._skip_space()
        if self._word_here() != word:
            return False
        self._take("keyword", self._at + len(word))
        self._skip_space()
        return True

    def _minus(self) -> bool:
        """Whether a minus stands right before what it turns round: -tag:done."""
        self._skip_space()
        after = self._text[self._at + 1 : self._at + 2]
        if self._text[self._at : self._at + 1] != "-" or not after:
            return False
        if not (after.isalpha() or after in '"/('):
            return False
        self._take("keyword", self._at + 1)
        return True

    def _sign(self, sign: Literal["(", ")"]) -> bool:
        self._skip_space()
        if self._text[self._at : self._at + 1] != sign:
            return False
        self._take("open" if sign == "(" else "close", self._at + 1)
        self._skip_space()
        return True

    def _take(
        self,
        kind: Literal["field", "operator", "value", "keyword", "open", "close"],
        end: int,
        ref: Ref | None = None,
    ) -> None:
        self.pieces.append(Piece(kind, self._at, end, ref))
        self._at = end

    def _piece(self, kind: Literal["field", "value"], start: int, ref: Ref) -> None:
        self.pieces.append(Piece(kind, start, self._at, ref))

    def _error(self, reason: str, at: int | None = None) -> QueryError:
        return QueryError(reason, (self._at if at is None else at) + 1)


class _Deeper:
    """One level further in, while it lasts."""

    def __init__(self, parser: _Parser, start: int) -> None:
        self._parser = parser
        self._start = start

    def __enter__(self) -> None:
        self._parser._depth += 1
        if self._parser._depth > DEEPEST:
            raise QueryError(f"nested deeper than {DEEPEST} levels", self._start + 1)

    def __exit__(self, *error: object) -> None:
        self._parser._depth -= 1


_YES_AND_NO = ("yes", "no")
_WANTED = {"number": "is a number", "flag": "is true or false"}


def _can_hold(field: Field, op: str, value: str) -> bool:
    """Whether one of the only words that a field has can be meant by this value."""
    if "yes" in field.words and value in ("true", "false"):
        return True
    if op == ":":
        return any(value.casefold() in word for word in field.words)
    return op not in ("=", "!=") or value in field.words


def _nearest(word: str, known: Iterable[str]) -> str:
    import difflib  # not at every start: only mistakes need it

    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return near[0] if near else ""
