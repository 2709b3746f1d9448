"""A turn is counted in one way wherever its number stands: in lists, in the header, in the outline,
in replays, in pages and in comparisons. What stands before the evaluator's first message belongs to
the first turn. A log that names no limit on turns is shown without one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from rollstep.core.exporting.one import render
from rollstep.core.exporting.subjects import subject_of
from rollstep.core.importing import import_files
from rollstep.core.importing.one import list_samples
from rollstep.core.listing.stats import count_rollouts
from rollstep.core.model.project import EchoTarget
from rollstep.core.model.rollout import Trajectory
from rollstep.core.rules.compare import compare
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library
from rollstep.tui.bars import status
from rollstep.tui.outline.tree import OutlineTree
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.requests import NOT_STORED
from rollstep.tui.sent import sent_blocks
from rollstep.tui.snapshot import Snapshot

from ..logs_for_tests import tau2_with_a_greeting
from .conftest import RunCli


def chat(*roles: str) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        messages = [{"role": role, "content": f"{n} by {role}"} for n, role in enumerate(roles)]
        path.write_text(json.dumps({"messages": messages}) + "\n")
        return path

    return write


LOGS = [
    (tau2_with_a_greeting, 1),
    (chat("assistant", "user", "assistant", "user", "assistant"), 2),
    (chat("user", "assistant", "user"), 2),
    (chat("assistant", "assistant"), 1),
]


def model_of(saved: Saved) -> DebuggerModel:
    return DebuggerModel(Snapshot(saved.header, saved.projects, saved.steps, head=saved.head))


@pytest.mark.parametrize(("write", "turns"), LOGS)
def test_turns_are_counted_alike_everywhere(
    cli: RunCli, tmp_path: Path, write: Callable[[Path], Path], turns: int
) -> None:
    log, path = write(tmp_path / "log.json"), tmp_path / "l.sqlite"
    with Library.open(path) as library:
        (rollout,) = import_files([log], library).rollout_ids
        saved = library.load(rollout)
        (summary,) = library.recent(1)
        stats = count_rollouts(library)
    played = cli("replay", rollout, "--library", path)[1]
    model, tree = model_of(saved), saved.tree()
    steps = tree.path(saved.steps[-1].id)
    page = render(subject_of(tree, steps[-1].id), "markdown").decode()
    html = render(subject_of(tree, steps[-1].id), "html").decode()
    model.cursor = len(steps) - 1
    counted = {
        "samples": next(list_samples(log)).turns,
        "list": summary.turns,
        "query": int(cli("list", f"turns={turns}", "--library", path)[1].count(rollout)) * turns,
        "stats": stats.turns_by_count,
        "header": re.findall(r"turn (\S+)", status(model, 160).text)[:1],
        "trajectory": len(Trajectory(steps).turns()),
        "comparison": compare(steps, steps, lambda step: False).left.summary.turns,
        "outline": OutlineTree(model, {}).segments[1].turns,
        "pages": (page.count("## Turn "), html.count("<h2>turn ")),
        "replay": re.findall(r"turn \d+ of (\d+)|, (\d+) turns?;", played),
    }
    assert counted == {
        "samples": turns,
        "list": turns,
        "query": turns,
        "stats": {turns: 1},
        "header": [str(turns)],
        "trajectory": turns,
        "comparison": turns,
        "outline": (1, turns),
        "pages": (turns, turns),
        "replay": [(str(turns), "")] * turns + [("", str(turns))],
    }


def test_no_limit_is_shown_that_the_log_does_not_name(tmp_path: Path) -> None:
    with Library.open(tmp_path / "l.sqlite") as library:
        log = tau2_with_a_greeting(tmp_path / "log.json")
        (rollout,) = import_files([log], library).rollout_ids
        saved = library.load(rollout)
    model = model_of(saved)
    model.cursor = 1
    assert "turn 1 " in status(model, 160).text
    asked = "".join(block.text for block in sent_blocks(model, "target", NOT_STORED))
    assert "turn 1" in asked
    assert "turn 1/" not in asked
    own = msgspec.structs.replace(saved.projects[0], target=EchoTarget(), max_turns=7)
    chosen = msgspec.structs.replace(saved, projects=(saved.projects[0], own))
    model = model_of(chosen)
    model.cursor = 1
    assert "turn 1/7 " in status(model, 160).text
