"""What the page says of each step besides its own words: its signs, what was found odd about it,
which takes there are, and where other branches leave. Looked up once for the whole path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...model.debugging import Breakpoint
from ...model.marks import Mark, Score
from ...model.messages import TargetReply, ToolCall, ToolResult
from ...model.project import Project
from ...model.rollout import Rollout, RolloutHeader
from ...model.steps import Step
from ...rules.breakpoints import problem, query_of, words_of
from ...rules.lint.findings import Finding
from ...rules.lint.linter import findings_with_silences
from ...rules.query.path_facts import PathFacts
from ...rules.query.step_query import compile_query, holds
from ...rules.scoring import standing
from ..subject import Subject


class Placed(NamedTuple):
    """A step of the path. ``number`` counts from 1; ``call`` is the call that a tool result
    answers; ``takes`` are the other steps that stand at its place; ``replaced`` the one whose place
    it took; ``breaks`` are words of the breakpoints that hold there; ``cited`` are the scores that
    cite it and do not say that all is well; ``system`` is the target's system text where it is
    another from here on.
    """

    number: int
    step: Step
    call: ToolCall | None = None
    flags: tuple[Finding, ...] = ()
    takes: tuple[Step, ...] = ()
    replaced: Step | None = None
    marks: tuple[Mark, ...] = ()
    breaks: tuple[str, ...] = ()
    cited: tuple[Score, ...] = ()
    system: str | None = None

    @property
    def signs(self) -> str:
        """``*`` by hand, ``~`` copied, ``!`` flagged, ``#`` a breakpoint holds: as the screen has
        them.
        """
        step = self.step
        how = "~" if step.copied_from else "*" if step.origin == "human" else ""
        return how + ("!" if self.flags or self.cited else "") + ("#" if self.breaks else "")


class Fork(NamedTuple):
    """Another branch: what it is called, the number of the last step that it shares with the path
    (0: none), and how many steps it has.
    """

    name: str
    after: int
    steps: int


class Facts:
    """All of them, for one subject."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.steps = subject.trajectory.steps
        self.tree = subject.rollout or _alone(subject)
        self.numbers = {step.id: number for number, step in enumerate(self.steps, 1)}
        self.placed = tuple(self._placed())

    @property
    def leaf(self) -> str | None:
        """The last step's id."""
        return self.steps[-1].id if self.steps else None

    def branch(self, leaf: str | None) -> str:
        """The name of a branch, or its number among the leaves; empty where there is only one."""
        for each in self.subject.named:
            if each.leaf_id == leaf and each.name:
                return each.name
        leaves = self.tree.leaves()
        if len(leaves) < 2 or leaf not in leaves:
            return ""
        return f"branch {leaves.index(leaf) + 1} of {len(leaves)}"

    def forks(self) -> Iterator[Fork]:
        """The other branches, as many as are named."""
        hidden = {each.leaf_id for each in self.subject.named if each.hidden}
        left_out = hidden | {self.leaf}
        for leaf in self.tree.leaves():
            path = self.tree.path(leaf) if leaf not in left_out else ()
            shared = sum(step.id in self.numbers for step in path)
            if shared < len(path):  # not the rest of the branch that was cut off
                yield Fork(self.branch(leaf), shared, len(path))

    @property
    def as_imported(self) -> bool:
        """Whether the path is one that was imported, so that the scores of the import are of it."""
        last = self.steps[-1] if self.steps else None
        return not self.subject.format or last is None or last.origin == "import"

    def _placed(self) -> Iterator[Placed]:
        flags = self._flags()
        breaks = self._breaks()
        scores = [each for each in self.subject.scores if standing(each) != "passed"]
        marks: dict[str, list[Mark]] = {}
        for mark in self.subject.marks:
            marks.setdefault(mark.step_id, []).append(mark)
        calls: dict[str, ToolCall] = {}
        system = self._system(0) if self.steps else None
        for index, step in enumerate(self.steps):
            if isinstance(step.payload, TargetReply):
                calls.update((call.id, call) for call in step.payload.tool_calls)
            result = step.payload if isinstance(step.payload, ToolResult) else None
            now = self._system(index)
            yield Placed(
                index + 1,
                step,
                calls.get(result.call_id) if result is not None else None,
                flags.get(step.id, ()),
                self._takes(step),
                self.tree.steps.get(step.replaces or ""),
                tuple(marks.get(step.id, ())),
                tuple(words for words, held in breaks if held[index]),
                tuple(score for score in scores if step.id in score.step_ids),
                (now or "") if now != system else None,
            )
            system = now

    def _system(self, index: int) -> str | None:
        return self.subject.project_of(self.steps[index]).target.system

    def _takes(self, step: Step) -> tuple[Step, ...]:
        if step.id not in self.tree.steps:
            return ()
        return tuple(self.tree.steps[i] for i in self.tree.takes(step.id) if i != step.id)

    def _flags(self) -> dict[str, tuple[Finding, ...]]:
        found: dict[str, tuple[Finding, ...]] = {}
        if self.leaf is None or self.leaf not in self.tree.steps:
            return found
        for flag in findings_with_silences(self.tree, self.leaf, self.subject.silences):
            if flag.silence is None:
                step_id = flag.finding.step_id
                found[step_id] = (*found.get(step_id, ()), flag.finding)
        return found

    def _breaks(self) -> list[tuple[str, list[bool]]]:
        """For each breakpoint its words, and at which steps of the path it holds."""
        project = self.subject.project
        given = self.subject.breakpoints
        found = []
        path = PathFacts(self.steps, project, self.subject.scores)
        for breakpoint in project.breakpoints if given is None else given:
            if breakpoint.enabled and not breakpoint.before and not problem(breakpoint):
                held = _held(breakpoint, path, len(self.steps))
                found.append((breakpoint.name or words_of(breakpoint), held))
        return found


def _held(breakpoint: Breakpoint, path: PathFacts, count: int) -> list[bool]:
    query = query_of(breakpoint)
    if query is None:
        return [True] * count
    compiled = compile_query(query)
    return [holds(compiled, path, index) for index in range(count)]


def _alone(subject: Subject) -> Rollout:
    """The path as a tree of its own, where the tree was not given."""
    header = RolloutHeader(subject.rollout_id, subject.title or subject.project.title)
    projects: tuple[Project, ...] = subject.projects
    tree = Rollout(header, projects)
    tree.add_all(subject.trajectory.steps)
    return tree
