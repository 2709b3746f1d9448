"""What stands at the side of the rollout: the person's marks, flags, what others and judges say."""

from __future__ import annotations

from collections.abc import Iterator

from rollstep.core.rules.marking import HIGHEST_RATING
from rollstep.core.rules.scoring import score_words

from ..cells import cells
from ..rows import Row, Span, row
from ..sanitize import one_line, visible
from ..verdicts import LETTERS, STYLES, WORDS, sign
from ..wrap import fit, pad, wrap
from .model import Loaded, ReviewModel

_LABEL = 9
_LONGEST = 4_000
_LINES = 6
"""Lines that a note or a judge's words take at most."""


def side(model: ReviewModel, width: int, height: int) -> list[Row]:
    """The column, ``width`` cells wide with the line on its left."""
    shown = model.shown
    inner = width - 2
    rows = [_heading("your marks", width, "┬")]
    if shown is not None:
        parts = (_marks(model, shown, inner), _waits(shown, inner), _others(model, inner))
        for part in (*parts, _flags(shown, inner), _scores(shown, inner)):
            for spans in part:
                if spans and spans[0][1] == "heading":
                    rows.append(_heading(spans[0][0], width, "├"))
                else:
                    rows.append(row(("│ ", "rule"), *spans, gutter=2))
    if len(rows) > height:
        rows[height - 1 :] = [row(("│ ", "rule"), ("… more: Enter opens all", "dim"))]
    return rows + [row(("│", "rule"))] * (height - len(rows))


def brief(model: ReviewModel, width: int) -> Row:
    """The person's marks in one line, where there is no room at the side."""
    shown = model.shown
    if shown is None:
        return Row()
    mark = model.mine
    letter, style = _verdict(shown)
    turns = shown.looks.turns
    flags = sum(map(len, shown.model.path.flagged.values()))
    pieces: list[Span] = [
        (f" verdict {letter}", style),
        (f"  read {turns.count(True):,} of {len(turns):,}", "text"),
        (f"  rating {mark.rating or '-'}", "text"),
        (f"  flags {flags:,}", "warn" if flags else "dim"),
    ]
    if shown.model.notice.startswith("parked"):
        pieces.insert(0, (" parked ", "warn"))
    used = sum(cells(text) for text, _ in pieces)
    if mark.tags:
        words = f"  tags {one_line(' '.join(mark.tags))}"
        pieces.append((fit(words, max(width - used, 1)), "text"))
    elif model.others:
        words = f"  others {_letters(model)}" if model.shows_others else "  others: after yours"
        pieces.append((fit(words, max(width - used, 1)), "dim"))
    return row(*pieces)


def _letters(model: ReviewModel) -> str:
    return " ".join(f"{one_line(m.by)} {LETTERS[m.verdict or 'unsure']}" for m in model.others)


def _heading(words: str, width: int, corner: str) -> Row:
    label = fit(f"─ {words} ", width - 1)
    return row((corner, "rule"), (label, "dim"), ("─" * (width - 1 - cells(label)), "rule"))


def _verdict(shown: Loaded) -> Span:
    found = shown.verdict
    if found is None:
        return "none", "text"
    verdict = found.mark.verdict or "unsure"
    if found.outdated:
        return f"{sign(found)} edited since", "warn"
    return f"{sign(found)} {WORDS[verdict]}", STYLES[verdict]


def _line(label: str, value: Span, right: str, inner: int) -> list[Span]:
    text, style = value
    text = fit(text, max(inner - _LABEL - len(right) - 2, 4))
    gap = max(inner - _LABEL - cells(text) - len(right) - 1, 0)
    return [(pad(label, _LABEL), "dim"), (text, style), (" " * gap, "text"), (right, "key")]


def _marks(model: ReviewModel, shown: Loaded, inner: int) -> Iterator[list[Span]]:
    mark, turns = model.mine, shown.looks.turns
    read = f"read {turns.count(True):,} of {len(turns):,}"
    yield _line("verdict", _verdict(shown), read, inner)
    rated = " ".join("●" if n <= (mark.rating or 0) else "-" for n in range(1, HIGHEST_RATING + 1))
    yield _line("rating", (rated, "text"), "m 1-5", inner)
    yield _line("tags", (one_line(" ".join(mark.tags)) or "-", "text"), "m t", inner)
    yield _line("train", _train(shown), "m w", inner)
    if mark.note:
        for number, line in enumerate(_wrapped(mark.note, inner - _LABEL)):
            yield [(pad("" if number else "note", _LABEL), "dim"), (line, "text")]
    else:
        yield _line("note", ("-", "text"), "m n", inner)


def _train(shown: Loaded) -> Span:
    """Of how many replies the loss is taken."""
    replies, off = shown.looks.replies, shown.looks.untrained
    return f"on {replies - off:,} of {replies:,}", "text" if not off else "warn"


def _waits(shown: Loaded, inner: int) -> Iterator[list[Span]]:
    """Why it is parked: that is what somebody is asked to look at."""
    parked, colon, why = shown.model.notice.partition(": ")
    if parked == "parked" and colon:
        yield [("parked", "heading")]
        for line in _wrapped(why, inner):
            yield [(line, "warn")]


def _others(model: ReviewModel, inner: int) -> Iterator[list[Span]]:
    others = model.others
    if not others:
        return
    yield [(f"others {len(others)}", "heading")]
    if not model.shows_others:
        yield [("shown when yours is given", "dim")]
        return
    for mark in others:
        verdict = mark.verdict or "unsure"
        words = f"{LETTERS[verdict]} {one_line(mark.by) or 'nobody named'}"
        yield [(words, STYLES[verdict])]
        for line in _wrapped(mark.note, inner - 2) if mark.note else ():
            yield [("  ", "text"), (line, "text")]


def _flags(shown: Loaded, inner: int) -> Iterator[list[Span]]:
    model = shown.model
    found = [(n, words) for n in sorted(model.path.flagged) for words in model.path.flagged[n]]
    copies = shown.looks.unverified
    yield [(f"flags {len(found):,}", "heading")]
    if model.lint.waiting:
        yield [(f"of the first {model.lint.next:,} steps", "dim")]
    if copies:
        numbers = ", ".join(f"{n + 1:,}" for n in copies[:6]) + (" …" if len(copies) > 6 else "")
        yield [("~ ", "human"), (fit(f"{numbers} copied, not verified", inner - 2), "text")]
    for place, words in found:
        yield [("! ", "warn"), (fit(f"{place + 1:,} {one_line(words[:400])}", inner - 2), "text")]


def _scores(shown: Loaded, inner: int) -> Iterator[list[Span]]:
    scores = shown.model.scores
    if not scores:
        return
    yield [(f"scores {len(scores):,}", "heading")]
    for score in scores:
        yield [(fit(one_line(score_words(score)), inner), "strong")]
        for line in _wrapped(score.explanation, inner - 2) if score.explanation else ():
            yield [("  ", "text"), (line, "text")]


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(visible(text[:_LONGEST]), max(width, 8), _LINES).lines
