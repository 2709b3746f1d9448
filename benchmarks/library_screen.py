"""Budgets of the library screen: opening, keys, and keys while it sorts and filters."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import target_reply, user_message
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Step
from rollstep.core.store.change import Change
from rollstep.core.store.facts import RolloutFacts
from rollstep.core.store.library import Library

from .probe import Keys, Probe
from .report import Line, ratio
from .screen import FLOOR

_AT_ONCE = 1_000
_PROJECTS = 50
_VERDICTS = ("accept", "reject", "")
_START_BUDGET = 1.3
_KEY_BUDGET = 5
_HELD_SECONDS = 3
_BURST = 'title:"rollout 0999" "answer 9" turns>0 tag:a  and'
_SLOW = "text~/(a|aa)+r$/"
"""What no index helps with, and what is so bad an expression that another process looks for it."""


@dataclass
class Seen:
    """What was measured of one program, a value for each round."""

    start: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    keys: dict[str, Keys] = field(default_factory=lambda: defaultdict(Keys))
    waits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def lines(rollstep: Path, folder: Path, *, rollouts: int, rounds: int) -> list[Line]:
    """Measure, and judge."""
    library = folder / "library.sqlite"
    make_library(library, rollouts)
    env = {"HOME": str(folder / "home"), "PATH": os.defpath}
    (folder / "home").mkdir()
    floor, ours = Seen(), Seen()
    for number in range(rounds + 1):
        # The first round fills the caches of the system.
        into = (floor, ours) if number else (Seen(), Seen())
        with Probe([sys.executable, FLOOR], "floor 0", cwd=folder, env=env) as probe:
            into[0].start.append(probe.start_ms)
            into[0].keys["key"].extend(probe.press("jk" * 15))
        command = [rollstep, "library", "--library", library]
        with Probe(command, _title(rollouts - 1), cwd=folder, env=env) as probe:
            _visit(probe, rollouts, into[1])
    return _judge(floor, ours, rollouts)


def _visit(probe: Probe, rollouts: int, seen: Seen) -> None:
    seen.start.append(probe.start_ms)
    every = f"{rollouts:,} rollouts"
    counted = 0.0 if every in probe.terminal.text else probe.until("", every)
    seen.whole.append(probe.start_ms + counted)
    probe.terminal.settle(0.4)
    seen.keys["move"].extend(probe.press("j" * 20 + "k" * 10))
    probe.press("j" * 30)
    seen.keys["scroll"].extend(probe.press("j" * 30))
    seen.waits["one"].append(probe.hold("j", 0))
    seen.waits["held"].append(probe.hold("j", _HELD_SECONDS))
    seen.keys["page"].extend(probe.press(["pagedown"] * 10))
    seen.waits["far"].append(probe.until("G", _title(0)))
    seen.waits["far"].append(probe.until("g", _title(rollouts - 1)))
    # The other way round, and keys while that is under way.
    newest = _title(rollouts - 1)
    seen.waits["sort"].append(probe.until("O", lambda text: newest not in _first_row(text)))
    seen.waits["sort"].append(probe.until("O", lambda text: newest in _first_row(text)))
    probe.terminal.settle(0.4)
    probe.press(["pagedown"] * 3)
    for _ in range(4):
        probe.press("O")
        seen.keys["sorting"].extend(probe.press("jkjk"))
        probe.terminal.settle(0.4)
    probe.until("/", "filter")
    probe.terminal.settle(0.4)
    for letters in ("tag:a", " turns>0", ' "answer 7'):
        seen.keys["typed"].extend(probe.press(letters))
        probe.terminal.settle(0.4)
    probe.press(["escape"])
    probe.terminal.settle(0.4)
    _hurry(probe, seen)


def _hurry(probe: Probe, seen: Seen) -> None:
    """Much at once: letters, and keys while a filter takes long."""
    probe.until("/", "filter:")
    probe.terminal.settle(0.4)
    seen.waits["burst"].append(probe.until(_BURST, lambda text: f"filter: {_BURST}" in text))
    probe.press(["escape"])
    probe.terminal.settle(0.4)
    probe.until("/", "filter:")
    probe.terminal.settle(0.4)
    probe.until(f"{_SLOW}\r", "filtering …")
    for _ in range(5):
        pressed = probe.press("jk")
        if "filtering …" in probe.terminal.text:
            seen.keys["filtering"].extend(pressed)
    probe.until("\x1b", lambda text: "filtering …" not in text)


def _first_row(text: str) -> str:
    return text.splitlines()[2]


def _title(number: int) -> str:
    return f"rollout {number:06d}."


def make_library(path: Path, rollouts: int) -> None:
    """A library of so many short rollouts, the last the newest, with all that lists show."""
    projects = [
        Project(f"Bench {n}", EchoTarget(), HeuristicEvaluator(), goal="Measure.")
        for n in range(_PROJECTS)
    ]
    with Library.open(path, durable=False) as library:
        for start in range(0, rollouts, _AT_ONCE):
            numbers = range(start, min(start + _AT_ONCE, rollouts))
            library.commit_many([_change(n, projects[n % _PROJECTS]) for n in numbers])
            keys = library.ids_after(start, _AT_ONCE)
            library.put_facts(
                [(key, library.updated_at(key), _facts(int(name[1:]))) for key, name in keys]
            )
        library.index_pending()


def _change(number: int, project: Project) -> Change:
    steps = (
        Step("s1", None, "evaluator", user_message(f"question {number}"), "script"),
        Step("s2", "s1", "target", target_reply(f"answer {number}"), "model"),
    )
    mark = Mark("s2", verdict=_VERDICTS[number % 3] or None, tags=("a",), by="me", at=1.0)
    name = f"r{number:06d}"
    header = RolloutHeader(name, _title(number))
    return Change(name, header, (project,), steps=steps, head="s2", marks=(mark,))


def _facts(number: int) -> RolloutFacts:
    return RolloutFacts(
        title=_title(number),
        goal="Measure.",
        branches=1,
        verdict=_VERDICTS[number % 3],
        score=number % 11 / 10,
        tags=("a", f"t{number % 7}"),
        marked_by=("me",),
        tools=("look_up",),
        models=(f"model-{number % 5}",),
        cost=number % 13 / 1000,
    )


def _judge(floor: Seen, ours: Seen, rollouts: int) -> list[Line]:
    bare = floor.keys["key"].ms
    first = f"{median(ours.start):.0f} against {median(floor.start):.0f} ms"
    every = f"{median(ours.whole):.0f} against {median(floor.start):.0f} ms"
    found = [
        Line(
            f"library of {rollouts:,} rollouts opens, against the floor",
            ratio(ours.start, floor.start),
            2 * _START_BUDGET,
            detail=first,
        ),
        Line(
            "the same until all are counted",
            ratio(ours.whole, floor.start),
            2 * _START_BUDGET,
            detail=every,
        ),
    ]
    for name, words in (("far", "jump to an end of the library"), ("sort", "sort of the library")):
        found.append(
            Line(
                f"{words}, against the start of the bare app",
                ratio(ours.waits[name], floor.start),
                2 * _START_BUDGET,
                detail=f"{median(ours.waits[name]):.0f} ms",
            )
        )
    found += [
        Line(
            "the library is still after j was held for 3 s, against after one j",
            ratio(ours.waits["held"], ours.waits["one"]),
            2,
            detail=f"{median(ours.waits['held']):.0f} against {median(ours.waits['one']):.0f} ms",
        ),
        Line(
            f"{len(_BURST)} letters at once in the filter, against as many keys in the bare app",
            median(ours.waits["burst"]) / median(bare) / len(_BURST),
            1.5,
            detail=f"{median(ours.waits['burst']):.0f} ms",
        ),
    ]
    names: Mapping[str, str] = {
        "move": "move in the library",
        "scroll": "scroll the library by a row",
        "page": "scroll the library by a page",
        "sorting": "move in the library while it is sorted",
        "filtering": "move in the library while a slow filter looks through it",
        "typed": "letter typed into the library's filter",
    }
    for name, words in names.items():
        found.append(
            Line(
                f"{words}, against a key in the bare app",
                ratio(ours.keys[name].ms, bare),
                _KEY_BUDGET,
                detail=f"{median(ours.keys[name].ms):.1f} against {median(bare):.1f} ms",
            )
        )
    return found
