"""What a project file says for debugging: where runs pause, and what goes wrong on purpose."""

from typing import Annotated, Literal

import msgspec

from .fields import Count, JsonObject, JsonText, doc


class Breakpoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A condition at which a run pauses. All that is given must hold. A plain string in the file
    means ``when``.
    """

    when: Annotated[
        str | None, doc("A query, such as: tool = issue_refund and args/amount > 40.")
    ] = None
    role: Annotated[
        Literal["evaluator", "target", "tool"] | None, doc("The step is this role's.")
    ] = None
    tool: Annotated[str | None, doc("The step calls this tool, or answers a call of it.")] = None
    text: Annotated[str | None, doc("Occurs in the step's text, in any letter case.")] = None
    regex: Annotated[str | None, doc("Python regular expression found in the step's text.")] = None
    turn: Annotated[Count | None, doc("Number of the turn, counted from 1.")] = None
    name: Annotated[str, doc("What it is called when it stops a run.")] = ""
    before: Annotated[
        bool, doc("Pause before a role is asked, instead of after its step was saved.")
    ] = False
    enabled: Annotated[bool, doc("Whether it pauses runs.")] = True
    ignore: Annotated[int, doc("So many hits of a rollout are let go by first.", ge=0)] = 0
    once: Annotated[bool, doc("It goes away when it has stopped a run.")] = False


class FaultRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault that is put in place of tool results: one of the built-in kinds or, with
    ``respond``, one of the project's own. A plain string in the file means ``fault``.
    """

    fault: Annotated[str, doc("The built-in kind, or the name of your own.", min_length=1)]
    tool: Annotated[str | None, doc("Only results of this tool; any tool's without it.")] = None
    when: Annotated[
        JsonObject | None,
        doc("Arguments that must be there with these values, compared as they are."),
    ] = None
    probability: Annotated[
        float,
        doc(
            "How often, from 0 to 1, drawn from the run's seed. A fault with 0 is only offered "
            "by the f key.",
            ge=0,
            le=1,
        ),
    ] = 1.0
    times: Annotated[Count | None, doc("At most so often in a path.")] = None
    respond: Annotated[
        JsonText,
        doc("Your own fault's result. A string is given as it is, anything else as its JSON text."),
    ] = ""
    is_error: Annotated[bool, doc("Your own fault's result is a failure of the tool.")] = True


class Breakpoints(msgspec.Struct, frozen=True):
    """All breakpoints of a rollout, in their order: how a library keeps them."""

    items: tuple[Breakpoint, ...] = ()


def merged(
    before: tuple[Breakpoint, ...], ours: tuple[Breakpoint, ...], theirs: tuple[Breakpoint, ...]
) -> tuple[Breakpoint, ...]:
    """What becomes of ``before`` when we made ``ours`` of it while others made ``theirs``: their
    list, with what we took away, put in, and changed.
    """
    if theirs == before:
        return ours
    gone = [each for each in before if each not in ours]
    new = [each for each in ours if each not in before]
    # What stands in the place of one that is gone is that one, changed.
    changed = {old: each for old, each in zip(before, ours, strict=False) if old in gone}
    changed = {old: each for old, each in changed.items() if each in new}
    kept = [changed.get(each, each) for each in theirs if each in changed or each not in gone]
    return tuple(dict.fromkeys((*kept, *new)))
