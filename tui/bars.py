"""The lines above and below the panes: where you are, what it cost, whose move it is."""

from __future__ import annotations

from rollstep.core.model.messages import MAX_TURNS, ToolCall
from rollstep.core.model.players import is_live
from rollstep.core.model.project import Project
from rollstep.core.model.steps import ROLES
from rollstep.core.rules.parking import FLAG
from rollstep.core.rules.stepper import Ask, Nobody, Opening, RuleStop

from .cells import cells
from .presenter import DebuggerModel
from .prices import step_cost
from .rows import Row, Span, row
from .sanitize import one_line
from .scored import outcome
from .stepview import stop_title
from .stops import turn_limit
from .verdicts import verdict_span
from .who import ANSWERS, LETTERS, NAMES, kind_of, who
from .wrap import fit

_LEAST_LEFT = 16
"""Cells of the title that the outcome leaves; whose move it is takes what it needs."""
_LEAST_OUTCOME = 12
_FAILED = 72
"""Cells that the reason of a failure takes at most; the inspector has all of it."""


def header(model: DebuggerModel, width: int) -> Row:
    """Title and branch, outcome, whose move it is."""
    move, move_kind = _move(model)
    move = fit(move, width - 2)
    outcome, kind = _outcome(model, width - cells(move) - _LEAST_LEFT - 5)
    right = [(outcome, kind), ("   " if outcome else "", "bar"), (move, move_kind), (" ", "bar")]
    used = sum(cells(text) for text, _ in right)
    room = max(width - used - 2, 0)
    branch = " › " + one_line(model.branch_name())
    title = one_line(model.rollout.header.title)
    listed = f" {model.listed} " if model.listed else ""
    room -= len(listed)
    if cells(title) + cells(branch) > room:
        branch = fit(branch, max(room // 2, room - cells(title)))
    title = fit(title, room - cells(branch))
    gap = width - used - 1 - len(listed) - cells(title) - cells(branch)
    left: list[Span] = [(listed, "bar:dim"), (" ", "bar"), (title, "bar:title"), (branch, "bar")]
    return row(*left, (" " * max(gap, 1), "bar"), *right, fill="bar")


def _outcome(model: DebuggerModel, room: int) -> tuple[str, str]:
    """That it failed, and why; else how it ended, and its scores."""
    failed = outcome(model)
    if failed is not None:
        return fit(failed[0], min(room, _FAILED)) if room >= _LEAST_OUTCOME else "", failed[1]
    scores = " ".join(
        f"{one_line(score.name)} {one_line(str(score.value))}" for score in model.scores[:2]
    )
    stop = model.path.stop
    ending = f"ended: {one_line(stop.reason)}{_ENDED[stop.by]}" if stop else ""
    text = "  ".join(piece for piece in (ending, scores) if piece)
    text = fit(text, min(room, 40)) if room >= _LEAST_OUTCOME else ""
    return text, "bar:ok" if stop and stop.reason == "goal_reached" else "bar:warn"


_ENDED = {"evaluator": "", "rule": ", by rule", "human": ", by hand"}
"""A stop is the evaluator's to propose; whose else it is has to be said."""


def _move(model: DebuggerModel) -> tuple[str, str]:
    if model.asking is not None:
        return f"asking {fit(one_line(model.asking.who), 30)} …", "bar:busy"
    if model.ahead:
        return f"recorded: {model.ahead:,} ahead", "bar"
    action = model.next_here()
    if isinstance(action, Nobody):
        return "nobody's move", "bar"
    if isinstance(action, Ask):
        if kind_of(model.project, action.role) == "human":
            return "your move", "bar:ok"
        return f"paused: {NAMES[action.role]} is next", "bar:ok"
    words = "the opening is next" if isinstance(action, Opening) else "a rule ends it next"
    return f"paused: {words}", "bar:ok"


def status(model: DebuggerModel, width: int) -> Row:
    """Step, turn, tokens, cost, edits, flags, saved or not, and who plays."""
    first = [_not_saved(model, width)] if model.unsaved else []
    last = [*([] if model.unsaved else [_saved(model)]), *_drafts(model), *_players(model)]
    for brevity in range(3):
        pieces = [*first, *_counts(model, brevity), *_verdict(model, brevity), *last]
        if sum(cells(text) + 2 for text, _ in pieces) < width + 1:
            break
    spans: list[Span] = []
    used = 1
    for place, (text, kind) in enumerate(pieces):
        rest = 0 if place == len(pieces) - 1 else 2
        if used + cells(text) + rest > width:
            spans.append((" …", "dim"))
            break
        spans += [(" " if not spans else "  ", "text"), (text, kind)]
        used += cells(text) + 2
    return row(*spans)


def _verdict(model: DebuggerModel, brevity: int) -> list[Span]:
    """What was said of the branch that is shown."""
    standing = model.shown_verdict.of(model)
    if standing is None:
        return []
    return [verdict_span(standing, brief=brevity > 0)]


def _saved(model: DebuggerModel) -> Span:
    if model.pending:
        return f"saving {len(model.pending)} …", "warn"
    return ("demo: not kept", "dim") if model.throwaway else ("all saved", "ok")


def _drafts(model: DebuggerModel) -> list[Span]:
    """Texts that wait to be saved as steps: they are kept, and easily forgotten."""
    return [(_plural(len(model.drafts), "draft") + " …", "warn")] if model.drafts else []


def _not_saved(model: DebuggerModel, width: int) -> Span:
    """The one thing that must be seen, however long its words are; the step's number fits too."""
    count = f", {model.unsaved_count} only in memory" if model.unsaved_count else ""
    words = one_line(model.unsaved.removeprefix("Not saved: "))
    step = cells(_counts(model)[0][0])
    return fit(f"NOT SAVED{count} (Ctrl+S tries again): {words}", max(width - step - 6, 9)), "alarm"


def _counts(model: DebuggerModel, brevity: int = 0) -> list[Span]:
    """Where the cursor is and what there is; shorter words first, then no tokens, where the line
    is narrow.
    """
    path = model.path
    turn = path.turn[model.cursor] if model.cursor >= 0 else 0
    limit = turn_limit(model, model.project)
    pieces = [
        (f"step {model.cursor + 1:,}/{len(path):,}", "strong"),
        (f"turn {turn}" if limit is None else f"turn {turn}/{limit}", "strong"),
    ]
    if path.tokens[-1]:
        if brevity < 2:
            pieces.append(
                (f"{path.about(model.cursor)}{path.tokens[model.cursor + 1]:,} tok", "dim")
            )
        pieces.append((path.money(model.cursor), "dim"))
    edits = f"{path.edits}*" if brevity else _plural(path.edits, "edit") + " *"
    pieces.append((edits, "human" if path.edits else "dim"))
    flags = sum(map(len, path.flagged.values())) if len(path.flagged) < 50 else len(path.flagged)
    words = f"{flags}!" if brevity else _plural(flags, "flag") + " !"
    pieces.append((words, "warn" if flags else "dim"))
    if model.breakpoints:
        on = sum(each.enabled for each in model.breakpoints)
        words = f"{on}#" if brevity else _plural(on, "break") + " #"
        pieces.append((words, "key" if on else "dim"))
    return pieces


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _players(model: DebuggerModel) -> list[Span]:
    roles = ROLES if model.project.tool_simulator else ROLES[:2]
    replaying, through = model.replaying is not None, model.replaying or ()
    names = {
        role: "recorded" if replaying and role not in through else who(model.project, role)
        for role in roles
    }
    return [(f"{LETTERS[role]} {fit(name, 24)}", role) for role, name in names.items()]


def hint(model: DebuggerModel, width: int) -> Row:
    """What ``s`` would do here; or what just happened, where that has to be known first."""
    text, kind = hint_words(model)
    return row((" " + fit(text, width - 2), kind))


def hint_words(model: DebuggerModel) -> Span:
    """The hint and its style."""
    if model.notice and model.asking is None:
        return _notice(model.notice), "warn"
    words, kind = here_words(model)
    if model.asking is not None:
        how = one_line(model.asking.notice).removesuffix(".") or model.asking.pace(
            brief=model.narrow
        )
        words = words.replace("; Esc cancels", f": {how}; Esc cancels") if how else words
    return words, kind


_SAYS_ITSELF = ("breakpoint ", "parked: ", "paused ")
"""How a notice begins that says by itself that the rollout waits."""


def _notice(words: str) -> str:
    """Why the rollout waits, and what goes on."""
    said = one_line(words)
    if said.startswith(("breakpoint ", "parked: breakpoint ")):
        return f"{said}; c goes on"
    if said.startswith(f"parked: {FLAG}"):
        return f"{said}; [ goes there, ! silences it, A accepts"
    if said.endswith((" spent", " used", " left", " times")):
        again = " is left" in said or " are left" in said
        goes = "s or c makes it all the same" if again else "s or c goes on all the same"
        return f"{'' if said.startswith(_SAYS_ITSELF) else 'Paused: '}{said}; {goes}"
    return said


def here_words(model: DebuggerModel) -> Span:
    """What the key that goes on does here, whatever was said last."""
    if model.asking is not None:
        what, takes = ANSWERS[model.asking.role], model.asking.takes
        what = f"{takes} takes of the {what}" if takes > 1 else f"the {what}"
        name = one_line(model.asking.who).rsplit("/", 1)[-1]
        return f"asking {name} for {what}; Esc cancels", "busy"
    if model.ahead:
        steps = f"{model.ahead:,} recorded step{'s' if model.ahead > 1 else ''} ahead"
        return f"{steps}: s walks on, free; e overrides this step", "dim"
    action = model.next_here()
    if isinstance(action, Nobody):
        stop = model.path.stop
        title = stop_title(stop) if stop else "ended"
        if stop is not None and stop.reason == MAX_TURNS:
            return f"{title}; : more turns, w overrules it", "dim"
        return f"{title}; w overrules it, x exports", "dim"
    if isinstance(action, Opening):
        return "s plays the opening message, free", "dim"
    if isinstance(action, RuleStop):
        return f"s ends it: {action.reason}, by rule", "dim"
    return _ask_words(model, action)


def key_here(model: DebuggerModel) -> str:
    """The key that goes on from here: ``w`` where nobody but the human can."""
    action = model.next_here()
    if model.ahead or not isinstance(action, Ask):
        return "s"
    return "w" if kind_of(model.project, action.role) in ("", "human") else "s"


def _ask_words(model: DebuggerModel, action: Ask) -> Span:
    project = model.project
    what = ANSWERS[action.role]
    if action.call is not None:
        what = f"result of {one_line(action.call.name)}"
    elif action.last_chance:
        what = "last word (the last permitted turn is over)"
    kind = kind_of(project, action.role)
    if model.replaying is not None and action.role not in model.replaying and kind != "human":
        return f"s gives the {what} as recorded, free; where it is not, you are asked", "ok"
    faulty = action.call is not None and _faults_may(project, action.call)
    if faulty and kind in ("human", ""):
        return f"w writes the {what}; s lets the fault rules answer first", "ok"
    if kind == "human":
        return f"your move: w writes the {what}", "ok"
    if not kind:
        return f"nobody plays the tool simulator: w writes the {what}", "warn"
    cost, more = "offline, free", ""
    if is_live(project, action.role):
        cost = "live, may cost money"
        if (forecast := model.forecast) is not None:
            cost, more = step_cost(forecast), "; t and c may take as much for each step"
    name = who(project, action.role)
    if kind not in ("llm", "python"):
        name = f"the {name}"
    if faulty:
        cost += ", or a fault rule answers"
    return f"s asks {name} for the {what} ({cost}); w writes it by hand{more}", "dim"


def _faults_may(project: Project, call: ToolCall) -> bool:
    """Whether a rule of the project may answer in the simulator's place."""
    if not project.faults:
        return False
    from rollstep.core.rules.faults.kinds import fits

    return any(rule.probability > 0 and fits(rule, call) for rule in project.faults)
