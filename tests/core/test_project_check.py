"""Projects made in code are checked before they are played and saved."""

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.model.project import EchoTarget, ScriptedTarget, StopRules, TargetLine
from rollstep.core.model.project_check import check_project
from rollstep.core.session import Session

from .projects_for_tests import refund


def test_a_good_project_passes_and_so_do_texts_of_any_kind() -> None:
    check_project(refund(opening="\udc80", title="\ud83d"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"max_turns": 0}, "max_turns"),
        ({"stop": StopRules(repeated_exchanges=1)}, "repeated_exchanges"),
        ({"goal": None}, "goal"),
        ({"target": ScriptedTarget([TargetLine("Hi")])}, "tuples"),  # type: ignore[arg-type]
        ({"target": EchoTarget}, "cannot be played"),
    ],
)
def test_what_no_project_may_hold_is_named(fields: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Session.start(refund(**fields))


async def test_nor_may_a_changed_project() -> None:
    session = Session.start(refund())
    with pytest.raises(UsageError, match="max_turns"):
        await session.revise(refund(max_turns=0))
    assert session.revision == 0
