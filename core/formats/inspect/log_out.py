"""The header of a log: what all of its samples are part of, and what they add up to."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import msgspec

from ...model.steps import Call, Step
from ..jsonl import RawJson
from ..reading.json_in import as_text
from ..reading.values import table, text
from ..subject import Subject
from .model_out import iso, model_of, usage_of
from .sample_out import add_calls, extra_of
from .scores import worth
from .values_out import as_number, parsed, raw_fields, value_of

_KEPT = ("eval", "plan", "status", "error", "tags", "metadata", "log_updates")
_MOST_NAMES = 50


class Mean(msgspec.Struct):
    """One score over the samples."""

    sum: float = 0.0
    counted: int = 0
    others: int = 0


class Editor(msgspec.Struct):
    """What one person put in the place of something else."""

    edits: int = 0
    at: float = 0.0
    reasons: list[str] = []


class Totals:
    """What the samples of a log add up to, while they are written."""

    def __init__(self) -> None:
        self.samples = 0
        self._titles: dict[str, None] = {}
        self._models: dict[str, None] = {}
        self._scores: dict[str, Mean] = {}
        self._calls: dict[str, Call] = {}
        self._editors: dict[str, Editor] = {}
        self._first, self._last = 0.0, 0.0
        self._names = hashlib.sha256()
        self._source: str | None = None
        """The log that every sample so far came from; empty where they came from several."""

    def add(self, subjects: Sequence[Subject], sample: dict[str, Any]) -> None:
        """One sample more."""
        main = subjects[0]
        self.samples += 1
        self._names.update(main.rollout_id.encode("utf-8", "surrogatepass"))
        for names, name in ((self._titles, main.project.title), (self._models, model_of(main))):
            if len(names) < _MOST_NAMES:
                names.setdefault(name)
        source = _source_log(main)
        self._source = source if self._source in (None, source) else ""
        for name, score in sample["scores"].items():
            self._score(name, score)
        seen: set[str] = set()
        for step in (step for each in subjects for step in each.trajectory.steps):
            if step.id not in seen:
                seen.add(step.id)
                self._step(step)

    def header(self) -> dict[str, Any]:
        """The log without its samples, its fields in the order that Inspect reads them in."""
        kept = table(parsed(self._source or ""))
        status = text(kept.get("status")) or "success"
        found: dict[str, Any] = {
            "version": 2,
            "status": status,
            "eval": self._spec(kept),
            "plan": {"name": "plan", "steps": []},
            "results": self._results(),
            "stats": self._stats(),
            "log_updates": self._updates(),
        }
        raw = raw_fields({key: kept[key] for key in _KEPT[1:] if key in kept})
        if self._updates() is not None:
            raw.pop("log_updates", None)
        return {key: each for key, each in {**found, **raw}.items() if each is not None}

    def _spec(self, kept: dict[str, Any]) -> Any:
        if isinstance(kept.get("eval"), dict):
            return RawJson(as_text(kept["eval"]))
        name = self._names.hexdigest()[:22]
        models = list(self._models)
        return {
            "eval_id": name,
            "run_id": name,
            "created": iso(self._first),
            "task": next(iter(self._titles)) if len(self._titles) == 1 else "rollstep",
            "task_id": name,
            "dataset": {"name": "rollstep", "samples": self.samples},
            "model": models[0] if len(models) == 1 else "rollstep/several",
            "config": {},
        }

    def _score(self, name: str, score: dict[str, Any]) -> None:
        mean = self._scores.setdefault(name, Mean())
        found = worth(value_of(score.get("value")))
        if found is None or found != found:  # no number, or NaN
            mean.others += 1
        else:
            mean.sum += found
            mean.counted += 1

    def _step(self, step: Step) -> None:
        add_calls(self._calls, step)
        if step.created_at:
            self._first = min(self._first or step.created_at, step.created_at)
            self._last = max(self._last, step.created_at)
        if step.origin == "human":
            editor = self._editors.setdefault(step.author or "somebody", Editor(reasons=[]))
            editor.edits += 1
            editor.at = max(editor.at, step.created_at)
            if step.reason and len(editor.reasons) < _MOST_NAMES:
                editor.reasons.append(step.reason)

    def _results(self) -> dict[str, Any]:
        return {
            "total_samples": self.samples,
            "completed_samples": self.samples,
            "scores": [
                {
                    "name": name,
                    "scorer": name,
                    "scored_samples": mean.counted,
                    "unscored_samples": mean.others,
                    "metrics": _mean(mean),
                }
                for name, mean in self._scores.items()
            ],
        }

    def _stats(self) -> dict[str, Any]:
        usage = {model: usage_of(call) for model, call in self._calls.items()}
        times = {"started_at": iso(self._first), "completed_at": iso(self._last)}
        return {**(times if self._last else {}), "model_usage": usage}

    def _updates(self) -> list[dict[str, Any]] | None:
        """Who edited the trajectories by hand, as Inspect keeps the provenance of a log."""
        return [
            {
                "edits": [
                    {
                        "type": "metadata",
                        "metadata_set": {f"edited by {name}": editor.edits},
                        "metadata_remove": [],
                    }
                ],
                "provenance": {
                    "timestamp": iso(editor.at),
                    "author": name,
                    "reason": "; ".join(dict.fromkeys(editor.reasons)) or None,
                    "metadata": {},
                },
            }
            for name, editor in self._editors.items()
        ] or None


def _mean(mean: Mean) -> dict[str, Any]:
    if not mean.counted or not math.isfinite(mean.sum):
        return {}
    value = RawJson(as_number(mean.sum / mean.counted))
    return {"mean": {"name": "mean", "value": value}}


def _source_log(subject: Subject) -> str:
    """The header of the log that a rollout was read from, as JSON; empty where there is none."""
    found = extra_of(subject).get("$log")
    return as_text(found) if isinstance(found, dict) else ""
