"""Finding words in steps, and what stands in their place: pure, and nothing is changed by it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from ..errors import UsageError
from ..model.messages import Part, Payload, Stop, Text
from ..model.steps import Step
from .searching import quick_up_to

Where = Literal["evaluator", "target", "tool"]


class Replacement(msgspec.Struct, frozen=True):
    r"""``find`` is words as they stand, or ``/a regular expression/``; in ``put`` of an expression
    ``\1`` and ``\g<name>`` stand for its groups. ``roles``: in whose steps.
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
    """One place where it was found: from ``start`` to ``end`` of the text of a step's ``part``."""

    step_id: str
    part: int
    start: int
    end: int
    put: str


def check_replacement(wanted: Replacement) -> None:
    """Raise UsageError for one that cannot be."""
    if not wanted.find:
        raise UsageError("There is nothing to find.")
    if wanted.expression is not None:
        _compiled(wanted)


def hits_in(steps: Iterable[Step], wanted: Replacement) -> Iterator[TextHit]:
    """Where it stands in the texts of these steps. Raises UsageError."""
    compiled = _compiled(wanted)
    for step in steps:
        if step.role not in wanted.roles or isinstance(step.payload, Stop):
            continue
        for number, part in enumerate(step.payload.parts):
            if not isinstance(part, Text):
                continue
            _must_be_quick(wanted, part.text)
            for match in compiled.finditer(part.text):
                put = match.expand(wanted.put) if wanted.expression is not None else wanted.put
                if match[0] != put and match[0]:
                    yield TextHit(step.id, number, match.start(), match.end(), put)


def replaced(payload: Payload, hits: Sequence[TextHit]) -> Payload:
    """The payload with these hits of its texts replaced; everything else is as it was."""
    if isinstance(payload, Stop):
        return payload
    parts: list[Part] = list(payload.parts)
    for hit in sorted(hits, key=lambda hit: (hit.part, hit.start), reverse=True):
        part = parts[hit.part]
        if isinstance(part, Text):
            text = part.text[: hit.start] + hit.put + part.text[hit.end :]
            parts[hit.part] = msgspec.structs.replace(part, text=text)
    return msgspec.structs.replace(payload, parts=tuple(parts))


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
