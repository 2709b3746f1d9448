"""A step is one role's action, never changed once made; what asking for it cost goes with it."""

from typing import Literal

import msgspec

from .messages import Payload, Stop, SystemNote, TargetReply, ToolResult, UserMessage

Role = Literal["evaluator", "target", "tool"]
"""Who acts. A stop belongs to the evaluator's lane, whoever decided it; a system note, which only
imports hold, to the target's."""

ROLES: tuple[Role, ...] = ("evaluator", "target", "tool")

Origin = Literal["model", "script", "human", "import", "rule"]
"""Where a step came from: a model (or a user's own python role), a script or rule table of the
project, a human, a file from outside, or one of our own stop rules."""


class Usage(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Tokens of one call; ``estimated`` where the provider did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """All that the call took."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, more: "Usage") -> "Usage":
        """Both; an estimate where one of them is."""
        return Usage(
            self.prompt_tokens + more.prompt_tokens,
            self.completion_tokens + more.completion_tokens,
            self.reasoning_tokens + more.reasoning_tokens,
            self.cached_tokens + more.cached_tokens,
            self.estimated or more.estimated,
        )


class Call(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """How a live step was made. ``request`` is the digest of the request as sent, which the
    library stores once; times in seconds; ``cost`` in dollars, None where the price is unknown.

    ``seconds`` is the time of the try that succeeded, the last of ``attempts``;
    ``first_token_seconds`` the part of it before anything came, 0 where all came at once. ``note``
    says what was unusual: that a first answer could not be used and why, say; all then counts for
    both, and the request holds the first answer too.
    """

    model: str
    params: str = "{}"
    request: str = ""
    usage: Usage = Usage()
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1
    response_id: str = ""
    first_token_seconds: float = 0.0
    note: str = ""

    @property
    def tokens_per_second(self) -> float | None:
        """How fast tokens came, once they did; None where all came at once."""
        took = self.seconds - self.first_token_seconds
        if not self.first_token_seconds or took <= 0 or not self.usage.completion_tokens:
            return None
        return self.usage.completion_tokens / took


class Step(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One role's action.

    ``seq`` counts the rollout's steps in the order they were saved, from 1 (0: not saved yet).
    ``script_index`` is the line of its script, or row of its rule table, that the step used up;
    an override inherits it, so the script goes on with the next line.
    ``state`` is a tool simulator's own state after this step, as JSON text; ``state_stale`` marks
    a state that was copied from before an edit. ``revision`` indexes the rollout's project
    revisions. ``take`` is the number of the answer where a role was asked anew (0: the first);
    takes stand in this order, in whichever they came. ``extra`` is, for a step that was imported,
    what its source said of it that no field here holds: a JSON object as text.
    """

    id: str
    parent_id: str | None
    role: Role
    payload: Payload
    origin: Origin
    seq: int = 0
    author: str = ""
    reason: str = ""
    replaces: str | None = None
    copied_from: str | None = None
    injected: str = ""
    late: bool = False
    created_at: float = 0.0
    call: Call | None = None
    script_index: int | None = None
    state: str | None = None
    state_stale: bool = False
    revision: int = 0
    take: int = 0
    extra: str = ""


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A failure, which is not a step: what was tried under ``parent_id`` and how it failed.

    ``words`` are for people; ``detail`` is a traceback or raw body behind a key. ``cost`` and
    ``usage`` are what had been used by then, None where nothing is known of it.
    """

    id: str
    parent_id: str | None
    role: Role
    kind: str
    words: str
    call_id: str = ""
    detail: str = ""
    partial: str = ""
    cost: float | None = None
    created_at: float = 0.0
    usage: Usage | None = None


_LANES: dict[type[Payload], Role] = {
    UserMessage: "evaluator",
    Stop: "evaluator",
    TargetReply: "target",
    SystemNote: "target",
    ToolResult: "tool",
}


def role_of(payload: Payload) -> Role:
    """The lane that a payload belongs to."""
    return _LANES[type(payload)]
