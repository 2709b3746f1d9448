"""What lists show of a rollout and are filtered by, worked out from its steps, marks and scores."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from ..errors import InputError, UnreadableError
from ..model.edited import is_edit
from ..model.marks import Mark, Score
from ..model.messages import TargetReply, UserMessage
from ..model.rollout import Rollout
from ..rules.branches import opened_leaf
from ..rules.lint.linter import findings_with_silences
from ..rules.parking import is_settled
from ..rules.verdicts import is_outdated
from ..store.change import Saved
from ..store.facts import RolloutFacts
from ..store.library import Library

CANNOT_BE_READ = "cannot be read"
"""How ``why`` begins for a rollout that is damaged; a query finds it by that."""

_AT_ONCE = 32
"""Rollouts whose facts one transaction keeps."""

_LONGEST = 2_000
"""Characters of notes and of reasons that are kept for searching."""


def facts_of(saved: Saved, tree: Rollout | None = None) -> RolloutFacts:
    """What is known of this rollout; ``tree`` is its tree, where that is made already."""
    rollout = saved.tree() if tree is None else tree
    leaf = opened_leaf(rollout, saved.head)
    standing = (saved.status, saved.status_note)
    verdict = newest_verdict_anywhere(rollout, saved.marks)
    cost, tokens = _spent(rollout)
    flags = findings_with_silences(rollout, leaf, saved.silences)
    marks = sorted(saved.marks, key=lambda mark: mark.at)
    ratings = [mark.rating for mark in marks if mark.rating]
    numbers = [value for score in saved.scores if (value := _number(score)) is not None]
    return RolloutFacts(
        title=saved.header.title,
        goal=rollout.project.goal,
        source=saved.header.source,
        format=saved.header.format,
        branches=len(rollout.leaves()),
        flags=sum(flag.silence is None for flag in flags),
        verdict=verdict.verdict or "" if verdict else "",
        outdated=bool(verdict and is_outdated(rollout, verdict, saved.commands)),
        rating=ratings[-1] if ratings else None,
        score=numbers[0] if numbers else None,
        scores=_scores(saved.scores),
        tags=_each_once(tag for mark in marks for tag in mark.tags),
        marked_by=_each_once(mark.by for mark in marks if mark.by),
        notes="\n".join(mark.note for mark in marks if mark.note)[:_LONGEST],
        why=_why(saved)[:_LONGEST],
        tools=_each_once(_tools(rollout)),
        models=_each_once(step.call.model for step in rollout if step.call),
        cost=cost,
        tokens=tokens,
        settled=is_settled(standing, rollout, saved.head, saved.marks, saved.silences),
    )


def describe_some(library: Library, limit: int = _AT_ONCE) -> int:
    """Work out the facts of up to ``limit`` rollouts that need it; how many were looked at.

    Raises StoreError where the library cannot be read or written.
    """
    waiting = library.undescribed(min(limit, _AT_ONCE))
    describe(library, waiting)
    return len(waiting)


def describe(library: Library, rollouts: Iterable[tuple[int, str]]) -> None:
    """Work out the facts of these, given by key and id. Of one that cannot be read it is kept that
    it cannot, so that it stands in nobody's way. Raises StoreError.
    """
    found = []
    for key, rollout_id in rollouts:
        at = library.updated_at(key)
        try:
            found.append((key, at, facts_of(*library.load_tree(rollout_id))))
        except UnreadableError as error:
            words = f"{CANNOT_BE_READ}: {error.why}"[:_LONGEST]
            found.append((key, at, RolloutFacts(why=words)))
        except InputError:
            continue  # it was removed meanwhile
    if found:
        library.put_facts(found)


def edits_in_sight(rollout: Rollout) -> int:
    """How many edits by humans are not undone, on all branches."""
    shown = (step for step in rollout if step.id not in rollout.hidden)
    return sum(is_edit(step, rollout.project_of(step)) for step in shown)


def newest_verdict_anywhere(rollout: Rollout, marks: Iterable[Mark]) -> Mark | None:
    """The mark that gave a verdict last, on whichever branch."""
    given = [m for m in marks if m.verdict is not None and m.step_id in rollout.steps]
    return max(given, key=lambda mark: mark.at, default=None)


def _spent(rollout: Rollout) -> tuple[float | None, int]:
    calls = [step.call for step in rollout if step.call is not None and step.copied_from is None]
    costs = [call.cost for call in calls if call.cost is not None]
    return (math.fsum(costs) if costs else None), sum(call.usage.tokens for call in calls)


def _tools(rollout: Rollout) -> Iterable[str]:
    for step in rollout:
        payload = step.payload
        if isinstance(payload, TargetReply | UserMessage) and step.id not in rollout.hidden:
            for call in payload.tool_calls:
                yield call.name


def _number(score: Score) -> float | None:
    value = score.value
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def _scores(scores: Iterable[Score]) -> str:
    """Values by name; a NaN, which no comparison would ever find, as its word."""
    values: dict[str, float | str | None] = {}
    for score in scores:
        value = score.value
        odd = isinstance(value, float) and not math.isfinite(value)
        values.setdefault(score.name, str(value) if odd else value)
    return json.dumps(values)


def _why(saved: Saved) -> str:
    reasons = [score.explanation for score in saved.scores if score.explanation]
    return "\n".join([*reasons, *([saved.status_note] if saved.status_note else [])])


def _each_once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word))
