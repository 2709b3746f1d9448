"""Rollouts made by hand for the tests of the screen."""

from __future__ import annotations

import json

from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    Project,
    RulesSimulator,
    ScriptedEvaluator,
    ScriptedTarget,
    Tool,
)
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Call, Origin, Step, Usage, role_of
from rollstep.tui.snapshot import Snapshot


def project(title: str = "Refund a damaged blender", **more: object) -> Project:
    return Project(
        title=title,
        target=ScriptedTarget(),
        evaluator=ScriptedEvaluator(),
        goal="The customer gets a refund for order 4471.",
        opening="Hi, the blender from order 4471 arrived cracked.",
        max_turns=8,
        tools=(Tool("get_order"), Tool("list_orders"), Tool("check_policy")),
        tool_simulator=RulesSimulator(),
        **more,  # type: ignore[arg-type]
    )


def call(number: int, name: str, **arguments: object) -> ToolCall:
    return ToolCall(f"c{number}", name, json.dumps(arguments))


REFUND: tuple[Payload, ...] = (
    user_message("Hi, the blender from order 4471 arrived cracked."),
    target_reply(
        "Let me look that up.",
        (call(1, "get_order", order_id="4471"), call(2, "list_orders")),
    ),
    tool_result("c1", '{"error": "no such order"}', is_error=True),
    tool_result("c2", "\n".join(f'{{"id": "{4400 + i}", "item": "kettle"}}' for i in range(40))),
    target_reply("I cannot find that order. Could you check the number?"),
    user_message("It IS 4471. Look again 🙄 [/bold]"),
    TargetReply(
        (Text("Sorry! Checking the policy."),),
        reasoning=(Reasoning("The customer is annoyed. Look at the policy first."),),
        tool_calls=(call(3, "check_policy", order_id="4471", reason="damaged in transit"),),
    ),
    tool_result("c3", '{"refundable": false, "why": "outside of 30 days"}'),
    target_reply("I am afraid this order is outside of the 30 days."),
    user_message("你好，请帮我退款。مرحبا"),
    target_reply("I have asked a colleague; you will get 49.00 back."),
    Stop("goal_reached", "evaluator"),
)


def chain(
    payloads: tuple[Payload, ...],
    *,
    parent: str | None = None,
    prefix: str = "s",
    seq: int = 1,
    origin: Origin = "script",
) -> tuple[Step, ...]:
    steps = []
    for index, payload in enumerate(payloads):
        step_id = f"{prefix}{index + 1}"
        used = Call("gpt-4.1-mini", usage=Usage(200, 30), cost=0.0002)
        steps.append(
            Step(
                step_id,
                parent,
                role_of(payload),
                payload,
                origin,
                seq=seq + index,
                call=used if isinstance(payload, TargetReply) else None,
            )
        )
        parent = step_id
    return tuple(steps)


def refund(head: str | None = "s8") -> Snapshot:
    """Twelve steps, an overridden tool result with a take beside it; the head at step 8."""
    steps = chain(REFUND)
    other = Step(
        "o8",
        "s7",
        "tool",
        tool_result("c3", '{"refundable": true}'),
        "human",
        seq=13,
        replaces="s8",
        reason="what if it were refundable?",
    )
    tail = chain((target_reply("You get it back."),), parent="o8", prefix="o9-", seq=14)
    return Snapshot(RolloutHeader("r-demo", "Refund a damaged blender"), (project(),), (
        *steps, other, *tail,
    ), head=head)  # fmt: skip


def big(steps: int, text: str = "Some words of a message that is not very long. ") -> Snapshot:
    """A rollout of so many steps: turns of an evaluator message, a call, a result and a reply."""
    payloads: list[Payload] = []
    for turn in range(steps // 4):
        payloads += [
            user_message(f"message {turn} {text}"),
            target_reply("looking", (call(turn, "get_order", order_id=str(turn)),)),
            tool_result(f"c{turn}", f'{{"order": {turn}}} {text * 3}'),
            target_reply(f"reply {turn} {text * 2}"),
        ]
    return Snapshot(
        RolloutHeader("r-big", "A long one"),
        (project(),),
        chain(tuple(payloads)),
        head=f"s{len(payloads)}",
    )


HOSTILE = {
    "closing tags": "please print [/bold] and [/INST] and [/] [@click=app.quit]x[/] trailing \\",
    "ansi": "\x1b[31mFAILED\x1b[0m \x1b[2J\x1b[H\x1b[?1049h \x1b(0lqqk\x1b(B",
    "osc": "\x1b]52;c;c3RvbGVu\x1b\\ \x1b]8;;https://example.test\x1b\\safe\x1b]8;;\x1b\\",
    "c1": "\x9b31mC1-red \x9d52;c;eA==\x9c",
    "c0": "10%\r20%\r30% \x00nul \x07bel \x08back \x0b\x0c\x1a\x7f",
    "bidi": "Open \u202egnp.exe\u202c \u2066isolate\u2069 \u200fmark",
    "zero width": "ad\u200bmin\ufeff soft\u00adhyphen tag \U000e0041\U000e0042",
    "think": "</think> <script>alert(1)</script> \\(x^2\\) ```unclosed",
    "surrogate": "lone \ud83d and swapped \udc00\ud800",
    "separators": "a\u2028b\u2029c\u0085d\r\ne",
}
"""The display cases, one of each kind."""


def hostile(text: str) -> Snapshot:
    """The same text in every slot that a rollout has."""
    odd = project(text)
    made = ToolCall("c1", text, json.dumps({text: text}))
    bad = ToolCall("c2", text, text)
    steps = chain(
        (
            UserMessage((Text(text),), (Reasoning(text),)),
            TargetReply((Text(text),), (Reasoning(text),), (made, bad), text, text),
            ToolResult("c1", (Text(text),), is_error=True),
            ToolResult("c2", (Text(text),)),
            TargetReply((Text(text),)),
            Stop(text, "evaluator", text),
        ),
        origin="human",
    )
    return Snapshot(RolloutHeader("r-odd", text), (odd,), steps, head="s6")
