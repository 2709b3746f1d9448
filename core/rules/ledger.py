"""The ledger of a rollout's edits: what a human changed, why, and what became of it. Pure.

Every entry is a frozen struct that encodes to JSON, so that it can be handed on as provenance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from ..model.edited import is_edit
from ..model.history import INSERT, Command, Revert, reverts_of
from ..model.messages import (
    OtherPart,
    Payload,
    Stop,
    TargetReply,
    ToolResult,
    UserMessage,
    payload_text,
    reasoning_text,
)
from ..model.rollout import Rollout
from ..model.steps import Role, Step
from .word_diff import Stretch, word_diff

EditKind = Literal["override", "written", "inserted", "fault"]
Standing = Literal["stands", "reverted", "undone", "deleted"]


class Followed(msgspec.Struct, frozen=True):
    """What came after an edit, on the newest branch through it: so many steps kept as copies, so
    many made anew, and the stop that ended it, if it has ended.
    """

    kept: int = 0
    made: int = 0
    stop: Stop | None = None


class LedgerEntry(msgspec.Struct, frozen=True):
    """One edit.

    ``seq`` and ``link`` name its step for good, ``place`` is that step's number in its path.
    ``original`` is what the human's ``final`` replaced, None for what was written where nobody had
    said anything; ``diff`` are the words of the two (``ledger_text``). ``at`` is in seconds since
    the epoch. ``copies`` are later steps that carry the edit on another branch. ``reverts`` are
    those of the edit and of its copies; ``standing`` is that of the edit's own step.
    """

    step_id: str
    seq: int
    link: str
    place: int
    role: Role
    kind: EditKind
    original_id: str | None
    original: Payload | None
    final: Payload
    diff: tuple[Stretch, ...]
    author: str
    at: float
    reason: str
    injected: str
    followed: Followed
    standing: Standing
    reverts: tuple[Revert, ...] = ()
    copies: tuple[str, ...] = ()


class Ledger:
    """The edits of a rollout as it is now. ``commands`` say what was undone, inserted, reverted."""

    def __init__(self, rollout: Rollout, commands: Iterable[Command]) -> None:
        self._rollout = rollout
        self._reverts = reverts_of(commands := tuple(commands))
        self._undone = {i for command in commands if command.undone for i in command.step_ids}
        self._inserted = {i for c in commands if c.label == INSERT for i in c.step_ids}
        self._after: dict[str, Followed] = {}
        self._depth: dict[str, int] = {}
        self._copies: dict[str, list[str]] | None = None

    def entries(self) -> Iterator[LedgerEntry]:
        """All edits, in the order in which they were made, those that stand no longer too."""
        for step in self._rollout:
            if self._is_edit(step):
                yield self._entry(step)

    def on_path(self, path: Iterable[Step]) -> tuple[LedgerEntry, ...]:
        """The edits that a path holds, as such or as copies, in the path's order."""
        roots = [self._rollout.original(step) for step in path]
        edits = {root.id: root for root in roots if self._is_edit(root)}  # each is made once
        entries = {step_id: self._entry(edit) for step_id, edit in edits.items()}
        return tuple(entries[root.id] for root in roots if root.id in entries)

    def entry(self, step_id: str) -> LedgerEntry | None:
        """The edit that this step is, or is a copy of; None where it is neither."""
        step = self._rollout.steps.get(step_id)
        if step is None or not self._is_edit(root := self._rollout.original(step)):
            return None
        return self._entry(root)

    def _is_edit(self, step: Step) -> bool:
        return step.origin == "human" and is_edit(step, self._rollout.project_of(step))

    def _entry(self, step: Step) -> LedgerEntry:
        original = self._rollout.steps.get(step.replaces or "")
        before = ledger_text(original.payload) if original is not None else ""
        copies = tuple(self._all_copies().get(step.id, ()))
        reverts = (self._reverts.get(step_id) for step_id in (step.id, *copies))
        return LedgerEntry(
            step.id,
            step.seq,
            f"{self._rollout.header.id}#{step.seq}" if step.seq else self._rollout.header.id,
            self._place(step),
            step.role,
            self._kind(step),
            step.replaces,
            original.payload if original is not None else None,
            step.payload,
            tuple(word_diff(before, ledger_text(step.payload))),
            step.author,
            step.created_at,
            step.reason,
            step.injected,
            self._followed(step),
            self._standing(step),
            tuple(each for each in reverts if each is not None),
            copies,
        )

    def _kind(self, step: Step) -> EditKind:
        if step.injected:
            return "fault"
        if step.replaces is not None:
            return "override"
        return "inserted" if step.id in self._inserted else "written"

    def _standing(self, step: Step) -> Standing:
        if step.id in self._undone:
            return "undone"
        if step.id in self._reverts:
            return "reverted"
        return "deleted" if step.id in self._rollout.hidden else "stands"

    def _all_copies(self) -> Mapping[str, list[str]]:
        if self._copies is None:
            self._copies = {}
            for step in self._rollout:
                if step.copied_from is not None and step.id not in self._undone:
                    self._copies.setdefault(self._rollout.original(step).id, []).append(step.id)
        return self._copies

    # What is walked is remembered: 2,000 edits in a row must not each walk to the end.

    def _place(self, step: Step) -> int:
        steps, depth = self._rollout.steps, self._depth
        walked: list[str] = []
        current: str | None = step.id
        while current is not None and current not in depth:
            walked.append(current)
            current = steps[current].parent_id
        place = depth[current] if current is not None else 0
        for step_id in reversed(walked):
            place += 1
            depth[step_id] = place
        return depth[step.id]

    def _followed(self, step: Step) -> Followed:
        after, walked = self._after, [step.id]
        while walked[-1] not in after and (children := self._rollout.children(walked[-1])):
            walked.append(children[-1])
        followed = after.get(walked[-1])
        if followed is None:
            followed = after[walked[-1]] = self._nothing_after(walked[-1])
        for step_id, child in zip(walked[-2::-1], walked[:0:-1], strict=True):
            copied = self._rollout.steps[child].copied_from is not None
            kept, made = followed.kept + copied, followed.made + (not copied)
            followed = after[step_id] = Followed(kept, made, followed.stop)
        return followed

    def _nothing_after(self, leaf: str) -> Followed:
        payload = self._rollout.steps[leaf].payload
        return Followed(stop=payload if isinstance(payload, Stop) else None)


def ledger_text(payload: Payload) -> str:
    """All that a step says, as one text that words can be compared in; nothing is made prettier."""
    if isinstance(payload, Stop):
        return f"stop: {payload.reason}" + (f"\n{payload.note}" if payload.note else "")
    pieces: list[str] = []
    if isinstance(payload, TargetReply | UserMessage) and payload.reasoning:
        pieces.append(f"reasoning: {reasoning_text(payload.reasoning)}")
    if isinstance(payload, ToolResult) and payload.is_error:
        pieces.append("error:")
    pieces.append(payload_text(payload))
    for part in payload.parts:
        if isinstance(part, OtherPart):
            pieces.append(f"[{part.media_type or part.kind}, {part.size} bytes]")
    if isinstance(payload, TargetReply | UserMessage):
        pieces += [f"> {call.name} {call.arguments}".rstrip() for call in payload.tool_calls]
    if isinstance(payload, TargetReply) and payload.refusal:
        pieces.append(f"refused: {payload.refusal}")
    return "\n".join(piece for piece in pieces if piece)
