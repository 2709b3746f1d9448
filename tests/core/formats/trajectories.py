"""Trajectories that hypothesis makes up, legal ones and others."""

from __future__ import annotations

from json.encoder import encode_basestring

from hypothesis import strategies as st
from rollstep.core.formats.subject import Subject
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
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
from rollstep.core.model.project import EchoTarget, Tool

from .conftest import make_project, make_subject
from .trees import Tree

TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            *("", " ", "\x00", "\u2028\x85", "\ufeff", "a\r\nb", "<think>\nx\n</think>\n\ny"),
            *('{"name": "get"}', "null", "[1]", '"', "\\", "\\ud83d", "👩‍🌾", "[/bold]"),
        ]
    ),
)
SAID = TEXTS.filter(bool)
NUMBERS = st.sampled_from(["1", "1.10", "-0", "1E5", "12345678901234567890123", "true", "null"])
NAMES = ("get_order", "pay", "list-all")


@st.composite
def objects(draw: st.DrawFn) -> str:
    """Arguments as a JSON object, in the spelling that a parser's output is written in."""
    keys = draw(st.lists(st.text(max_size=4), unique=True, max_size=3))
    values = [draw(st.one_of(NUMBERS, TEXTS.map(encode_basestring))) for _ in keys]
    pairs = zip(map(encode_basestring, keys), values, strict=True)
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"


@st.composite
def exchanges(
    draw: st.DrawFn, arguments: st.SearchStrategy[str], beside: bool, ids: list[int]
) -> list[Payload]:
    """A message, the target's rounds of calls with their results, and its reply."""
    payloads: list[Payload] = [UserMessage((Text(draw(TEXTS)),))]
    for _ in range(draw(st.integers(0, 2))):
        calls = []
        for _ in range(draw(st.integers(1, 3))):
            ids.append(len(ids))
            name = draw(st.sampled_from(NAMES))
            calls.append(ToolCall(f"call_{len(ids)}", name, draw(arguments)))
        said = (Text(draw(SAID)),) if beside and draw(st.booleans()) else ()
        payloads.append(TargetReply(said, draw(thoughts()), tuple(calls)))
        for call in draw(st.permutations(calls)):
            payloads.append(ToolResult(call.id, (Text(draw(TEXTS)),)))
    payloads.append(TargetReply((Text(draw(SAID)),), draw(thoughts())))
    return payloads


def thoughts() -> st.SearchStrategy[tuple[Reasoning, ...]]:
    """No reasoning, or one block of it."""
    texts = SAID.filter(lambda text: "</think>" not in text)
    return st.one_of(st.just(()), texts.map(lambda text: (Reasoning(text),)))


@st.composite
def subjects(
    draw: st.DrawFn,
    *,
    arguments: st.SearchStrategy[str] | None = None,
    beside: bool = True,
    notes: bool = True,
) -> Subject:
    """A trajectory that every trainer takes, with train marks and perhaps a stop.

    ``arguments`` are objects, unless told otherwise; ``beside``: with text beside calls; ``notes``:
    with system notes.
    """
    given = arguments if arguments is not None else objects()
    ids: list[int] = []
    payloads: list[Payload] = []
    for _ in range(draw(st.integers(1, 3))):
        payloads += draw(exchanges(given, beside, ids))
        if notes and draw(st.booleans()):
            payloads.append(SystemNote((Text(draw(SAID)),)))
            payloads += draw(exchanges(given, beside, ids))
    replies = [i for i, p in enumerate(payloads, 1) if isinstance(p, TargetReply)]
    marks = [
        Mark(f"s{i}", train=draw(st.booleans())) for i in draw(st.sets(st.sampled_from(replies)))
    ]
    if draw(st.booleans()):
        payloads.append(Stop("goal_reached", "evaluator"))
    system = draw(st.one_of(st.none(), SAID))
    tools = tuple(Tool(name, draw(TEXTS)) for name in NAMES)
    project = make_project(target=EchoTarget(system), tools=tools)
    return make_subject(*payloads, project=project, marks=tuple(marks))


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A tree of edits and takes, with verdicts on some leaves."""
    tree = Tree(make_project(tools=tuple(Tool(name) for name in NAMES)))
    first = draw(subjects(notes=False))
    for step in first.trajectory.steps:
        tree.add(step.payload)
    spots = [s for s in tree.rollout.steps.values() if isinstance(s.payload, TargetReply)]
    for spot in draw(st.lists(st.sampled_from(spots), max_size=3)):
        other = TargetReply((Text(draw(SAID)),), draw(thoughts()))
        if draw(st.booleans()):
            tree.edit(spot.id, other)
        else:
            tree.add(other, spot.parent_id)
    for leaf in tree.rollout.leaves():
        verdict = draw(st.sampled_from(["accept", "reject", None]))
        if verdict:
            tree.accept(leaf, verdict=verdict)
    return tree
