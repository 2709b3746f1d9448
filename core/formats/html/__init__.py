"""One HTML file that needs nothing else: the three lanes side by side as on the screen, with edits
and what they changed, takes, scores; searchable, light and dark, for a screen of any width and for
paper.

The file loads nothing: its policy forbids it, its style and script stand in it and are named there
by their digests. Outside text is escaped, and what could hide in it or act is shown as a mark.
"""

from __future__ import annotations

from ...errors import Fault
from ...model.messages import OtherPart, Stop
from ..report import payload_texts
from ..subject import Subject

HOLDS = frozenset(
    {
        *("messages", "tool_traffic", "tool_schemas", "reasoning", "evaluator_reasoning"),
        *("evaluator_calls", "is_error", "refusals", "finish_reasons", "system_notes"),
        *("system_changes", "stop", "stop_details", "edits", "faults", "calls", "state"),
        *("train", "marks", "scores"),
    }
)


def check(subject: Subject) -> tuple[Fault, ...]:
    """It takes every trajectory."""
    return ()


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    from ...rules.hidden import has_hidden

    said: list[str] = []
    steps = subject.trajectory.steps
    marked = [n for n, s in enumerate(steps, 1) if any(map(has_hidden, payload_texts(s.payload)))]
    if marked:
        said.append(
            f"hidden and control characters (step {_numbers(marked)}) are written as marks that "
            "can be seen"
        )
    others = [
        n
        for n, step in enumerate(steps, 1)
        if not isinstance(step.payload, Stop)
        and any(isinstance(part, OtherPart) for part in step.payload.parts)
    ]
    if others:
        said.append(f"parts that are not text (step {_numbers(others)}) are named, not shown")
    if subject.branches:
        said.append("this branch is shown whole; the others are named where they fork off")
    return tuple(said)


def render(subject: Subject) -> bytes:
    """The whole document. What writes it is loaded when it is first needed."""
    from .page import page

    return page(subject).encode("utf-8")


def _numbers(steps: list[int]) -> str:
    shown = ", ".join(map(str, steps[:8]))
    return f"{shown} and {len(steps) - 8} more" if len(steps) > 8 else shown
