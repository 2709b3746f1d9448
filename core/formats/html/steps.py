"""One step of the page: its words, how it came to be, what differs from what it replaced."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.marks import Mark
from ...model.messages import (
    OtherPart,
    Payload,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    parts_text,
)
from ...model.steps import Step
from ...rules.ledger import ledger_text
from ...rules.limits import in_dollars
from ...rules.scoring import score_words
from ...rules.stops import held_back
from ...rules.word_diff import folded, summary, word_diff
from ..mark_facts import mark_facts
from .facts import Facts, Placed
from .text import block, difference, el, fold, json_block, line

MOST_TAKES = 20
"""Other takes of one step that are written out, the first ones; the number of the rest is said."""
NAMES = {"evaluator": "Evaluator", "target": "Target", "tool": "Tool simulator"}
_BY = {"evaluator": "proposed by the evaluator", "rule": "by rule", "human": "by hand"}


def step_article(facts: Facts, placed: Placed, place: int) -> str:
    """A step as an article. ``place`` is its place in its turn, from 1, for narrow screens."""
    step = placed.step
    classes = f"step {step.role} p{place}"
    return el("article", *_inside(facts, placed), cls=classes, id=f"s{placed.number}")


def stop_article(facts: Facts, placed: Placed) -> str:
    """A stop, across all lanes."""
    return el("article", *_inside(facts, placed), cls="step stop", id=f"s{placed.number}")


def _inside(facts: Facts, placed: Placed) -> Iterator[str]:
    step = placed.step
    yield el("header", *_heading(placed))
    if placed.system is not None:
        yield fold("the target's system text is another from here on", block(placed.system))
    yield from _edit(placed)
    yield from body(step.payload, placed.call)
    if step.state is not None:
        stale = ", from before an edit" if step.state_stale else ""
        yield fold(f"the simulator's state after this{stale}", json_block(step.state))
    words = [f"! {score_words(score)} cites this step" for score in placed.cited]
    words += [f"! {flag.words} ({flag.rule})" for flag in placed.flags]
    yield from (el("p", line(each), cls="flag") for each in words)
    yield from (el("p", f"# {line(words)}", cls="break") for words in placed.breaks)
    yield from (el("p", line(mark_words(mark)), cls="mark") for mark in placed.marks)
    yield from _takes(facts, placed)


def _heading(placed: Placed) -> Iterator[str]:
    step, number = placed.step, str(placed.number)
    yield el("a", number, cls="number", href=f"#s{number}")
    if placed.signs:
        yield el("b", placed.signs, cls="signs", title=_meaning(placed.signs))
    if isinstance(step.payload, Stop):
        yield el("span", line(stop_words(step.payload)), cls="who")
    else:
        name = "System note" if isinstance(step.payload, SystemNote) else NAMES[step.role]
        yield el("span", name, cls="who")
    if placed.takes:
        yield el("span", f"+{len(placed.takes)}", cls="more", title="other takes of this step")
    if said := _made(step):
        yield el("span", line(said), cls="made")


def _meaning(signs: str) -> str:
    words = {"*": "by hand", "~": "copied", "!": "flagged", "#": "a breakpoint holds here"}
    return ", ".join(words[sign] for sign in signs)


def stop_words(stop: Stop) -> str:
    """A stop in one line."""
    return f"stop {_BY[stop.by]}: {stop.reason}"


def _made(step: Step) -> str:
    """By which model, and what it took."""
    call = step.call
    if call is None:
        return step.author if step.origin != "human" else ""
    about = "~" if call.usage.estimated else ""
    pieces = [call.model, f"{about}{call.usage.tokens:,} tokens"]
    if call.cost is not None:
        pieces.append(about + in_dollars(call.cost))
    if call.seconds:
        pieces.append(f"{call.seconds:.1f} s")
    return ", ".join(pieces)


def body(payload: Payload, call: ToolCall | None = None) -> Iterator[str]:
    """A step's own words, whole."""
    if isinstance(payload, Stop):
        if held_back(payload):
            yield el("p", "the evaluator's message, held back by the limit:", cls="dim")
        if payload.note:
            yield block(payload.note)
        return
    if isinstance(payload, UserMessage | TargetReply) and payload.reasoning:
        yield fold("reasoning", *(block(each.text) for each in payload.reasoning), cls="reasoning")
    if isinstance(payload, ToolResult):
        yield from _result(payload, call)
        return
    yield from _parts(payload)
    if isinstance(payload, UserMessage | TargetReply):
        yield from map(_call, payload.tool_calls)
    if isinstance(payload, TargetReply):
        if payload.refusal:
            yield el("p", f"refused: {line(payload.refusal)}", cls="error")
        if payload.finish_reason not in ("", "stop", "tool_calls"):
            yield el("p", f"ended by {line(payload.finish_reason)}", cls="flag")


def _result(payload: ToolResult, call: ToolCall | None) -> Iterator[str]:
    name = line(call.name) if call is not None else f"no open call: {line(payload.call_id)}"
    error = el("span", " error", cls="error") if payload.is_error else ""
    yield el("p", el("b", name), error, cls="answers")
    text = parts_text(payload.parts)
    if len(payload.parts) == 1 and text:
        yield json_block(text)
    else:
        yield from _parts(payload)


def _parts(payload: UserMessage | TargetReply | ToolResult | SystemNote) -> Iterator[str]:
    for part in payload.parts:
        if isinstance(part, Text):
            yield block(part.text)
        else:
            yield el("p", line(_other(part)), cls="dim")
    calls = isinstance(payload, UserMessage | TargetReply) and payload.tool_calls
    if not (calls or any(not isinstance(part, Text) or part.text for part in payload.parts)):
        yield el("p", "(empty)", cls="dim")


def _other(part: OtherPart) -> str:
    kind = f", {part.media_type}" if part.media_type else ""
    return f"[{part.kind}{kind}, {part.size:,} B]"


def _call(call: ToolCall) -> str:
    name = el("p", "&gt; ", el("b", line(call.name)), el("span", line(f" {call.id}"), cls="dim"))
    return el("div", name, json_block(call.arguments), cls="call")


def _edit(placed: Placed) -> Iterator[str]:
    words = "; ".join(edit_words(placed.step))
    if words:
        yield el("p", line(words), cls="edit")
    original = placed.replaced
    if original is None or placed.step.copied_from:
        return
    stretches = word_diff(ledger_text(original.payload), ledger_text(placed.step.payload))
    changed = summary(stretches) or "no words"
    yield fold(f"what changed: {changed}", difference(folded(stretches)), cls="diff", opened=True)


def edit_words(step: Step) -> Iterator[str]:
    """Who put a step here, in place of what, and why."""
    if step.injected:
        yield f"an injected fault: {step.injected}"
    if step.origin == "human":
        by = f"by hand, {step.author}" if step.author else "by hand"
        yield f"{by}, in place of another step" if step.replaces else by
    if step.copied_from:
        yield "copied from another branch"
    if step.reason:
        yield f"reason: {step.reason}"


def _takes(facts: Facts, placed: Placed) -> Iterator[str]:
    takes = placed.takes
    if not takes:
        return
    shown = [_take(facts, take, placed) for take in takes[:MOST_TAKES]]
    if len(takes) > MOST_TAKES:
        shown.append(el("p", f"and {len(takes) - MOST_TAKES} more", cls="dim"))
    count = f"{len(takes)} other take{'' if len(takes) == 1 else 's'} of this step"
    yield fold(count, *shown, cls="takes")


def _take(facts: Facts, take: Step, placed: Placed) -> str:
    words = list(edit_words(take))
    if placed.replaced is not None and take.id == placed.replaced.id:
        words.insert(0, "the original")
    if made := _made(take):
        words.append(made)
    if name := facts.branch(facts.tree.newest_leaf(take.id)):
        words.append(f"goes on as {name}")
    if isinstance(take.payload, Stop):
        words.insert(0, stop_words(take.payload))
    said = el("p", line("; ".join(words)), cls="dim") if words else ""
    return el("div", said, *body(take.payload, placed.call), cls="take")


def mark_words(mark: Mark) -> str:
    """What a human decided about a step or a branch."""
    return f"marked{f' by {mark.by}' if mark.by else ''}: {', '.join(mark_facts(mark))}"
