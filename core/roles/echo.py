"""The echo target: the seed program's fixture, to the letter."""

from __future__ import annotations

from ..model.messages import TargetReply, UserMessage, parts_text, target_reply
from ..model.project import EchoTarget
from ..model.view import View
from .protocols import Stream, no_stream


class EchoTargetRole:
    """Says ``[fixture-agent t{number of user messages}] acknowledged: {last text[:120]}``.

    The messages are not counted: ``turn_index`` is by the stepper's own rule one less than their
    number, as soon as there is one.
    """

    def __init__(self, spec: EchoTarget | None = None) -> None:
        del spec  # its system text concerns the view, not the answer

    async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
        """The acknowledgement of the last user message."""
        for message in reversed(view.messages):
            if isinstance(message, UserMessage):
                said = parts_text(message.parts)[:120]
                return target_reply(f"[fixture-agent t{view.turn_index + 1}] acknowledged: {said}")
        return target_reply("[fixture-agent t0] acknowledged: ")
