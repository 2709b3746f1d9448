"""The content of one message from outside: text, parts, or anything else that stands there."""

from __future__ import annotations

from typing import Any

import msgspec

from ...model.messages import OtherPart, Part, Reasoning, Text
from .json_in import as_text

SHAPE = "$content"
"""The key of ``Step.extra`` that tells how content stood where it was no string: ``null``,
``absent``, ``parts``, or ``json`` (another JSON value, given to its readers as JSON text)."""

PARTS = "$parts"
"""The key of ``Step.extra`` for the other fields of parts that are text (``Content.more``)."""

_TEXT_KEYS = ("text", "value", "content", "thinking", "reasoning", "input_text", "output_text")
_THINKING = ("thinking", "reasoning", "redacted_thinking")
_MEDIA = ("image", "audio", "video", "file", "document", "input_image", "input_audio", "pdf")


class Content(msgspec.Struct, frozen=True):
    """``parts`` to be shown, ``reasoning`` that stood among them, ``calls`` (tool-use parts, as
    they came) and the ``shape``, empty for a plain string. ``more`` gives, by their place among
    ``parts``, the other fields of parts that are text.
    """

    parts: tuple[Part, ...]
    reasoning: tuple[Reasoning, ...] = ()
    calls: tuple[dict[str, Any], ...] = ()
    shape: str = ""
    more: dict[str, dict[str, Any]] = {}


def read_content(value: Any, *, absent: bool = False) -> Content:
    """What stands in ``content``; nothing is trimmed or dropped."""
    if isinstance(value, str):
        return Content((Text(value),))
    if value is None:
        return Content((), shape="absent" if absent else "null")
    if isinstance(value, list) and all(isinstance(part, str | dict) for part in value):
        return _parts(value)
    return Content((Text(as_text(value)),), shape="json")


def _parts(values: list[Any]) -> Content:
    parts: list[Part] = []
    reasoning: list[Reasoning] = []
    calls: list[dict[str, Any]] = []
    more: dict[str, dict[str, Any]] = {}
    for value in values:
        if isinstance(value, str):
            parts.append(Text(value))
            continue
        kind = value.get("type")
        if kind in _THINKING:
            reasoning.append(read_thinking(value))
        elif kind in ("tool_use", "tool_call"):
            calls.append(value)
        elif (text := _text_of(value, kind)) is not None:
            if other := {k: v for k, v in value.items() if k != "type" and k not in _TEXT_KEYS}:
                more[str(len(parts))] = other
            parts.append(Text(text))
        else:
            parts.append(other_part(value))
    return Content(tuple(parts), tuple(reasoning), tuple(calls), "parts", more)


def _text_of(value: dict[str, Any], kind: Any) -> str | None:
    if kind in ("text", "input_text", "output_text", None):
        found = next((value[key] for key in _TEXT_KEYS if key in value), None)
        return found if isinstance(found, str) else None
    return None


def read_thinking(value: dict[str, Any]) -> Reasoning:
    """A reasoning block, kept as it came."""
    found = next((value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)), "")
    signature = value.get("signature")
    return Reasoning(found, signature if isinstance(signature, str) else None, as_text(value))


def other_part(value: object) -> OtherPart:
    """A part that is no text, with its kind, its media type and its size as far as it says."""
    raw = as_text(value)
    if not isinstance(value, dict):
        return OtherPart("unknown", "", len(raw), raw)
    kind = str(value.get("type") or "unknown")
    media, size = _media(value)
    for name in _MEDIA:
        if kind.startswith(name) or media.startswith(f"{name}/"):
            kind = name.removeprefix("input_")
            break
    return OtherPart(kind, media, size or len(raw.encode("utf-8", "surrogatepass")), raw)


def _media(value: dict[str, Any]) -> tuple[str, int]:
    """The media type and the bytes of what a part holds, from a data URL or base64 data."""
    for item in value.values():
        if isinstance(item, dict):
            inner = _media(item)
            if inner[1]:
                return inner
        elif isinstance(item, str) and item.startswith("data:"):
            head, _, encoded = item.partition(",")
            return head[5:].partition(";")[0], _decoded_size(encoded)
    data = value.get("data")
    media = str(value.get("media_type") or value.get("mime_type") or value.get("format") or "")
    return media, _decoded_size(data) if isinstance(data, str) else 0


def _decoded_size(data: str) -> int:
    """Bytes that base64 text stands for, without decoding it."""
    return len(data) * 3 // 4 - data[-2:].count("=")
