"""What a role is given. Neutral: only the live roles turn it into a provider's messages."""

from __future__ import annotations

import random

import msgspec

from .messages import Payload, ToolCall
from .project import Project
from .steps import Role


class View(msgspec.Struct, frozen=True):
    """What a role is given to answer.

    ``messages`` are the payloads of the path as this role may see them, oldest first.
    ``turn_index`` is the index, from 0, of the turn that the answer belongs to: for the evaluator
    that is the *next* turn, so ``turn_index == max_turns`` after the last permitted one.
    ``take_index`` is 0 for a first answer, then counts retakes.
    ``used`` holds the script lines (or rule rows, with how often) that this path used up already.
    ``state`` is a tool simulator's own state as JSON text. ``call`` is the call to answer.
    """

    role: Role
    project: Project
    messages: tuple[Payload, ...]
    turn_index: int
    max_turns: int
    take_index: int = 0
    seed: str = ""
    used: tuple[int, ...] = ()
    state: str | None = None
    call: ToolCall | None = None

    def rng(self) -> random.Random:
        """A generator that is the same for the same run seed, place in the path and take."""
        place = f"{self.seed}:{self.role}:{len(self.messages)}:{self.take_index}"
        # An independent simulator sees the same messages for all calls of a reply.
        return seeded(place if self.call is None else f"{place}:{self.call.id}")


def seeded(key: str) -> random.Random:
    """A generator that is the same for the same text, whatever is in it: Python's own refuses lone
    surrogates.
    """
    return random.Random(key.encode("utf-8", "surrogatepass"))
