"""What rollstep wrote in a format is neither refused by that format nor odd to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.exporting.items import from_bundle
from rollstep.core.exporting.many import export_many
from rollstep.core.exporting.plan import Plan
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.table import FORMATS
from rollstep.core.importing.validating import Validation

SAMPLE = Path(__file__).parents[2] / "sample_projects" / "refund.rollstep.jsonl"

_ALWAYS = {
    "turn-records": ("the last record has no termination",),
}
"""What is told of such rows whoever wrote them."""


_CASES = [
    (fmt.name, branches)
    for fmt in FORMATS.values()
    for branches in ("this", "all")
    if fmt.writes and fmt.reader is not None
    if fmt.pairless is None or branches == "all"  # the sample's own branch holds no pair
]


@pytest.mark.parametrize(("fmt", "branches"), _CASES)
def test_what_was_written_is_valid(fmt: str, branches: str, tmp_path: Path) -> None:
    options = WriteOptions(beside_call="think") if fmt == "sharegpt" else WriteOptions()
    plan = Plan(format=fmt, branches=branches, options=options)  # type: ignore[arg-type]
    path = tmp_path / f"out{FORMATS[fmt].suffix}"
    assert export_many(plan, from_bundle(SAMPLE, []), path, several=False).rows
    checked = Validation([path])
    odd = [
        fault.render()
        for verdict in checked.verdicts()
        for fault in verdict.left.faults
        if not any(words in fault.message for words in _ALWAYS.get(fmt, ()))
    ]
    assert odd == []
    assert (checked.tally.refused, checked.tally.read > 0) == (0, True)
