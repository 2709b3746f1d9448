"""YAML text to a tree of nodes with their places, and nothing else: no value is guessed here.

The tree is built from PyYAML's parse events, so that a hostile file can neither recurse deeply nor
multiply itself: depth and the nodes that aliases add are counted while reading. What YAML permits
and a project file does not (a second document, tags) is collected as faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import yaml

from ..errors import Fault
from .scalars import printable
from .yaml_errors import NotYaml, as_fault

MAX_DEPTH = 100
"""Levels of nesting; Python's own json module fails a little above 900."""

MAX_ALIASED = 100_000
"""Nodes that aliases may add in all."""

_STRING_TAG = "tag:yaml.org,2002:str"
_PLAIN_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE_ESCAPE = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(slots=True)
class Scalar:
    """A text; ``plain`` when it stands without quotes, ``literal`` when its lines are the file's,
    below the bar. Lines and columns count from 1.
    """

    text: str
    plain: bool
    line: int
    column: int
    size: int = 1
    height: int = 1
    literal: bool = False


@dataclass(slots=True)
class Items:
    """A list."""

    line: int
    column: int
    items: list[Node] = field(default_factory=list)
    size: int = 1
    height: int = 1


@dataclass(slots=True)
class Mapping:
    """Keys and values as written: duplicates and merge keys are still in it."""

    line: int
    column: int
    entries: list[tuple[Node, Node]] = field(default_factory=list)
    size: int = 1
    height: int = 1


Node = Scalar | Items | Mapping


def decode(data: bytes) -> str:
    """UTF-8 with or without a byte-order mark. Raises NotYaml with line and byte (from 0)."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NotYaml(Fault("the file is UTF-16, not UTF-8.", hint="Save it as UTF-8."))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The byte-order mark, where there is one, is not counted by the error's own position.
        start = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        line = data.count(b"\n", 0, start) + 1
        byte = start - (data.rfind(b"\n", 0, start) + 1)
        fault = Fault(
            f"file is not UTF-8 (0x{data[start]:02X}).",
            line=line,
            byte=byte,
            hint="Convert it to UTF-8.",
        )
        raise NotYaml(fault) from error


def compose(text: str, faults: list[Fault]) -> Node | None:
    """The first document's tree, or None when there is no document. Faults that leave the tree
    whole are appended to ``faults``; raises NotYaml where none can be built.
    """
    text = text.removeprefix("\ufeff")
    if bad := _FORBIDDEN.search(text):
        raise NotYaml(_forbidden(text, bad.start()))
    composer = _Composer(faults)
    try:
        for event in _events(text):
            composer.feed(event)
    except yaml.MarkedYAMLError as error:
        raise NotYaml(as_fault(error, text)) from error
    return composer.root


def _events(text: str) -> Iterator[yaml.Event]:
    # libyaml is ten times as fast, but refuses "\ud83d", which JSON writers make.
    fast = getattr(yaml, "CSafeLoader", None)
    loader = yaml.SafeLoader if fast is None or _SURROGATE_ESCAPE.search(text) else fast
    return yaml.parse(text, Loader=cast(Any, loader))


def _forbidden(text: str, index: int) -> Fault:
    line = text.count("\n", 0, index) + 1
    column = index - text.rfind("\n", 0, index)
    return Fault(
        f"the character U+{ord(text[index]):04X} may not stand in YAML as it is.",
        line=line,
        column=column,
        hint=f'In double quotes, write it as "\\u{ord(text[index]):04x}".',
    )


class _Composer:
    """Builds the tree from events, one open container per level."""

    def __init__(self, faults: list[Fault]) -> None:
        self.root: Node | None = None
        self._faults = faults
        self._documents = 0
        self._open: list[tuple[Items | Mapping, str | None]] = []
        self._keys: list[Node | None] = []
        self._anchors: dict[str, Node] = {}
        self._aliased = 0

    def feed(self, event: Any) -> None:
        """Take the next parse event."""
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, yaml.ScalarEvent):
            plain = event.style in (None, "") and not self._check_tag(event, line, column)
            text = event.value
            if not text.isascii():
                text = _PAIR.sub(lambda pair: _joined(pair[0]), text)
            literal = event.style == "|"
            self._add(Scalar(text, plain, line, column, literal=literal), event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor, line, column)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._check_tag(event, line, column)
            self._start(event, line, column)
        elif isinstance(event, yaml.CollectionEndEvent):
            container, anchor = self._open.pop()
            self._keys.pop()
            self._add(container, anchor)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            self._anchors.clear()
            if self._documents == 2:
                message = f"second document starts at line {line}; one file is one project."
                self._faults.append(Fault(message, line=line))

    def _start(self, event: Any, line: int, column: int) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise NotYaml(_too_deep(line, column))
        is_list = isinstance(event, yaml.SequenceStartEvent)
        container: Items | Mapping = Items(line, column) if is_list else Mapping(line, column)
        self._open.append((container, event.anchor))
        self._keys.append(None)

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            if self._documents == 1:
                self.root = node
            return
        parent = self._open[-1][0]
        parent.size += node.size
        parent.height = max(parent.height, node.height + 1)
        if isinstance(parent, Items):
            parent.items.append(node)
            return
        key = self._keys[-1]
        if key is None:
            self._keys[-1] = node
        else:
            parent.entries.append((key, node))
            self._keys[-1] = None

    def _alias(self, name: str | None, line: int, column: int) -> None:
        node = self._anchors.get(name or "")
        if node is None:
            within = any(anchor == name for _, anchor in self._open)
            message = (
                f"*{name} stands inside what it names."
                if within
                else (f"*{name} names no anchor: there is no &{name} before it.")
            )
            self._faults.append(Fault(message, line=line, column=column))
            node = Scalar("", plain=False, line=line, column=column)
        self._aliased += node.size
        if self._aliased > MAX_ALIASED:
            message = f"the aliases (*{name} is one) repeat more than {MAX_ALIASED:,} values."
            raise NotYaml(Fault(message, line=line, column=column, hint="Write the values out."))
        if len(self._open) + node.height > MAX_DEPTH:
            raise NotYaml(_too_deep(line, column))
        self._add(node, None)

    def _check_tag(self, event: Any, line: int, column: int) -> bool:
        """Report a tag that is no mere type name; True when the tag says "this is text"."""
        tag = event.tag
        if tag is None or tag in _PLAIN_TAGS:
            return False
        if tag not in ("!", _STRING_TAG):
            name = printable(tag.replace("tag:yaml.org,2002:", "!!", 1), 60)
            message = f"the tag {name} is refused; nothing in a project file is executed."
            hint = "Remove the tag; put text in quotes."
            self._faults.append(Fault(message, line=line, column=column, hint=hint))
        return True


def _too_deep(line: int, column: int) -> Fault:
    message = f"nested deeper than {MAX_DEPTH} levels."
    return Fault(message, line=line, column=column, hint="Flatten it, or keep it as a text.")


def _joined(pair: str) -> str:
    return pair.encode("utf-16", "surrogatepass").decode("utf-16")
