"""The line of a sample in the list of a zip: what is shown of it before it is opened."""

from __future__ import annotations

from typing import Any

from ..reading.values import shown, table
from .values_out import raw, raw_fields, value_of

_KEPT = (
    *("id", "epoch", "target", "model_usage", "started_at", "completed_at", "total_time"),
    *("working_time", "uuid"),
)
_LONGEST = 1024


def summary_of(sample: dict[str, Any]) -> dict[str, Any]:
    """What the list says of the sample; long texts cut, as Inspect cuts them."""
    found = {key: sample[key] for key in _KEPT if key in sample}
    target = value_of(sample["target"])
    found["target"] = (
        [_cut(shown(each)) for each in target] if isinstance(target, list) else _cut(shown(target))
    )
    found["input"] = _input(value_of(sample["input"]))
    found["metadata"] = {
        key: each for key, each in sample["metadata"].items() if isinstance(each, str | int)
    }
    found["scores"] = {name: _score(score) for name, score in sample["scores"].items()}
    error = table(value_of(sample.get("error"))).get("message")
    if error is not None:
        found["error"] = _cut(shown(error))
    limit = table(value_of(sample.get("limit"))).get("type")
    if limit is not None:
        found["limit"] = shown(limit)
    return {**found, "completed": True, "message_count": len(sample["messages"])}


def _input(value: Any) -> Any:
    """The text, or of messages the last: the others are shown once the sample is opened."""
    if isinstance(value, str):
        return _cut(value)
    return raw(value[-1:]) if isinstance(value, list) else ""


def _score(score: dict[str, Any]) -> dict[str, Any]:
    found = {"value": score.get("value")}
    for key in ("answer", "explanation"):
        if isinstance(score.get(key), str):
            found[key] = _cut(score[key])
    return raw_fields(found)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
