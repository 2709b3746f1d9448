"""What the editor is asked to edit, and how it ended. Plain data; imports no Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rollstep.core.model.messages import STOP_REASONS, Payload, ToolCall
from rollstep.core.model.project import Tool

Shape = Literal["message", "reply", "result", "stop"]
After = Literal["stay", "keep", "rerun"]
Outcome = Literal["saved", "unchanged", "draft", "closed"]


@dataclass(frozen=True)
class EditRequest:
    """What is to be edited or written.

    ``original`` is the step's payload, None when the next step is written by hand. ``call`` is the
    call that a result answers, ``returns`` its tool's schema, ``prefill`` the text to start a
    written step with, ``tools`` what a new call may call. ``follows`` counts the recorded steps
    after this one (0: keep is not offered); ``rerun`` says what a rerun would cost ("offline,
    free"; empty: not offered). ``draft`` is the body of a saved draft. ``external`` opens the
    human's own editor at once. ``context`` is what the step answers, shown above it; for a result
    it is the call, if nothing else is given. ``state`` is the tool simulator's state after a
    result, None where it keeps none. ``can_switch`` is whether a message may become a stop, or a
    stop a message.
    """

    title: str
    shape: Shape
    original: Payload | None = None
    call: ToolCall | None = None
    returns: str | None = None
    prefill: str = ""
    stop_reasons: tuple[str, ...] = STOP_REASONS
    tools: tuple[Tool, ...] = ()
    follows: int = 0
    rerun: str = ""
    draft: str = ""
    external: bool = False
    context: str = ""
    can_switch: bool = True
    state: str | None = None


@dataclass(frozen=True)
class EditResult:
    """How the editor ended.

    ``saved``: ``payload``, ``after`` and ``reason`` are the edit, and ``draft`` the same
    unfinished. ``draft``: left with text that is to be kept, in ``draft``. ``unchanged``: saved
    without an edit. ``closed``: left with nothing to keep. After all but ``draft``, an older draft
    is done with. ``state`` is the simulator's state, where that was edited.
    """

    outcome: Outcome
    payload: Payload | None = None
    after: After = "stay"
    reason: str = ""
    draft: str = ""
    state: str | None = None
