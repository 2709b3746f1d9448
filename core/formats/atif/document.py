"""ATIF 1.8, the trajectory format of Harbor: one document a trajectory, one step on each line.

Strict: whatever ATIF has no field for stands in ``extra``, our own things there under the key
``rollstep``: who made a step and what it replaced, why a reply ended, marks, the exact reasoning
blocks, and at the root the project, the stop, scores and the rollout's other branches. ``is_error``
stands in the ``extra`` of a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from ...errors import ExportError, Fault
from ...model.messages import Stop, ToolResult
from ...model.project import LlmTarget
from ...model.rollout import Rollout
from ...model.steps import Step
from ..edit_fields import edit_of
from ..ids import project_id
from ..jsonl import json_string, json_text, line_bytes
from ..reading.tools import function_tools, read_declared
from ..report import payload_texts, surrogate_steps
from ..source import as_it_is, has_odd_numbers, odd_number_notes, plain
from ..subject import Subject
from .fields import AGENT, FINAL_METRICS, OURS, ROOT, VERSION, fitted, moved
from .steps import NAME, StepWriter, numbers

HOLDS = frozenset(
    {
        *("messages", "tool_traffic", "tool_schemas", "reasoning", "evaluator_reasoning"),
        *("evaluator_calls", "is_error", "refusals", "finish_reasons", "other_parts"),
        *("system_notes", "stop", "stop_details", "edits", "faults", "calls", "train", "marks"),
        "scores",
    }
)


def holds_also(subject: Subject) -> frozenset[str]:
    """The other branches, where they are known."""
    return frozenset({"branches"}) if subject.rollout is not None else frozenset()


def check(subject: Subject) -> tuple[Fault, ...]:
    """Why there is no such document; nearly everything has a place in one."""
    if any(not isinstance(step.payload, Stop) for step in subject.trajectory.steps):
        return ()
    rule = "a trajectory has at least one step"
    message = f"there is no step to export; rule: {rule}."
    return (Fault(message, where="steps", hint="Make a step first."),)


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    if check(subject):
        return ()
    found = odd_number_notes(subject, NAME)
    if any(has_odd_numbers(project.metadata) for project in subject.projects):
        found.append("NaN and infinities of the project's metadata are written as null")
    if escaped := surrogate_steps(subject):
        places = ", ".join(map(str, escaped))
        found.append(f"lone surrogates (step {places}) are written as \\udXXX escapes")
    document = _Document(subject, whole=False)
    document.fields()
    for words, steps in document.writer.said.items():
        places = ", ".join(str(n) for n in dict.fromkeys(steps) if n)
        found.append(f"{words} (step {places})" if places else words)
    return tuple(found)


def render(subject: Subject) -> bytes:
    """The document. Raises ExportError where ``check`` finds a fault."""
    faults = check(subject)
    if faults:
        raise ExportError("\n".join(fault.render() for fault in faults))
    fields = _Document(subject).fields()
    lines = [
        f"{json_string(key)}: {_step_lines(value) if key == 'steps' else json_text(value)}"
        for key, value in fields.items()
    ]
    body = ",\n".join(lines)
    return line_bytes(f"{{\n{body}\n}}")


def _step_lines(steps: list[dict[str, Any]]) -> str:
    body = ",\n".join(map(json_text, steps))
    return f"[\n{body}\n]"


class _Document:
    """Puts one document together; ``whole`` is with the rollout's other branches."""

    def __init__(self, subject: Subject, *, whole: bool = True) -> None:
        self.subject = subject
        self.whole = whole
        self.writer = StepWriter(subject)
        self.record = self.writer.source.of_record()
        path = subject.trajectory.steps
        self.untouched = (
            bool(path)
            and path[-1].id == self.record.get("$head")
            and all(map(self.writer.source.has, path))
        )
        """Whether this is what was imported, step by step."""

    def fields(self) -> dict[str, Any]:
        """The fields of the root."""
        subject = self.subject
        path = subject.trajectory.steps
        steps = self.writer.steps(path, subject.project.target.system)
        good, odd = fitted(self._leftover(), ROOT)
        fields: dict[str, Any] = {"schema_version": VERSION, **self._ids()}
        fields["agent"] = self._agent()
        fields["steps"] = steps
        if "notes" in good:
            fields["notes"] = good["notes"]
        metrics = self._final_metrics(good, len(steps))
        if metrics:
            fields["final_metrics"] = metrics
        if "continued_trajectory_ref" in good:
            fields["continued_trajectory_ref"] = good["continued_trajectory_ref"]
        extra = odd.pop("extra", None)
        others: dict[str, Any] = {key: plain(value) for key, value in odd.items()}
        if others:
            words = "fields of the source that ATIF 1.8 has no place for stand in extra"
            self.writer.said.setdefault(words, [])
        if isinstance(extra, dict):
            others = {**{key: plain(value) for key, value in extra.items()}, **others}
        ours = self._ours()
        if ours:
            others = {OURS: ours, **others}
        if others:
            fields["extra"] = others
        agents = self.record.get("subagent_trajectories")
        if isinstance(agents, list) and agents:
            fields["subagent_trajectories"] = self._subagents(agents)
        return fields

    def _leftover(self) -> dict[str, Any]:
        known = ("agent", "session_id", "trajectory_id", "subagent_trajectories")
        return {
            key: value
            for key, value in self.record.items()
            if not key.startswith("$") and key not in known
        }

    def _ids(self) -> dict[str, str]:
        """The run's id, and one that follows from every text of the path."""
        session = self.record.get("session_id")
        own = project_id(self.subject.projects[0], self.subject.seed, self.subject.row)
        found: dict[str, str] = {}
        if isinstance(session, str) or "agent" not in self.record:
            found["session_id"] = session if isinstance(session, str) else own
        given = self.record.get("trajectory_id")
        if self.untouched and self.record:
            if isinstance(given, str):
                found["trajectory_id"] = given
            return found
        hasher = blake2b(own.encode("utf-8", "surrogatepass"), digest_size=8)
        for step in self.subject.trajectory.steps:
            texts = (step.role, *payload_texts(step.payload))
            hasher.update("\0".join(texts).encode("utf-8", "surrogatepass"))
        found["trajectory_id"] = f"traj-{hasher.hexdigest()}"
        return found

    def _agent(self) -> dict[str, Any]:
        given = self.record.get("agent")
        project = self.subject.project
        if isinstance(given, dict):
            made: dict[str, Any] = {k: plain(item) for k, item in moved(given, AGENT).items()}
            made.setdefault("name", "unknown")
            made.setdefault("version", "unknown")
            declared = read_declared(given.get("tool_definitions"), "", lambda words, where: None)
            if declared.tools == project.tools:
                return made
            made.pop("tool_definitions", None)
        else:
            made = {"name": "rollstep", "version": _own_version()}
            if isinstance(project.target, LlmTarget):
                made["model_name"] = project.target.model
        if project.tools:
            extra = made.pop("extra", None)
            made["tool_definitions"] = function_tools(project.tools)
            made.update({"extra": extra} if extra is not None else {})
        return made

    def _final_metrics(self, good: dict[str, Any], count: int) -> dict[str, Any]:
        given = good.get("final_metrics")
        if self.record and self.untouched:
            if given is None:
                return {}
            found = moved(given, FINAL_METRICS)
            if found.get("total_steps", count) != count and "notes" not in good:
                words = f"total_steps of the source, {found['total_steps']}, is written as {count}"
                self.writer.said.setdefault(words, [])
                found["total_steps"] = count
            return {key: plain(value) for key, value in found.items()}
        calls = [step.call for step in self.subject.trajectory.steps if step.call is not None]
        if not calls:
            return {}
        totals: dict[str, Any] = {
            "total_prompt_tokens": sum(call.usage.prompt_tokens for call in calls),
            "total_completion_tokens": sum(call.usage.completion_tokens for call in calls),
            "total_cached_tokens": sum(call.usage.cached_tokens for call in calls),
        }
        costs = [call.cost for call in calls]
        if None not in costs:
            totals["total_cost_usd"] = numbers(float(sum(cost or 0.0 for cost in costs)))
        totals["total_steps"] = count
        return totals

    def _ours(self) -> dict[str, Any]:
        subject, project = self.subject, self.subject.project
        found: dict[str, Any] = {}
        if not self.record:
            found["title"] = project.title
            found["goal"] = project.goal
            if project.metadata != "{}":
                found["metadata"] = as_it_is(project.metadata)
        else:
            found.update({key: plain(v) for key, v in self.record.get("$ours", {}).items()})
        last = subject.trajectory.steps[-1]
        if isinstance(last.payload, Stop):
            found["stop"] = self._stop(last, last.payload)
        scores = [self._score(score) for score in subject.scores]
        if scores:
            found["scores"] = scores
        branches = list(self._branches()) if self.whole else []
        if branches:
            found["branches"] = branches
        return {key: value for key, value in found.items() if value != ""}

    def _stop(self, step: Step, stop: Stop) -> dict[str, Any]:
        fields: dict[str, Any] = {"reason": stop.reason, "by": stop.by}
        if stop.note:
            fields["note"] = stop.note
        edit = edit_of(self.subject, step)
        if edit:
            fields["edit"] = edit
        marks = self.writer.marks(step)
        if marks:
            fields["marks"] = marks
        return fields

    def _score(self, score: Any) -> dict[str, Any]:
        fields = msgspec.to_builtins(score)
        if isinstance(score.value, float) and numbers(score.value) is None:
            words = f"the score {score.name!r} is no number that JSON has; it is written as text"
            self.writer.said.setdefault(words, [])
            fields["value"] = repr(score.value)
        places = {step.id: n for n, step in enumerate(self.subject.trajectory.steps, 1)}
        cited = [places[i] for i in fields.pop("step_ids", ()) if i in places]
        if cited:
            fields["steps"] = cited
        found: dict[str, Any] = numbers(fields)
        return found

    def _branches(self) -> Iterator[dict[str, Any]]:
        """The rollout's other branches, each from the ATIF step in which it leaves this one."""
        tree = self.subject.rollout
        if tree is None:
            return
        path = self.subject.trajectory.steps
        named = {branch.leaf_id: branch for branch in self.subject.named}
        writer = StepWriter(self.subject)  # what it says of other branches is not said here
        for theirs in _other_paths(tree, path):
            leaf = named.get(theirs[-1].id)
            if leaf is not None and leaf.hidden:
                continue
            start = _leaves_at(path, theirs)
            after = self._steps_before(theirs[:start])
            steps = writer.steps(theirs[start:], None, first=after + 1)
            branch: dict[str, Any] = {"after": after, "steps": steps}
            if leaf is not None and leaf.name:
                branch["name"] = leaf.name
            last = theirs[-1]
            if isinstance(last.payload, Stop):
                branch["stop"] = self._stop(last, last.payload)
            yield branch

    def _steps_before(self, path: tuple[Step, ...]) -> int:
        """How many ATIF steps these make."""
        made = sum(not isinstance(step.payload, Stop | ToolResult) for step in path)
        if path and isinstance(path[0].payload, ToolResult):
            made += 1
        return made + (self.subject.project.target.system is not None)

    def _subagents(self, given: list[Any]) -> list[Any]:
        """The trajectories of sub-agents, each by the same rules as this one."""
        from .reader import subject_of_document

        found = []
        for index, value in enumerate(given):
            inner = subject_of_document(value, f"subagent_trajectories[{index}]")
            if inner is None:
                words = "a sub-agent's trajectory that has no steps is left out"
                self.writer.said.setdefault(words, [])
                continue
            fields = _Document(inner).fields()
            fields.setdefault("trajectory_id", f"subagent-{index + 1}")
            found.append(fields)
        return found


def _other_paths(tree: Rollout, path: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The paths of other branches; what follows the trajectory itself was cut off on purpose."""
    last = path[-1].id
    for leaf in tree.leaves():
        theirs = tree.path(leaf)
        if len(theirs) < len(path) or theirs[len(path) - 1].id != last:
            yield theirs


def _leaves_at(path: tuple[Step, ...], theirs: tuple[Step, ...]) -> int:
    """Where another branch leaves a path: at the step that differs, and where that is a result, at
    the call that it answers, since both are one step in ATIF.
    """
    at = 0
    while at < min(len(path), len(theirs)) and path[at].id == theirs[at].id:
        at += 1
    while at and isinstance(theirs[at].payload, ToolResult):
        at -= 1
    return at


def _own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rollstep")
    except PackageNotFoundError:
        return "unknown"
