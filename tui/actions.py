"""One registry of everything that a key does. Bindings, footer, palette, help screen and the
README's table of keys all derive from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from .rows import Row, Span, row

Group = Literal["LOOK", "MAKE", "DECIDE", "LEAVE"]
GROUPS: tuple[Group, ...] = ("LOOK", "MAKE", "DECIDE", "LEAVE")
ABOUT: dict[Group, str] = {
    "LOOK": "free, and changes nothing",
    "MAKE": "can be undone; what it costs is shown before",
    "DECIDE": "asks, or opens a dialog",
    "LEAVE": "closes, cancels, quits",
}

Guard = Literal["free", "opens", "acts"]
"""``acts`` marks keys that pay, or change the rollout at once: they do nothing for a moment after a
paste or an answered dialog. ``opens`` marks keys that open where that is done: they rest after a
paste only. Of both, a held key acts once per repaint."""


class Action(NamedTuple):
    """One thing to do. ``keys`` are Textual's key names; ``label`` stands in the footer, empty for
    actions that it leaves out; ``short`` is how the keys are written for people.
    """

    id: str
    keys: tuple[str, ...]
    short: str
    label: str
    help: str
    group: Group
    guard: Guard = "free"


def _look(id: str, keys: str, short: str, label: str, help: str) -> Action:
    return Action(id, tuple(keys.split()), short, label, help, "LOOK")


_AT_ONCE = frozenset({"step", "turn", "run", "undo", "redo"})


def _make(id: str, keys: str, short: str, label: str, help: str) -> Action:
    guard: Guard = "acts" if id in _AT_ONCE else "opens"
    return Action(id, tuple(keys.split()), short, label, help, "MAKE", guard)


def _decide(id: str, key: str, label: str, help: str, guard: Guard = "acts") -> Action:
    return Action(id, (key,), key, label, help, "DECIDE", guard)


ACTIONS: tuple[Action, ...] = (
    _look("next", "j down", "j", "", "Next step"),
    _look("previous", "k up", "k", "step", "Previous step"),
    _look("lane_right", "l right", "l", "", "Nearest step in the lane to the right"),
    _look("lane_left", "h left", "h", "lane", "Nearest step in the lane to the left"),
    _look("read_on", "space pagedown", "Space", "read", "Read on, one screenful"),
    _look("read_back", "backspace pageup", "Backspace", "", "Read back, one screenful"),
    _look("next_flag", "right_square_bracket", "]", "", "Next step with a flag"),
    _look("previous_flag", "left_square_bracket", "[", "flag", "Step with a flag before this one"),
    _look("next_turn", "right_curly_bracket", "}", "", "First step of the next turn"),
    _look("previous_turn", "left_curly_bracket", "{", "turn", "First step of this turn, or before"),
    _look("first", "g home", "g", "", "First step"),
    _look("last", "G end", "G", "ends", "Last step of the branch"),
    _look(
        "take_before",
        "comma",
        ",",
        "",
        "The take before, of this step or the nearest that has any",
    ),
    _look(
        "take_after",
        "full_stop",
        ".",
        "take",
        "The take after, of this step or the nearest that has any",
    ),
    _look("find", "slash", "/", "find", "Find in all lanes, arguments and reasoning"),
    _look("hit_next", "n", "n", "", "Next hit"),
    _look("hit_previous", "N", "N", "", "Previous hit"),
    _look("open_step", "enter", "Enter", "full", "The step full screen"),
    _look("layout", "z", "z", "layout", "Inspector at the right, below, or hidden"),
    _look("inspect", "i", "i", "inspector", "Next page of the inspector"),
    _look("area", "tab", "Tab", "area", "Keys go to the panes, or scroll the inspector"),
    _look("takes", "vertical_line", "|", "takes", "The takes of this step side by side"),
    _look("diff", "d", "d", "diff", "Compare with the original, a branch or another rollout"),
    _look(
        "outline",
        "o",
        "o",
        "outline",
        "The whole tree: branches, edits, flags, drafts",
    ),
    _look("present", "p", "p", "present", "Present the branch from here: full screen, offline"),
    _look("rollout_next", "J", "J", "", "Next rollout of the list this one was opened from"),
    _look("rollout_previous", "K", "K", "", "The rollout before it in that list"),
    _look("jump_back", "apostrophe", "'", "", "Back to where the last jump began"),
    _look("select", "v", "v", "", "Select text: drag with the mouse, then y"),
    _look("copy", "y", "y", "copy", "Copy the selected text, or the step's"),
    _look("copy_link", "Y", "Y", "", "Copy a link to this step for rollstep open"),
    _make("step", "s f10", "s", "step", "One step: walks a recorded one, else asks the role"),
    _make("turn", "t", "t", "turn", "Steps to the end of the turn"),
    _make("run", "c f5", "c", "run", "Run to the end, or pause the run"),
    _make("edit", "e", "e", "edit", "Override this step in the editor"),
    _make("edit_outside", "E", "E", "", "Override this step in $EDITOR"),
    _make("write", "w", "w", "write", "Write the next step by hand"),
    _make("insert", "plus equals_sign", "+", "insert", "Insert a step or a turn after this one"),
    _make("delete", "minus delete", "-", "delete", "Delete this step or turn, on a new branch"),
    _make("retake", "r", "r", "retake", "Ask anew at this step: more takes, by whom you like"),
    _make("breaks", "b f9", "b", "break", "Breakpoints; b Enter sets or removes one for this"),
    _make("run_to", "", ":", "", "Run to this step, or to a condition, once"),
    _make("breaks_clear", "", ":", "", "Remove all breakpoints"),
    _make("breaks_switch", "", ":", "", "Switch all breakpoints off, or on again"),
    _make("fault", "f", "f", "fault", "Inject a fault in place of a tool result"),
    _make("stop_here", "0", "0", "", "Stop here, with a reason"),
    _make("more_turns", "", ":", "", "More turns: raise max_turns and go on"),
    _make("replay_off", "", ":", "", "Stop replaying: the roles answer everything again"),
    _make("silence", "exclamation_mark", "!", "", "Silence a flag of this step, with a reason"),
    _make("new", "a", "a", "new", "A new project: blank, from a seed row, or a copy"),
    _make("undo", "u", "u", "undo", "Undo the last command"),
    _make("redo", "U", "U", "", "Redo what was undone"),
    Action("save_again", ("ctrl+s",), "Ctrl+S", "", "Save again what could not be saved", "MAKE"),
    Action("save_elsewhere", (), ":", "", "Save the rollout as a bundle elsewhere", "MAKE"),
    _decide("accept", "A", "accept", "Accept the branch that is shown"),
    _decide("reject", "R", "reject", "Reject it, with a reason"),
    _decide("unsure", "M", "unsure", "Neither: unsure"),
    _decide("mark", "m", "mark", "Then 1-5 rating, t tag, n note, w train on this step", "opens"),
    Action("import", (), ":", "", "Import logs and datasets of other programs", "DECIDE", "opens"),
    Action("export", ("x",), "x", "export", "Export the branch, or up to here", "DECIDE", "opens"),
    Action("theme", ("f2",), "F2", "", "Choose a theme", "LOOK"),
    Action("cancel", ("escape",), "Esc", "", "Close, or cancel the call in flight", "LEAVE"),
    Action("leave", ("q",), "q", "back", "Up one level", "LEAVE"),
    Action("palette", ("colon",), ":", "commands", "All commands, by name", "LEAVE"),
    Action("help", ("question_mark", "f1"), "?", "keys", "All keys", "LEAVE"),
    Action("quit", ("ctrl+q",), "Ctrl+Q", "", "Quit", "LEAVE"),
)

BY_ID = {action.id: action for action in ACTIONS}

OPENING = (
    *("find", "open_step", "present", "outline", "diff", "theme", "palette", "help", "leave"),
    "reject",
)
"""Ids of actions that open something, besides those whose guard says so."""


def _opening_keys() -> frozenset[str]:
    return frozenset(
        key for a in ACTIONS if a.guard == "opens" or a.id in OPENING for key in a.keys
    )


OPENING_KEYS = _opening_keys()
"""Keys that open something: what is typed behind them is meant for that."""


def use(actions: tuple[Action, ...]) -> None:
    """Take these in the place of the registry's, the same with other keys. Before any screen is
    loaded: screens make their bindings from the registry as they are loaded.
    """
    global ACTIONS, BY_ID, OPENING_KEYS
    ACTIONS = actions
    BY_ID = {action.id: action for action in ACTIONS}
    OPENING_KEYS = _opening_keys()


_PAIRS = {
    "previous": ("next", "previous"),
    "lane_left": ("lane_left", "lane_right"),
    "previous_flag": ("previous_flag", "next_flag"),
    "previous_turn": ("previous_turn", "next_turn"),
    "last": ("first", "last"),
    "take_after": ("take_before", "take_after"),
}
"""Actions that the footer shows together with their opposite."""
_PINNED = ("palette", "help")
_LOOK_ORDER = (
    "previous",
    "find",
    "open_step",
    "lane_left",
    "read_on",
    "take_after",
    "previous_flag",
    "last",
    "previous_turn",
    "layout",
    "inspect",
    "area",
    "diff",
    "outline",
    "copy",
    "present",
)
_MAKE_ORDER = (
    *("step", "turn", "run", "edit", "write", "retake", "undo", "breaks", "export", "fault"),
    *("accept", "reject", "unsure", "mark", "new", "insert", "delete"),
)


def footer(width: int) -> tuple[Row, Row]:
    """Two lines of keys, as many as fit; the key to all the others is always there."""
    return (
        _line("LOOK", list(_LOOK_ORDER), ("leave",), width),
        _line("MAKE", list(_MAKE_ORDER), _PINNED, width),
    )


def _line(title: str, ids: list[str], pinned: tuple[str, ...], width: int) -> Row:
    tail = [span for name in pinned for span in _entry(name)]
    tail_width = sum(len(text) for text, _ in tail)
    spans: list[Span] = [(f" {title} ", "bar:dim")]
    used = len(title) + 2
    for name in ids:
        entry = _entry(name)
        need = sum(len(text) for text, _ in entry)
        if used + need + tail_width + 1 > width:
            break
        spans += entry
        used += need
    spans.append((" " * max(width - used - tail_width, 0), "bar"))
    return row(*spans, *tail, fill="bar")


def _entry(name: str) -> list[Span]:
    action = BY_ID[name]
    keys = " ".join(BY_ID[each].short for each in _PAIRS.get(name, (name,)))
    return [(f" {keys}", "bar:key"), (f" {action.label} ", "bar")]


def key_table() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Per group its heading, and each action's keys and help: for help screen and README."""
    for group in GROUPS:
        rows = [(shown_keys(a), a.help) for a in ACTIONS if a.group == group]
        yield f"{group}: {ABOUT[group]}", rows


_SHOWN = {
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "home": "Home",
    "end": "End",
    "delete": "Del",
    "f1": "F1",
    "f5": "F5",
    "f9": "F9",
    "f10": "F10",
}


def shown_keys(action: Action) -> str:
    """All keys of an action as people write them."""
    more = [_SHOWN[key] for key in action.keys if key in _SHOWN]
    return " ".join([action.short, *more])
