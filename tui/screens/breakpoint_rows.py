"""The rows of the dialog of breakpoints: what is offered for the step, and what is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rollstep.core.model.debugging import Breakpoint
from rollstep.core.rules.breakpoints import never_holds

from ..break_marks import Counts
from ..breaks import Suggestion, enabled_count, place_of, reads, steps_words, suggestions
from ..presenter import DebuggerModel
from ..widgets.row_list import GAP, Column, ListRow

DIGITS = "12345678"
RUN_DIGIT = "9"
WIDE = 90
"""Lists narrower than this leave where a breakpoint holds to the line under the list."""
_SIGN, _HOW, _HITS, _HERE = 5, 11, 15, 9
_LEAST_WORDS, _LEAST_QUERY = 24, 20
_NEVER = 10_000

RUNS_HERE = "From the head along recorded steps, free; breakpoints on the way stop it."
RUNS_ON = "From the cursor. The breakpoint for it goes away when it has stopped the run."

RUN = "run"
OFFER = "offer"
BREAK = "break"
Key = tuple[str, int]
"""What a row is, and its number from 0."""


class BreakRows:
    """What is offered and what is set, as it stands."""

    def __init__(self, model: DebuggerModel, ahead: bool) -> None:
        self.model = model
        self.ahead = ahead
        self.breakpoints = model.breakpoints
        self.hits = model.hits
        self.offers: list[Suggestion] = suggestions(model)[: len(DIGITS)]
        self.counts = Counts(model)

    @property
    def shown(self) -> list[Breakpoint]:
        """All breakpoints that rows speak of."""
        return [*self.breakpoints, *(offer.breakpoint for offer in self.offers)]

    def chosen(self, key: Key) -> Breakpoint | None:
        """What a row stands for; the row to run on, for the first suggestion."""
        kind, place = key
        found = self.breakpoints if kind == BREAK else [each.breakpoint for each in self.offers]
        return found[place] if place < len(found) else None

    def rows(self, width: int, lets_in: Callable[..., bool]) -> list[ListRow]:
        """All of them at this width; headings stand over what a filter lets in."""
        offers = [row for row in self._offers(width) if lets_in(*row.cells)]
        set_here = [row for row in self._set() if lets_in(*row.cells)]
        rows = [ListRow(("STOP AT",)), *offers, ListRow(("",))] if offers else []
        if set_here or not self.breakpoints:
            rows += [ListRow((self._heading(),)), *set_here]
        return rows

    def _heading(self) -> str:
        count = len(self.breakpoints)
        if not count:
            return "BREAKPOINTS: none set yet"
        return f"BREAKPOINTS: {enabled_count(self.breakpoints)} of {count} on"

    def _offers(self, width: int) -> Iterator[ListRow]:
        wanted = max((len(offer.words) for offer in self.offers), default=0) + 1
        room = width - _SIGN - _HERE - 3 * GAP - _LEAST_QUERY if width >= WIDE else wanted
        columns = (
            Column(_SIGN, "strong"),
            Column(max(min(wanted, room), _LEAST_WORDS) if width >= WIDE else 0),
            Column(0, "muted", least=WIDE),
            Column(_HERE, "muted"),
        )
        for digit, offer in zip(DIGITS, self.offers, strict=False):
            place = place_of(self.breakpoints, offer.breakpoint)
            sign = "" if place is None else ("#" if self.breakpoints[place].enabled else "-")
            cells = (f"{digit}  {sign}", offer.words, reads(offer.breakpoint))
            key = (OFFER, int(digit) - 1)
            yield ListRow((*cells, self._here(offer.breakpoint)), key, columns)
        if self.ahead:
            words = ("run to here, once", f"step = {self.model.cursor + 1}")
        else:
            words = ("run on to the next of 1, once", "")
        yield ListRow((RUN_DIGIT, *words, ""), (RUN, 0), columns)

    def _set(self) -> Iterator[ListRow]:
        special = any(each.before or each.once for each in self.breakpoints)
        columns = (
            Column(_SIGN, "strong"),
            Column(),
            Column(_HOW, "muted", least=0 if special else _NEVER),
            Column(_HITS, "muted"),
            Column(_HERE, "muted", least=WIDE),
        )
        for place, each in enumerate(self.breakpoints):
            box = "[x]" if each.enabled else "[ ]"
            name = f"{each.name}: " if each.name else ""
            how = " ".join(filter(None, ("before" * each.before, "once" * each.once)))
            cells = (f"{box}{place + 1:>2}", name + reads(each), how, self._hits(place))
            yield ListRow((*cells, self._here(each)), (BREAK, place), columns)

    def _hits(self, place: int) -> str:
        hits = self.hits[place] if place < len(self.hits) else 0
        ignore = self.breakpoints[place].ignore
        words = f"{hits} hit{'' if hits == 1 else 's'}"
        return f"{words}, skip {ignore}" if ignore else words

    def _here(self, breakpoint: Breakpoint) -> str:
        found, done = self.counts.of(breakpoint)
        if not done:
            return f"{len(found):,} …"
        return f"{len(found):,} step{'' if len(found) == 1 else 's'}"

    def about(self, key: Key) -> str:
        """More of one row: its whole condition, and where it holds."""
        if key[0] == RUN:
            return RUNS_HERE if self.ahead else RUNS_ON
        breakpoint = self.chosen(key)
        return f"{reads(breakpoint)}\n{self.where(breakpoint)}" if breakpoint is not None else ""

    def where(self, breakpoint: Breakpoint) -> str:
        """At which steps of the branch it holds, in words."""
        if never_holds(breakpoint):
            when = " before a role is asked" if breakpoint.before else ""
            return f"Can never hold{when}: docs/query.md says what is known when"
        found, done = self.counts.of(breakpoint)
        words = steps_words(found, done=done, before=breakpoint.before)
        return words[0].upper() + words[1:]
