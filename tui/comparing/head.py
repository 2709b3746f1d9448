"""What stands above and below a comparison: the two sides, how each ended, and what the row under
the cursor is about.
"""

from __future__ import annotations

from rollstep.core.rules.compare import Comparison

from ..cells import cells
from ..changed import changed_words
from ..rows import Row, Span, row
from ..sanitize import one_line
from ..stepview import first_words
from ..who import NAMES
from ..wrap import fit
from .subjects import Subject, project_differences, summary_words
from .view import STACKED, CompareView, left_column

_LEAD = " compare  "
_STYLES = ("removed:strong", "added:strong")


class CompareHead:
    """The lines above, which are the same wherever the cursor is but for the first."""

    def __init__(self, comparison: Comparison, left: Subject, right: Subject) -> None:
        self._title = one_line(right.rollout.header.title)
        summaries = comparison.left.summary, comparison.right.summary
        self._sides = [
            (f"{mark} {one_line(side.label)}", summary_words(summary, brief=True))
            for mark, side, summary in zip("-+", (left, right), summaries, strict=True)
        ]
        self._projects = project_differences(left.project, right.project)

    def rows(self, view: CompareView, width: int) -> list[Row]:
        """Title and place, what the two sides are, and whether their projects differ."""
        where = _where(view)
        title = fit(self._title, max(width - cells(where) - len(_LEAD) - 2, 0))
        gap = max(width - len(_LEAD) - cells(title) - cells(where) - 1, 1)
        spans = [(_LEAD, "bar:dim"), (title, "bar:title"), (" " * gap, "bar"), (where, "bar")]
        lines = [
            row(*spans, fill="bar"),
            *(self._stacked(width) if width < STACKED else self._beside(width)),
        ]
        if self._projects:
            words = f" The projects differ: {', '.join(self._projects)}."
            lines.append(row((fit(words, width), "warn")))
        return lines

    def _stacked(self, width: int) -> list[Row]:
        return [
            row((" " + fit(text, width - 2), style))
            for pair, strong in zip(self._sides, _STYLES, strict=True)
            for text, style in zip(pair, (strong, "dim"), strict=True)
        ]

    def _beside(self, width: int) -> list[Row]:
        room = left_column(width) - 1
        lines = []
        for place, styles in enumerate((_STYLES, ("dim", "dim"))):
            left, right = (fit(side[place], room) for side in self._sides)
            gap = " " * (room - cells(left))
            lines.append(
                row(
                    (f" {left}", styles[0]),
                    (gap, "text"),
                    (" │ ", "rule"),
                    (f" {right}", styles[1]),
                )
            )
        return lines


def _where(view: CompareView) -> str:
    count = len(view.comparison.differing)
    if not count:
        return "no difference "
    if view.difference:
        return f"difference {view.difference} of {count} "
    return f"{count} difference{'' if count == 1 else 's'} "


def hint(view: CompareView) -> Span:
    """What differs in the row under the cursor, in words."""
    found, comparison = view.row, view.comparison
    if found is None:
        return "Neither side has a step yet.", "dim"
    if comparison.equal:
        return "The two are the same, step by step.", "ok"
    if found.kind == "same":
        return "The same on both sides; n and N go to what differs.", "dim"
    if found.left is not None and found.right is not None:
        left, right = comparison.left.steps[found.left], comparison.right.steps[found.right]
        words = one_line(changed_words(left.payload, right.payload).replace("\n", " "))
        return f"changed: {words or 'how it came, as said below its text'}", "warn"
    step = view.step
    assert step is not None
    words = first_words(step.payload, view.width) or "(calls only)"
    return f"only on the {found.kind}, {NAMES[step.role]}: {words}", "warn"
