"""The public API of the package: what is promised is there, and light until it is used."""

import subprocess
import sys

import pytest
import rollstep.core
from rollstep.core import (
    Breakpoint,
    Ledger,
    Session,
    UsageError,
    compare,
    findings,
    payload_text,
    user_message,
)

from .projects_for_tests import refund


@pytest.mark.parametrize("name", rollstep.core.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert getattr(rollstep.core, name).__doc__


def test_a_name_that_is_not_there_is_refused_in_pythons_words() -> None:
    with pytest.raises(AttributeError, match=r"'rollstep\.core' has no attribute 'Agent'"):
        _ = rollstep.core.Agent


async def test_a_rollout_is_debugged_from_a_notebook() -> None:
    session = Session.start(refund())
    with pytest.raises(UsageError, match="no field 'tol'; did you mean tool"):
        await session.set_breakpoints([Breakpoint("tol")])
    await session.set_breakpoints([Breakpoint("kind = result")])
    played = [step async for step in session.run()]
    assert played[-1].role == "tool"
    before = session.rollout.path(session.head)
    done = await session.override(before[0].id, user_message("Where is my parcel?"), "keep")
    assert done.copied == len(before) - 1
    (entry,) = Ledger(session.rollout, session.commands).entries()
    assert payload_text(entry.final) == "Where is my parcel?"
    after = session.rollout.path(session.head)
    assert compare(before, after).differing == (0,)
    assert {found.rule for found in findings(session.rollout, session.head)} == {"stale"}


def test_importing_the_package_loads_nothing_slow() -> None:
    code = (
        "import sys, rollstep.core; print(*(m for m in sys.modules if m.startswith('rollstep.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["rollstep.core"]
