"""The heuristic evaluator: stops when the target says that it is done, else goes on.

With ``match: substring`` it does to the letter what the seed program's decider does; ``word`` asks
for whole words, so that "abandoned" and "Incomplete" do not end a rollout.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors import UsageError
from ..model.messages import (
    GOAL_REACHED,
    MAX_TURNS,
    Stop,
    TargetReply,
    UserMessage,
    parts_text,
    user_message,
)
from ..model.project import HeuristicEvaluator
from ..model.view import View
from .protocols import Stream, no_stream

_LIMIT = Stop(MAX_TURNS, "evaluator")
_REACHED = Stop(GOAL_REACHED, "evaluator")


class HeuristicEvaluatorRole:
    """Follow-up number ``turn_index`` modulo their count; a retake gives the one after it. Empty
    sentinels never match.
    """

    def __init__(self, spec: HeuristicEvaluator) -> None:
        if not spec.followups:
            raise UsageError("evaluator.followups is empty: the heuristic needs at least one.")
        self._messages = [user_message(text) for text in spec.followups]
        self._says_done = _matcher(spec)

    async def next(self, view: View, stream: Stream = no_stream) -> UserMessage | Stop:
        """A follow-up, or the stop: max_turns first, so a sentinel at the limit is max_turns."""
        turn = view.turn_index
        if turn >= view.max_turns:
            return _LIMIT
        for message in reversed(view.messages):
            if isinstance(message, TargetReply):
                if self._says_done(parts_text(message.parts)):
                    return _REACHED
                break
        return self._messages[(turn + view.take_index) % len(self._messages)]


def _matcher(spec: HeuristicEvaluator) -> Callable[[str], bool]:
    sentinels = tuple(sentinel.lower() for sentinel in spec.sentinels if sentinel)
    whole = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sentinels))})(?!\w)").search
    substring = spec.match == "substring"

    def says_done(text: str) -> bool:
        lowered = text.lower()
        # A plain loop, and the pattern only where a plain search has found something: this runs
        # once a turn in a batch, and any() or the pattern alone cost three times as much.
        for sentinel in sentinels:
            if sentinel in lowered:
                return substring or whole(lowered) is not None
        return False

    return says_done
