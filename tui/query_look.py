"""What there is to say of a query about steps while it is typed: completions from the rollout that
is shown, and what is wrong with it. Loaded when a query is typed first.
"""

from __future__ import annotations

from rollstep.core.rules.query.completion import completions
from rollstep.core.rules.query.parsing import QueryError
from rollstep.core.rules.query.schema_values import declared_in
from rollstep.core.rules.query.step_query import STEPS, compile_query
from rollstep.core.rules.query.step_values import values_in

from .presenter import DebuggerModel
from .widgets.query_field import Look, Looked, Offer


def problem(text: str) -> QueryError | None:
    """What is wrong with a query, with its column; None for one that can be used."""
    try:
        compile_query(text)
    except QueryError as error:
        return error
    return None


def looker(model: DebuggerModel) -> Look:
    """Looks at queries with what occurs in this rollout, and what its tools declare, at hand."""
    values = values_in(model.path.steps, model.project, model.scores)
    declared = declared_in(model.project)

    def look(text: str, cursor: int) -> Looked:
        offers = tuple(
            Offer(each.replacement, each.words, each.start, each.end)
            for each in completions(text, cursor, STEPS, values, declared)
        )
        error = problem(text) if text.strip() else None
        unfinished = error is not None and bool(offers) and error.column > offers[0].start
        return Looked(offers, str(error or ""), unfinished)

    return look
