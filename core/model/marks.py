"""What humans and judges say of a trajectory: a judge gives a score, a human a mark."""

from typing import Literal

import msgspec

Verdict = Literal["accept", "reject", "unsure"]


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number that someone or something gave a trajectory, with the steps it cites."""

    name: str
    value: float | str | None
    explanation: str = ""
    judge: str = ""
    step_ids: tuple[str, ...] = ()


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A human's mark on a step: on a leaf a verdict, rating (1 to 5), tags and note for the branch;
    on any step ``train`` (the loss mask) and a note.
    """

    step_id: str
    verdict: Verdict | None = None
    rating: int | None = None
    tags: tuple[str, ...] = ()
    note: str = ""
    train: bool | None = None
    by: str = ""
    at: float = 0.0


class Silence(msgspec.Struct, frozen=True, omit_defaults=True):
    """A flag that a human has looked at and lets stand: the lint rule, on which step, and why.
    ``lifted`` takes the silence away again.
    """

    step_id: str
    rule: str
    reason: str = ""
    by: str = ""
    at: float = 0.0
    lifted: bool = False
