"""What goes beside an export: the edits of its path, and what the linter finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rollstep.core.errors import ExportError
from rollstep.core.export import export, provenance_beside, subject_of
from rollstep.core.model.messages import tool_result
from rollstep.core.provenance import Provenance, provenance_of
from rollstep.core.session import Session

from .projects_for_tests import played, refund


async def edited() -> Session:
    """A played rollout whose third step a human replaced, what follows kept; a flag silenced."""
    session = await played(refund())
    old = session.rollout.path(session.head)[2]
    result = tool_result(old.payload.call_id, '{"status": "lost \ud800"}')  # type: ignore[union-attr]
    done = await session.override(old.id, result, "keep", "what if")
    assert done.step is not None
    stale = session.rollout.children(done.step.id)[0]
    await session.silence(stale, "stale", "reads well")
    return session


def of(session: Session, up_to: int | None = None) -> Provenance:
    leaf = session.rollout.newest_leaf(session.head)
    return provenance_of(
        session.rollout,
        leaf,
        commands=session.commands,
        silences=session.silences,
        up_to=up_to,
    )


async def test_it_names_the_edits_of_the_path_and_the_flags_with_their_silences() -> None:
    provenance = of(await edited())
    (entry,) = provenance.edits
    assert (entry.kind, entry.reason, entry.place, entry.standing) == (
        "override",
        "what if",
        3,
        "stands",
    )
    assert entry.original is not None
    assert entry.original != entry.final
    stale = [flag for flag in provenance.flags if flag.rule == "stale"]
    assert [flag.place for flag in stale] == list(range(4, provenance.steps + 1))
    assert stale[0].silence is not None
    assert stale[0].silence.reason == "reads well"
    assert all(flag.silence is None for flag in stale[1:])


async def test_only_the_steps_that_are_exported_count() -> None:
    provenance = of(await edited(), up_to=2)
    assert (provenance.steps, provenance.edits, provenance.words()) == (2, (), "")


async def test_it_stands_beside_the_export_and_reads_back(tmp_path: Path) -> None:
    session, path = await edited(), tmp_path / "x.jsonl"
    subject = subject_of(session.rollout, session.rollout.newest_leaf(session.head))
    export(subject, "openai", path, provenance=of(session))
    beside = provenance_beside("openai", path)
    assert beside is not None
    found = json.loads(beside.read_bytes())
    assert found["edits"][0]["final"]["parts"][0]["text"] == '{"status": "lost \ud800"}'
    assert {flag["rule"] for flag in found["flags"]} >= {"stale"}
    with pytest.raises(ExportError, match="is there already"):
        export(subject, "openai", path, provenance=of(session))


async def test_nothing_is_written_where_the_provenance_has_no_room(tmp_path: Path) -> None:
    session, path = await edited(), tmp_path / "x.jsonl"
    subject = subject_of(session.rollout, session.rollout.newest_leaf(session.head))
    (tmp_path / "x.jsonl.provenance.json").write_text("mine")
    with pytest.raises(ExportError, match=r"provenance\.json is there already"):
        export(subject, "openai", path, provenance=of(session))
    assert not path.exists()


async def test_an_untouched_trajectory_has_none_and_an_old_one_is_not_left_over(
    tmp_path: Path,
) -> None:
    session, path = Session.start(refund()), tmp_path / "x.jsonl"
    await session.turn()
    subject = subject_of(session.rollout, session.head)
    clean = Provenance(1, "r", "t", "", 1)
    export(subject, "openai", path, provenance=clean)
    assert provenance_beside("openai", path) is None
    beside = tmp_path / "x.jsonl.provenance.json"
    beside.write_text("of an earlier export")
    export(subject, "openai", path, provenance=clean, force=True)
    assert json.loads(beside.read_bytes())["edits"] == []
    assert provenance_beside("bundle", path) is None
