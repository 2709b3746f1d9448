"""Rollouts of any length, made for measuring: the same ones each time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rollstep.core.model.messages import (
    Payload,
    ToolCall,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Origin, Step, role_of
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

TEXT_BYTES = 4_000
"""Of each step, so that 5,000 steps are 20 MB."""

NEEDLE = "quartzite lighthouse"
"""Stands in the last step only; all of it but the last letter in the second step too, so that a
search while typing has a hit nearby until the last key."""

_SYLLABLES = ["ba", "ke", "lo", "mi", "nu", "pra", "sti", "tor", "vel", "xan", "yo", "zim"]
_AT_ONCE = 2_000


def mark(seq: int) -> str:
    """What stands at the start of step ``seq``, so that the screen tells where it is."""
    return f"mark{seq:05d}."


def make(
    library: Library,
    name: str,
    steps: int,
    text_bytes: int = TEXT_BYTES,
    project: Project | None = None,
) -> str:
    """Put a rollout of so many steps into the library; its id."""
    project = project or Project(
        title=f"Bench {name}",
        goal="Measure.",
        opening="Begin.",
        target=EchoTarget(),
        evaluator=HeuristicEvaluator(),
        max_turns=steps,
    )
    made = _steps(steps, text_bytes)
    first = True
    while some := tuple(islice(made, _AT_ONCE)):
        library.commit_many(
            [
                Change(
                    rollout_id=name,
                    header=RolloutHeader(name, f"Bench {name}") if first else None,
                    projects=(project,) if first else (),
                    steps=some,
                    head=some[-1].id,
                )
            ]
        )
        first = False
    return name


def make_library(path: Path, sizes: dict[str, int], forks: int = 0) -> None:
    """A library with a rollout for each name, and one of so many forks, indexed for search."""
    with Library.open(path) as library:
        for name, steps in sizes.items():
            make(library, name, steps)
        if forks:
            make_forks(library, "forks", forks)
        library.index_pending()


def make_forks(library: Library, name: str, takes: int) -> str:
    """A rollout of 20 steps with so many takes spread over them, each with four steps after it."""
    trunk = list(_steps(20, 400))
    steps = [*trunk]
    for number in range(takes):
        beside = trunk[number % len(trunk)]
        text = f"take {number} of {payload_text(beside.payload)}"
        payload = target_reply(text) if beside.role == "target" else user_message(text)
        parent = beside.parent_id
        for depth in range(5):
            seq = len(steps) + 1
            role = role_of(payload)
            origin: Origin = "script" if depth else "human"
            replaces = None if depth else beside.id
            step = Step(f"s{seq:06d}", parent, role, payload, origin, replaces=replaces)
            steps.append(step)
            parent = step.id
            after = f"{depth + 1} after take {number}"
            payload = user_message(after) if role == "target" else target_reply(after)
    project = Project("Forks", EchoTarget(), HeuristicEvaluator(), max_turns=len(steps))
    header = RolloutHeader(name, "Forks")
    change = Change(name, header, (project,), steps=tuple(steps), head=trunk[-1].id)
    library.commit_many([change])
    return name


def _steps(count: int, text_bytes: int) -> Iterator[Step]:
    rng = random.Random(count)
    words = ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(2_000)]
    parent = None
    for seq in range(1, count + 1):
        text = " ".join(rng.choices(words, k=text_bytes // 6))
        lines = text[: text_bytes - 40].replace(" ba", ".\n\nBa")
        found = {count: f" {NEEDLE}", 2: f" {NEEDLE[:-1]}"}.get(seq, "")
        text = f"{mark(seq)} {lines}{found}"
        step = _step(seq, parent, text)
        parent = step.id
        yield step


def _step(seq: int, parent: str | None, text: str) -> Step:
    """One of four in turn: a message, a reply that calls a tool, its result, the reply."""
    payload: Payload
    match seq % 4:
        case 1:
            payload = user_message(text)
        case 2:
            call = ToolCall(f"call{seq}", "look_up", f'{{"query": "number {seq}", "limit": 10}}')
            payload = target_reply(text, (call,))
        case 3:
            payload = tool_result(f"call{seq - 1}", text)
        case _:
            payload = target_reply(text)
    return Step(f"s{seq:06d}", parent, role_of(payload), payload, "script", created_at=float(seq))
