"""Reading ATIF, every version from 1.0 on, tolerantly.

Results without a call, wrong references, gaps in the numbers, nulls, newer versions and unknown
fields are all in real files: they are shown, noted, and kept. Steps that were copied from another
trajectory are not to be trained on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import Fault, FormatError
from ...model.marks import Score
from ...model.messages import (
    Stop,
    Text,
    UserMessage,
)
from ...model.rollout import Branch, Rollout, RolloutHeader
from ..reading.building import TreeBuilder, imported_project
from ..reading.json_in import as_text
from ..reading.record import Imported, Reader, Record
from ..reading.tools import read_declared
from ..reading.values import count, items, score_value, table, text
from ..subject import Subject
from .fields import OURS
from .steps import NAME, SYSTEM
from .steps_in import StepReader

_NEWEST = (1, 8)
_VERSION = re.compile(r"ATIF-v(\d+)\.(\d+)")
_ROOT = frozenset({"schema_version", "steps", "extra"})
_TITLE = 80


def recognise(value: Any) -> int:
    """How surely a document is of this format."""
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        return 0
    if text(value.get("schema_version")).startswith("ATIF"):
        return 99
    first = table(value["steps"][0]) if value["steps"] else {}
    return 80 if "agent" in value and {"step_id", "source", "message"} <= first.keys() else 0


def read(record: Record) -> Iterator[Imported]:
    """The trajectory, with its branches. Raises FormatError where it has no steps."""
    value = table(record.value)
    if not items(value.get("steps")):
        raise FormatError(faults=(Fault("there are no steps.", record.number, 0, "steps"),))
    yield _Document(record.digest, value).imported()


READER = Reader(recognise, read)


def subject_of_document(value: Any, key: str) -> Subject | None:
    """A document as a subject of its own; None where it has no steps."""
    value = table(value)
    if not items(value.get("steps")):
        return None
    imported = _Document(key, value).imported()
    header = RolloutHeader("", imported.title, format=NAME, extra=imported.extra)
    tree = Rollout(header, [imported.project])
    tree.add_all(imported.steps)
    return Subject(
        tree.trajectory(imported.head),
        (imported.project,),
        marks=imported.marks,
        scores=imported.scores,
        rollout=tree,
        format=NAME,
        extra=imported.extra,
    )


class _Document:
    """Reads one document."""

    def __init__(self, key: str, value: dict[str, Any]) -> None:
        self.value = value
        self.extra = dict(table(value.get("extra")))
        ours = self.extra.get(OURS)
        self.ours: dict[str, Any] = self.extra.pop(OURS) if isinstance(ours, dict) else {}
        self.builder = TreeBuilder(key, shared=bool(self.ours.get("branches")))
        self.agent = table(value.get("agent"))
        self.steps = StepReader(self.builder, self.agent)

    def imported(self) -> Imported:
        """All of it."""
        self._version()
        ends = self.steps.read(self.value["steps"], "steps", expected=1)
        path = self._path()
        head = self._stop(self.ours.get("stop")) or self.builder.here
        branches = tuple(self._branches(ends))
        self.steps.edits.resolve()
        project = self._project()
        return Imported(
            project,
            self.builder.steps,
            title=project.title,
            key=text(self.value.get("trajectory_id")),
            head=head,
            scores=tuple(self._scores(path)),
            marks=tuple(self.steps.marks),
            branches=branches,
            extra=self._record(head),
            notes=tuple(self.builder.notes),
            created_at=min((s.created_at for s in self.builder.steps if s.created_at), default=0.0),
        )

    def _version(self) -> None:
        given = self.value.get("schema_version")
        found = _VERSION.fullmatch(text(given))
        if found is None:
            self.builder.note(f"the version {given!r} is not known; read as 1.8", "schema_version")
        elif (int(found[1]), int(found[2])) > _NEWEST:
            words = f"{given} is newer than 1.8; what is not known of it is kept aside"
            self.builder.note(words, "schema_version")

    def _path(self) -> list[str]:
        """The ids of the steps so far, in order."""
        return [step.id for step in self.builder.steps]

    def _stop(self, given: Any) -> str | None:
        stop = table(given)
        if not isinstance(stop.get("reason"), str):
            return None
        by = stop.get("by")
        payload = Stop(
            stop["reason"],
            by if by in ("evaluator", "rule", "human") else "evaluator",
            text(stop.get("note")),
        )
        step_id = self.builder.add(payload)
        self.steps.marked(step_id, stop)
        return step_id

    def _branches(self, ends: list[str | None]) -> Iterator[Branch]:
        """The rollout's other branches, as our own part of extra tells them."""
        for index, given in enumerate(items(self.ours.get("branches"))):
            branch = table(given)
            after = min(count(branch.get("after")), len(ends) - 1)
            self.builder.here = ends[after]
            where = f"extra.{OURS}.branches[{index}].steps"
            self.steps.read(items(branch.get("steps")), where, after + 1)
            self._stop(branch.get("stop"))
            name = text(branch.get("name"))
            if name and self.builder.here is not None:
                yield Branch(self.builder.here, name)

    def _scores(self, path: list[str]) -> Iterator[Score]:
        for given in items(self.ours.get("scores")):
            score = table(given)
            cited = [n for n in items(score.get("steps")) if isinstance(n, int)]
            yield Score(
                text(score.get("name")),
                score_value(score.get("value")),
                text(score.get("explanation")),
                text(score.get("judge")),
                tuple(path[n - 1] for n in cited if 0 < n <= len(path)),
            )

    def _project(self) -> Any:
        declared = read_declared(
            self.agent.get("tool_definitions"), "agent.tool_definitions", self.builder.note
        )
        first = next(
            (s.payload for s in self.builder.steps if isinstance(s.payload, UserMessage)), None
        )
        said = "".join(p.text for p in first.parts if isinstance(p, Text)) if first else ""
        begin = said.strip().split("\n")[0][:_TITLE]
        metadata = self.ours.get("metadata")
        return imported_project(
            text(self.ours.get("title")) or begin or text(self.value.get("session_id")),
            system=self.steps.system,
            tools=declared.tools,
            goal=text(self.ours.get("goal")),
            opening=said or None,
            metadata=as_text(metadata) if isinstance(metadata, dict) else "{}",
            project_id=text(self.value.get("session_id")) or None,
        )

    def _record(self, head: str | None) -> str:
        """What the document says besides."""
        kept = {key: item for key, item in self.value.items() if key not in _ROOT}
        kept.setdefault("agent", {})
        if self.value.get("subagent_trajectories"):
            words = "trajectories of sub-agents are kept and not shown"
            self.builder.note(words, "subagent_trajectories")
        if self.extra or ("extra" in self.value and not self.ours):
            kept["extra"] = self.extra
        known = ("stop", "scores", "branches")
        ours = {key: item for key, item in self.ours.items() if key not in known}
        if ours:
            kept["$ours"] = ours
        if self.steps.system_more:
            kept[SYSTEM] = self.steps.system_more
        kept["$head"] = head
        return as_text(kept)
