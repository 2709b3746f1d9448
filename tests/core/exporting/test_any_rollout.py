"""Whatever a rollout holds, an export writes or refuses it; and what stands beside it fits."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.exporting.items import Item
from rollstep.core.exporting.many import export_many, survey
from rollstep.core.exporting.plan import PROJECT_FORMATS, Plan
from rollstep.core.exporting.provenance import has_provenance
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.steps import Role
from rollstep.core.store.change import Saved

from ...strategies import saved_rollouts

WRITTEN = [fmt.name for fmt in FORMATS.values() if fmt.writes]
OF_STEPS = [n for n in WRITTEN if not FORMATS[n].whole and n not in PROJECT_FORMATS]
BESIDE = [name for name in OF_STEPS if FORMATS[name].rows and has_provenance(FORMATS[name])]


@given(saved_rollouts(), st.sampled_from(WRITTEN), st.booleans())
def test_each_format_writes_or_refuses_it(saved: Saved, name: str, redact: bool) -> None:
    plan = Plan(format=name, branches="all", redact=redact)
    done = survey(plan, [Item(saved)], secrets={"secret-of-tests": "A_KEY"})
    assert done.written + done.refused + done.pairless == done.trajectories


@given(saved_rollouts(), st.sampled_from(OF_STEPS), st.sampled_from(["evaluator", "tool"]))
def test_so_it_does_as_any_role_lived_it(saved: Saved, name: str, role: Role) -> None:
    done = survey(Plan(format=name, branches="all", role=role), [Item(saved)], secrets={})
    assert done.written + done.refused + done.pairless == done.trajectories


@given(saved_rollouts(), st.sampled_from(BESIDE), st.sampled_from(["target", "tool"]))
def test_there_is_a_line_of_provenance_for_each_row(saved: Saved, name: str, role: Role) -> None:
    plan = Plan(format=name, branches="all", role=role)
    if not survey(plan, [Item(saved)], secrets={}).rows:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        export_many(plan, [Item(saved)], path, secrets={})
        rows = path.read_bytes().splitlines()
        beside = Path(f"{path}.provenance.jsonl").read_text("ascii").splitlines()
    assert len(rows) == len(beside)
    assert [json.loads(line)["row"] for line in beside] == list(range(1, len(rows) + 1))
