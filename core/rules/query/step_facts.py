"""A step, or the question for one, as queries look at it: its facts, each read when it is first
asked for, and its shape.
"""

from __future__ import annotations

from typing import Any, Protocol

from ...model.marks import Score
from ...model.messages import (
    Part,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    payload_text,
)
from ...model.project import Project
from ...model.steps import Step
from ..json_values import MISSING, parse


class Where(Protocol):
    """Where in a path a step stands; asked only for what a query names."""

    @property
    def project(self) -> Project: ...  # noqa: D102
    @property
    def turn(self) -> int: ...  # noqa: D102
    @property
    def place(self) -> int: ...  # noqa: D102
    @property
    def cost(self) -> float: ...  # noqa: D102
    @property
    def tokens(self) -> int: ...  # noqa: D102
    @property
    def repeated(self) -> int: ...  # noqa: D102
    @property
    def answered(self) -> ToolCall | None:
        """The call that the result here answers."""
        ...

    @property
    def scores(self) -> tuple[Score, ...]:
        """All scores of the rollout."""
        ...


class Facts:
    """One step (or, before it is made, the question for it) as queries look at it. ``call`` is the
    call looked at: the one to answer, or each of a reply's in turn.
    """

    __slots__ = (
        "_args",
        "_args_of",
        "_folded",
        "_result",
        "_text",
        "_where",
        "call",
        "said",
        "step",
    )

    def __init__(
        self, step: Step | None, said: Payload | None, where: Where, call: ToolCall | None = None
    ) -> None:
        self.step: Step = step  # type: ignore[assignment]  # read only where there is one
        self.said = said
        self._where = where
        self.call = call
        self._text: str | None = None
        self._folded: str | None = None
        self._args: Any = MISSING
        self._args_of: ToolCall | None = None
        self._result: Any = None

    @property
    def project(self) -> Project:
        """The project that is played."""
        return self._where.project

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return self._where.turn

    @property
    def place(self) -> int:
        """The place in the path, from 1."""
        return self._where.place

    @property
    def cost(self) -> float:
        """Dollars so far."""
        return self._where.cost

    @property
    def tokens(self) -> int:
        """Tokens so far."""
        return self._where.tokens

    @property
    def repeated(self) -> int:
        """How often the exchange that ends here came in a row; 0 where none ends."""
        return self._where.repeated

    @property
    def scores(self) -> tuple[Score, ...]:
        """All scores of the rollout."""
        return self._where.scores

    def text(self) -> str:
        """What was said."""
        text = self._text
        if text is None:
            said = self.said
            parts: tuple[Part, ...] = getattr(said, "parts", ())
            if len(parts) == 1 and type(parts[0]) is Text:
                text = parts[0].text
            else:
                text = "" if said is None else payload_text(said)
            self._text = text
        return text

    def folded(self) -> str:
        """The same, to be searched in any letter case."""
        folded = self._folded
        if folded is None:
            folded = self._folded = self.text().casefold()
        return folded

    def arguments(self) -> Any:
        """The call's arguments as a JSON value; as a text where they are none."""
        call = self.call
        if call is None:
            return MISSING
        if self._args_of is not call:
            value = parse(call.arguments)
            self._args = call.arguments if value is MISSING else value
            self._args_of = call
        return self._args

    def result(self) -> Any:
        """The result as a JSON value; as a text where it is none."""
        if self._result is None:
            value = parse(self.text())
            self._result = (self.text() if value is MISSING else value,)
        return self._result[0]


SHAPES = (
    "message",
    "message with calls",
    "reply",
    "reply with calls",
    "result",
    "stop",
    "note",
    "before evaluator",
    "before target",
    "before tool",
)
"""What kinds of things are asked of: queries are compiled for each, so that most of a breakpoint is
settled before a run begins.
"""


def shape_of(payload: Payload) -> str:
    """The shape that a step of this payload has."""
    shape, with_calls = SHAPE_OF[type(payload)]
    if with_calls and payload.tool_calls:  # type: ignore[union-attr]
        return with_calls
    return shape


SHAPE_OF: dict[type[Payload], tuple[str, str]] = {
    UserMessage: ("message", "message with calls"),
    TargetReply: ("reply", "reply with calls"),
    ToolResult: ("result", ""),
    Stop: ("stop", ""),
    SystemNote: ("note", ""),
}
"""The shape of each payload type, and that of one with calls."""
