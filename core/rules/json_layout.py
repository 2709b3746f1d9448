"""JSON with line breaks and indents, every token as it was written. Pure."""

from __future__ import annotations

import re

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_INDENT = "  "
_CLOSING = {"{": "}", "[": "]"}


def lay_out(text: str) -> str:
    """A valid JSON text laid out over lines: only white space between tokens changes, so numbers,
    escapes and repeated keys stay.
    """
    tokens = _TOKENS.findall(text)
    pieces: list[str] = []
    depth = 0
    for at, token in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token in _CLOSING:
            pieces.append(token)
            if following != _CLOSING[token]:
                depth += 1
                pieces.append(_new_line(depth))
        elif token in ("}", "]"):
            if tokens[at - 1] not in _CLOSING:
                depth -= 1
                pieces.append(_new_line(depth))
            pieces.append(token)
        elif token == ",":
            pieces.append(token + _new_line(depth))
        else:
            pieces.append(": " if token == ":" else token)
    return "".join(pieces)


def _new_line(depth: int) -> str:
    return "\n" + _INDENT * depth
