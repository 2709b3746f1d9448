"""The columns of TRL rows: tools, what the source had besides, and ours, with safe names."""

from __future__ import annotations

from typing import Any

from ...model.marks import Mark
from ...model.messages import Stop
from ...model.steps import Step
from ..chat_messages import subject_extra
from ..jsonl import RawJson, json_text
from ..openai_chat import tools_of
from ..reading.role_rows import ORDER
from ..source import plain
from ..subject import Subject

FORMATS = frozenset({"trl", "trl-prompt-completion", "trl-preference"})

MESSAGE_COLUMNS = ("messages", "prompt", "completion", "chosen", "rejected")
STOP, VERDICT, RATING = "rollstep_stop", "rollstep_verdict", "rollstep_rating"
OURS = (STOP, VERDICT, RATING)
HAD = "$columns"
"""The key of ``extra`` that says that the source had our columns."""

_TAKEN_FOR_TRACES = (
    frozenset({"id", "source", "model", "system_prompt"}),
    frozenset({"type", "message"}),
    frozenset({"type", "payload"}),
    frozenset({"type", "id", "version", "cwd"}),
)
"""Columns that, together, make ``datasets`` take the file for an agent's traces."""


def source_columns(subject: Subject) -> dict[str, Any]:
    """The columns of the source that are neither messages nor tools nor ours."""
    return {
        key: value
        for key, value in subject_extra(subject, FORMATS).items()
        if key[:1] != "$" and key not in (*MESSAGE_COLUMNS, "tools", *OURS)
    }


def dangerous(columns: dict[str, Any]) -> str:
    """A column that is left out so that the file is taken for what it is; empty for none."""
    for together in _TAKEN_FOR_TRACES:
        if together <= columns.keys():
            return min(together)
    return ""


def with_columns(
    row: dict[str, Any], subject: Subject, more: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A row of messages with all its other columns."""
    extra = subject_extra(subject, FORMATS)
    tools = tools_of(subject, extra)
    if tools is not None:
        row["tools"] = tools if isinstance(tools, RawJson) else RawJson(json_text(tools))
    columns = {**source_columns(subject), **(more or {})}
    while name := dangerous(columns):
        del columns[name]
    row.update({key: plain(value) for key, value in columns.items()})
    return row


def in_order(row: dict[str, Any], subject: Subject) -> dict[str, Any]:
    """A row with its columns in the order of the source."""
    order = subject_extra(subject, FORMATS).get(ORDER, ())
    return {key: row[key] for key in order if key in row} | row


def our_columns(subject: Subject) -> dict[str, Any]:
    """How it ended and what people think of it; always of one type. Of rows of others only where
    there is something to say.
    """
    steps = subject.trajectory.steps
    stop = subject.trajectory.stop
    marks = [mark for mark in subject.marks if steps and mark.step_id == steps[-1].id]
    verdict = next((mark.verdict for mark in marks if mark.verdict), "")
    rating = next((mark.rating for mark in marks if mark.rating), 0)
    found = {STOP: stop.reason if stop else "", VERDICT: verdict, RATING: rating}
    theirs = subject.format in FORMATS and HAD not in subject_extra(subject, FORMATS)
    return found if any(found.values()) or not theirs else {}


def read_columns(row: dict[str, Any], leaf: str | None) -> tuple[Stop | None, Mark | None]:
    """What our columns say of a row, whose last step is ``leaf``."""
    reason, verdict, rating = (row.get(name) for name in OURS)
    stop = Stop(reason, "evaluator") if isinstance(reason, str) and reason else None
    known = verdict if verdict in ("accept", "reject", "unsure") else None
    stars = rating if isinstance(rating, int) and 1 <= rating <= 5 else None
    if leaf is None or (known is None and stars is None):
        return stop, None
    return stop, Mark(leaf, verdict=known, rating=stars)


def other_marks(subject: Subject, last: Step | None) -> bool:
    """Whether there is a mark that the columns do not hold: on another step, tags, a note."""
    return any(
        bool(mark.tags or mark.note)
        or ((mark.verdict or mark.rating) and (last is None or mark.step_id != last.id))
        for mark in subject.marks
    )
