"""The table of rollouts: which columns fit, and how one rollout looks in them. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rollstep.core.listing.rollout_list import Order
from rollstep.core.store.facts import ListedRollout, RolloutFacts

from ..cells import cells
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..starting import ago
from ..wrap import fit, pad

_VERDICTS = {"accept": ("A", "ok"), "reject": ("R", "error"), "unsure": ("M", "warn")}
_NO_FACTS = RolloutFacts()
_TITLE = 18
"""Cells that a title has at least, before another column is shown."""


class Column(NamedTuple):
    """One column: ``sort`` is its order's name, ``width`` in cells, ``least`` the width of a table
    from which on it is shown; numbers stand at the ``right``.
    """

    name: str
    sort: str
    width: int
    least: int
    text: Callable[[ListedRollout, float], Span]
    right: bool = False


def _verdict(listed: ListedRollout, now: float) -> Span:
    facts = listed.facts or _NO_FACTS
    letter, style = _VERDICTS.get(facts.verdict, ("-", "dim"))
    return f"{letter}{'!' if facts.outdated else ''}", style


def _score(listed: ListedRollout, now: float) -> Span:
    score = (listed.facts or _NO_FACTS).score
    return ("" if score is None else f"{score:g}"[:6]), "text"


def _rating(listed: ListedRollout, now: float) -> Span:
    rating = (listed.facts or _NO_FACTS).rating
    return ("" if rating is None else str(rating)), "text"


def _number(of: Callable[[ListedRollout], int], style: str = "text") -> Callable[..., Span]:
    def text(listed: ListedRollout, now: float) -> Span:
        number = of(listed)
        return (f"{number:,}" if number else "·"), style if number else "dim"

    return text


def _stop(listed: ListedRollout, now: float) -> Span:
    style = "warn" if listed.summary.status in ("parked", "failed") else "text"
    return one_line(listed.summary.ending), style


def _words(of: Callable[[RolloutFacts], tuple[str, ...]]) -> Callable[..., Span]:
    def text(listed: ListedRollout, now: float) -> Span:
        return one_line(" ".join(of(listed.facts or _NO_FACTS))), "dim"

    return text


def _cost(listed: ListedRollout, now: float) -> Span:
    cost = (listed.facts or _NO_FACTS).cost
    return ("" if cost is None else f"${cost:.4f}"), "text"


def _updated(listed: ListedRollout, now: float) -> Span:
    return ago(now - listed.summary.updated_at).removesuffix(" ago"), "dim"


COLUMNS: tuple[Column, ...] = (
    Column("V", "verdict", 2, 0, _verdict),
    Column("score", "score", 6, 60, _score, True),
    Column("title", "title", 0, 0, lambda listed, now: (one_line(listed.summary.title), "strong")),
    Column("turns", "turns", 5, 40, _number(lambda listed: listed.summary.turns), True),
    Column("edits", "edits", 5, 52, _number(lambda listed: listed.summary.edits, "human"), True),
    Column(
        "flags",
        "flags",
        5,
        58,
        _number(lambda listed: (listed.facts or _NO_FACTS).flags, "warn"),
        True,
    ),
    Column("rating", "rating", 6, 106, _rating, True),
    Column("stop", "stop", 14, 70, _stop),
    Column("tags", "tags", 12, 100, _words(lambda facts: facts.tags)),
    Column("models", "model", 18, 124, _words(lambda facts: facts.models)),
    Column("cost", "cost", 9, 112, _cost, True),
    Column("updated", "updated", 10, 80, _updated),
)
"""All columns, in their order."""


class Table(NamedTuple):
    """The columns of a table of some width, each with its width."""

    columns: tuple[tuple[Column, int], ...]
    width: int


def table(width: int) -> Table:
    """The columns that fit; the title has what the others leave."""
    shown = [column for column in COLUMNS if column.least <= width]
    used = sum(column.width + 1 for column in shown if column.width) + 3
    title = max(width - used, _TITLE)
    return Table(tuple((column, column.width or title) for column in shown), width)


def header(made: Table, sort: str, descending: bool) -> Row:
    """The names of the columns; the one that the table is in the order of has a sign."""
    spans: list[Span] = [("   ", "dim")]
    for column, width in made.columns:
        sign = _sign(descending) if column.sort == sort else ""
        text = column.name[: width - len(sign)] + sign
        spans += [(_placed(text, width, column.right) + " ", "key" if sign else "heading")]
    return row(*spans)


def order_words(made: Table, order: Order) -> str:
    """By what the table is sorted, where none of its columns shows it."""
    shown = any(column.sort == order.by for column, _ in made.columns)
    return "" if shown or order == Order() else f"by {order.by} {_sign(order.descending)}"


def _sign(descending: bool) -> str:
    return "▼" if descending else "▲"


def draw(made: Table, listed: ListedRollout | None, now: float, *, here: bool, chosen: bool) -> Row:
    """One rollout; None for one that is being read."""
    mark = ":sel" if here else ""
    fill = f"text{mark}"
    hidden = listed is not None and listed.hidden
    lead = f"{'>' if here else ' '}{'*' if chosen else 'h' if hidden else ' '} "
    if listed is None:
        return row((lead, f"dim{mark}"), ("…", f"dim{mark}"), fill=fill)
    spans: list[Span] = [(lead, f"{'key' if chosen else 'dim'}{mark}")]
    for column, width in made.columns:
        text, style = column.text(listed, now)
        style = "dim" if hidden else style
        spans.append((_placed(fit(text, width), width, column.right) + " ", f"{style}{mark}"))
    return row(*spans, fill=fill)


def _placed(text: str, width: int, right: bool) -> str:
    return " " * (width - cells(text)) + text if right else pad(text, width)
