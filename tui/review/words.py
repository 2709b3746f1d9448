"""The lines above and below the rollout, and the keys of the queue's screen. Pure."""

from __future__ import annotations

from datetime import datetime

from rollstep.core.review.queue import Progress

from ..actions import BY_ID
from ..cells import cells
from ..rows import Row, Span, row
from ..sanitize import one_line, visible
from ..wrap import fit, wrap
from .model import ReviewModel

_KEYS: tuple[tuple[str, str, str], ...] = (
    ("accept", "accept", "Accept, and go to the next rollout without a verdict"),
    ("reject", "reject", "Reject: a reason by its number, or typed"),
    ("unsure", "unsure", "Neither: unsure"),
    ("mark", "mark", "Then 1-5 rating, 0 none, t tags, n note, w train on this step, - no verdict"),
    ("read_on", "read", "Read on: what is in sight counts as read"),
    ("J K", "rollout", "Next and previous rollout of the queue"),
    ("undo", "undo", "Take the last mark back, and return to its rollout"),
    ("previous_flag next_flag", "flag", "Previous and next flag"),
    ("find", "find", "Find in the rollout"),
    ("open_step", "open", "Open it in the debugger; q there comes back to the queue"),
    ("next previous", "step", "Next and previous step"),
    ("leave", "leave", "Leave: the place is kept, and the same command goes on with it"),
    ("read_back", "", "Read back"),
    ("hit_next hit_previous", "", "Next and previous hit of what is looked for"),
    ("next_turn previous_turn", "", "Next turn; first step of this one, or of the one before"),
    ("first last", "", "First and last step"),
    ("help", "keys, guide", "These keys, and the guide of the configuration"),
)
"""Actions of the registry, whose keys hold here too, and keys that are only here; what has no label
stands in the help alone."""


def keys() -> list[tuple[str, str, str]]:
    """Keys as people write them, the label, and what they do."""
    return [
        (" ".join(BY_ID[n].short if n in BY_ID else n for n in names.split()), label, words)
        for names, label, words in _KEYS
    ]


_REVIEW = " review "
_QUERY = 20
"""Cells that the query has at least, before the pace is left out."""
_BAR = 24
_GUIDE = 400
"""Lines of the guide that are shown."""


def top(model: ReviewModel, width: int) -> Row:
    """Which queue, where in it, how long it will take, whose it is, saved or not."""
    queue, done = model.queue, model.progress
    right = _right(model, width)
    room = width - sum(cells(text) for text, _ in right) - len(_REVIEW)
    query = one_line(queue.query or "all rollouts")
    frozen = datetime.fromtimestamp(queue.frozen_at).strftime("%d %b %H:%M")
    place = f"{queue.at + 1:,} of {len(queue.ids):,}"
    pieces = (
        f", frozen {frozen}    {place}    {_left(done)}",
        f"   {place}   {_left(done)}",
        f"   {place}   {done.left:,} left",
        f"  {place}",
    )
    rest = next((p for p in pieces if cells(p) + min(cells(query), _QUERY) < room), pieces[-1])
    query = fit(query, max(room - cells(rest) - 1, 1))
    gap = " " * max(room - cells(query) - cells(rest), 1)
    return row((f"{_REVIEW}{query}", "bar:title"), (rest + gap, "bar"), *right, fill="bar")


def _right(model: ReviewModel, width: int) -> list[Span]:
    by = fit(one_line(model.queue.by), 24 if width >= 100 else 12)
    named: Span = (f"by {by}   " if by else "", "bar")
    if model.unsaved:
        why = one_line(model.unsaved.removeprefix("Not saved: "))
        words = fit(f"NOT SAVED: {why}", width * 2 // 5)
        return [named, (words, "bar:alarm"), (" ", "bar")]
    if model.waiting:
        return [named, (f"saving {model.waiting} …", "bar:warn"), (" ", "bar")]
    return [named, ("all saved", "bar:ok"), (" ", "bar")]


def _left(done: Progress) -> str:
    if not done.left:
        return "all decided"
    words = f"{done.left:,} left"
    if done.each:
        words += f", {pace(done.each)} each, about {duration(done.seconds)}"
    return words


def pace(seconds: float) -> str:
    """``6 s``, ``1:38``."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02}" if whole >= 60 else f"{max(whole, 1)} s"


def duration(seconds: float) -> str:
    """``40 s``, ``55 min``, ``3 h 20 min``."""
    if round(seconds) < 60:
        return f"{max(round(seconds), 1)} s"
    whole = round(seconds / 60)
    return f"{whole} min" if whole < 60 else f"{whole // 60} h {whole % 60} min"


def counts(model: ReviewModel, width: int) -> Row:
    """The bar with what was decided; the rollout's title, steps and edits."""
    done = model.progress
    bar = _BAR if width >= 100 else 10
    filled = (done.total - done.left) * bar // done.total
    spans: list[Span] = [
        (" [", "dim"),
        ("#" * filled, "ok"),
        ("-" * (bar - filled), "dim"),
        ("]", "dim"),
        (f" A {done.accepted:,}", "ok"),
        (f"  R {done.rejected:,}", "error"),
        (f"  M {done.unsure:,}", "warn"),
    ]
    if model.parked:
        spans.append((f"   {model.parked:,} parked", "warn"))
    shown = model.shown
    if shown is None:
        return row(*spans)
    path, rollout = shown.model.path, shown.model.rollout
    end = f"steps {len(path):,}  edits {path.edits:,} "
    used = sum(cells(text) for text, _ in spans) + 4
    room = max(width - used - cells(end) - 3, 8)
    branch = f" › {one_line(shown.model.branch_name())}"
    title = one_line(rollout.header.title)
    title = fit(title, max(room - cells(branch), 4))
    branch = fit(branch, max(room - cells(title), 1))
    gap = " " * max(width - used - cells(title) - cells(branch) - cells(end), 1)
    spans += [("    ", "text"), (title, "strong"), (branch, "text"), (gap, "text"), (end, "dim")]
    return row(*spans)


def goal(model: ReviewModel, width: int) -> Row:
    """The line over the rollout: its number, and what was wanted."""
    shown = model.shown
    number = model.queue.at + 1
    words = one_line(shown.model.project.goal) if shown is not None else ""
    label = fit(f"─ {number:,}{'  goal: ' + words if words else ''} ", width - 2)
    return row((label, "text"), ("─" * max(width - cells(label), 0), "rule"))


def guide_rows(text: str, width: int) -> list[tuple[str, str]]:
    """The guide as rows of the help, line by line."""
    lines = wrap(visible(text), max(min(width - 24, 90), 20), _GUIDE).lines
    return [("", line) for line in lines]


def key_line(width: int) -> Row:
    """Keys, as many as fit; the one to all others is always there."""
    *others, last = keys()
    tail: list[Span] = [(f"{last[0]} ", "bar:key"), (f"{last[1]} ", "bar")]
    room = width - len(last[0]) - len(last[1]) - 3
    spans: list[Span] = [(" ", "bar")]
    used = 1
    for key, label, _ in others:
        if not label:
            continue
        need = len(key) + len(label) + 3
        if used + need > room:
            break
        spans += [(f"{key} ", "bar:key"), (f"{label}  ", "bar")]
        used += need
    spans.append((" " * max(room - used, 0), "bar"))
    return row(*spans, *tail, fill="bar")
