"""ShareGPT rows as LLaMA-Factory takes them: ``{"conversations": [{"from", "value"}], "system",
"tools"}``, with human / gpt / function_call / observation.

LLaMA-Factory skips a row that does not alternate strictly, with only a warning, so such rows are
refused here. A reply with calls is one function_call (a list in its value, where there are several)
and all its results are one observation (a JSON list of their texts, in the order of the calls).
Reasoning stands in ``<think>`` before the answer; text beside a call is lost there, so that it is
refused or put into ``<think>``, as the person chooses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ..errors import ExportError, Fault
from .chat_messages import Dialect, Message, chat_messages, renamed, row_text, subject_extra
from .chat_notes import (
    AS_OBJECTS,
    chat_notes,
    has_calls_of_others,
    listed,
    surrogate_notes,
    undeclared_notes,
)
from .chat_rules import (
    check_names,
    check_objects,
    check_pairs,
    check_said,
    fault,
    without_last_calls,
)
from .fitting import left_notes, up_to_last_reply
from .greeting import HINT, begins_with_greeting, greeted, greeting_notes
from .jsonl import RawJson, json_text, line_bytes, without_surrogates
from .openai_preference import side_of
from .preference import Pair, find_pairs, held_by
from .reading.tools import read_tools
from .rows import Row
from .source import plain
from .subject import Subject

HOLDS = frozenset({"messages", "tool_traffic", "tool_schemas", "reasoning"})
HEEDS = frozenset({"beside_call", "greeting", "renames", "prune_nulls", "strip_stop"})
FORMATS = frozenset({"sharegpt"})

KEYS = "$keys"
"""The key of ``Subject.extra`` that lists the keys of the source's row, in their order."""
RANKING = "$ranking"
"""The key of ``Subject.extra`` that says that the source is a row of two answers."""

THINK, END = "<think>\n", "\n</think>\n\n"
"""How LLaMA-Factory's templates have reasoning before an answer; to the letter."""

_NO_KEYS = dict.fromkeys(("system", "developer", "user", "assistant", "tool"), frozenset[str]())
_TAGS = {"user": "human", "tool": "observation"}
_TURNS = ({"human", "observation"}, {"gpt", "function_call"})
_ALTERNATE = "a human or observation comes first, then a gpt or function_call, and so on"


class Said(msgspec.Struct, frozen=True):
    """One entry of ``conversations``, and the numbers of its steps (several results are one)."""

    tag: str
    value: str
    steps: tuple[int, ...]


_DIALECT = Dialect(FORMATS, objects=True, reasoning="reasoning_content", empty="", keys=_NO_KEYS)


def holds_also(subject: Subject) -> frozenset[str]:
    """Of rows of two answers, verdicts and branches, where they are nothing but these."""
    if RANKING not in subject_extra(subject, FORMATS):
        return frozenset()
    return held_by(find_pairs(subject, reasoning=True).pairs, subject)


def rows(subject: Subject) -> Iterator[Row]:
    """The row, or one of two answers where the source has such. Raises ExportError."""
    faults = check(subject)
    if faults:
        raise ExportError("\n".join(each.render() for each in faults))
    extra = subject_extra(subject, FORMATS)
    if RANKING in extra:
        yield from (_ranking_row(subject, pair, extra) for pair in _own_pairs(subject))
        return
    messages = _fitted(subject)
    system, said = _conversation(messages, subject)
    yield _row(subject, system, said, {}, extra)


def check(subject: Subject) -> tuple[Fault, ...]:
    """Everything for which LLaMA-Factory would skip this row, or fail on it."""
    if RANKING not in subject_extra(subject, FORMATS):
        messages = _fitted(subject)
        return tuple([*_faults(subject, messages), *_check_turns(messages, subject)])
    faults: dict[Fault, None] = {}
    for pair in _own_pairs(subject):
        for side in (pair.chosen, pair.rejected):
            whole = side_of(subject, pair, side)
            messages = chat_messages(whole, _DIALECT)
            found = [*_faults(whole, messages, open_end=True), *_check_turns(messages, whole)]
            faults.update(dict.fromkeys(found))
    return tuple(faults)


def notes(subject: Subject) -> tuple[str, ...]:
    """What is written in a way of its own."""
    messages = chat_messages(subject, _DIALECT)
    found: list[str] = []
    if RANKING not in subject_extra(subject, FORMATS):
        kept = up_to_last_reply(subject, messages)
        found += [*left_notes(messages, kept), *greeting_notes(subject, kept)]
        messages = greeted(subject, kept)
    found += [*surrogate_notes(messages), *chat_notes(subject, messages, FORMATS)]
    found += undeclared_notes(subject)
    beside = [m.step for m in messages if m.body.get("tool_calls") and m.body["content"]]
    if beside and subject.options.beside_call == "think":
        found.append(f"text beside a call (step {listed(beside)}) is written as reasoning")
    several = [m.step for m in messages if len(m.body.get("tool_calls", ())) > 1]
    if several:
        found.append(
            f"the results of several calls (step {listed(several)}) are one observation: a JSON "
            "list of their texts, in the order of the calls"
        )
    taken = [m.step for m in messages if m.body["role"] == "assistant" and _looks_reasoned(m)]
    if taken:
        found.append(f"text that begins with <think> (step {listed(taken)}) is taken for reasoning")
    if has_calls_of_others(subject, messages, FORMATS):
        found.append("ids of calls are not written: results follow their calls")
        found.append(AS_OBJECTS)
    return tuple(found)


def _fitted(subject: Subject) -> list[Message]:
    """The messages as LLaMA-Factory can take them, as far as the person wants that."""
    return greeted(subject, up_to_last_reply(subject, chat_messages(subject, _DIALECT)))


def _faults(
    subject: Subject, messages: Sequence[Message], *, open_end: bool = False
) -> Iterator[Fault]:
    yield from check_pairs(without_last_calls(messages) if open_end and messages else messages)
    yield from check_said(messages)
    yield from check_names(messages, subject.project.tools, subject.options, strict=False)
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        calls = message.body.get("tool_calls", ())
        yield from check_objects(message, where)
        if calls and message.body["content"] and subject.options.beside_call == "refuse":
            rule = "a function_call has no place for text"
            hint = "Have it written as reasoning (--beside-call think)."
            yield fault("text stands beside a call", message.step, f"{where}.content", rule, hint)
        if "</think>" in message.body.get("reasoning_content", ""):
            rule = "it ends at the first </think>"
            where = f"{where}.reasoning_content"
            yield fault("the reasoning holds </think>", message.step, where, rule)


def _check_turns(messages: Sequence[Message], subject: Subject) -> Iterator[Fault]:
    for index, message in enumerate(messages):
        if message.body["role"] in ("system", "developer") and index:
            rule = "a system text stands at the beginning only"
            where = f"messages[{index}].role"
            yield fault("it is a system message", message.step, where, rule)
            return
    _, said = _conversation(messages, subject)
    for index, each in enumerate(said):
        if each.tag not in _TURNS[index % 2]:
            where = f"conversations[{index}].from"
            hint = HINT if not index and begins_with_greeting(messages) else ""
            yield fault(f"it is {each.tag}", each.steps[0], where, _ALTERNATE, hint)
            return
    ranking = RANKING in subject_extra(subject, FORMATS)
    if not said:
        yield Fault("there is nothing to learn from.", where="conversations")
    elif said[-1].tag != "gpt" and not (ranking and said[-1].tag == "function_call"):
        hint = "Play on to the target's reply, or export up to the last one."
        where = f"conversations[{len(said) - 1}].from"
        rule = "the last is a gpt"
        yield fault(f"it is {said[-1].tag}", said[-1].steps[0], where, rule, hint)


def _conversation(
    messages: Sequence[Message], subject: Subject
) -> tuple[str | None, tuple[Said, ...]]:
    """The system text, and the entries of the conversation."""
    system = None
    said: list[Said] = []
    order: list[str] = []
    results: list[Message] = []
    for message in messages:
        body = message.body
        if body["role"] == "tool":
            results.append(message)
            continue
        _add_results(said, results, order)
        if body["role"] in ("system", "developer"):
            system = _text(body["content"]) if system is None else system
        elif body["role"] == "user":
            said.append(Said("human", _text(body["content"]), (message.step,)))
        else:
            order = [call["id"] for call in body.get("tool_calls", ())]
            said.append(_reply(message))
    _add_results(said, results, order)
    return system, tuple(said)


def _add_results(said: list[Said], results: list[Message], order: list[str]) -> None:
    """All results of a reply as one observation, in the order of the calls."""
    if not results:
        return
    places = {call_id: place for place, call_id in enumerate(order)}
    ordered = sorted(results, key=lambda m: places.get(m.body.get("tool_call_id", ""), len(order)))
    texts = [_text(message.body["content"]) for message in ordered]
    value = texts[0] if len(texts) == 1 else json_text(texts)
    said.append(Said("observation", value, tuple(message.step for message in ordered)))
    results.clear()


def _reply(message: Message) -> Said:
    body = message.body
    thought = body.get("reasoning_content", "")
    text = _text(body["content"])
    calls = body.get("tool_calls", ())
    if calls and text:
        thought = f"{thought}\n\n{text}" if thought else text
    before = f"{THINK}{thought}{END}" if thought else ""
    if not calls:
        return Said("gpt", before + text, (message.step,))
    made = [
        {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}
        for call in calls
    ]
    value = without_surrogates(json_text(made[0] if len(made) == 1 else made))
    return Said("function_call", before + value, (message.step,))


def _text(content: Any) -> str:
    return content if isinstance(content, str) else ""


def _looks_reasoned(message: Message) -> bool:
    return not message.body.get("reasoning_content") and _text(message.body["content"]).startswith(
        "<think>"
    )


def _own_pairs(subject: Subject) -> tuple[Pair, ...]:
    """The pairs whose chosen side is on this trajectory: each row is written from there."""
    here = {step.id for step in subject.trajectory.steps}
    found = find_pairs(subject, reasoning=True).pairs
    return tuple(pair for pair in found if pair.chosen.id in here)


def _ranking_row(subject: Subject, pair: Pair, extra: dict[str, Any]) -> Row:
    sides: dict[str, Said] = {}
    system: str | None = None
    said: tuple[Said, ...] = ()
    for name, step in (("rejected", pair.rejected), ("chosen", pair.chosen)):
        whole = side_of(subject, pair, step)
        system, said = _conversation(chat_messages(whole, _DIALECT), whole)
        sides[name] = said[-1]
    answers = {name: _entry(sides[name]) for name in ("chosen", "rejected")}
    return _row(subject, system, said[:-1], answers, extra)


def _entry(said: Said) -> dict[str, str]:
    return {"from": said.tag, "value": said.value}


def _row(
    subject: Subject,
    system: str | None,
    said: Sequence[Said],
    answers: dict[str, Any],
    extra: dict[str, Any],
) -> Row:
    keys = extra.get(KEYS)
    row: dict[str, Any] = {"conversations": [_entry(each) for each in said], **answers}
    row["system"] = system or ""
    row["tools"] = _tools(subject, extra)
    row.update({key: plain(v) for key, v in extra.items() if key[:1] != "$"})
    if isinstance(keys, list):
        row = {key: row[key] for key in keys if key in row} | {
            key: value for key, value in row.items() if value or key in keys
        }
    steps = tuple(number for each in said for number in each.steps)
    return Row(line_bytes(without_surrogates(row_text(row))), steps)


def _tools(subject: Subject, extra: dict[str, Any]) -> str:
    """The declarations as JSON text, as LLaMA-Factory has them: without the function's wrapping."""
    tools, options = subject.project.tools, subject.options
    raw = extra.get("$tools")
    unchanged = isinstance(raw, str) and read_tools(raw, "", lambda words, where: None) == tools
    if isinstance(raw, str) and unchanged and not options.renames:
        return raw
    if not tools:
        return ""
    found = [
        {
            "name": renamed(tool.name, options),
            "description": tool.description,
            "parameters": RawJson(tool.parameters),
        }
        for tool in tools
    ]
    return without_surrogates(json_text(found))
