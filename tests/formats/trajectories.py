"""The shared set: about forty trajectories that every format is put through.

Each is small and has one thing that some format cannot hold, or that some reader trips over. What a
format refuses of it must be refused in words; what it writes must satisfy the receiver's own code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec
from rollstep.core.export import subject_of
from rollstep.core.formats.subject import Subject
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from rollstep.core.model.project import HumanEvaluator, HumanTarget, Project, Tool
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Call, Step, Usage, role_of

ORDER = Tool(
    "get_order",
    "Find an order.",
    '{"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}',
)
REFUND = Tool("issue_refund", "Pay money back.", '{"type": "object", "properties": {}}')


class Made(msgspec.Struct):
    """A rollout as it is made: its steps in order, the leaf that is exported, and what goes with
    it.
    """

    rollout: Rollout
    leaf: str | None = None
    marks: tuple[Mark, ...] = ()
    scores: tuple[Score, ...] = ()

    def add(self, payload: Payload, *, after: str | None = "", **fields: object) -> str:
        """Put a step behind ``after`` (the leaf, unless told otherwise); its id."""
        parent = self.leaf if after == "" else after
        step = Step(
            f"s{len(self.rollout) + 1}",
            parent,
            role_of(payload),
            payload,
            "model",
            len(self.rollout) + 1,
        )
        step = msgspec.structs.replace(step, **fields)
        self.rollout.add(step)
        self.leaf = step.id
        return step.id


def project(**fields: object) -> Project:
    """A project that declares two tools."""
    base = Project(
        "Refund a blender",
        HumanTarget(system="You are the shop's agent."),
        HumanEvaluator(),
        goal="The customer gets a refund.",
        tools=(ORDER, REFUND),
    )
    return msgspec.structs.replace(base, **fields)


def user(text: str) -> UserMessage:
    """A message of the evaluator."""
    return UserMessage((Text(text),))


def says(text: str, *calls: ToolCall, reasoning: tuple[Reasoning, ...] = ()) -> TargetReply:
    """A reply of the target; without a text it has no part."""
    return TargetReply((Text(text),) if text else (), reasoning, calls)


def call(number: int, name: str = "get_order", arguments: str = '{"order_id": "4471"}') -> ToolCall:
    """A call with an id as models give them."""
    return ToolCall(f"call_{number}", name, arguments)


def result(number: int, text: str, *, is_error: bool = False) -> ToolResult:
    """The answer to the call of that number."""
    return ToolResult(f"call_{number}", (Text(text),), is_error)


def _made(*payloads: Payload, **fields: object) -> Made:
    made = Made(Rollout(RolloutHeader("ro111111", "Refund a blender"), [project(**fields)]))
    for payload in payloads:
        made.add(payload)
    return made


def _plain() -> Made:
    return _made(user("Hi."), says("Hello! What can I do?"))


def _three_turns() -> Made:
    return _made(
        *(user("One."), says("First."), user("Two."), says("Second.")),
        *(user("Three."), says("Third."), Stop("goal_reached", "evaluator")),
    )


def _tools() -> Made:
    return _made(
        *(user("Where is my order?"), says("", call(1)), result(1, '{"status": "lost"}')),
        says("It is lost."),
    )


def _text_beside_a_call() -> Made:
    return _made(user("Where?"), says("Let me look.", call(1)), result(1, "lost"), says("Lost."))


def _parallel() -> Made:
    return _made(
        user("Both, please."),
        says("", call(1), call(2, "issue_refund", "{}")),
        *(result(1, "found"), result(2, "paid"), says("Done.")),
    )


def _parallel_in_another_order() -> Made:
    return _made(
        user("Both, please."),
        says("", call(1), call(2, "issue_refund", "{}")),
        *(result(2, "paid"), result(1, "found"), says("Done.")),
    )


def _two_rounds_of_calls() -> Made:
    return _made(
        *(user("Refund me."), says("", call(1)), result(1, "49.0")),
        *(says("", call(2, "issue_refund", "{}")), result(2, "paid"), says("Refunded.")),
    )


def _error_result() -> Made:
    return _made(
        *(user("Look."), says("", call(1)), result(1, "no such order", is_error=True)),
        says("There is none."),
    )


def _empty_result() -> Made:
    return _made(
        user("Look."), says("", call(1)), ToolResult("call_1", ()), says("Nothing came back.")
    )


def _reasoning() -> Made:
    thought = (Reasoning("The user wants money."),)
    return _made(
        *(user("Refund!"), says("One moment.", reasoning=thought)),
        *(user("Well?"), says("Here it is.", reasoning=thought)),
    )


def _signed_reasoning() -> Made:
    raw = '{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}'
    thought = (Reasoning("Hm.", "c2ln", raw),)
    return _made(
        *(user("Refund!"), says("", call(1), reasoning=thought), result(1, "ok")),
        says("Done."),
    )


def _edited_reasoning() -> Made:
    made = _made(user("Refund!"))
    raw = '{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}'
    first = made.add(says("No.", reasoning=(Reasoning("Hm.", "c2ln", raw),)))
    made.add(
        says("Yes.", reasoning=(Reasoning("Hm, yes."),)),
        after="s1",
        origin="human",
        author="ana",
        replaces=first,
        reason="kinder",
    )
    return made


def _edited_reply() -> Made:
    made = _made(user("Refund!"))
    first = made.add(says("No."))
    made.add(says("Yes, of course."), after="s1", origin="human", author="ana", replaces=first)
    return made


def _edited_result_kept() -> Made:
    made = _made(user("Look."), says("", call(1)))
    first = made.add(result(1, '{"refundable": false}'))
    last = made.add(says("I am afraid not."))
    made.add(
        result(1, '{"refundable": true}'),
        after="s2",
        origin="human",
        author="ana",
        replaces=first,
        reason="what if it were?",
    )
    made.add(says("I am afraid not."), copied_from=last)
    return made


def _white_space_edit() -> Made:
    made = _made(user("Refund!"))
    first = made.add(says("Yes."))
    made.add(says("Yes. "), after="s1", origin="human", author="ana", replaces=first)
    return made


def _fork() -> Made:
    made = _three_turns()
    made.add(user("Another two."), after="s2")
    made.add(says("Another second."))
    return made


def _takes_with_verdicts() -> Made:
    made = _made(user("Refund!"))
    bad = made.add(says("No."))
    good = made.add(says("Yes."), after="s1", take=1)
    made.marks = (Mark(bad, verdict="reject"), Mark(good, verdict="accept", rating=5, by="ana"))
    return made


def _train_marks() -> Made:
    made = _three_turns()
    made.marks = (Mark("s2", train=False), Mark("s4", train=True))
    return made


def _scores() -> Made:
    made = _three_turns()
    made.scores = (
        Score("reward", 0.0, "issue_refund never called", "tau2", ("s6",)),
        Score("style", "good"),
    )
    made.marks = (Mark("s7", verdict="reject", tags=("refund",), note="too slow"),)
    return made


def _nan_score() -> Made:
    made = _plain()
    made.scores = (Score("reward", float("nan")),)
    return made


def _unicode() -> Made:
    return _made(
        user("下单 – Grüße 👩‍🌾 \u2028\u2029\x85 \u202eabc"), says("Ça marche. \ufeff\u200b")
    )


def _controls() -> Made:
    return _made(user("a\x00b\x1b[31m\r\n\tc"), says("</script><b>&amp;[/bold] `x` ```"))


def _lone_surrogates() -> Made:
    return _made(user("half \ud83d"), says("other \ude00"))


def _think_tags() -> Made:
    return _made(user("<think>no</think>"), says("<tool_call>{}</tool_call> <|im_end|>"))


def _huge() -> Made:
    return _made(user("Read this: " + "0123456789" * 30_000), says("Long. " * 20_000))


def _many_turns() -> Made:
    payloads: list[Payload] = []
    for number in range(60):
        payloads += [user(f"Message {number}."), says(f"Reply {number}.")]
    return _made(*payloads)


def _empty() -> Made:
    return _made()


def _only_a_message() -> Made:
    return _made(user("Anyone there?"))


def _empty_message() -> Made:
    return _made(user(""), says("You said nothing."))


def _empty_reply() -> Made:
    return _made(user("Say nothing."), TargetReply((Text(""),)))


def _ends_with_a_result() -> Made:
    return _made(user("Look."), says("", call(1)), result(1, "lost"))


def _open_call() -> Made:
    return _made(user("Look."), says("", call(1)))


def _orphan_result() -> Made:
    return _made(user("Look."), result(7, "from nowhere"), says("Odd."))


def _system_note() -> Made:
    return _made(
        *(user("Hi."), says("Hello."), SystemNote((Text("Policy changed: no refunds."),))),
        *(user("Refund?"), says("No longer.")),
    )


def _no_system() -> Made:
    return _made(user("Hi."), says("Hello."), target=HumanTarget())


def _target_begins() -> Made:
    return _made(says("Welcome!"), user("Hi."), says("What can I do?"))


def _two_messages_in_a_row() -> Made:
    return _made(user("Hi."), user("Are you there?"), says("Yes."))


def _two_replies_in_a_row() -> Made:
    return _made(user("Hi."), says("Hello."), says("How are you?"))


def _image() -> Made:
    raw = '{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}'
    shown = UserMessage((Text("What is this?"), OtherPart("image", "image/png", 8, raw)))
    return _made(shown, says("A picture."))


def _several_texts() -> Made:
    return _made(UserMessage((Text("One. "), Text("Two."))), says("Three."))


def _arguments_no_object() -> Made:
    return _made(
        user("Look."), says("", call(1, "get_order", '["4471"]')), result(1, "?"), says("Odd.")
    )


def _broken_arguments() -> Made:
    return _made(
        user("Look."), says("", call(1, "get_order", '{"order_id": ')), result(1, "?"), says("Odd.")
    )


def _exact_arguments() -> Made:
    text = '{"order_id":  "4471", "n": 1.10, "big": 12345678901234567890123, "e": 1E5, "z": -0}'
    return _made(user("Look."), says("", call(1, "get_order", text)), result(1, "ok"), says("Ok."))


def _undeclared_tool() -> Made:
    return _made(
        user("Look."), says("", call(1, "no.such tool", "{}")), result(1, "?"), says("Odd.")
    )


def _user_calls_a_tool() -> Made:
    toggled = UserMessage((Text("Wait."),), (), (call(1, "issue_refund", "{}"),))
    return _made(toggled, result(1, "on"), says("Thanks."))


def _refusal() -> Made:
    return _made(user("Be bad."), TargetReply((), refusal="I will not.", finish_reason="stop"))


def _stopped_by_a_human() -> Made:
    return _made(user("Hi."), says("Hello."), Stop("goal_reached", "human", "good enough"))


def _injected_fault() -> Made:
    made = _made(user("Look."), says("", call(1)))
    made.add(result(1, "timeout", is_error=True), injected="timeout")
    made.add(says("It does not answer."))
    return made


def _live() -> Made:
    made = _made(user("Hi."))
    used = Call(
        "openai/gpt-4.1-mini",
        '{"temperature": 0.3}',
        usage=Usage(120, 14),
        cost=0.0003,
        seconds=1.25,
        response_id="chatcmpl-1",
    )
    made.add(says("Hello."), call=used, created_at=1_780_000_000.0)
    return made


_MAKERS: tuple[Callable[[], Made], ...] = (
    *(_plain, _three_turns, _tools, _text_beside_a_call, _parallel, _parallel_in_another_order),
    *(_two_rounds_of_calls, _error_result, _empty_result, _reasoning, _signed_reasoning),
    *(_edited_reasoning, _edited_reply, _edited_result_kept, _white_space_edit, _fork),
    *(_takes_with_verdicts, _train_marks, _scores, _nan_score, _unicode, _controls),
    *(_lone_surrogates, _think_tags, _huge, _many_turns, _empty, _only_a_message),
    *(_empty_message, _empty_reply, _ends_with_a_result, _open_call, _orphan_result),
    *(_system_note, _no_system, _target_begins, _two_messages_in_a_row, _two_replies_in_a_row),
    *(_image, _several_texts, _arguments_no_object, _broken_arguments, _exact_arguments),
    *(_undeclared_tool, _user_calls_a_tool, _refusal, _stopped_by_a_human, _injected_fault, _live),
)

NAMES = tuple(maker.__name__.removeprefix("_") for maker in _MAKERS)


def made(name: str) -> Made:
    """The rollout of this name, made anew."""
    return _MAKERS[NAMES.index(name)]()


@contextmanager
def about(name: str) -> Iterator[None]:
    """What fails in here fails for this trajectory."""
    try:
        yield
    except Exception as error:
        error.add_note(f"the trajectory {name}")
        raise


def subject(name: str) -> Subject:
    """The trajectory of this name, as it is exported."""
    whole = made(name)
    return subject_of(whole.rollout, whole.leaf, marks=whole.marks, scores=whole.scores)
