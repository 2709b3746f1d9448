"""Whatever a rollout holds, it is a sample that can be read again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from rollstep.core.errors import ExportError
from rollstep.core.exporting.items import Item
from rollstep.core.exporting.many import export_many
from rollstep.core.exporting.plan import Plan
from rollstep.core.formats.reading.files import read_records
from rollstep.core.model.steps import Role
from rollstep.core.store.change import Saved

from ....strategies import saved_rollouts
from ..foreign import check

QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
ROLES: st.SearchStrategy[Role] = st.sampled_from(["target", "evaluator", "tool"])


@settings(phases=QUICK)
@given(saved_rollouts(), st.sampled_from(["inspect", "inspect-eval"]), ROLES)
def test_what_is_exported_is_read_again(saved: Saved, name: str, role: Role) -> None:
    plan = Plan(format=name, branches="all", role=role)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        try:
            export_many(plan, [Item(saved)], path, secrets={})
        except ExportError:
            assert not path.exists()  # there was nothing to write
            return
        for read in read_records(path):
            assert read.faults == () or "no messages" in read.faults[0].message
            for imported in read.imported:
                check(imported)
