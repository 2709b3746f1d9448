"""What is made in code is checked before it is played or saved: it must be readable again."""

from collections.abc import Awaitable, Callable

import pytest
from rollstep.core.errors import UsageError
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import TargetReply, Text, target_reply, user_message
from rollstep.core.model.project import EchoTarget, ScriptedTarget, StopRules, TargetLine
from rollstep.core.session import Session

from .projects_for_tests import played, refund


def test_texts_of_any_kind_are_good() -> None:
    Session.start(refund(opening="\udc80", title="\ud83d"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"max_turns": 0}, "max_turns"),
        ({"stop": StopRules(repeated_exchanges=1)}, "repeated_exchanges"),
        ({"goal": None}, "goal"),
        ({"target": ScriptedTarget([TargetLine("Hi")])}, "tuple"),  # type: ignore[arg-type]
        ({"target": EchoTarget}, "no project"),
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


WRONG: list[Callable[[Session, str], Awaitable[object]]] = [
    lambda session, last: session.write("text", at=last),  # type: ignore[arg-type]
    lambda session, last: session.override(last, TargetReply([Text("a list")])),  # type: ignore[arg-type]
    lambda session, last: session.insert(last, [user_message(7)]),  # type: ignore[arg-type]
    lambda session, last: session.override(last, target_reply("x"), "kep"),  # type: ignore[arg-type]
    lambda session, last: session.mark(Mark(last, verdict="fine")),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("wrong", WRONG)
async def test_wrong_steps_and_marks_change_nothing(
    wrong: Callable[[Session, str], Awaitable[object]],
) -> None:
    session = await played()
    before = session.saved()
    reply = session.rollout.path(session.head)[-2].id
    with pytest.raises(UsageError):
        await wrong(session, reply)
    assert session.saved() == before
