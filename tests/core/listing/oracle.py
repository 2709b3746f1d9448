"""A query asked of one rollout by the language's own rules, without SQL: what lists must find."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from rollstep.core.listing.facts import edits_in_sight, facts_of
from rollstep.core.model.messages import Stop
from rollstep.core.model.rollout import Trajectory
from rollstep.core.rules.branches import opened_leaf
from rollstep.core.rules.json_values import MISSING
from rollstep.core.rules.parking import waits_for_flags, why_parked
from rollstep.core.rules.query.compiling import Known, Reader, compile_node
from rollstep.core.rules.query.nodes import Ref
from rollstep.core.rules.query.parsing import parse
from rollstep.core.rules.query.rollout_fields import NO_VERDICT, ROLLOUTS
from rollstep.core.store.change import Saved
from rollstep.core.store.facts import RolloutFacts
from rollstep.core.store.search import step_texts

_OF_FACTS = {"note": "notes", "by": "marked_by", "tag": "tags", "tool": "tools", "model": "models"}
_LISTS = ("tag", "by", "tool", "model")


class _Asked:
    """One rollout as queries look at it; what takes long is worked out when it is asked for."""

    def __init__(self, saved: Saved) -> None:
        self.saved = saved
        self.rollout = saved.tree()
        leaf = None if saved.head == "" else opened_leaf(self.rollout, saved.head)
        if saved.head is None and saved.steps:  # where no head was ever set, the newest step is it
            leaf = saved.steps[-1].id
        self.path = self.rollout.path(leaf)
        self._facts: RolloutFacts | None = None

    @property
    def facts(self) -> RolloutFacts:
        """Those that a library would keep."""
        if self._facts is None:
            self._facts = facts_of(self.saved)
        return self._facts


def question(query: str) -> Callable[[Saved], bool]:
    """The query as something to ask of a rollout; an empty one holds for all. Raises QueryError."""
    if not query.strip():
        return lambda saved: True
    test = compile_node(parse(query, ROLLOUTS), _source, ROLLOUTS)
    if isinstance(test, bool):
        return lambda saved: test
    return lambda saved: test(_Asked(saved))


def _source(ref: Ref) -> Known | Reader:
    name = ref.name
    if name in _LISTS:
        return Reader(lambda asked: getattr(asked.facts, _OF_FACTS[name]), many=True)
    if name == "score":
        return Reader(_named_score(ref.member[0]) if ref.member else _first_score)
    if name == "text":
        return Reader(lambda asked: _said(asked))
    return Reader(_READS.get(name) or (lambda asked: _fact(asked, _OF_FACTS.get(name, name))))


def _fact(asked: _Asked, name: str) -> Any:
    value = getattr(asked.facts, name)
    return MISSING if value is None or value == "" else value


def _first_score(asked: _Asked) -> Any:
    return MISSING if asked.facts.score is None else asked.facts.score


def _named_score(name: str) -> Callable[[_Asked], Any]:
    def read(asked: _Asked) -> Any:
        value = json.loads(asked.facts.scores).get(name)
        return MISSING if value is None else value

    return read


def _said(asked: _Asked) -> str:
    texts = [asked.saved.header.title]
    shown = (step for step in asked.saved.steps if step.id not in asked.rollout.hidden)
    texts += [text for step in shown for text in step_texts(step)]
    return "\n".join(texts)


def _stop(asked: _Asked) -> Any:
    last = asked.path[-1].payload if asked.path else None
    return last.reason if isinstance(last, Stop) and last.reason else MISSING


def _status(asked: _Asked) -> str:
    saved = asked.saved
    status = (saved.status, saved.status_note)
    why = why_parked(status, asked.rollout, saved.head, saved.marks, saved.silences)
    return "ended" if waits_for_flags(*status) and not why else saved.status


def _updated(asked: _Asked) -> Any:
    times = [step.created_at for step in asked.saved.steps] or [asked.saved.header.created_at]
    return datetime.fromtimestamp(max(times)).strftime("%Y-%m-%dT%H:%M")


_READS: dict[str, Callable[[_Asked], Any]] = {
    "id": lambda asked: asked.saved.header.id,
    "status": lambda asked: _status(asked),
    "parked": lambda asked: _status(asked) in ("parked", "failed"),
    "outdated": lambda asked: asked.facts.outdated,
    "verdict": lambda asked: asked.facts.verdict or NO_VERDICT,
    "stop": _stop,
    "updated": _updated,
    "turns": lambda asked: len(Trajectory(tuple(asked.path)).turns()),
    "steps": lambda asked: len(asked.rollout) - len(asked.rollout.hidden),
    "edits": lambda asked: edits_in_sight(asked.rollout),
}
