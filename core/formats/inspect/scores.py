"""Scores of Inspect's samples, both ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.marks import Score
from ..jsonl import RawJson
from ..reading.values import items, score_value, shown, table, text
from .values_out import as_number, raw_fields

_NAMELESS = "88F74D2C"
"""What Inspect calls the score of an old log, which has no name."""
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")
_MOST = 64


def read_scores(sample: dict[str, Any], steps: dict[str, str]) -> Iterator[Score]:
    """Every score of a sample; of one that is a table, each of its values. ``steps`` gives the step
    of a message's id.
    """
    given = sample.get("scores")
    if not isinstance(given, dict) and sample.get("score") is not None:
        given = {_NAMELESS: sample["score"]}
    for name, score in table(given).items():
        shown_name = "score" if name == _NAMELESS else name
        if not isinstance(score, dict):
            yield Score(shown_name, score_value(score), "", shown_name)
            continue
        yield from _read(shown_name, score, steps)


def _read(name: str, score: dict[str, Any], steps: dict[str, str]) -> Iterator[Score]:
    metadata = table(score.get("metadata"))
    cited = tuple(dict.fromkeys(_cited(metadata, steps)))
    said_by = metadata.get("judge")
    judge = said_by if isinstance(said_by, str) else text(metadata.get("grader")) or name
    words = [shown(score.get("explanation"))]
    if score.get("answer") is not None:
        words.insert(0, f"answer: {shown(score['answer'])}")
    if score.get("reason") is not None:
        words.append(f"reason: {shown(score['reason'])}")
    words += [_edit(each) for each in items(score.get("history"))]
    said = "\n".join(word for word in words if word)
    value = score.get("value")
    if metadata.get("unscored") is True:
        value = None
    if isinstance(value, dict) and 0 < len(value) <= _MOST:
        for key, each in value.items():
            yield Score(f"{name}: {key}", score_value(each), said, judge, cited)
            said = ""  # said once
    else:
        yield Score(name, score_value(value), said, judge, cited)


def _edit(edit: Any) -> str:
    """Who changed the score by hand, and why; the first entry of a history is no change."""
    who = table(table(edit).get("provenance"))
    reason = shown(who.get("reason"))
    return f"edited by {shown(who.get('author'))}{f': {reason}' if reason else ''}" if who else ""


def _cited(value: Any, steps: dict[str, str]) -> Iterator[str]:
    """The steps of the messages whose ids stand anywhere in the metadata."""
    if isinstance(value, str):
        if value in steps:
            yield steps[value]
    elif isinstance(value, dict):
        for each in value.values():
            yield from _cited(each, steps)
    elif isinstance(value, list):
        for each in value:
            yield from _cited(each, steps)


def scores_out(
    scores: tuple[Score, ...], ids: dict[str, str], kept: Any
) -> dict[str, dict[str, Any]]:
    """The scores as a sample holds them, each under a name of its own. ``ids`` gives the id of a
    step's message; ``kept`` are the scores as they were read: those that nobody changed are written
    as they were.
    """
    same = _unchanged(scores, ids, kept)
    found: dict[str, dict[str, Any]] = dict(same[0])
    for score in scores:
        if score in same[1]:
            continue
        name, number = score.name or "score", 2
        while name in found:
            name, number = f"{score.name} ({number})", number + 1
        found[name] = _out(name, score, ids)
    return found


def _unchanged(
    scores: tuple[Score, ...], ids: dict[str, str], kept: Any
) -> tuple[dict[str, dict[str, Any]], list[Score]]:
    """Scores as they were read that stand for some of these still, and which those are."""
    steps = {message: step for step, message in ids.items()}
    original: dict[str, dict[str, Any]] = {}
    covered: list[Score] = []
    for name, score in table(kept).items():
        read = list(_read("score" if name == _NAMELESS else name, table(score), steps))
        if isinstance(score, dict) and all(each in scores for each in read):
            original[name] = raw_fields(score)
            covered += read
    return original, covered


def _out(name: str, score: Score, ids: dict[str, str]) -> dict[str, Any]:
    """A score is its scorer's, unless it says whose else."""
    value = score.value
    metadata: dict[str, Any] = {"judge": score.judge} if score.judge != name else {}
    if value is None:
        metadata["unscored"] = True
    cited = [ids[step] for step in score.step_ids if step in ids]
    if cited:
        metadata["messages"] = cited
    found: dict[str, Any] = {"value": _value(value)}
    if score.explanation:
        found["explanation"] = score.explanation
    return {**found, "metadata": metadata} if metadata else found


def _value(value: float | str | None) -> Any:
    """Inspect has no null score: its own sign for one that was not given is NaN."""
    if value is None:
        return RawJson("NaN")
    if isinstance(value, float):
        value = score_value(value)  # which names what is no number
    if isinstance(value, float):
        return RawJson(as_number(value))
    return RawJson(value) if value in _NOT_FINITE else value


def worth(value: Any) -> float | None:
    """What a score counts in a mean, as Inspect's own: C is 1, P a half, I and N are 0."""
    if isinstance(value, bool | int | float):
        return float(value)
    letters = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "no": 0.0}
    return letters.get(value) if isinstance(value, str) else None
