"""What the library screen's keys do: bindings, the line of keys, help and palette derive from it.

What the registry has too keeps its id and its keys here; ids of the others begin with ``library_``,
and the configuration gives them other keys like any action.
"""

from __future__ import annotations

from .. import actions
from ..actions import Action, Group, Guard


def _own(
    id: str, keys: str, short: str, help: str, group: Group = "LOOK", guard: Guard = "free"
) -> Action:
    return Action(f"library_{id}", tuple(keys.split()), short, "", help, group, guard)


OWN: tuple[Action, ...] = (
    _own("page_down", "pagedown", "PgDn", "A screenful of rollouts down"),
    _own("page_up", "pageup", "PgUp", "A screenful of rollouts up"),
    _own("filters", "f", "f", "Saved filters: use one, save this one, forget one", guard="opens"),
    _own("order", "o", "o", "Sort by another column", guard="opens"),
    _own("reverse", "O", "O", "The other way round"),
    _own("select_all", "V", "V", "Select all that are listed, or none"),
    _own("numbers", "number_sign", "#", "Numbers of what is listed: verdicts, stops, tools, cost"),
    _own(
        "replace",
        "r",
        "r",
        "Replace words in the selection, or in this one: a yes for each hit",
        "MAKE",
        "opens",
    ),
    _own("hide", "D", "D", "Hide the selection, or this one; a hidden one back", "DECIDE", "opens"),
    _own("review", "Q", "Q", "Review the selection, or all that is listed", "DECIDE", "opens"),
)
"""Actions that only this screen has."""

SHARED: dict[str, str] = {
    "open_step": "Open this rollout, at the hit that is pointed at; q there comes back",
    "find": 'Filter by a query: verdict:none turns>6 "refund" (docs/query.md)',
    "next": "Next rollout",
    "previous": "Previous rollout",
    "first": "First rollout",
    "last": "Last rollout",
    "read_on": "Read on in the page beside",
    "read_back": "Read back in the page beside",
    "hit_next": "Next place on the page where the filter's words stand",
    "hit_previous": "The place before it",
    "layout": "The page beside the table, or all columns in its place",
    "select": "Select this rollout, or no longer",
    "accept": "Accept: the selection, or this one",
    "reject": "Reject, with a reason: the selection, or this one",
    "unsure": "Unsure: the selection, or this one",
    "mark": "Rating 1-5, tags, note, no verdict: the selection, or this one",
    "undo": "Undo what was done here last: marks, new words, what was hidden",
    "export": "Export the selection, or all that is listed; a report before it writes",
    "theme": "Choose a theme",
    "cancel": "Out of the selection, out of the filter, back",
    "leave": "Up one level",
    "palette": "All commands, by name",
    "help": "All keys of this screen",
}
"""Actions of the registry that this screen has, and what they do here."""

_FOOTER = (
    ("open_step", "open"),
    ("find", "filter"),
    ("select", "select"),
    ("accept reject unsure", "verdict"),
    ("mark", "mark"),
    ("library_hide", "hide"),
    ("undo", "undo"),
    ("library_review", "review"),
    ("export", "export"),
    ("library_replace", "replace"),
    ("library_order", "order"),
    ("library_filters", "filters"),
    ("hit_next hit_previous", "hit"),
    ("library_numbers", "numbers"),
    ("layout", "page"),
    ("leave", "back"),
)
_PINNED = (("palette", "commands"), ("help", "keys"))


def use(own: tuple[Action, ...]) -> None:
    """Take these in the place of ``OWN``, the same with other keys. Before the screen is loaded."""
    global OWN
    OWN = own


def on_this_screen() -> tuple[Action, ...]:
    """All actions of the screen with the keys that they have here."""
    taken = {key for action in OWN for key in action.keys}
    shared = []
    for name, help in SHARED.items():
        action = actions.BY_ID[name]._replace(help=help)
        shared.append(action._replace(keys=tuple(k for k in action.keys if k not in taken)))
    return (*shared, *OWN)


def opening_keys() -> frozenset[str]:
    """Keys that open something: what is typed behind them is meant for that."""
    opening = {*actions.OPENING, "library_numbers"}
    return frozenset(
        key
        for action in on_this_screen()
        if action.guard == "opens" or action.id in opening
        for key in action.keys
    )


def footer() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Keys as people write them, each with a word; and those that are always shown."""
    by_id = {action.id: action for action in on_this_screen()}

    def named(ids: str) -> str:
        return " ".join(by_id[each].short for each in ids.split())

    shown, pinned = ([(named(ids), label) for ids, label in row] for row in (_FOOTER, _PINNED))
    return shown, pinned
