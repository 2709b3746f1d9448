"""What benchmarks call the parts of a run: the score, the task and the transcript of a row.

Every benchmark has words of its own, and some keep these parts inside others (``info.task``,
``reward_info.reward``), so each part is looked for by name, the shallowest place first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

SCORES = ("score", "reward", "success", "passed", "pass", "resolved", "correct", "is_correct")
_SCORED = ("reward_info", "info", "result", "results", "metrics", "scores", "eval", "evaluation")
"""Where scores stand if not in the row itself. Elsewhere such a word is about something else."""

TASKS = (
    *("task", "instruction", "instructions", "goal", "problem_statement", "problem", "question"),
    *("task_description", "user_scenario", "scenario", "prompt", "query", "description"),
)
TRANSCRIPTS = (
    *("messages", "transcript", "traj", "trajectory", "conversation", "conversations", "history"),
    *("dialogue", "turns", "log"),
)
IDS = ("task_id", "id", "instance_id", "name")

_GOOD = frozenset({"pass", "passed", "success", "succeeded", "true", "yes", "correct", "resolved"})
_BAD = frozenset({"fail", "failed", "failure", "false", "no", "incorrect", "error", "wrong"})
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_DEEPEST = 3
_LONGEST_TASK = 6_000
_LONGEST_MESSAGE = 1_500
_LONGEST_TRANSCRIPT = 12_000
"""Characters that a prompt holds of each; what is left out is said there."""


def score_of(row: dict[str, Any]) -> float | None:
    """The score of a run: 1 and 0 for yes and no; None where there is none."""
    places = (row, *(row[name] for name in _SCORED if isinstance(row.get(name), dict)))
    for value in (each[name] for each in places for name in SCORES if name in each):
        if isinstance(value, bool | int | float):
            return float(value)
        if isinstance(value, str):
            word = value.strip().casefold()
            if word in _GOOD | _BAD:
                return float(word in _GOOD)
            if _NUMBER.fullmatch(word):
                return float(word)
    return None


def task_of(row: dict[str, Any]) -> str:
    """What was to be done, as text; "" where the row does not say."""
    for value in _named(row, TASKS):
        if text := _as_text(value):
            return shortened(text, _LONGEST_TASK)
    return ""


def transcript_of(row: dict[str, Any]) -> str:
    """What was said and called, a line for each message; "" where the row does not say."""
    for value in _named(row, TRANSCRIPTS):
        if isinstance(value, str) and value.strip():
            return shortened(value.strip(), _LONGEST_TRANSCRIPT)
        if isinstance(value, list) and (lines := list(_told(value))):
            return shortened("\n".join(lines), _LONGEST_TRANSCRIPT)
    return ""


def id_of(row: dict[str, Any]) -> str:
    """The row's own name, if it has one."""
    for name in IDS:
        if isinstance(row.get(name), str | int) and row[name] != "":
            return str(row[name])[:80]
    return ""


def shortened(text: str, most: int) -> str:
    """The text, of a long one its beginning and its end: there stand what was wanted, and how it
    came out.
    """
    if len(text) <= most:
        return text
    head, tail = most // 3, most - most // 3
    left = len(text) - head - tail
    return f"{text[:head]}\n[… {left:,} characters left out …]\n{text[-tail:]}"


def _named(row: dict[str, Any], names: tuple[str, ...]) -> Iterator[Any]:
    """The values under these names: those of the row itself first, then those further in."""
    level = [row]
    for _ in range(_DEEPEST):
        for name in names:
            for each in level:
                if each.get(name) is not None:
                    yield each[name]
        level = [value for each in level for value in each.values() if isinstance(value, dict)]


def _as_text(value: Any) -> str:
    """A task as text: an object's own words for it, else all of it as JSON."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        inner = next((v for v in _named(value, TASKS) if isinstance(v, str) and v.strip()), None)
        return inner.strip() if inner else json.dumps(value, ensure_ascii=False) if value else ""
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := _as_text(item)))
    return ""


def _told(messages: list[Any]) -> Iterator[str]:
    for message in messages:
        if isinstance(message, str):
            yield shortened(message, _LONGEST_MESSAGE)
        elif isinstance(message, dict):
            yield from _told_one(message)
        elif isinstance(message, list) and len(message) == 2:
            yield shortened(f"{message[0]}: {message[1]}", _LONGEST_MESSAGE)


def _told_one(message: dict[str, Any]) -> Iterator[str]:
    who = message.get("role") or message.get("from") or message.get("speaker") or "?"
    content = next(
        (message[name] for name in ("content", "value", "text", "message") if message.get(name)), ""
    )
    text = content if isinstance(content, str) else _parts(content)
    if text:
        yield shortened(f"{who}: {text}", _LONGEST_MESSAGE)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            function = call.get("function")
            named = function if isinstance(function, dict) else call
            given = named.get("arguments", "")
            arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
            yield shortened(f"{who} called {named.get('name', '?')}({arguments})", _LONGEST_MESSAGE)


def _parts(content: Any) -> str:
    if isinstance(content, list):
        texts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(text for text in texts if isinstance(text, str))
    return json.dumps(content, ensure_ascii=False)
