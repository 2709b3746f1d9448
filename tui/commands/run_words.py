"""How a run goes and how it went, in words. Pure."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
from rollstep.core.jobs import Done
from rollstep.core.playthrough import BUDGET
from rollstep.core.rules.limits import in_dollars
from rollstep.core.taking_up import LEFT
from rollstep.tui.sanitize import one_line

_BAR = 20
_STATES = ("ended", "parked", "failed", "left")


class Tally(msgspec.Struct):
    """What has become of the rollouts of a run so far. ``outcomes`` counts them by how they stand
    and why; ``before`` are those that an earlier run had finished, ``cut`` those whose last turn
    has no final reply.
    """

    rollouts: int = 0
    records: int = 0
    before: int = 0
    cut: int = 0
    dollars: float = 0.0
    tokens: int = 0
    outcomes: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)

    def add(self, done: Done) -> None:
        """One more."""
        self.rollouts += 1
        if not done.started:
            self.outcomes[LEFT, BUDGET] += 1
            return
        self.records += done.records.count
        self.before += done.before
        self.cut += done.status == "ended" and not done.whole
        self.dollars += done.dollars
        self.tokens += done.tokens
        self.outcomes[done.status, done.reason] += 1

    def count(self, state: str) -> int:
        """How many stand so."""
        return sum(n for (each, _), n in self.outcomes.items() if each == state)


def progress_words(tally: Tally, total: int, seconds: float, *, bar: bool) -> str:
    """How far a run is: done of all, how fast, what went wrong, what it cost, and what is left."""
    done, played = tally.rollouts, tally.rollouts - tally.before
    pieces = [f"rollouts {_bar(done, total)} {done}/{total}"]
    if not bar:
        pieces = [f"{done:,} of {total:,} rollouts, {tally.records:,} records"]
    rate = played / seconds if seconds > 0 else 0.0
    if rate:
        pieces.append(_rate(rate))
    pieces += [f"{n:,} {state}" for state in _STATES[1:3] if (n := tally.count(state))]
    if tally.dollars:
        pieces.append(in_dollars(tally.dollars))
    if rate and done < total:
        pieces.append(f"{clock((total - done) / rate)} left")
    return ("  " if bar else ", ").join(pieces)


def summary_lines(tally: Tally, seconds: float) -> list[str]:
    """How a run went, as a table: how its rollouts stand, why, and how many of each."""
    rows = [
        (state, one_line(reason) or "no reason", f"{number:,}")
        for (state, reason), number in sorted(tally.outcomes.items(), key=_by_state)
    ]
    rows.append(("all", _totals(tally, seconds), f"{tally.rollouts:,}"))
    wide = max(len(reason) for _, reason, _ in rows[:-1]) if len(rows) > 1 else 0
    narrow = max(len(number) for _, _, number in rows)
    return [
        f"  {state:<8}{number:>{narrow}}  {reason:<{wide}}".rstrip()
        for state, reason, number in rows
    ]


def summary_of(tally: Tally, seconds: float) -> dict[str, Any]:
    """The same for programs."""
    return {
        "rollouts": tally.rollouts,
        "finished_before": tally.before,
        "outcomes": [
            {"status": state, "reason": reason, "rollouts": number}
            for (state, reason), number in sorted(tally.outcomes.items(), key=_by_state)
        ],
        "turn_records": tally.records,
        "dollars": tally.dollars,
        "tokens": tally.tokens,
        "seconds": round(seconds, 3),
    }


def clock(seconds: float) -> str:
    """A time to read: 0:07, 12:30, 3:04:05."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _by_state(item: tuple[tuple[str, str], int]) -> tuple[int, int, str]:
    (state, reason), number = item
    place = _STATES.index(state) if state in _STATES else len(_STATES)
    return place, -number, reason


def _totals(tally: Tally, seconds: float) -> str:
    pieces = [f"{tally.records:,} turns"]
    if tally.tokens:
        pieces.append(f"{tally.tokens:,} tokens")
    if tally.dollars:
        pieces.append(in_dollars(tally.dollars))
    pieces.append(f"in {clock(seconds)}")
    if tally.before:
        pieces.append(f"{tally.before:,} of them finished before")
    return ", ".join(pieces)


def _bar(done: int, total: int) -> str:
    full = _BAR * done // total if total else _BAR
    return f"[{'#' * full}{'-' * (_BAR - full)}]"


def _rate(rate: float) -> str:
    return (
        f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min"
    )
