"""Finding words in steps, and what stands in their place: pure, and nothing is changed by it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from ..errors import UsageError
from ..model.json_texts import is_json
from ..model.messages import Part, Payload, Stop, TargetReply, Text
from ..model.steps import Step
from .json_finding import find_in_json, find_in_text
from .searching import quick_up_to

Where = Literal["evaluator", "target", "tool", "arguments"]
"""Whose steps; or the arguments of the target's calls."""


class Replacement(msgspec.Struct, frozen=True):
    r"""``find`` is words as they stand, or ``/a regular expression/``; in ``put`` of an expression
    ``\1`` and ``\g<name>`` stand for its groups. ``roles``: in whose steps, or in arguments.
    """

    find: str
    put: str
    roles: tuple[Where, ...] = ("evaluator", "target", "tool")

    @property
    def expression(self) -> str | None:
        """The regular expression, where it is one."""
        text = self.find
        return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "/" else None


class TextHit(msgspec.Struct, frozen=True):
    """One place where it was found: from ``start`` to ``end`` of the text of a step's ``part``, or
    (``in_call``) of the arguments of the call with that number.
    """

    step_id: str
    part: int
    start: int
    end: int
    put: str
    in_call: bool = False


def check_replacement(wanted: Replacement) -> None:
    """Raise UsageError for one that cannot be."""
    if not wanted.find:
        raise UsageError("There is nothing to find.")
    if wanted.expression is not None:
        _compiled(wanted)


def hits_in(steps: Iterable[Step], wanted: Replacement) -> Iterator[TextHit]:
    """Where it stands in the texts of these steps, and in arguments. Raises UsageError."""
    compiled = _compiled(wanted)

    def put(match: re.Match[str]) -> str:
        return match.expand(wanted.put) if wanted.expression is not None else wanted.put

    for step in steps:
        payload = step.payload
        if isinstance(payload, Stop):
            continue
        if step.role in wanted.roles:
            for number, part in enumerate(payload.parts):
                if isinstance(part, Text):
                    _must_be_quick(wanted, part.text)
                    for found in find_in_text(part.text, compiled, put):
                        yield TextHit(step.id, number, *found)
        if isinstance(payload, TargetReply) and "arguments" in wanted.roles:
            for number, call in enumerate(payload.tool_calls):
                _must_be_quick(wanted, call.arguments)
                for found in find_in_json(call.arguments, compiled, put):
                    yield TextHit(step.id, number, *found, in_call=True)


def text_at(payload: Payload, hit: TextHit) -> str:
    """The text that a hit stands in."""
    if isinstance(payload, Stop):
        return ""
    if hit.in_call:
        return payload.tool_calls[hit.part].arguments if isinstance(payload, TargetReply) else ""
    part = payload.parts[hit.part]
    return part.text if isinstance(part, Text) else ""


def breaks_json(payload: Payload, hit: TextHit) -> bool:
    """Whether arguments that are JSON would be none any more with this hit alone replaced."""
    if not hit.in_call:
        return False
    text = text_at(payload, hit)
    return is_json(text) and not is_json(_with(text, [hit]))


def replaced(payload: Payload, hits: Sequence[TextHit]) -> Payload:
    """The payload with these hits of its texts replaced; everything else is as it was."""
    if isinstance(payload, Stop):
        return payload
    parts: list[Part] = list(payload.parts)
    for number, part in enumerate(parts):
        here = [hit for hit in hits if hit.part == number and not hit.in_call]
        if here and isinstance(part, Text):
            parts[number] = msgspec.structs.replace(part, text=_with(part.text, here))
    changed: Payload = msgspec.structs.replace(payload, parts=tuple(parts))
    if not isinstance(changed, TargetReply):
        return changed
    calls = list(changed.tool_calls)
    for number, call in enumerate(calls):
        if here := [hit for hit in hits if hit.part == number and hit.in_call]:
            calls[number] = msgspec.structs.replace(call, arguments=_with(call.arguments, here))
    return msgspec.structs.replace(changed, tool_calls=tuple(calls))


def _with(text: str, hits: Sequence[TextHit]) -> str:
    for hit in sorted(hits, key=lambda hit: hit.start, reverse=True):
        text = text[: hit.start] + hit.put + text[hit.end :]
    return text


def _compiled(wanted: Replacement) -> re.Pattern[str]:
    expression = wanted.expression
    if expression is None:
        return re.compile(re.escape(wanted.find))
    try:
        compiled = re.compile(expression)
    except re.error as error:
        raise UsageError(f"/{expression}/ is no regular expression: {error}.") from error
    try:
        compiled.sub(wanted.put, "")  # looks at the template before it looks for anything
    except (re.error, IndexError) as error:
        raise UsageError(f"{wanted.put!r} cannot be put in its place: {error}.") from error
    return compiled


def _must_be_quick(wanted: Replacement, text: str) -> None:
    expression = wanted.expression
    if expression is not None and len(text) > quick_up_to(expression):
        raise UsageError(
            f"/{expression}/ could take too long for a text of {len(text):,} characters. Write it "
            "without repeats inside of repeats."
        )
