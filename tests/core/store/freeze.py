"""Makes the frozen files of the store's tests: ``python -m tests.core.store.freeze``.

Run once for each new version of the library or the bundle, and never again for one that has been
released: the files are the proof that old ones open.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.history import Command, Draft
from rollstep.core.model.marks import Mark, Score, Silence
from rollstep.core.model.messages import (
    OtherPart,
    Reasoning,
    Stop,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from rollstep.core.model.rollout import Branch, RolloutHeader
from rollstep.core.model.steps import Attempt, Call, Step, Usage
from rollstep.core.store import bundle, schema
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

from tests.core.store.making import PROJECT

DATA = Path(__file__).parent / "data"

_CALL = Call("some-model", '{"temperature":0.5}', "d1", Usage(10, 5), 0.001, 1.5, 2, "resp-1")
_STEPS = (
    Step(
        "s1",
        None,
        "evaluator",
        UserMessage((Text("My \ud800 order 😀 broke."),), (Reasoning("be rude", "sig", "{}"),)),
        "script",
        created_at=1.5,
        script_index=0,
    ),
    Step(
        "s2",
        "s1",
        "target",
        TargetReply(
            (Text("我来办理退款"), OtherPart("image", "image/png", 4, '{"url":"x"}')),
            (Reasoning("policy"),),
            (ToolCall("c1", "get_order", '{ "id": 4471 }', made_id=True),),
            "tool_calls",
        ),
        "model",
        call=_CALL,
    ),
    Step(
        "s3",
        "s2",
        "tool",
        ToolResult("c1", (Text("\u2028 not found"),), is_error=True),
        "model",
        state='{"n":1}',
        injected="timeout",
    ),
    Step("s4", "s3", "target", TargetReply((), refusal="No."), "model", author="some-model"),
    Step(
        "s5",
        "s3",
        "target",
        TargetReply((Text("\ud83d\ude00"),)),
        "human",
        author="ann",
        reason="kinder",
        replaces="s4",
        revision=1,
    ),
    Step("s6", "s5", "evaluator", Stop("goal_reached", "evaluator", "thanks"), "script"),
)

CHANGE_1 = Change(
    "0123abcd",
    RolloutHeader("0123abcd", "Refund", 1.0, 7, "refund.yaml", 3),
    (PROJECT, msgspec.structs.replace(PROJECT, goal="Another goal")),
    _STEPS,
    (("d1", '{"messages": "' + "again and again " * 100 + '"}'),),
    (Attempt("a1", "s3", "target", "timeout", "No complete reply in 120 s.", partial="I am"),),
    (Command(1, "edit", ("s5",), head_before="s4", head_after="s5", revision_after=1),),
    (Branch("s6", "kinder"), Branch("s4", hidden=True)),
    (Mark("s6", "accept", 5, ("refund",), "good", by="ann", at=2.0), Mark("s2", train=False)),
    (Score("reward", 0.5, "half", "judge", ("s2",)), Score("label", "fine")),
    "s6",
    "ended",
    "by the evaluator",
)
CHANGE = msgspec.structs.replace(
    CHANGE_1,
    projects=(
        PROJECT,
        msgspec.structs.replace(PROJECT, breakpoints=(Breakpoint("turn >= 2", role="tool"),)),
    ),
    silences=(Silence("s2", "state-drift", "meant \ud800 so", "ann", 2.5),),
    breakpoints=(Breakpoint(tool="get_order", name="order", ignore=1), Breakpoint("failure")),
)
"""What the newest version holds."""
DRAFT = Draft("override:s2", '{"text":"half a th\ud800"}', 3.0)


def main() -> None:
    DATA.mkdir(exist_ok=True)
    path = DATA / f"library_v{schema.VERSION}.sqlite"
    path.unlink(missing_ok=True)
    with Library.open(path, clock=lambda: 1234.5) as library:
        library.commit(CHANGE)
        library.commit_many(
            [Change("cafe", RolloutHeader("cafe", "Not indexed yet"), (PROJECT,), _STEPS[:1])]
        )
        library.save_draft(CHANGE.rollout_id, DRAFT)
        write_bundle(
            [library.load("0123abcd"), library.load("cafe")],
            DATA / f"bundle_v{bundle.VERSION}.rollstep.jsonl",
            requests=library.request,
            force=True,
        )
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("VACUUM")
    connection.close()


if __name__ == "__main__":
    main()
