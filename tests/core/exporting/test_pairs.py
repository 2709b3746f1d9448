"""Exports to formats of pairs: a trajectory without a pair is no refusal."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import ExportError
from rollstep.core.exporting.items import Item
from rollstep.core.exporting.many import export_many, survey
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import target_reply

from .making import items, plan, saved

FORMATS = ("openai-preference", "trl-preference")


def edited(rollout_id: str, text: str = "So long.", **fields: object) -> Item:
    """The rollout, its last reply written by a human in the place of the other one."""
    whole = saved(rollout_id, **fields)
    steps = [
        msgspec.structs.replace(
            step, origin="human", replaces="e", payload=target_reply(text), author="me"
        )
        if step.id == "d"
        else step
        for step in whole.steps
    ]
    return Item(msgspec.structs.replace(whole, steps=tuple(steps)))


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_branch_without_a_pair_is_counted_and_not_refused(fmt: str, tmp_path: Path) -> None:
    both = [edited("r1"), *items("r2")]
    done = export_many(plan(fmt, branches="all"), both, tmp_path / "x.jsonl")
    assert (done.rows, done.pairless, done.refused, done.exit_status) == (1, 3, 0, 0)
    assert done.skips() == []
    assert ", wrote 1 row, 3 had no pair" in done.counts()


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_pair_that_says_nothing_is_refused_with_the_reason(fmt: str, tmp_path: Path) -> None:
    both = [edited("r1"), edited("r2", "No. ")]
    done = export_many(plan(fmt), both, tmp_path / "x.jsonl")
    assert (done.rows, done.pairless, done.refused, done.exit_status) == (1, 0, 1, 1)
    assert "no pair: the sides differ in white space only" in done.skips()[0]


@pytest.mark.parametrize("fmt", FORMATS)
def test_where_no_pair_is_anywhere_that_is_said(fmt: str, tmp_path: Path) -> None:
    off = edited("r2", marks=(Mark("d", train=False, at=1.0),))
    with pytest.raises(ExportError, match=r"Nothing was written: no branch .* a pair of answers"):
        export_many(plan(fmt), [*items("r1"), off], tmp_path / "x.jsonl")
    assert list(tmp_path.iterdir()) == []
    looked = survey(plan(fmt), [*items("r1"), off])
    assert (looked.pairless, looked.refused, looked.exit_status) == (2, 0, 1)
