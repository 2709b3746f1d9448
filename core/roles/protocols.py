"""The only seam that a user's own code plugs into. All async, all able to stream."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from ..model.messages import Stop, TargetReply, ToolResult, UserMessage
from ..model.project import Project
from ..model.steps import Call, Origin
from ..model.view import View

Stream = Callable[[str], None]
"""Takes text as it arrives. May be called never, or often. One that has a method ``notice(words)``
is also told, in words, how the answer is being made (that a retry waits, say).
"""


def no_stream(text: str) -> None:
    """A stream that nobody reads."""


class Answer(msgspec.Struct, frozen=True):
    """A payload together with what only the role knows of how it was made. A role that has
    nothing to add returns the bare payload.
    """

    payload: UserMessage | TargetReply | ToolResult | Stop
    script_index: int | None = None
    state: str | None = None
    call: Call | None = None
    request: str = ""
    """The request as sent, as JSON text, when the role sent one; the session stores it once."""
    origin: Origin | None = None
    """Who had made it, where the answer repeats a recorded one; else it follows from the role."""
    copied_from: str | None = None
    """The step of the same rollout that the answer repeats."""


class Evaluator(Protocol):
    """Plays the user and decides when to stop."""

    async def next(self, view: View, stream: Stream = no_stream) -> UserMessage | Stop | Answer:
        """The next message, or a stop with its reason. Raises RoleError."""
        ...


class Target(Protocol):
    """The agent under test."""

    async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply | Answer:
        """The next reply. Raises RoleError."""
        ...


class ToolSimulator(Protocol):
    """Answers the target's tool calls."""

    async def respond(self, view: View, stream: Stream = no_stream) -> ToolResult | Answer:
        """The result of ``view.call``. Raises RoleError."""
        ...


class ProjectAuthor(Protocol):
    """Where projects come from."""

    def author(self, n: int, rng: random.Random) -> Sequence[Project]:
        """Up to ``n`` projects, the same for the same generator."""
        ...
