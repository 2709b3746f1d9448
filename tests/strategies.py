"""Hypothesis strategies for the model's types: any text that a Python string can hold."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.history import Command, Draft
from rollstep.core.model.marks import Mark, Score, Silence
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
from rollstep.core.model.project import (
    EchoTarget,
    EvaluatorLine,
    HeuristicEvaluator,
    Project,
    RulesSimulator,
    ScriptedCall,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
    Tool,
    ToolRule,
    When,
)
from rollstep.core.model.rollout import Branch, RolloutHeader
from rollstep.core.model.steps import Attempt, Call, Step, Usage, role_of
from rollstep.core.store.change import Saved

_ODD = (
    "\ud83d\ude00",  # a high and a low surrogate that do not belong together
    "\ude00\ud83d",
    "\ud800",
    "😀",
    "\u2028\u2029\x85",
    "\r\n\x00\x1b]52;c;x\x07\x9b31m",
    "\u202e[/bold]",
    '"\\ud83d\\ude00"',
    "下单退款",
    "\ufeff",
)

texts = st.one_of(
    st.text(st.characters(codec=None), max_size=20),
    st.lists(st.sampled_from(_ODD), max_size=3).map("".join),
    st.sampled_from(["", " ", "refund", "The order is on its way."]),
)
"""Any text, lone surrogates included, and often one that has hurt somebody."""

names = st.text("abcdefgh_", min_size=1, max_size=8)
floats = st.floats(0, 1e9, allow_nan=False)
json_objects = st.dictionaries(names, st.integers() | st.text(max_size=5), max_size=2).map(
    lambda value: msgspec.json.encode(value).decode()
)


def _tuples(of: st.SearchStrategy[Any], most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=most).map(tuple)


parts = st.one_of(
    st.builds(Text, texts),
    st.builds(OtherPart, names, texts, st.integers(0, 10**9), texts),
)
reasonings = st.builds(Reasoning, texts, st.none() | texts, st.none() | texts)
tool_calls = st.builds(ToolCall, texts, texts, texts, st.booleans())

user_messages = st.builds(UserMessage, _tuples(parts), _tuples(reasonings), _tuples(tool_calls))
target_replies = st.builds(
    TargetReply, _tuples(parts), _tuples(reasonings), _tuples(tool_calls), texts, texts
)
tool_results = st.builds(ToolResult, texts, _tuples(parts), st.booleans())
stops = st.builds(Stop, texts, st.sampled_from(["evaluator", "rule", "human"]), texts)
payloads: st.SearchStrategy[Payload] = st.one_of(
    user_messages,
    target_replies,
    tool_results,
    st.builds(SystemNote, _tuples(parts)),
    stops,
)
"""Every payload type, legal by the types, in any place."""

usages = st.builds(Usage, *[st.integers(0, 10**6)] * 4, st.booleans())
calls = st.builds(
    Call, texts, texts, st.just(""), usages, st.none() | floats, floats, st.integers(1, 5), texts
)
_origins = st.sampled_from(["model", "script", "human", "import", "rule"])


@st.composite
def steps(draw: st.DrawFn, step_id: str = "s1", parent_id: str | None = None) -> Step:
    """One step that has not been saved yet, with any payload."""
    payload = draw(payloads)
    return Step(
        step_id,
        parent_id,
        role_of(payload),
        payload,
        draw(_origins),
        author=draw(texts),
        reason=draw(texts),
        replaces=draw(st.none() | names),
        copied_from=draw(st.none() | names),
        injected=draw(texts),
        late=draw(st.booleans()),
        created_at=draw(floats),
        call=draw(st.none() | calls),
        script_index=draw(st.none() | st.integers(0, 99)),
        state=draw(st.none() | texts),
        state_stale=draw(st.booleans()),
    )


@st.composite
def step_trees(draw: st.DrawFn, most: int = 6) -> tuple[Step, ...]:
    """Steps numbered from 1, each under an earlier one or at the root."""
    made: list[Step] = []
    for number in range(draw(st.integers(0, most))):
        parent = draw(st.sampled_from([None, *(step.id for step in made)]))
        step = draw(steps(f"step-{number}", parent))
        made.append(msgspec.structs.replace(step, seq=number + 1))
    return tuple(made)


whens = st.builds(When, st.none() | texts, turn=st.none() | st.integers(1, 9))
_evaluators = st.one_of(
    st.builds(
        ScriptedEvaluator,
        _tuples(st.builds(EvaluatorLine, texts, when=st.none() | whens, takes=_tuples(texts))),
        persona=texts,
    ),
    st.builds(HeuristicEvaluator, persona=texts),
)
_targets = st.one_of(
    st.builds(
        ScriptedTarget,
        _tuples(
            st.builds(
                TargetLine,
                texts,
                tool_calls=_tuples(st.builds(ScriptedCall, names, json_objects)),
            )
        ),
        st.none() | texts,
    ),
    st.builds(EchoTarget, st.none() | texts),
)
projects = st.builds(
    Project,
    texts,
    _targets,
    _evaluators,
    goal=texts,
    opening=st.none() | texts,
    max_turns=st.integers(1, 20),
    tools=_tuples(st.builds(Tool, names, texts, json_objects)),
    tool_simulator=st.none()
    | st.builds(RulesSimulator, _tuples(st.builds(ToolRule, names, json_objects))),
)
"""Projects that run offline."""

headers = st.builds(
    RolloutHeader,
    st.text("0123456789abcdef", min_size=8, max_size=16),
    texts,
    floats,
    st.integers(0, 2**80),
    texts,
    st.none() | st.integers(0, 10**6),
)
branches = st.builds(Branch, names, texts, st.booleans())
marks = st.builds(
    Mark,
    names,
    st.sampled_from([None, "accept", "reject", "unsure"]),
    st.none() | st.integers(1, 5),
    _tuples(texts),
    texts,
    st.sampled_from([None, True, False]),
    texts,
)
scores = st.builds(
    Score, names, st.none() | texts | st.floats(allow_nan=False), texts, texts, _tuples(names)
)
silences = st.builds(Silence, names, names, texts, texts, floats, st.booleans())
breakpoints = st.builds(
    Breakpoint,
    st.none() | texts,
    name=texts,
    before=st.booleans(),
    enabled=st.booleans(),
    ignore=st.integers(0, 9),
)
attempts = st.builds(
    Attempt, names, st.none(), st.sampled_from(["evaluator", "target", "tool"]), names, texts
)
drafts = st.builds(Draft, texts, texts, floats)


@st.composite
def saved_rollouts(draw: st.DrawFn) -> Saved:
    """A whole rollout as a library gives it back: a tree of steps and all that goes with them."""
    made = draw(step_trees())
    ids = [step.id for step in made]
    return Saved(
        draw(headers),
        draw(st.lists(projects, min_size=1, max_size=2, unique=True).map(tuple)),
        made,
        attempts=_unique(draw(_tuples(attempts)), lambda each: each.id),
        commands=tuple(
            Command(n + 1, draw(texts), head_after=draw(st.none() | st.sampled_from(ids or [""])))
            for n in range(draw(st.integers(0, 2)))
        ),
        branches=_unique(draw(_tuples(branches)), lambda each: each.leaf_id),
        marks=_unique(draw(_tuples(marks)), lambda each: (each.step_id, each.by)),
        scores=_unique(draw(_tuples(scores)), lambda each: msgspec.to_builtins(each).__repr__()),
        silences=_unique(draw(_tuples(silences)), lambda each: (each.step_id, each.rule)),
        breakpoints=draw(st.none() | _tuples(breakpoints)),
        head=draw(st.sampled_from([None, "", *ids])),
        status=draw(st.sampled_from(["open", "ended", "parked", "failed"])),
        status_note=draw(texts),
    )


def _unique(values: tuple[Any, ...], key: Any) -> tuple[Any, ...]:
    return tuple({key(value): value for value in values}.values())
