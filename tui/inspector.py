"""The inspector's documents: the message, what each role was sent, the raw step, the difference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from rollstep.core.model.messages import (
    OtherPart,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
    payload_text,
    reasoning_text,
)
from rollstep.core.model.steps import Attempt, Role, Step
from rollstep.core.rules.limits import in_dollars
from rollstep.core.rules.stops import held_back

from .bars import here_words, key_here
from .document import Block, Document
from .failing import what_now
from .presenter import DebuggerModel
from .prices import reckoned, spent
from .requests import NOT_STORED, Stored
from .scored import score_blocks
from .stepview import call_text, first_words, other_part, stop_title
from .who import NAMES, made_by

_DIFF_LINES = 3000
"""Lines on either side that a difference is made of at most."""
_TAKES_NEAR = 10
"""Takes before and after the one shown that are listed."""
_FAILURES = 8
"""Failures of one place that are shown, the last ones: as many takes as are asked for at once."""
_LEAST_SECONDS = 0.5
"""Of a call before which no speed can be told."""
_PRETTY = 100_000
"""JSON longer than this is shown as it came."""


class Tab(NamedTuple):
    """One page of the inspector."""

    id: str
    label: str
    role: Role | None = None


TABS = (
    Tab("message", "Message"),
    Tab("sent_evaluator", "Sent:E", "evaluator"),
    Tab("sent_target", "T", "target"),
    Tab("sent_tool", "S", "tool"),
    Tab("raw", "Raw"),
    Tab("diff", "Diff"),
)


def document(
    model: DebuggerModel, tab: Tab, stored: Stored = NOT_STORED, *, reading: bool = False
) -> Document:
    """The page for the step under the cursor. ``stored`` is the request that was sent, if any is;
    ``reading`` leaves out what keys do, where they do it not.
    """
    step = model.step
    if step is None:
        return Document(list(_project(model, reading)))
    if tab.role is not None:
        from .sent import sent_blocks

        return Document(list(sent_blocks(model, tab.role, stored)), at_end=True)
    if tab.id == "raw":
        return Document([Block("text", raw_text(step))])
    if tab.id == "diff":
        return Document(list(_difference(model, step)))
    return Document(list(_message(model, step, reading)))


def _project(model: DebuggerModel, reading: bool) -> Iterator[Block]:
    project = model.project
    yield from score_blocks(model)
    yield Block("title", project.title)
    if project.goal:
        yield Block("text", project.goal)
    yield from _failures(model.attempts.get(None, []))
    if not reading:
        yield from _here(model)


def _message(model: DebuggerModel, step: Step, reading: bool) -> Iterator[Block]:
    index = model.cursor
    yield from score_blocks(model)
    yield Block(step.role + ":strong", f"{index + 1} {kind_words(step.payload)}")
    yield Block("dim", _made(step))
    if step.injected:
        yield Block("warn", f"injected: {step.injected}")
    if step.reason:
        yield Block("human", f"reason: {step.reason}")
    if step.call is not None and step.call.note:
        yield Block("warn", step.call.note)
    call = model.path.call.get(index)
    if call is not None:
        yield Block("dim", f"answers {call_text(call)}")
    yield from payload_blocks(step.payload)
    yield from _state(step)
    yield from _flags(model, step, reading)
    yield from _breaks(model)
    yield from _takes(model, step, reading)
    yield from _failures(model.attempts.get(step.id, []), not reading and not model.ahead)
    if not reading:
        yield from _here(model)


def _state(step: Step) -> Iterator[Block]:
    """The tool simulator's own state after this result."""
    if step.state is None:
        return
    yield Block("text", "")
    stale = ", from before this edit" if step.state_stale else ""
    yield Block("heading", f"the simulator's state after this{stale}")
    yield Block("text", pretty(step.state), 2)


def kind_words(payload: Payload) -> str:
    """What kind of step it is, for titles."""
    if isinstance(payload, Stop):
        return stop_title(payload)
    return {
        UserMessage: "evaluator message",
        TargetReply: "target reply",
        ToolResult: "tool result",
        SystemNote: "system note",
    }[type(payload)]


def _made(step: Step) -> str:
    pieces = [made_by(step)]
    call = step.call
    if call is not None:
        used = call.usage
        about = "~" if used.estimated else ""
        pieces.append(f"{about}{used.prompt_tokens:,} + {used.completion_tokens:,} tokens")
        if call.cost is not None:
            pieces.append(about + in_dollars(call.cost))
        elif used.tokens:
            pieces.append("price unknown")
        if call.seconds:
            pieces.append(f"{call.seconds:.1f} s")
        if call.first_token_seconds:
            pieces.append(f"first token after {call.first_token_seconds:.1f} s")
        speed = call.tokens_per_second
        if speed is not None and call.seconds >= _LEAST_SECONDS:
            pieces.append(f"{speed:,.0f} tokens/s")
        if call.attempts > 1:
            pieces.append(f"{call.attempts} tries")
    if not step.seq:
        pieces.append("not saved yet")
    return ", ".join(pieces)


def payload_blocks(payload: Payload) -> Iterator[Block]:
    """All of a step's content, whole."""
    yield Block("text", "")
    if isinstance(payload, Stop):
        if held_back(payload):
            yield Block("dim", "the evaluator's message, held back by the limit:")
        if payload.note:
            yield Block("text", payload.note)
        return
    if isinstance(payload, TargetReply | UserMessage) and payload.reasoning:
        yield Block("heading", "reasoning")
        yield Block("reasoning", reasoning_text(payload.reasoning))
        yield Block("text", "")
    text = parts_text(payload.parts)
    has_calls = isinstance(payload, TargetReply | UserMessage) and payload.tool_calls
    if text:
        yield Block("text", pretty(text) if isinstance(payload, ToolResult) else text)
    elif not has_calls:
        yield Block("dim", "(empty)")
    for part in payload.parts:
        if isinstance(part, OtherPart):
            yield Block("dim", other_part(part))
    if isinstance(payload, TargetReply) and payload.refusal:
        yield Block("error", f"refused: {payload.refusal}")
    if isinstance(payload, TargetReply | UserMessage):
        for call in payload.tool_calls:
            yield from call_blocks(call)


def call_blocks(call: ToolCall) -> Iterator[Block]:
    """A call, its arguments made readable."""
    yield Block("call", f"> {call.name}")
    if call.arguments not in ("", "{}"):
        yield Block("text", pretty(call.arguments), 2)


def pretty(text: str) -> str:
    """JSON with indentation, for reading only; anything else as it is. The Raw page and the
    editor have the text as it came.
    """
    if len(text) > _PRETTY or text[:1] not in ("{", "["):
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def _flags(model: DebuggerModel, step: Step, reading: bool) -> Iterator[Block]:
    found = model.lint.at(model.cursor)
    if not found:
        return
    silences = {each.rule: each for each in model.silences if each.step_id == step.id}
    yield Block("text", "")
    yield Block("heading", f"flags on this step{'' if reading else ' (! silences)'}")
    for flag in found:
        silence = silences.get(flag.rule)
        if silence is None:
            yield Block("warn", f"! {flag.words} ({flag.rule})")
        else:
            why = f": {silence.reason}" if silence.reason else ""
            yield Block("dim", f"silenced{why}; {flag.words} ({flag.rule})")


def _breaks(model: DebuggerModel) -> Iterator[Block]:
    """The breakpoints that hold at the step."""
    places = model.breaks_at(model.cursor)
    if not places:
        return
    from .breaks import reads

    yield Block("text", "")
    yield Block("heading", "breakpoints that hold here")
    for place in places:
        each = model.breakpoints[place]
        name = f'"{each.name}" ' if each.name else ""
        when = " (before it is made)" if each.before else ""
        yield Block("key", f"# {place + 1} {name}{reads(each)}{when}")


def _takes(model: DebuggerModel, step: Step, reading: bool) -> Iterator[Block]:
    takes = model.rollout.takes(step.id)
    if len(takes) < 2:
        return
    yield Block("text", "")
    keys = "" if reading else " (, and . walk them)"
    yield Block("heading", f"takes here: {len(takes):,}{keys}")
    here = takes.index(step.id) if step.id in takes else 0
    first = max(min(here - _TAKES_NEAR, len(takes) - 2 * _TAKES_NEAR - 1), 0)
    last = min(first + 2 * _TAKES_NEAR + 1, len(takes))
    if first:
        yield Block("dim", f"… {first:,} before")
    yield from _takes_between(model, step, takes, first, last)
    if last < len(takes):
        yield Block("dim", f"… {len(takes) - last:,} after")


def _takes_between(
    model: DebuggerModel, step: Step, takes: list[str], first: int, last: int
) -> Iterator[Block]:
    for place, take_id in enumerate(takes[first:last], first + 1):
        take = model.rollout.steps[take_id]
        here = ">" if take_id == step.id else " "
        by = "*" if take.origin == "human" else " "
        yield Block("strong" if here == ">" else "dim", f"{here}{place}{by} {_brief(take)}")


def _brief(step: Step) -> str:
    if isinstance(step.payload, Stop):
        return stop_title(step.payload)
    return first_words(step.payload, 200) or "(calls only)"


def _failures(attempts: list[Attempt], now: bool = True) -> Iterator[Block]:
    if not attempts:
        return
    yield Block("text", "")
    cancelled = any(attempt.kind == "cancelled" for attempt in attempts)
    what = "failed or cancelled" if cancelled else "failed"
    yield Block("heading", f"{what} here: {len(attempts)}")
    for attempt in attempts[-_FAILURES:]:
        yield Block("error", f"{NAMES[attempt.role]}: {attempt.words}")
        if used := _used(attempt):
            yield Block("dim", f"what had arrived took {used}")
        if now and attempt is attempts[-1]:
            yield Block("strong", what_now(attempt))
        if attempt.partial:
            yield Block("dim", "what had arrived:")
            yield Block("text", attempt.partial, 2)
        if attempt.detail:
            yield Block("dim", "as it came:")
            yield Block("dim", attempt.detail, 2)


def _used(attempt: Attempt) -> str:
    """What a failed call took, in words; empty where nothing is known of it."""
    usage, pieces = attempt.usage, []
    if usage is not None and usage.tokens:
        about = "~" if usage.estimated else ""
        pieces.append(f"{about}{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens")
    if attempt.cost:
        pieces.append(f"about {in_dollars(attempt.cost)}")
    return ", ".join(pieces)


def _here(model: DebuggerModel) -> Iterator[Block]:
    words, style = here_words(model)
    yield Block("text", "")
    yield Block("heading", f"{key_here(model)} here")
    yield Block(style, words)
    forecast = model.forecast
    if forecast is not None:
        yield Block("dim", reckoned(forecast))
        if so_far := spent(forecast, model.project):
            yield Block("dim", so_far)


def raw_text(step: Step) -> str:
    """The step as JSON, every field, nothing made prettier than an indentation."""
    return json.dumps(msgspec.to_builtins(step), ensure_ascii=False, indent=2)


def _difference(model: DebuggerModel, step: Step) -> Iterator[Block]:
    other = _other(model, step)
    if other is None:
        yield Block("dim", "No other take of this step, and it replaces none.")
        return
    what = "what it replaces" if other.id == step.replaces else "the take before it"
    yield Block("heading", f"this step against {what}")
    yield from diff_blocks(plain(other.payload), plain(step.payload))


def _other(model: DebuggerModel, step: Step) -> Step | None:
    steps = model.rollout.steps
    if step.replaces in steps:
        return steps[step.replaces]
    takes = model.rollout.takes(step.id)
    if len(takes) < 2 or step.id not in takes:
        return None
    place = takes.index(step.id)
    return steps[takes[place - 1 if place else 1]]


def plain(payload: Payload, *, as_is: bool = False) -> str:
    """A step as text to compare or copy: reasoning, text, calls; ``as_is`` leaves arguments as they
    came.
    """
    if isinstance(payload, Stop):
        return f"{stop_title(payload)}\n{payload.note}".rstrip("\n")
    pieces = []
    if isinstance(payload, TargetReply | UserMessage) and payload.reasoning:
        pieces.append(reasoning_text(payload.reasoning))
    pieces.append(payload_text(payload))
    if isinstance(payload, TargetReply | UserMessage):
        for call in payload.tool_calls:
            arguments = call.arguments if as_is else pretty(call.arguments)
            pieces.append(f"> {call.name}\n{arguments}")
    return "\n".join(piece for piece in pieces if piece)


def diff_blocks(before: str, after: str) -> Iterator[Block]:
    """Lines taken away and put in, with the same lines between them."""
    from difflib import SequenceMatcher

    old, new = before.split("\n")[:_DIFF_LINES], after.split("\n")[:_DIFF_LINES]
    if before == after:
        yield Block("dim", "The same text.")
        return
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield from (Block("dim", line, 2) for line in old[a:b])
            continue
        yield from (Block("removed", f"- {line}") for line in old[a:b])
        yield from (Block("added", f"+ {line}") for line in new[c:d])
