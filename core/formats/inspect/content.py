"""Contents and messages in Inspect's shape, both ways.

Reading rebuilds what it made of a message and compares: where the rebuilt message would differ, the
original stays in ``Step.extra`` beside it (``$content``, ``$tool_calls``), so that a log that is
read and written again says the same.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ...model.messages import (
    OtherPart,
    Part,
    Reasoning,
    TargetReply,
    Text,
    ToolCall,
    UserMessage,
    text_parts,
)
from ..jsonl import RawJson
from ..reading.content import other_part
from ..reading.json_in import as_text
from ..reading.values import table, text
from .own import KEY
from .values_out import parsed

ATTACHMENT = "attachment"
"""The kind of a part whose text is not in the log."""

MEDIA = frozenset({"image", "audio", "video", "document", "data", "tool_use"})


class Contents(msgspec.Struct, frozen=True):
    """What stood in a message's ``content``."""

    parts: tuple[Part, ...]
    reasoning: tuple[Reasoning, ...] = ()
    refusal: str = ""


def read_contents(value: Any) -> Contents:
    """The parts, the reasoning among them, and the refusal, if one part is that."""
    if isinstance(value, str):
        return Contents(text_parts(value))
    if value is None:
        return Contents(())
    if not isinstance(value, list):
        return Contents((Text(as_text(value)),))
    parts: list[Part] = []
    reasoning: list[Reasoning] = []
    refusal = ""
    for each in value:
        kind = each.get("type") if isinstance(each, dict) else None
        if isinstance(each, str):
            parts.append(Text(each))
        elif kind == "reasoning":
            reasoning.append(_reasoning(each))
        elif kind == "text" and isinstance(each.get("text"), str):
            if each.get("refusal") is True:
                refusal += each["text"]
            else:
                parts.append(Text(each["text"]))
        else:
            parts.append(other_part(_unpacked(each)))
    return Contents(tuple(parts), tuple(reasoning), refusal)


def _unpacked(part: Any) -> Any:
    """The part that we put into a part of the kind data, because Inspect knows no such kind."""
    inside = table(part).get("data")
    if table(part).get("type") == "data" and isinstance(inside, dict) and [*inside] == [KEY]:
        return inside[KEY]
    return part


def _reasoning(part: dict[str, Any]) -> Reasoning:
    """Of redacted reasoning the provider gave a summary at most; the rest is not for reading."""
    said = text(part.get("reasoning"))
    if part.get("redacted") is True:
        said = text(part.get("summary")) or "(redacted)"
    signature, ours = part.get("signature"), table(part.get("internal")).get(KEY)
    signed = signature if isinstance(signature, str) else None
    if isinstance(ours, dict):
        return Reasoning(said, signed, text(ours.get("raw")) or None)
    return Reasoning(said, signed, as_text(part))


def contents_out(
    parts: tuple[Part, ...], reasoning: tuple[Reasoning, ...] = (), refusal: str = ""
) -> Any:
    """The content of a message: a string for a single text, else a list of parts."""
    if not reasoning and not refusal:
        if not parts:
            return ""
        if len(parts) == 1 and isinstance(parts[0], Text):
            return parts[0].text
    found: list[Any] = [_reasoning_out(block) for block in reasoning]
    found += [_part_out(part) for part in parts]
    if refusal:
        found.append({"type": "text", "text": refusal, "refusal": True})
    return found


def _reasoning_out(block: Reasoning) -> Any:
    raw = parsed(block.raw or "")
    if isinstance(raw, dict) and raw.get("type") == "reasoning" and "reasoning" in raw:
        return RawJson(block.raw or "")
    found: dict[str, Any] = {"type": "reasoning", "reasoning": block.text}
    if block.signature is not None:
        found["signature"] = block.signature
    return {**found, "internal": {KEY: {"raw": block.raw} if block.raw else {}}}


def _part_out(part: Part) -> Any:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    value = parsed(part.raw)
    if isinstance(value, dict):
        kind = text(value.get("type"))
        if kind in MEDIA and value.keys() & {"id", kind}:
            return RawJson(part.raw)
        known = _known_media(value)
        if known is not None:
            return known
    return {"type": "data", "data": {KEY: part.raw if value is None else RawJson(part.raw)}}


def _known_media(value: dict[str, Any]) -> dict[str, Any] | None:
    """OpenAI's and Anthropic's pictures and sounds as Inspect has them."""
    address = text(table(value.get("image_url")).get("url")) or text(value.get("image_url"))
    if address:
        return {"type": "image", "image": address}
    source = table(value.get("source"))
    if value.get("type") == "image" and text(source.get("data")):
        media = text(source.get("media_type")) or "image/png"
        return {"type": "image", "image": f"data:{media};base64,{source['data']}"}
    sound = table(value.get("input_audio"))
    if text(sound.get("data")) and sound.get("format") in ("wav", "mp3"):
        return {"type": "audio", "audio": sound["data"], "format": sound["format"]}
    return None


def call_out(call: ToolCall) -> dict[str, Any]:
    """A call. Arguments that are no JSON object cannot stand there: they are said in the error, as
    Inspect says what it could not parse.
    """
    found: dict[str, Any] = {"id": call.id, "function": call.name}
    if isinstance(parsed(call.arguments), dict):
        return {**found, "arguments": RawJson(call.arguments), "type": "function"}
    wrong = f"not a JSON object: {call.arguments}"
    return {**found, "arguments": {}, "parse_error": wrong, "type": "function"}


def reply_out(payload: TargetReply | UserMessage) -> dict[str, Any]:
    """Content and calls of a message, as Inspect has them."""
    refusal = payload.refusal if isinstance(payload, TargetReply) else ""
    found = {"content": contents_out(payload.parts, payload.reasoning, refusal)}
    if payload.tool_calls and isinstance(payload, TargetReply):
        found["tool_calls"] = [call_out(call) for call in payload.tool_calls]
    return found


def missing_part(name: str) -> dict[str, Any]:
    """What stands in the place of a text that is not in the log. It is no text, so no export takes
    it for one.
    """
    return {"type": ATTACHMENT, "attachment": name, "missing": True}


def is_missing(part: Part) -> bool:
    """Whether the part stands for a text that is not in the log."""
    return isinstance(part, OtherPart) and part.kind == ATTACHMENT
