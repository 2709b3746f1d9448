"""Reading what models answer where a form was asked for."""

from __future__ import annotations

import re
from json import JSONDecoder
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]

from ..errors import RoleError

_FENCE = re.compile(r"\A\s*```[A-Za-z]*[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_decode = JSONDecoder().raw_decode


def unfenced(text: str) -> str:
    """The text within a code fence that surrounds it all; else the text."""
    fenced = _FENCE.match(text)
    return fenced.group(1) if fenced else text


def members(text: str) -> dict[str, str] | None:
    """The members of a JSON object, each as it is written, so that numbers keep their digits.
    None for what is no object.
    """
    found: dict[str, str] = {}
    try:
        if not isinstance(_decode(text.strip())[0], dict):
            return None
        place = _after_space(text, text.index("{") + 1)
        while text[place] != "}":
            name, place = scanstring(text, _after_space(text, place) + 1, True)
            start = _after_space(text, _after_space(text, place) + 1)
            _, place = _decode(text, start)
            found[name] = text[start:place]
            place = _after_space(text, place)
            if text[place] == ",":
                place = _after_space(text, place + 1)
    except (ValueError, IndexError, RecursionError):
        return None
    return None if text[place + 1 :].strip() else found


def bad_reply(model: str, words: str, came: str) -> RoleError:
    """The failure of a reply that is not of the form that was asked for."""
    return RoleError(f"{model}: The model {words}.", kind="bad_reply", partial=came)


def _after_space(text: str, place: int) -> int:
    match = WHITESPACE.match(text, place)
    assert match is not None
    return int(match.end())
