"""What a query may ask of a step, and how each field is read from it.

``docs/query.md`` says the same to people; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from operator import attrgetter
from typing import Any

from ...model.edited import is_edit
from ...model.marks import Score
from ...model.messages import (
    STOP_REASONS,
    Stop,
    reasoning_text,
)
from ...model.steps import ROLES
from ..json_values import MISSING, at
from ..schemas import args_problem, result_problem
from ..searching import Search
from .compiling import SEARCHED, Known, Reader, Source, Test
from .nodes import Compare, Field, Has, Node, Not, Ref, Vocabulary
from .step_facts import Facts

STEPS = Vocabulary(
    (
        Field("role", "word", "Whose step it is.", ROLES, only=True),
        Field(
            "kind",
            "word",
            "What the step is.",
            ("message", "reply", "result", "stop", "note"),
            only=True,
        ),
        Field("tool", "word", "The tool that is called, or whose call is answered."),
        Field(
            "args",
            "json",
            "The arguments of the call, or what a JSON pointer finds in them: args/order_id.",
            member="pointer",
        ),
        Field(
            "result",
            "json",
            "What the tool answered, or what a JSON pointer finds in it: result/items/0.",
            member="pointer",
        ),
        Field("text", "text", "What was said or answered; a stop's note."),
        Field("reasoning", "text", "The reasoning that came with it."),
        Field("turn", "number", "The number of the turn, from 1."),
        Field("step", "number", "The place in the path, from 1."),
        Field(
            "cost", "number", "Dollars so far, this step included; unknown prices count nothing."
        ),
        Field("tokens", "number", "Tokens so far, this step included."),
        Field(
            "repeated",
            "number",
            "How often this message and reply came in a row; known at a reply that ends a turn.",
        ),
        Field("failure", "flag", "The result says that the tool failed."),
        Field(
            "invalid",
            "flag",
            "A call's arguments break the tool's parameters, or a result its returns.",
        ),
        Field("stop", "word", "Why it ended; alone: it is a stop.", (*STOP_REASONS, "max_steps")),
        Field(
            "origin",
            "word",
            "Where the step came from.",
            ("model", "script", "human", "import", "rule"),
            only=True,
        ),
        Field("edited", "flag", "A human changed the play here."),
        Field("injected", "word", "The fault that was put here; alone: any fault."),
        Field("late", "flag", "The answer came after the human had moved away."),
        Field("model", "word", "The model that made the step."),
        Field(
            "score",
            "json",
            "Scores that cite the step (at a stop: of the whole rollout); score.NAME for one.",
            member="name",
        ),
    ),
    text="text",
)
"""Everything that a query may ask of a step."""


_ROLE_OF = {
    "message": "evaluator",
    "stop": "evaluator",
    "reply": "target",
    "note": "target",
    "result": "tool",
}


def source_for(shape: str) -> Source:
    """How fields are read of things of this shape."""
    first, _, rest = shape.partition(" ")
    before, kind = first == "before", first
    calls = rest == "with calls"
    known: dict[str, Any] = {}
    if before:
        known = dict.fromkeys((*_OF_STEPS, "kind", "result", "reasoning", "stop", "score"), MISSING)
        known |= dict.fromkeys(_FLAGS, False)
    else:
        known["kind"] = kind
        if kind != "result":
            known |= {"result": MISSING, "failure": False}
        if kind != "stop":
            known["stop"] = MISSING
        if kind not in ("message", "reply"):
            known["reasoning"] = MISSING
        if kind != "result" and not calls:
            known["invalid"] = False
    known["role"] = rest if before else _ROLE_OF[kind]
    if shape not in ("reply", "before evaluator"):
        known["repeated"] = MISSING
    if not calls and shape not in ("result", "before tool"):
        known |= {"tool": MISSING, "args": MISSING}

    def source(ref: Ref) -> Known | Reader:
        if ref.name in known:
            return Known(known[ref.name])
        if ref.name == "invalid":
            return Reader(_result_invalid if kind == "result" else _args_invalid)
        if ref.name == "score":
            return _score_reader(ref)
        if ref.member:
            return _pointer_reader(ref)
        if shape == "reply" and ref.name == "repeated":
            return Reader(attrgetter("repeated"), number=True)
        return _READERS[ref.name]

    return source


_OF_STEPS = ("origin", "injected", "model")
_FLAGS = ("failure", "invalid", "edited", "late")


def _pointer_reader(ref: Ref) -> Reader:
    tokens = ref.member
    if ref.name == "args":
        return Reader(lambda facts: at(facts.arguments(), tokens))
    return Reader(lambda facts: at(facts.result(), tokens))


def _score_reader(ref: Ref) -> Reader:
    name = ref.member[0] if ref.member else None

    def read(facts: Facts) -> tuple[Any, ...]:
        step = facts.step
        return tuple(_values(facts.scores, name, step.id, isinstance(step.payload, Stop)))

    return Reader(read, many=True)


def _values(scores: Iterable[Score], name: str | None, step_id: str, ends: bool) -> Iterable[Any]:
    for score in scores:
        about = step_id in score.step_ids or (ends and not score.step_ids)
        if about and score.value is not None and name in (None, score.name):
            yield score.value


def _tool(facts: Facts) -> Any:
    call = facts.call
    return MISSING if call is None else call.name


def _contains(wanted: str) -> Test:
    return lambda facts: wanted in (facts._folded or facts.folded())


def _matches(search: Search) -> Test:
    return lambda facts: bool(search(facts._text or facts.text(), 0, SEARCHED))


def _args_contain(wanted: str) -> Test:
    return lambda facts: facts.call is not None and wanted in facts.call.arguments.casefold()


def _args_match(search: Search) -> Test:
    def matches(facts: Facts) -> bool:
        call = facts.call
        return call is not None and bool(search(call.arguments, 0, SEARCHED))

    return matches


_SHORT = 2000
"""Arguments and results up to this many characters are remembered with the schema's verdict."""

_known_args = lru_cache(maxsize=1024)(args_problem)
_known_result = lru_cache(maxsize=1024)(result_problem)


def _reasoning(facts: Facts) -> Any:
    blocks = facts.said.reasoning  # type: ignore[union-attr]
    return reasoning_text(blocks) if blocks else MISSING


def _repeated(facts: Facts) -> Any:
    return facts.repeated or MISSING


def _args_invalid(facts: Facts) -> bool:
    call, project = facts.call, facts.project
    if call is None or not project.tools:
        return False
    tool = project.tool(call.name)
    if tool is None:
        return True
    problem = _known_args if len(call.arguments) <= _SHORT else args_problem
    return bool(problem(tool, call.arguments))


def _result_invalid(facts: Facts) -> bool:
    call = facts.call
    if call is None or facts.said.is_error:  # type: ignore[union-attr]
        return False
    tool = facts.project.tool(call.name)
    if tool is None or tool.returns is None:
        return False
    text = facts.text()
    problem = _known_result if len(text) <= _SHORT else result_problem
    return bool(problem(tool, text))


def _is_edit(facts: Facts) -> bool:
    return is_edit(facts.step, facts.project)


_READERS: dict[str, Reader] = {
    "tool": Reader(_tool),
    "args": Reader(Facts.arguments, _args_contain, _args_match),
    "result": Reader(Facts.result, _contains, _matches),
    "text": Reader(Facts.text, _contains, _matches),
    "reasoning": Reader(_reasoning),
    "turn": Reader(attrgetter("turn"), number=True),
    "step": Reader(attrgetter("place"), number=True),
    "cost": Reader(attrgetter("cost"), number=True),
    "tokens": Reader(attrgetter("tokens"), number=True),
    "repeated": Reader(_repeated),
    "failure": Reader(lambda facts: facts.said.is_error),
    "stop": Reader(lambda facts: facts.said.reason),
    "origin": Reader(lambda facts: facts.step.origin),
    "edited": Reader(_is_edit),
    "injected": Reader(lambda facts: facts.step.injected or MISSING),
    "late": Reader(lambda facts: facts.step.late),
    "model": Reader(lambda facts: facts.step.call.model if facts.step.call else MISSING),
}


def tools_named(node: Node) -> tuple[str, ...]:
    """The tools that a query names in full."""
    if isinstance(node, Compare):
        named = node.ref.name == "tool" and node.op in ("=", "!=")
        return (str(node.value),) if named else ()
    if isinstance(node, Not):
        return tools_named(node.part)
    if isinstance(node, Has):
        return ()
    return tuple(name for part in node.parts for name in tools_named(part))


def fields_named(node: Node) -> frozenset[str]:
    """The fields that a query asks for."""
    if isinstance(node, Compare | Has):
        return frozenset((node.ref.name,))
    if isinstance(node, Not):
        return fields_named(node.part)
    return frozenset().union(*map(fields_named, node.parts))
