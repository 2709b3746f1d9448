"""What is said of a query that could not be asked to the end."""

from __future__ import annotations

from rollstep.core.listing.rollout_list import parse_query
from rollstep.core.rules.query.compiling import ran_out_of_time

from .progress import say


def tell_if_slow(query: str) -> None:
    """Say that an expression of the query ran out of time, where one did: what was taken for a
    match may be none.
    """
    if ran_out_of_time(parse_query(query)):
        say(
            "a regular expression of the query ran out of time: texts that it takes long for count "
            "as matches. Make it simpler, or look for words"
        )
