"""What an export is asked for."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..errors import UsageError
from ..formats.options import WriteOptions
from ..formats.table import FORMATS, Format
from ..model.steps import Role

Branches = Literal["this", "accepted", "kept", "all"]
SplitBy = Literal["rollout", "source"]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is written of each rollout, and how.

    ``branches``: the one that would be opened, those whose newest verdict is accept and stands, all
    that are not hidden, or (kept) those of them that are not rejected, and the one that would be
    opened where that leaves none. ``branch`` names one instead, ``leaf`` gives its last step.
    ``up_to``: its first steps only. ``role``: whose replies are the assistant's. ``reasoning``:
    strip leaves out everybody's. ``redact``: a marker stands where a secret stood. ``train_split``:
    the share of rollouts that goes to the training side, the rest to the test side; ``by`` says
    what stays together on one side, a rollout or all rollouts of one record of a source.
    """

    format: str
    branches: Branches = "this"
    branch: str = ""
    leaf: str | None = None
    up_to: int | None = None
    role: Role = "target"
    reasoning: Literal["keep", "strip"] = "keep"
    redact: bool = False
    train_split: float | None = None
    by: SplitBy = "rollout"
    options: WriteOptions = WriteOptions()

    @property
    def fmt(self) -> Format:
        """The row of the table of formats. Raises UsageError for a name that is not there."""
        return format_named(self.format)


def format_named(name: str) -> Format:
    """The format of this name, if it writes. Raises UsageError, which names those there are."""
    fmt = FORMATS.get(name)
    if fmt is None or not fmt.writes:
        names = ", ".join(each.name for each in FORMATS.values() if each.writes)
        only = "is only read" if fmt is not None else "is not known"
        raise UsageError(f"The format {name!r} {only}. Those that are written: {names}.")
    return fmt


def check_plan(plan: Plan) -> None:
    """Raise UsageError for a plan that asks for what its format cannot do."""
    fmt = plan.fmt
    if plan.train_split is not None:
        if not 0 < plan.train_split < 1:
            raise UsageError("The training share is a number between 0 and 1, such as 0.9.")
        if is_document(fmt):
            raise UsageError(f"{fmt.name} is no format of rows: it has no training and test side.")
    elif plan.by != "rollout":
        raise UsageError("What stays together on one side matters only where there are two: split.")
    if plan.branch and plan.branches != "this":
        raise UsageError("Name one branch, or ask for accepted ones or all, not both.")
    if fmt.whole and (plan.role != "target" or plan.up_to is not None):
        raise UsageError(f"{fmt.name} holds whole rollouts: it takes neither a role nor a part.")
    if plan.role != "target" and fmt.name in PROJECT_FORMATS:
        raise UsageError(f"{fmt.name} holds no replies: it takes no role.")
    for name in chosen_options(plan.options):
        if name not in fmt.heeds:
            those = [each.name for each in FORMATS.values() if name in each.heeds and each.writes]
            heed = f"; those that do: {', '.join(those)}" if those else ""
            words = name.replace("_", "-")
            raise UsageError(f"The format {fmt.name} has no choice of {words}{heed}.")


PROJECT_FORMATS = frozenset({"project", "seed"})
"""Formats of what was played, and not of what was said."""


def is_document(fmt: Format) -> bool:
    """Whether a file of this format is one document, and not rows that can be put together."""
    return fmt.rows is None and not fmt.whole and not fmt.suffix.endswith(".jsonl")


def chosen_options(options: WriteOptions) -> list[str]:
    """Names of the options that are not as they are when nobody chooses."""
    plain = WriteOptions()
    names = options.__struct_fields__
    return [name for name in names if getattr(options, name) != getattr(plain, name)]
