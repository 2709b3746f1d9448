"""What a query is made of: the fields that may be asked for, and the tree that a text parses to.

The tree is frozen and says nothing of how it is answered. ``to_text`` writes it as a query that
parses to the same tree.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from ...errors import UsageError

Kind = Literal["word", "text", "number", "json", "flag"]
"""What a field's values are: one word, free text, a number, any JSON value, or yes and no."""

Member = Literal["", "pointer", "name"]
"""What may follow a field's name: nothing, a JSON pointer (args/id), or a name (score.quality)."""

OPERATORS = ("=", "!=", "<=", ">=", "<", ">", "~", ":")

OPERATORS_OF: dict[Kind, tuple[str, ...]] = {
    "word": ("=", "!=", ":", "~"),
    "text": (":", "~", "=", "!="),
    "number": ("=", "!=", "<", "<=", ">", ">="),
    "json": ("=", "!=", "<", "<=", ">", ">=", ":", "~"),
    "flag": ("=", "!="),
}
"""The operators that make sense for each kind, the likeliest first."""

Value = str | int | float | bool | None


class QueryError(UsageError):
    """A query that cannot be read. ``column`` counts characters from 1; ``reason`` is the message
    without it.
    """

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(f"column {column}: {reason}")
        self.reason = reason
        self.column = column

    @property
    def sentence(self) -> str:
        """The reason as a whole sentence."""
        return self.reason if self.reason.endswith("?") else f"{self.reason}."


class Field(msgspec.Struct, frozen=True):
    """Something that a query may ask for. ``words`` are values to offer; with ``only`` there are
    no others. ``dated``: it is a date, or the beginning of one.
    """

    name: str
    kind: Kind
    help: str
    words: tuple[str, ...] = ()
    only: bool = False
    member: Member = ""
    dated: bool = False


class Vocabulary:
    """The fields of one kind of thing. ``text`` names the field that a quoted text or a regular
    expression without a field looks at; ``occurs`` says of a value that is offered where it is.
    """

    def __init__(self, fields: Sequence[Field], text: str, occurs: str = "in this rollout") -> None:
        self.occurs = occurs
        self.fields = tuple(fields)
        self.text = text
        self._by_name = {field.name: field for field in fields}

    def get(self, name: str) -> Field | None:
        """The field of this name."""
        return self._by_name.get(name)

    def names(self) -> tuple[str, ...]:
        """The names of all fields, in their order."""
        return tuple(self._by_name)


class Ref(msgspec.Struct, frozen=True):
    """A field, and what of it: the unescaped tokens of a JSON pointer, or (``named``) one name."""

    name: str
    member: tuple[str, ...] = ()
    named: bool = False


class Compare(msgspec.Struct, frozen=True, tag="compare"):
    """The field's value against another. For ``~`` the value is a regular expression."""

    ref: Ref
    op: str
    value: Value


class Has(msgspec.Struct, frozen=True, tag="has"):
    """A flag holds, or any other field has a value."""

    ref: Ref


class Not(msgspec.Struct, frozen=True, tag="not"):
    """The part does not hold."""

    part: Node


class And(msgspec.Struct, frozen=True, tag="and"):
    """All parts hold."""

    parts: tuple[Node, ...]


class Or(msgspec.Struct, frozen=True, tag="or"):
    """One of the parts holds."""

    parts: tuple[Node, ...]


Node = Compare | Has | Not | And | Or

BARE_NAME = re.compile(r"[\w$@.-]+")
"""What a member may be without quotes."""

BARE_VALUE = re.compile(r"[^\s()\"'=!<>~:/][^\s()\"]*")
"""What a value may be without quotes."""

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number as JSON writes it."""

JSON_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}
"""The words that are values of their own where any JSON value may stand."""


def to_text(node: Node) -> str:
    """The node as a query."""
    if isinstance(node, Compare):
        return f"{ref_text(node.ref)} {node.op} {_value_text(node)}"
    if isinstance(node, Has):
        return ref_text(node.ref)
    if isinstance(node, Not):
        return f"not {_inner(node.part)}"
    word = " and " if isinstance(node, And) else " or "
    return word.join(map(_inner, node.parts))


def _inner(node: Node) -> str:
    return f"({to_text(node)})" if isinstance(node, And | Or) else to_text(node)


def ref_text(ref: Ref) -> str:
    """The field as a query names it."""
    sign = "." if ref.named else "/"
    return ref.name + "".join(sign + _member_text(token) for token in ref.member)


def _member_text(token: str) -> str:
    return token if BARE_NAME.fullmatch(token) else quoted(token)


def _value_text(node: Compare) -> str:
    value = node.value
    if node.op == "~" and isinstance(value, str):
        return regex_text(value)
    if isinstance(value, str):
        plain = BARE_VALUE.fullmatch(value) and not NUMBER.fullmatch(value)
        return value if plain and value not in JSON_WORDS else quoted(value)
    return json.dumps(value)


def quoted(text: str) -> str:
    """A text as a JSON string, what people can read kept as it is."""
    plain = json.dumps(text, ensure_ascii=False)
    return plain if plain.isprintable() else "".join(map(_shown, plain))


def _shown(char: str) -> str:
    # A lone surrogate stays: two of them, escaped, would be read as one character.
    if char.isprintable() or "\ud800" <= char <= "\udfff":
        return char
    return json.dumps(char)[1:-1]


_SLASHES = re.compile(r"(\\.)|/", re.DOTALL)


def regex_text(pattern: str) -> str:
    """A regular expression between slashes."""
    return f"/{_SLASHES.sub(lambda match: match[1] or chr(92) + '/', pattern)}/"


def plain_pattern(pattern: str) -> str:
    """The pattern with slashes as they are, which mean the same escaped or not."""
    return _SLASHES.sub(lambda match: "/" if match[0] == "\\/" else match[0], pattern)


@lru_cache(maxsize=512)
def pattern(regex: str) -> re.Pattern[str]:
    """The compiled regular expression. Raises ValueError with words for people."""
    with warnings.catch_warnings():
        # Python warns of what may mean something else one day; here it would end on the screen.
        warnings.simplefilter("ignore")
        try:
            return re.compile(regex)
        except (re.error, ValueError, RecursionError, OverflowError, MemoryError) as error:
            raise ValueError(f"not a regular expression: {error}") from error
