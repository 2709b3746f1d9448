"""Numbers of rollouts as tables with bars, for the terminal and for the screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from rich.bar import Bar
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rollstep.core.listing.stats import NO_STOP, Spread, Stats

from .sanitize import one_line
from .wrap import fit

_BAR = 24
_NAMES = 22
_MOST = 20
_LONGEST = 32
"""Cells of a name."""
"""Rows of one table; the rest is one row."""


def stats_tables(stats: Stats, what: str) -> RenderableType:
    """All tables. ``what`` says of which rollouts these are the numbers."""
    parts: list[RenderableType] = [Text(_head(stats, what), style="bold")]
    if stats.unreadable:
        ids = ", ".join(map(one_line, [*stats.unreadable][:_MOST]))
        more = len(stats.unreadable) - _MOST
        parts.append(Text(f"not counted, for they cannot be read: {ids}{' …' * (more > 0)}"))
    if not stats.rollouts:
        return Group(*parts)
    parts += _counts("verdicts", stats.verdicts, stats.rollouts)
    if stats.outdated:
        parts.append(Text(f"  {stats.outdated} of them edited since"))
    parts += _counts("stops", stats.stops, stats.rollouts)
    turns = {
        f"{number} turn{'' if number == 1 else 's'}": count
        for number, count in stats.turns_by_count.items()
    }
    parts += _counts("turns", turns, stats.rollouts, ordered=True)
    parts.append(Text(f"  {_spread(stats.turns)}"))
    parts += _tools(stats)
    parts += _counts("edits by role", stats.edits, sum(stats.edits.values()))
    parts += _models(stats)
    parts += _counts(
        "failed attempts, retried or not", stats.failures, sum(stats.failures.values())
    )
    parts += _scores(stats)
    return Group(*parts)


def _head(stats: Stats, what: str) -> str:
    price = f"${stats.cost:.4f}"
    if stats.unknown_prices:
        price += f" and {stats.unknown_prices:,} steps of unknown price"
    which = f" of {one_line(what)}" if what else ""
    return (
        f"{stats.rollouts:,} rollouts{which}: {stats.steps:,} steps, {stats.edited_rollouts:,} "
        f"edited, {stats.tokens:,} tokens, {price}"
    )


def _counts(
    title: str, counts: dict[str, int], whole: int, *, ordered: bool = False
) -> Iterator[RenderableType]:
    if not counts:
        return
    table = _table(title, ("", "rollouts" if title != "edits by role" else "edits", "", ""))
    rows = list(counts.items())
    for name, count in rows[:_MOST]:
        table.add_row(*_bar_row(name, count, whole))
    if len(rows) > _MOST:
        rest = sum(count for _, count in rows[_MOST:])
        table.add_row(*_bar_row(f"{len(rows) - _MOST} more", rest, whole))
    yield from (Text(), table)


def _name(name: str) -> str:
    """As much of it as leaves room for its numbers."""
    return fit(one_line(name[:_LONGEST]), _LONGEST)


def _bar_row(name: str, count: int, whole: int) -> tuple[RenderableType, ...]:
    shown = name if name == NO_STOP or name else "(none)"
    return (
        Text(_name(shown)),
        Text(f"{count:,}"),
        Text(f"{count / max(whole, 1):.0%}"),
        Bar(max(whole, 1), 0, count, width=_BAR),
    )


def _tools(stats: Stats) -> Iterator[RenderableType]:
    if not stats.tools:
        return
    table = _table("tools", ("", "calls", "errors", "faults", "of its calls, errors"))
    for name, tool in list(stats.tools.items())[:_MOST]:
        table.add_row(
            Text(_name(name)),
            Text(f"{tool.calls:,}"),
            Text(f"{tool.errors:,}"),
            Text(f"{tool.faults:,}"),
            Bar(max(tool.calls, 1), 0, tool.errors, width=_BAR),
        )
    yield from _with_rest(table, len(stats.tools))


def _models(stats: Stats) -> Iterator[RenderableType]:
    if not stats.models:
        return
    table = _table("models", ("", "steps", "tokens", "cost", "a step"))
    for name, model in list(stats.models.items())[:_MOST]:
        unknown = f" + {model.unknown_prices:,} unknown" if model.unknown_prices else ""
        table.add_row(
            Text(_name(name)),
            Text(f"{model.steps:,}"),
            Text(f"{model.tokens:,}"),
            Text(f"${model.cost:.4f}{unknown}"),
            Text(f"{model.seconds / max(model.steps, 1):.1f} s"),
        )
    yield from _with_rest(table, len(stats.models))


def _scores(stats: Stats) -> Iterator[RenderableType]:
    if not stats.scores:
        return
    table = _table("scores", ("", "rollouts", "mean", "least", "median", "most"))
    for name, spread in list(stats.scores.items())[:_MOST]:
        mean = spread.total / max(spread.count, 1)
        numbers = (mean, spread.least, spread.median, spread.most)
        table.add_row(Text(_name(name)), Text(f"{spread.count:,}"), *map(_number, numbers))
    yield from _with_rest(table, len(stats.scores))


def _with_rest(table: Table, rows: int) -> Iterator[RenderableType]:
    yield from (Text(), table)
    if rows > _MOST:
        yield Text(f"  and {rows - _MOST} more")


def _table(title: str, columns: Iterable[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, name in enumerate((title, *list(columns)[1:])):
        justify: Literal["left", "right"] = "right" if number and name else "left"
        table.add_column(
            name, justify=justify, no_wrap=True, min_width=0 if number else _NAMES, style=""
        )
    return table


def _spread(spread: Spread) -> str:
    mean = spread.total / max(spread.count, 1)
    return (
        f"least {_number(spread.least)}, median {_number(spread.median)}, "
        f"mean {mean:.1f}, most {_number(spread.most)}"
    )


def _number(value: float | None) -> Text:
    return Text("-" if value is None else f"{value:g}")
