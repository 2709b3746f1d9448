"""A node tree to a typed struct, finding every fault on the way and not only the first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from ..errors import Fault
from .checks import Ledger, check_struct
from .json_values import JsonBuilder
from .keys import own_entries
from .scalars import FALSES, NULLS, TRUES, json_number, key_path, shown
from .shapes import (
    NULL_MEANS,
    SHORTHAND,
    TAG_KEY,
    ChoiceShape,
    Field,
    FlagShape,
    JsonShape,
    ListShape,
    NumberShape,
    Shape,
    StructShape,
    TextShape,
    UnionShape,
    fields_of,
    tag_of,
)
from .yaml_nodes import Items, Mapping, Node, Scalar

WRONG: Final = object()
"""What stands in place of a value that has a fault of its own."""

_OTHER_WORDS = {
    "name": "title",
    "prompt": "system",
    "system_prompt": "system",
    "user_text": "opening",
    "first_message": "opening",
    "turns": "max_turns",
    "content": "text",
    "args": "arguments",
}
"""Other tools' words for keys of ours that are spelled too differently to be found as near."""


class Checker:
    """Converts nodes by the shapes of the types. ``faults`` fills as it goes; ``lenient`` names
    required top-level keys that may be left out, and what they then are.
    """

    def __init__(self, faults: list[Fault], lenient: dict[str, Any] | None = None) -> None:
        self.faults = faults
        self.ledger = Ledger(faults)
        self._json = JsonBuilder(faults)
        self._lenient = lenient or {}

    def convert(self, node: Node, shape: Shape, path: str) -> Any:
        """The value of a node, or WRONG after at least one fault."""
        match shape:
            case TextShape():
                return self._text(node, shape, path)
            case NumberShape():
                return self._number(node, shape, path)
            case FlagShape():
                return self._flag(node, path)
            case ChoiceShape():
                return self._choice(node, shape, path)
            case JsonShape():
                return self._json_text(node, shape, path)
            case ListShape():
                return self._list(node, shape, path)
            case StructShape():
                return self._struct(node, shape.cls, path)
            case UnionShape():
                return self._union(node, shape, path)

    def _fault(self, node: Node, path: str, message: str, hint: str = "") -> Any:
        self.faults.append(Fault(message, node.line, node.column, path, hint))
        return WRONG

    def _text(self, node: Node, shape: TextShape, path: str) -> Any:
        if not isinstance(node, Scalar):
            return self._fault(node, path, f"expected a text, found {describe(node)}.")
        if node.plain and node.text == "":
            return self._fault(node, path, "nothing stands here.", 'Write "" for an empty text.')
        if shape.min_length is not None and len(node.text) < shape.min_length:
            return self._fault(node, path, "this text may not be empty.")
        if shape.pattern is not None and not re.search(shape.pattern, node.text):
            message = f"{shown(node.text)} has not the right form."
            return self._fault(node, path, message, shape.pattern_words)
        return node.text

    def _number(self, node: Node, shape: NumberShape, path: str) -> Any:
        wanted = "a whole number" if shape.whole else "a number"
        hint = ""
        if isinstance(node, Scalar) and node.text not in NULLS:
            try:
                text = json_number(node.text)
            except ValueError as error:
                return self._fault(node, path, str(error))
            if text is not None and node.plain:
                return self._within(node, shape, text, path)
            hint = "Remove the quotes." if text is not None else ""
        return self._fault(node, path, f"expected {wanted}, found {describe(node)}.", hint)

    def _within(self, node: Node, shape: NumberShape, text: str, path: str) -> Any:
        if shape.whole and not text.lstrip("-").isdigit():
            return self._fault(node, path, f"expected a whole number, found {text}.")
        value: float = int(text) if shape.whole else float(text)
        if shape.whole and abs(value) >= 2**63:
            return self._fault(node, path, "this number is too large.")
        if shape.ge is not None and shape.ge == shape.le != value:
            return self._fault(node, path, f"expected {shape.ge:g}, found {text}.")
        if shape.ge is not None and value < shape.ge:
            return self._fault(node, path, f"{text} is too small; the least is {shape.ge:g}.")
        if shape.gt is not None and value <= shape.gt:
            return self._fault(node, path, f"{text} is too small; it must be above {shape.gt:g}.")
        if shape.le is not None and value > shape.le:
            return self._fault(node, path, f"{text} is too large; the most is {shape.le:g}.")
        return value

    def _flag(self, node: Node, path: str) -> Any:
        if isinstance(node, Scalar) and node.plain:
            if node.text in TRUES:
                return True
            if node.text in FALSES:
                return False
        hint = "Write true or false, without quotes."
        return self._fault(node, path, f"expected true or false, found {describe(node)}.", hint)

    def _choice(self, node: Node, shape: ChoiceShape, path: str) -> Any:
        if isinstance(node, Scalar):
            if node.text in shape.choices:
                return node.text
            message = f"expected {_one_of(shape.choices)}, found {describe(node)}."
            return self._fault(node, path, message, _did_you_mean(node.text, shape.choices))
        return self._fault(node, path, f"expected {_one_of(shape.choices)}, found a {_kind(node)}.")

    def _json_text(self, node: Node, shape: JsonShape, path: str) -> Any:
        if shape.object and not isinstance(node, Mapping):
            return self._fault(node, path, f"expected a mapping, found {describe(node)}.")
        text = self._json.build(node, path)
        return WRONG if text is None else text

    def _list(self, node: Node, shape: ListShape, path: str) -> Any:
        if not isinstance(node, Items):
            hint = "" if is_null(node) else 'Each item begins with "- ".'
            if is_null(node):
                hint = "Remove the key, or write [] for an empty list."
            return self._fault(node, path, f"expected a list, found {describe(node)}.", hint)
        values = [
            self.convert(item, shape.item, f"{path}[{index}]")
            for index, item in enumerate(node.items)
        ]
        if len(values) < shape.min_length:
            return self._fault(node, path, "this list may not be empty.")
        return WRONG if any(value is WRONG for value in values) else tuple(values)

    def _union(self, node: Node, shape: UnionShape, path: str) -> Any:
        kinds = shape.kinds()
        known = f"Known kinds: {', '.join(kinds)}."
        if not isinstance(node, Mapping):
            message = f"expected a mapping with a kind, found {describe(node)}."
            return self._fault(node, path, message, known)
        entries = own_entries(node, path, self.faults)
        tag = next((value for key, value in entries if key.text == TAG_KEY), None)
        if tag is None:
            self._strangers(entries, shape.members, path)
            return self._fault(node, path, "kind is missing.", known)
        if not isinstance(tag, Scalar) or tag.text not in kinds:
            found = shown(tag.text) if isinstance(tag, Scalar) else describe(tag)
            hint = known
            meant = _nearest(tag.text, kinds) if isinstance(tag, Scalar) else ""
            if meant:
                hint = f"Did you mean {meant}? {known}"
            self._fault(tag, f"{path}.kind", f"unknown kind {found}.", hint)
            if meant:
                self._fields(node, kinds[meant], entries, path, shape)
            else:
                self._strangers(entries, shape.members, path)
            return WRONG
        return self._fields(node, kinds[tag.text], entries, path, shape)

    def _strangers(
        self,
        entries: list[tuple[Scalar, Node]],
        members: Iterable[type[msgspec.Struct]],
        path: str,
    ) -> None:
        """Name the keys that none of the kinds has: which kind is meant is not known."""
        known = {TAG_KEY, *(field.name for cls in members for field in fields_of(cls))}
        for key, _ in entries:
            if key.text not in known:
                meant = _OTHER_WORDS.get(key.text)
                near = f"Did you mean {meant}?" if meant in known else ""
                hint = near or _did_you_mean(key.text, known)
                self._fault(key, key_path(path, key.text), "unknown key.", hint)

    def _struct(self, node: Node, cls: type[msgspec.Struct], path: str) -> Any:
        if cls in NULL_MEANS and is_null(node):
            return NULL_MEANS[cls]
        short = SHORTHAND.get(cls)
        if short and isinstance(node, Scalar) and not is_null(node):
            given = {short: node.text}
            fine = check_struct(cls, given, {short: node}, node, path, self.ledger)
            return cls(**given) if fine else WRONG
        if not isinstance(node, Mapping):
            wanted = "a text or a mapping" if short else "a mapping"
            return self._fault(node, path, f"expected {wanted}, found {describe(node)}.")
        return self._fields(node, cls, own_entries(node, path, self.faults), path)

    def _fields(
        self,
        node: Mapping,
        cls: type[msgspec.Struct],
        entries: list[tuple[Scalar, Node]],
        path: str,
        union: UnionShape | None = None,
    ) -> Any:
        fields = {field.name: field for field in fields_of(cls)}
        values: dict[str, Any] = {}
        nodes: dict[str, Node] = {}
        listed = False
        for key, value in entries:
            field = fields.get(key.text)
            if field is not None:
                nodes[field.name] = value
                values[field.name] = self._field(value, field, key_path(path, field.name))
            elif union is None or key.text != TAG_KEY:
                hint = _unknown_key_hint(key.text, cls, union)
                if not hint and not listed:
                    hint, listed = _known_keys(cls), True
                values[""] = self._fault(key, key_path(path, key.text), "unknown key.", hint)
        for field in fields.values():
            if field.required and field.name not in values:
                if not path and field.name in self._lenient:
                    values[field.name] = self._lenient[field.name]
                else:
                    values[field.name] = self._fault(node, path, f"{field.name} is missing.")
        fine = check_struct(cls, values, nodes, node, path, self.ledger)
        if not fine or any(value is WRONG for value in values.values()):
            return WRONG
        return cls(**values)

    def _field(self, node: Node, field: Field, path: str) -> Any:
        if field.nullable and is_null(node):
            return None
        return self.convert(node, field.shape, path)


def is_null(node: Node) -> bool:
    """Whether a node is null: nothing, ``~`` or ``null``, without quotes."""
    return isinstance(node, Scalar) and node.plain and node.text in NULLS


def describe(node: Node) -> str:
    """What a node is, in a human's words."""
    if isinstance(node, Items):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    if is_null(node):
        return "nothing"
    return f"the text {shown(node.text)}"


def _kind(node: Node) -> str:
    return "list" if isinstance(node, Items) else "mapping"


def _one_of(choices: Iterable[str]) -> str:
    return f"one of {', '.join(choices)}"


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    near = _nearest(word, known)
    return f"Did you mean {near}?" if near else ""


def _nearest(word: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return near[0] if near else ""


def _unknown_key_hint(word: str, cls: type[msgspec.Struct], union: UnionShape | None) -> str:
    known = [field.name for field in fields_of(cls)]
    if (meant := _OTHER_WORDS.get(word)) in known:
        return f"Did you mean {meant}?"
    if near := _did_you_mean(word, known):
        return near
    others = [
        tag_of(other)
        for other in (union.members if union else ())
        if any(field.name == word for field in fields_of(other))
    ]
    return f"Only kind {' or '.join(others)} has it." if others else ""


def _known_keys(cls: type[msgspec.Struct]) -> str:
    names = [field.name for field in fields_of(cls)]
    if tag_of(cls):
        names.insert(0, TAG_KEY)
    return f"Known keys: {', '.join(names)}."
