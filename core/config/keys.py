"""Every key of the configuration: its type, its default, what it means."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..model.fields import doc

Rate = Annotated[int, msgspec.Meta(ge=0)]


class Limit(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How much may be asked of one role or provider; 0 is no limit."""

    at_once: Annotated[Rate, doc("Calls at the same time.")] = 0
    requests_per_minute: Annotated[Rate, doc("Calls begun in a minute.")] = 0
    tokens_per_minute: Annotated[Rate, doc("Tokens of calls begun in a minute.")] = 0


class ReviewKeys(msgspec.Struct, frozen=True, omit_defaults=True):
    """The queue of ``rollstep review``."""

    guide: Annotated[str, doc("What reviewers should look for, shown with ? in the queue.")] = ""
    guide_file: Annotated[str, doc("A file with that text; ~ and paths beside the file work.")] = ""
    reasons: Annotated[
        tuple[str, ...],
        doc("Up to nine reasons to reject, chosen by number; others can be typed.", max_length=9),
    ] = ("wrong facts", "ignores a tool result", "does not help", "unsafe", "unnatural")
    tags: Annotated[
        dict[Annotated[str, msgspec.Meta(min_length=1, max_length=1)], str],
        doc("Tags by letter, behind m t: each letter puts its tag on or off."),
    ] = {}
    show_others: Annotated[bool, doc("Show the verdicts of others before your own is given.")] = (
        False
    )


class RunKeys(msgspec.Struct, frozen=True, omit_defaults=True):
    """``rollstep run``."""

    concurrency: Annotated[int, doc("Rollouts that run side by side.", ge=1)] = 16
    on_break: Annotated[
        Literal["park", "stop", "ignore"], doc("What a breakpoint does to a rollout.")
    ] = "park"
    max_cost: Annotated[float, doc("Dollars that one run may cost; 0 is no limit.", ge=0)] = 0.0
    max_tokens: Annotated[Rate, doc("Tokens that one run may take; 0 is no limit.")] = 0
    limits: Annotated[
        dict[str, Limit],
        doc(
            "Limits by role (evaluator, target, tool), by provider (openai) or by model "
            "(openai/gpt-4.1-mini); all that fit hold."
        ),
    ] = {}


class Config(msgspec.Struct, frozen=True, omit_defaults=True):
    """All of it."""

    library: Annotated[str, doc("The library that is used where none is named.")] = ""
    author: Annotated[str, doc("Your name, in edits and marks. Empty: the system's user name.")] = (
        ""
    )
    theme: Annotated[str, doc("The theme. Empty: the one chosen last with F2.")] = ""
    review: Annotated[ReviewKeys, doc("The queue of rollstep review.")] = ReviewKeys()
    run: Annotated[RunKeys, doc("Headless runs.")] = RunKeys()
    keys: Annotated[
        dict[str, str],
        doc(
            'Other keys for actions, by the action\'s id: step = "s f10". rollstep config --keys '
            "lists the ids."
        ),
    ] = {}
