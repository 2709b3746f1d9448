"""The sample projects that come with rollstep, and the overrides that they document.

Listing them reads one small index and no YAML, because the start screen does it at every start.
The index is made together with the recordings (``python -m tests.core.record_samples``).
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Literal

import msgspec

from .errors import UsageError
from .model.messages import (
    Payload,
    TargetReply,
    ToolCall,
    ToolResult,
    target_reply,
    tool_result,
    user_message,
)
from .model.project import Project

FOLDER = Path(__file__).resolve().parents[1] / "sample_projects"
"""Beside this package in a source tree and in a wheel alike. (``importlib.resources`` would cost
14 ms, and cannot look into an editable install's folders.)"""

INDEX = "index.json"


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the index: what the start screen shows of a sample."""

    name: str
    title: str
    learn: str
    needs_key: bool = False
    """It plays live models; without a key it opens, and a human can play its roles."""
    turns: int = 0
    """How many turns its recorded rollout takes as it went; 0 without a recording."""
    ends: str = ""
    """The reason with which that rollout stops."""


class Sample(msgspec.Struct, frozen=True):
    """A sample: its line of the index and its files. ``bundle`` is its recorded rollout, with
    overrides and forks, and ``seed_file`` the seed row that it was made from, if there is one.
    """

    name: str
    title: str
    learn: str
    needs_key: bool
    turns: int
    ends: str
    project: Path
    bundle: Path | None
    seed_file: Path | None


class DocumentedCall(msgspec.Struct, frozen=True):
    """A tool call that an overridden reply makes."""

    name: str
    arguments: msgspec.Raw


class DocumentedOverride(msgspec.Struct, frozen=True):
    """An override that a sample's ``metadata.overrides`` suggests, and what it leads to.

    ``step`` counts from 1 along the rollout as it went; ``becomes`` is the new step's text (with
    ``calls``, for a target reply). After a rerun to the end, or with what follows kept, the stop's
    reason is ``ends`` and the target's last reply contains ``last_reply_contains``.
    """

    step: int
    becomes: str
    then: str
    ends: str
    last_reply_contains: str
    branch: str = ""
    why: str = ""
    calls: tuple[DocumentedCall, ...] = ()
    after: Literal["rerun", "keep"] = "rerun"

    def payload(self, old: Payload) -> Payload:
        """The payload to put in the place of ``old``. In a stop's place goes a message."""
        if isinstance(old, ToolResult):
            return tool_result(old.call_id, self.becomes)
        if isinstance(old, TargetReply):
            return target_reply(self.becomes, self._calls(old))
        return user_message(self.becomes)

    def _calls(self, old: TargetReply) -> tuple[ToolCall, ...]:
        """Calls keep the ids of those that they replace, as in the editor."""
        ids = [call.id for call in old.tool_calls]
        ids += [f"call_by_hand_{n}" for n in range(len(ids) + 1, len(self.calls) + 1)]
        return tuple(
            ToolCall(call_id, call.name, bytes(call.arguments).decode())
            for call_id, call in zip(ids, self.calls, strict=False)
        )


class Lesson(msgspec.Struct, frozen=True):
    """What a sample's metadata say of it: what it teaches, the reason with which it stops as it
    goes, and the overrides to try.
    """

    learn: str = ""
    ends: str = ""
    needs_key: bool = False
    overrides: tuple[DocumentedOverride, ...] = ()


def list_samples() -> tuple[Sample, ...]:
    """All samples, in the order in which to show them."""
    entries = msgspec.json.decode((FOLDER / INDEX).read_bytes(), type=tuple[Entry, ...])
    return tuple(_sample(entry) for entry in entries)


def sample(name: str) -> Sample:
    """The sample of this name. Raises UsageError, which names the nearest, when there is none."""
    samples = {one.name: one for one in list_samples()}
    if name in samples:
        return samples[name]
    near = difflib.get_close_matches(name, samples, 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise UsageError(f"There is no sample {name!r}. {hint}The samples are {', '.join(samples)}.")


def lesson(project: Project) -> Lesson:
    """What a sample's project says of itself. Raises msgspec.ValidationError when its metadata do
    not have that form (other projects' metadata are their own).
    """
    return msgspec.json.decode(project.metadata.encode(), type=Lesson)


def _sample(entry: Entry) -> Sample:
    bundle = FOLDER / f"{entry.name}.rollstep.jsonl"
    seed_file = FOLDER / f"{entry.name}.jsonl"
    return Sample(
        entry.name,
        entry.title,
        entry.learn,
        entry.needs_key,
        entry.turns,
        entry.ends,
        FOLDER / f"{entry.name}.yaml",
        bundle if bundle.exists() else None,
        seed_file if seed_file.exists() else None,
    )
