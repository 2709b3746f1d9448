"""The page: what it may load (nothing), what it is about, the timeline, the turns."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from ...model.marks import Score
from ...model.messages import Stop, UserMessage
from ...model.steps import ROLES
from ...rules.scoring import failing, score_words
from ..subject import Subject
from .facts import Facts, Placed
from .steps import NAMES, mark_words, step_article, stop_article, stop_words
from .text import block, el, fold, json_block, line, plain

_HERE = Path(__file__).parent
_LETTERS = {"evaluator": "E", "target": "T", "tool": "S"}
MOST_FORKS = 200
"""Other branches that are named; the number of the rest is said."""
_THEMES = (("auto", "as the system"), ("light", "light"), ("dark", "dark"))


def page(subject: Subject) -> str:
    """The whole document as text."""
    facts = Facts(subject)
    turns = _turns(facts)
    longest = max((len(turn) for _, turn in turns), default=0)
    style = _read("page.css") + "".join(f".p{n}{{order:{n}}}" for n in range(1, longest + 1))
    script = _read("page.js")
    head = el(
        "head",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="generator" content="rollstep">',
        el("title", plain(subject.heading)),
        el("style", style),
    )
    parts = [_bar(), el("header", *_top(facts), cls="top"), *_main(facts, turns)]
    body = el("body", *parts, el("script", script))
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing is loaded; only this style and this script count, whatever a text may smuggle in."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    found = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest())
    return f"sha256-{found.decode('ascii')}"


def _bar() -> str:
    """Find, and light or dark. The choice of light needs no script."""
    find = el(
        "search",
        '<input type="search" id="q" placeholder="find in all lanes ( / )" '
        'aria-label="find in all lanes" autocomplete="off" spellcheck="false">',
        '<button id="back" type="button" title="the hit before (N)">‹</button>',
        '<button id="on" type="button" title="the next hit (n)">›</button>',
        '<label><input type="checkbox" id="only"> only hits</label>',
        '<output id="count" for="q"></output>',
    )
    themes = [
        f'<label><input type="radio" name="theme" id="{name}"'
        f"{' checked' if name == 'auto' else ''}> {words}</label>"
        for name, words in _THEMES
    ]
    return el("div", find, el("fieldset", *themes, cls="themes"), cls="bar")


def _top(facts: Facts) -> Iterator[str]:
    subject = facts.subject
    yield el("h1", line(subject.heading))
    failed = failing(subject.scores)
    if failed is not None:
        yield el("p", line(_failure(facts, failed)), cls="outcome failed")
    good = _reached(facts) and failed is None
    yield el("p", line(_outcome(facts)), cls=f"outcome{' ok' if good else ''}")
    if subject.scores:
        yield el("section", el("h2", "scores"), *(_score(facts, s) for s in subject.scores))
    for placed in facts.placed[-1:]:
        yield from (el("p", line(mark_words(mark)), cls="mark") for mark in placed.marks)
    yield el("p", line(_counts(facts)), cls="dim")
    yield el("p", line(_origin(subject)), cls="dim")
    yield from _branches(facts)
    project = subject.project
    if project.goal:
        yield fold("goal", block(project.goal), opened=True)
    system = subject.projects[0].target.system if not facts.steps else _first_system(facts)
    if system is not None:
        yield fold("the target's system text", block(system))
    if project.tools:
        yield fold(f"tools: {len(project.tools)}", *_tools(facts))


def _first_system(facts: Facts) -> str | None:
    return facts.subject.project_of(facts.steps[0]).target.system


def _outcome(facts: Facts) -> str:
    stop = facts.subject.trajectory.stop
    return stop_words(stop) if stop is not None else "not ended"


def _failure(facts: Facts, score: Score) -> str:
    old = "" if facts.as_imported else "as imported: "
    reason = " ".join(score.explanation.split())
    return f"{old}FAILED {score_words(score)}{f': {reason}' if reason else ''}"


def _reached(facts: Facts) -> bool:
    stop = facts.subject.trajectory.stop
    return stop is not None and stop.reason == "goal_reached"


def _score(facts: Facts, score: Score) -> str:
    pieces = [el("p", el("b", line(score_words(score))))]
    if score.explanation:
        pieces.append(block(score.explanation))
    cited = [facts.numbers[i] for i in score.step_ids if i in facts.numbers]
    if cited:
        pieces.append(el("p", "cites ", ", ".join(_link(number) for number in cited)))
    return el("div", *pieces, cls="score")


def _link(number: int) -> str:
    return el("a", f"step {number}", href=f"#s{number}")


def _counts(facts: Facts) -> str:
    turns = len({turn for turn, _ in _turns(facts) if turn})
    edits = sum(placed.signs[:1] == "*" for placed in facts.placed)
    flags = sum(len(placed.flags) for placed in facts.placed)
    pairs = ((turns, "turn"), (len(facts.steps), "step"), (edits, "step by hand"), (flags, "flag"))
    words = [f"{n:,} {_plural(what, n)}" for n, what in pairs]
    if facts.subject.later:
        words.append(
            f"{facts.subject.later:,} later {_plural('step', facts.subject.later)} left out"
        )
    return ", ".join(words)


def _origin(subject: Subject) -> str:
    """Who plays, and where it came from."""
    project = subject.project
    roles = (project.evaluator, project.target, project.tool_simulator)
    pieces = [f"{NAMES[role]}: {_player(spec)}" for role, spec in zip(ROLES, roles, strict=True)]
    header = subject.rollout.header if subject.rollout is not None else None
    if header is not None and header.source:
        record = f", record {header.record + 1}" if header.record is not None else ""
        read_as = f", read as {header.format}" if header.format else ""
        pieces.append(f"from {Path(header.source).name}{record}{read_as}")
    return "; ".join(pieces)


def _player(spec: object) -> str:
    """A model, an object, or the kind of who plays."""
    if spec is None:
        return "nobody"
    kind = str(getattr(spec, "__struct_config__").tag)  # noqa: B009
    return str(getattr(spec, "model", "") or getattr(spec, "object", "") or kind)


def _plural(word: str, count: int) -> str:
    if count == 1:
        return word
    return word.replace("step", "steps", 1) if word.startswith("step") else f"{word}s"


def _branches(facts: Facts) -> Iterator[str]:
    forks = list(facts.forks())
    if not forks:
        return
    named = [
        el(
            "li",
            line(fork.name),
            f", {fork.steps:,} {_plural('step', fork.steps)}, ",
            f"forks after {_link(fork.after)}" if fork.after else "from the start",
        )
        for fork in forks[:MOST_FORKS]
    ]
    if len(forks) > MOST_FORKS:
        named.append(el("li", f"and {len(forks) - MOST_FORKS:,} more"))
    here = facts.branch(facts.leaf)
    this = f"this is {line(here)}; " if here else ""
    yield fold(f"{this}other branches: {len(forks):,}", el("ul", *named), opened=True)


def _tools(facts: Facts) -> Iterator[str]:
    for tool in facts.subject.project.tools:
        yield el("h3", line(tool.name))
        if tool.description:
            yield block(tool.description)
        yield json_block(tool.parameters)


Turns = list[tuple[int, list[Placed]]]


def _turns(facts: Facts) -> Turns:
    """The steps turn by turn; a stop stands alone, with 0 for its turn."""
    turn = messages = 0
    keyed: list[tuple[tuple[int, int], Placed]] = []
    for placed in facts.placed:
        payload = placed.step.payload
        if isinstance(payload, Stop):
            keyed.append(((0, placed.number), placed))
            continue
        messages += isinstance(payload, UserMessage)
        turn = messages or 1
        keyed.append(((turn, 0), placed))
    return [
        (key[0], [placed for _, placed in group]) for key, group in groupby(keyed, lambda k: k[0])
    ]


def _main(facts: Facts, turns: Turns) -> Iterator[str]:
    folded = " ".join(
        f"no-{role}"
        for role in ROLES
        if not any(placed.step.role == role for turn, steps in turns if turn for placed in steps)
    )
    yield el("nav", *_timeline(turns), cls="timeline", aria_label="timeline")
    heads = [el("div", NAMES[role], cls=f"head {role}") for role in ROLES]
    sections = [_section(facts, turn, steps) for turn, steps in turns]
    yield el("main", el("div", *heads, cls="lanes heads"), *sections, cls=folded)


def _timeline(turns: Turns) -> Iterator[str]:
    for turn, steps in turns:
        letters = [
            el("a", _letter(placed), cls=placed.step.role, href=f"#s{placed.number}")
            for placed in steps
        ]
        label = f"{turn} " if turn else "end "
        yield el("span", label, " ".join(letters), cls="turn-line") + " "


def _letter(placed: Placed) -> str:
    more = f"+{len(placed.takes)}" if placed.takes else ""
    payload = placed.step.payload
    name = line(payload.reason) if isinstance(payload, Stop) else _LETTERS[placed.step.role]
    return f"{name}{placed.signs}{more}"


def _section(facts: Facts, turn: int, steps: list[Placed]) -> str:
    if not turn:
        return "".join(stop_article(facts, placed) for placed in steps)
    lanes = []
    for role in ROLES:
        own = [
            step_article(facts, placed, place)
            for place, placed in enumerate(steps, 1)
            if placed.step.role == role
        ]
        lanes.append(el("div", *own, cls=f"lane {role}"))
    return el("section", el("h2", f"turn {turn}"), el("div", *lanes, cls="lanes"), cls="turn")
