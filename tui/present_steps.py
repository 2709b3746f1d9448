"""A step as it is presented: what is shown of it, in which order, and how fast it is typed.

For the present mode and for ``rollstep replay``. Imports no Textual.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rollstep.core.model.messages import Stop, SystemNote, ToolCall
from rollstep.core.model.project import Project
from rollstep.core.model.steps import ROLES, Role, Step

from .document import SHOWN, Block
from .inspector import payload_blocks
from .stepview import call_text, stop_title
from .who import LANES, LETTERS, made_by, who

AT_ONCE = 0.0
"""The pace of what is not typed."""
_PACES = {"text": 1.0, "reasoning": 3.0, "call": 3.0, "error": 1.0}
_RESULT = 8.0
"""Machines answer faster than people and models write."""
_PIECE = 4_096
_LONGEST = 8_192
"""Characters of one line that are wrapped together."""


class Shown(NamedTuple):
    """A block of a step, in the lane of a role ("" for what stands between the steps). ``pace`` is
    how much faster than a message it is typed; ``AT_ONCE`` is not typed.
    """

    block: Block
    pace: float = AT_ONCE
    role: Role | None = None


def cover(project: Project) -> list[Shown]:
    """What stands before the first step: title, goal, and who plays."""
    players = [
        f"{LETTERS[role]}  {LANES[place]}: {who(project, role)}"
        for place, role in enumerate(ROLES)
        if role != "tool" or project.tool_simulator is not None
    ]
    blocks = [Block("text", ""), Block("title", project.title)]
    if project.goal:
        blocks += [Block("text", ""), Block("text", project.goal)]
    blocks.append(Block("text", ""))
    return [*map(Shown, blocks), *(Shown(Block("dim", words)) for words in players)]


def shown_step(
    number: int, step: Step, call: ToolCall | None, *, named: bool = True
) -> list[Shown]:
    """All of a step; ``number`` counts from 1, ``call`` is the one that a result answers. Where it
    stands says whose it is, the title does not: not ``named``.
    """
    role = step.role
    return [
        Shown(Block("text", "")),
        Shown(Block(f"{role}:strong", _title(number, step, call, named)), AT_ONCE, role),
        *_content(step),
    ]


def _title(number: int, step: Step, call: ToolCall | None, named: bool) -> str:
    name = LANES[ROLES.index(step.role)] if named else ""
    if isinstance(step.payload, Stop):
        name = stop_title(step.payload)
    elif isinstance(step.payload, SystemNote):
        name = "System note"
    elif call is not None:
        name = f"{name}  {call_text(call, 60)}".strip()
    notes = [f"injected: {step.injected}"] if step.injected else []
    if step.origin == "human":
        notes.append(made_by(step))
    return "  ".join([f"{number}  {name}".rstrip(), *(f"({note})" for note in notes)])


def _content(step: Step) -> Iterator[Shown]:
    blocks = iter(payload_blocks(step.payload))
    next(blocks, None)  # the blank line, which is not needed under a title
    for block in blocks:
        pace = _PACES.get(block.style, AT_ONCE)
        if pace and step.role == "tool":
            pace = _RESULT
        if block.text:
            for text in pieces(block.text):
                yield Shown(Block(block.style, text, block.indent), pace, step.role)
        else:
            yield Shown(block, AT_ONCE, step.role)


def pieces(text: str) -> Iterator[str]:
    """A text cut at its line ends into pieces of a few screenfuls at most, so that typing a long
    one costs no more than a short one; a line that is longer than that is cut where it must be.
    """
    left = len(text) - SHOWN
    text = text[:SHOWN]
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            newline = text.rfind("\n", start, end + 1)
            if newline < 0:
                newline = text.find("\n", end, start + _LONGEST)
            end = newline if newline >= 0 else start + _LONGEST
        yield text[start:end]
        start = end + 1 if text[end : end + 1] == "\n" else end
    if left > 0:
        yield f"+{left:,} characters"
