"""What an export says of its trajectory besides the trajectory: which steps a human changed, and
what the linter finds, with the silences over it. Written beside the file, as
``NAME.provenance.json``.

Most formats have no place for it, and a row of training data must not be taken for untouched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from .files import write_whole
from .model.history import Command
from .model.marks import Silence
from .model.rollout import Rollout
from .rules.ledger import Ledger, LedgerEntry
from .rules.lint.linter import Flag, findings_with_silences

VERSION = 1
"""The version of the file's shape."""


class FlaggedStep(msgspec.Struct, frozen=True):
    """One finding: its step's number in the trajectory (from 1) and its ``seq``, the lint rule, the
    words, and the silence over it, if a human let it stand.
    """

    place: int
    seq: int
    rule: str
    words: str
    silence: Silence | None = None


class Provenance(msgspec.Struct, frozen=True):
    """Where a trajectory of ``steps`` steps came from, and what was done to it. ``edits`` are those
    of its path, in the path's order, copies included.
    """

    rollstep_provenance: int
    rollout: str
    title: str
    source: str
    steps: int
    edits: tuple[LedgerEntry, ...] = ()
    flags: tuple[FlaggedStep, ...] = ()

    def words(self) -> str:
        """How much there is, in words; empty for nothing."""
        counts = ((len(self.edits), "edit"), (len(self.flags), "flag"))
        return " and ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts if n)


def provenance_of(
    rollout: Rollout,
    leaf_id: str | None,
    *,
    commands: Iterable[Command] = (),
    silences: Iterable[Silence] = (),
    up_to: int | None = None,
) -> Provenance:
    """The provenance of the branch that ends at ``leaf_id``, or of its first ``up_to`` steps."""
    path = rollout.path(leaf_id)[:up_to]
    last = path[-1].id if path else None
    places = {step.id: (place, step.seq) for place, step in enumerate(path, 1)}
    found = findings_with_silences(rollout, last, silences)
    header = rollout.header
    return Provenance(
        VERSION,
        header.id,
        header.title,
        header.source,
        len(path),
        Ledger(rollout, commands).on_path(path),
        tuple(_flagged(flag, *places[flag.finding.step_id]) for flag in found),
    )


def provenance_path(path: Path) -> Path:
    """Where the provenance of an export stands."""
    return path.with_name(f"{path.name}.provenance.json")


def write_provenance(provenance: Provenance, path: Path, *, force: bool) -> Path | None:
    """Write it beside the export at ``path``; where, or None when there was nothing to say.

    One of an earlier export that is overwritten (``force``) never stays. Raises ExportError.
    """
    beside = provenance_path(path)
    if not provenance.words() and not (force and beside.exists()):
        return None
    # Escapes, because lone surrogates are legal in our texts and nowhere else.
    text = json.dumps(msgspec.to_builtins(provenance), ensure_ascii=True, indent=1)
    write_whole(beside, text.encode("ascii") + b"\n", force=force)
    return beside


def _flagged(flag: Flag, place: int, seq: int) -> FlaggedStep:
    return FlaggedStep(place, seq, flag.finding.rule, flag.finding.words, flag.silence)
