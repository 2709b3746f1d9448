from __future__ import annotations

from rollstep.core import Session
from rollstep.core.model.checking import check
from rollstep.core.model.messages import (
    Payload,
    Stop,
    ToolCall,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import Project, ScriptedEvaluator
from rollstep.core.model.steps import Step, role_of
from rollstep.core.rules.recorded import (
    evaluator_lines,
    recorded_examples,
    recorded_simulator,
    recorded_target,
)

CALL = ToolCall("c1", "get_order", '{"order_id": "4471"}')
WIDER = ToolCall("c2", "get_order", '{"order_id": "4471", "full": true}')
SAID: tuple[Payload, ...] = (
    user_message("Where is my order?"),
    target_reply("Let me look.", (CALL,)),
    tool_result("c1", '{"status": "lost", "price": 49.00}'),
    target_reply("It is lost."),
    user_message("And now?"),
    target_reply("", (WIDER,)),
    tool_result("c2", "no such order\u2028", is_error=True),
    target_reply("I cannot say."),
    Stop("gave_up", "evaluator", "enough"),
)


def path_of(*payloads: Payload) -> list[Step]:
    return [
        Step(f"s{n}", f"s{n - 1}" if n else None, role_of(payload), payload, "import")
        for n, payload in enumerate(payloads)
    ]


def recorded_project(*payloads: Payload) -> Project:
    path = path_of(*payloads)
    return Project(
        "t",
        recorded_target(path, "Be kind."),
        ScriptedEvaluator(evaluator_lines(path)),
        tool_simulator=recorded_simulator(path),
        tools=(),
    )


async def played(project: Project) -> list[Payload]:
    session = Session.start(project)
    return [step.payload async for step in session.run()]


async def test_a_message_with_which_the_evaluator_stopped_is_its_stop_when_it_is_said_again() -> (
    None
):
    """Logs hold the message and the stop as two steps: the target is not asked between them."""
    said = (*SAID[:4], user_message("Then bye. ###STOP###"), Stop("user_stop", "evaluator"))
    again = await played(recorded_project(*said))
    assert list(map(type, again)) == [*map(type, SAID[:4]), Stop]
    assert again[-1] == Stop("user_stop", "evaluator", "Then bye. ###STOP###")


def test_a_message_that_nobody_answered_is_said_where_nobody_stopped() -> None:
    ends = ((), (Stop("max_turns", "rule"),))
    for end in ends:
        lines = evaluator_lines(path_of(*SAID[:4], user_message("And now?"), *end))
        assert [(line.text, line.stop) for line in lines] == [
            ("Where is my order?", None),
            ("And now?", None),
        ]


def plain(payload: Payload) -> tuple[object, ...]:
    if isinstance(payload, Stop):
        return ("stop", payload.reason, payload.by)
    calls = [(call.name, call.arguments) for call in getattr(payload, "tool_calls", ())]
    return (role_of(payload), payload_text(payload), calls, getattr(payload, "is_error", False))


async def test_what_was_recorded_is_said_again_to_the_letter() -> None:
    project = recorded_project(*SAID)
    check(project, Project, "project")
    assert [plain(each) for each in await played(project)] == [plain(each) for each in SAID]


async def test_a_message_stays_with_its_turn_when_one_before_it_was_replaced() -> None:
    session = Session.start(recorded_project(*SAID))
    await session.turn()
    first = session.rollout.path(session.head)[0]
    await session.override(first.id, user_message("Hello?"), "stay")
    await session.write(target_reply("Hm."))
    step = await session.step()
    assert payload_text(step.payload) == "And now?"


def test_the_rule_that_asks_most_comes_first_and_other_answers_are_takes() -> None:
    again = ToolCall("c3", "get_order", CALL.arguments)
    path = path_of(*SAID[:-1], target_reply("", (again,)), tool_result("c3", "found"))
    rules = recorded_simulator(path).rules
    assert [rule.when for rule in rules] == [WIDER.arguments, CALL.arguments]
    assert rules[0].is_error
    assert rules[1].takes == ('"found"',)


async def test_equal_messages_are_answered_each_as_in_its_turn() -> None:
    said = (
        *(user_message("Go on."), target_reply("First.")),
        *(user_message("Go on."), target_reply("Second.")),
    )
    session = Session.start(recorded_project(*said))
    await session.write(user_message("Go on."))
    await session.write(target_reply("By hand."))
    await session.write(user_message("Go on."))
    assert payload_text((await session.step()).payload) == "Second."


def test_what_a_script_cannot_hold_is_left_out() -> None:
    broken = ToolCall("c1", "get_order", "{oops")
    path = path_of(user_message("a"), target_reply("x", (broken,)), tool_result("c1", "r"))
    assert recorded_target(path, None).replies == ()
    assert recorded_simulator(path).rules == ()
    assert recorded_examples(path) == ()


def test_examples_are_each_given_once() -> None:
    path = path_of(*SAID[:4], *SAID[:4])
    (example,) = recorded_examples(path)
    assert example.respond == '"{\\"status\\": \\"lost\\", \\"price\\": 49.00}"'
