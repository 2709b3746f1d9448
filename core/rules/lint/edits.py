"""Rules of edits: what was kept from before one, and what a human put into the target's mouth."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.edited import played_by_human
from ...model.messages import TargetReply
from ...model.rollout import Rollout
from ...model.steps import Step
from .findings import Finding
from .seen import Seen


class Edits:
    """Edits, and what was made before them."""

    def __init__(self, rollout: Rollout) -> None:
        self._rollout = rollout
        self._steps = rollout.steps
        self._pasts: dict[str | None, int] = {None: 0}
        """The payloads up to and including a step, as one number: the hash of each with that of
        those before it. A text's own hash is made once, and kept by Python.
        """
        self._own_words: dict[str, TargetReply | None] = {}

    def look(self, seen: Seen) -> Iterator[Finding]:
        """Look at the next step."""
        step, payload = seen.step, seen.payload
        original = self._original(step)
        if original is not None and original.id != step.id and self._past_differs(original, step):
            yield seen.flag("stale", "made before an edit above it, kept, and not made anew")
        if not isinstance(payload, TargetReply) or step.origin != "human":
            return
        if not played_by_human(seen.project, "target"):
            yield from self._by_hand(seen, payload, self._said(original or step))

    def _original(self, step: Step) -> Step | None:
        """The step that this is a copy of; itself when it is none, and None where that is not here:
        it was copied from another rollout, or, in a file that somebody else made, from itself.
        """
        original = self._rollout.original(step)
        return original if original.copied_from is None else None

    def _past_differs(self, one: Step, other: Step) -> bool:
        return self._past(one.parent_id) != self._past(other.parent_id)

    def _past(self, step_id: str | None) -> int:
        known = self._pasts
        missing: list[Step] = []
        while step_id not in known:
            step = self._steps[step_id]  # type: ignore[index]
            missing.append(step)
            step_id = step.parent_id
        past = known[step_id]
        for step in reversed(missing):
            past = known[step.id] = hash((past, step.payload))
        return past

    def _said(self, edit: Step) -> TargetReply | None:
        """What the target itself said where a human's reply stands now, before the first edit."""
        step: Step | None = edit
        walked: dict[str, None] = {}
        known = self._own_words
        while (
            step is not None
            and step.origin == "human"
            and not (step.id in known or step.id in walked)
        ):
            walked[step.id] = None
            step = self._steps.get(step.replaces or "")
            step = self._original(step) if step is not None else None
        said = None
        if step is not None and step.id in known:
            said = known[step.id]
        elif step is not None and step.origin != "human" and isinstance(step.payload, TargetReply):
            said = step.payload
        known.update(dict.fromkeys(walked, said))
        return said

    def _by_hand(
        self, seen: Seen, now: TargetReply, before: TargetReply | None
    ) -> Iterator[Finding]:
        if before is None:
            yield seen.flag("target-edited", "written by hand where the target speaks")
            return
        if words := _changed(before, now):
            yield seen.flag("target-edited", f"{words} changed by hand")
        if words := _broken_signature(before, now):
            yield seen.flag("edited-signed-reasoning", words)


def _changed(before: TargetReply, now: TargetReply) -> str:
    pieces = [
        name
        for name, field in (("text", "parts"), ("calls", "tool_calls"), ("reasoning", "reasoning"))
        if getattr(before, field) != getattr(now, field)
    ]
    return f"the target's {' and '.join(pieces)}" if pieces else ""


def _broken_signature(before: TargetReply, now: TargetReply) -> str:
    for place, (old, new) in enumerate(zip(before.reasoning, now.reasoning, strict=False), 1):
        if not (old.signature or old.raw) or new.text == old.text:
            continue
        if new.signature or new.raw:
            return f"reasoning {place} was edited; the signature it carries no longer fits"
        return f"reasoning {place} was signed and was edited; it has no signature any more"
    return ""
