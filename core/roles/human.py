"""A role that a human plays: asking it says so, and nothing else."""

from __future__ import annotations

from typing import NoReturn

from ..errors import UsageError
from ..model.steps import Role
from ..model.view import View
from .protocols import Stream, no_stream

YOU_PLAY = "You play the "
"""How the words begin that say that the next step is a human's to write."""

_WORDS: dict[Role, str] = {
    "evaluator": f"{YOU_PLAY}evaluator: write its message, or a stop.",
    "target": f"{YOU_PLAY}target: write its reply.",
    "tool": f"{YOU_PLAY}tool simulator: write the result of the call.",
}


class HumanNeeded(UsageError):
    """The next step is a human's to write; ``role`` says in whose place."""

    def __init__(self, role: Role) -> None:
        super().__init__(_WORDS[role])
        self.role: Role = role


class HumanRole:
    """Stands in the place of any of the three roles; every question raises HumanNeeded."""

    async def next(self, view: View, stream: Stream = no_stream) -> NoReturn:
        """Raises HumanNeeded for the evaluator."""
        raise HumanNeeded("evaluator")

    async def reply(self, view: View, stream: Stream = no_stream) -> NoReturn:
        """Raises HumanNeeded for the target."""
        raise HumanNeeded("target")

    async def respond(self, view: View, stream: Stream = no_stream) -> NoReturn:
        """Raises HumanNeeded for the tool simulator."""
        raise HumanNeeded("tool")
