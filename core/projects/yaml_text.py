"""Texts as YAML scalars that read back as the same text, here and in other YAML readers."""

from __future__ import annotations

import re

import yaml

from .scalars import json_number

_UNSAFE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069"
)
"""What no YAML text may hold as it is, what YAML takes for a line end, and what hides or reorders
text on a screen."""

_ESCAPED = re.compile(f'["\\\\\t\n{_UNSAFE}]')
_NOT_IN_BLOCK = re.compile(f"[{_UNSAFE}]")
_NOT_PLAIN = re.compile(f"[\t\n\xa0{_UNSAFE}]|: |:$| #|^ | $")
_PLAIN_START = re.compile(r"[^\W_]|[./+(_<$^~-](?=\S)")
_NOT_IN_FLOW = re.compile(r"[,\[\]{}:?#&*!|>'\"%@`]")
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_STRING_TAG = "tag:yaml.org,2002:str"


def scalar(text: str, *, flow: bool = False) -> str:
    """A text on one line: plain where every reader takes it for a text, else in double quotes."""
    plain = _PLAIN_START.match(text) and not _NOT_PLAIN.search(text) and not _looks_typed(text)
    if plain and not (flow and _NOT_IN_FLOW.search(text)) and not text.startswith(("- ", "--")):
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """A text in double quotes, on one line."""
    return '"' + _ESCAPED.sub(lambda match: _escape(match[0]), text) + '"'


def block(text: str, indent: str) -> str | None:
    """A text of several lines as a literal block (``|``), its lines indented, without a final line
    end; None where a block could not hold it unchanged or would hide what is in it.
    """
    body = text.rstrip("\n")
    if "\n" not in text or not body or _NOT_IN_BLOCK.search(text) or body[0] in "\t\n":
        return None
    ends = len(text) - len(body)
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    lines = body.split("\n") + [""] * (ends - 1)
    if any(not line.strip(" \t") and line for line in lines):
        return None
    head = "|2" if body[0] == " " else "|"
    return head + chomping + "".join(f"\n{indent}{line}" if line else "\n" for line in lines)


def _looks_typed(text: str) -> bool:
    """Whether some reader, of YAML 1.1 or 1.2, takes the unquoted text for something else."""
    if text in ("y", "Y", "n", "N", "=", "<<"):
        return True
    first = yaml.SafeLoader.yaml_implicit_resolvers.get(text[:1], ())
    if any(tag != _STRING_TAG and pattern.match(text) for tag, pattern in first):
        return True
    try:
        return json_number(text) is not None or text[:2] in ("0x", "0o")
    except ValueError:
        return True


def _escape(char: str) -> str:
    code = ord(char)
    if short := _SHORT_ESCAPES.get(char):
        return short
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
