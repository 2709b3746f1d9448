"""What became of an export, summed over any number of rollouts without growing with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ..counting import counted, outcome, read_words
from ..errors import Fault
from ..formats.report import Loss
from .searching import Found

MOST_KEPT = 1000
"""Of what is skipped or found so many are kept by name; the others are only counted."""

_MANY = 5
"""So many skipped for the same reason have a line each."""

_MOST_NOTES = 50
_NUMBERS = re.compile(r" \(steps? [^)]*\)")


class Skipped(msgspec.Struct, frozen=True):
    """A trajectory that the format refuses: of which rollout, the number of its last step in the
    library, and every reason.
    """

    rollout: str
    title: str
    seq: int
    faults: tuple[Fault, ...]
    source: str = ""
    record: int | None = None

    @property
    def where(self) -> str:
        """Which one, as people name it: the rollout and its last step, and where it came from."""
        where = f"{self.rollout}#{self.seq}" if self.seq else self.rollout
        if self.source:
            row = "" if self.record is None else f", record {self.record + 1}"
            where += f" ({self.source}{row})"
        return where

    def render(self) -> str:
        """One line for each reason, each of which names the record."""
        return "\n".join(f"{self.where}: {fault.render()}" for fault in self.faults)


class LossTotal(msgspec.Struct):
    """One thing that the format cannot hold: in how many trajectories, and where first."""

    words: str
    first: str
    trajectories: int = 0
    count: int = 0

    def render(self) -> str:
        """The loss in one line."""
        return f"{self.words}: {counted(self.trajectories, 'trajectory')}, first in {self.first}"


class ExportSummary(msgspec.Struct):
    """What an export read, wrote, skipped, lost and found.

    ``rollouts`` were read, and ``trajectories`` made of them; ``written`` of these went into
    ``rows`` (each a ``unit``: a row, a document or a rollout). ``repeated`` rows were left out
    because an equal one stands there already, ``pairless`` trajectories hold no pair for a format
    of pairs, and ``unchosen`` are rollouts of which no branch was asked for. ``lines`` is the
    report of the one trajectory, where there is only one; ``of_all`` are notes on all rows
    together. ``files`` holds the paths that were written, not those inside of a folder.
    """

    format: str
    unit: str = "row"
    rollouts: int = 0
    trajectories: int = 0
    written: int = 0
    rows: int = 0
    test_rows: int | None = None
    repeated: int = 0
    pairless: int = 0
    unchosen: int = 0
    refused: int = 0
    edits: int = 0
    flags: int = 0
    places: int = 0
    secrets: int = 0
    hidden: int = 0
    redacted: bool = False
    stopped: bool = False
    stripped: int = 0
    reconstructed: int = 0
    skipped: list[Skipped] = []
    found: list[Found] = []
    losses: dict[str, LossTotal] = {}
    notes: dict[str, int] = {}
    lines: tuple[str, ...] = ()
    of_all: tuple[str, ...] = ()
    files: list[Path] = []

    # What happens

    def lose(self, losses: Iterable[Loss], rollout: str) -> None:
        """A trajectory that the format takes, without these things."""
        for loss in losses:
            total = self.losses.setdefault(loss.what, LossTotal(loss.words, rollout))
            total.trajectories += 1
            total.count += loss.count

    def note(self, notes: Iterable[str]) -> None:
        """What is written in a way of its own; the numbers of steps are left out."""
        for note in notes:
            words = _NUMBERS.sub("", note)
            if words in self.notes or len(self.notes) < _MOST_NOTES:
                self.notes[words] = self.notes.get(words, 0) + 1

    def skip(self, skipped: Skipped) -> None:
        """A trajectory that the format refuses."""
        self.refused += 1
        if len(self.skipped) < MOST_KEPT:
            self.skipped.append(skipped)

    def find(self, found: Found) -> None:
        """A secret, or hidden characters."""
        self.places += 1
        if found.kind == "secret":
            self.secrets += 1
        else:
            self.hidden += found.count
        if len(self.found) < MOST_KEPT:
            self.found.append(found)

    # In words

    @property
    def exit_status(self) -> int:
        """0, or 1 where something was refused, or nothing is there to write."""
        return 1 if self.refused or self.stopped or not self.rows else 0

    def skips(self) -> list[str]:
        """What was skipped and why, as lines for people: where many were for the same reason it is
        said once, with all of them.
        """
        reasons: dict[str, list[str]] = {}
        for skipped in self.skipped:
            for fault in skipped.faults:
                reasons.setdefault(fault.render(), []).append(skipped.where)
        lines = []
        for words, where in reasons.items():
            if len(where) > _MANY:
                lines.append(f"skipped {len(where):,}: {words} {', '.join(where)}")
            else:
                lines += [f"skipped {each}: {words}" for each in where]
        if (more := self.refused - len(self.skipped)) > 0:
            lines.append(f"skipped {more:,} more")
        return lines

    def report(self) -> list[str]:
        """What is lost, written otherwise, and found, as lines for people."""
        lines = list(self.lines) or self._report_of_many()
        lines += [f"note: {words}" for words in self.of_all]
        if self.stripped:
            lines.append(f"left out as asked: reasoning, of {counted(self.stripped, 'rollout')}")
        if self.reconstructed:
            lines.append(
                f"reconstructed: {counted(self.reconstructed, 'request')} of the role "
                "that no model was sent, or that is not kept"
            )
        return [*lines, *self.findings()]

    def _report_of_many(self) -> list[str]:
        lines = [f"not kept: {total.render()}" for total in self.losses.values()]
        lines += [
            f"note: {words}" + (f" ({count:,} times)" if count > 1 else "")
            for words, count in self.notes.items()
        ]
        return lines or (["nothing is lost"] if self.written else [])

    def findings(self) -> list[str]:
        """Secrets and hidden characters, as lines for people."""
        lines = []
        for found in self.found:
            word = "replaced" if self.redacted and found.kind == "secret" else "found"
            lines.append(f"{word}: {found.render()}")
        if (more := self.places - len(self.found)) > 0:
            lines.append(f"found: {more:,} more")
        return lines

    def counts(self, read: str = "", unread: int = 0) -> str:
        """What was read, written and skipped, in one line. ``read`` says what was read where that
        is more than rollouts, ``unread`` how much of it could not be used.
        """
        rows = f"wrote {counted(self.rows, self.unit)}"
        if self.test_rows is not None:
            rows += f" ({self.rows - self.test_rows:,} to train, {self.test_rows:,} to test)"
        several = self.trajectories != self.rollouts
        return outcome(
            read or read_words(self.rollouts, "rollout"),
            f"made {counted(self.trajectories, 'trajectory')} of them" if several else "",
            rows,
            f"left out {counted(self.repeated, 'equal row')}" if self.repeated else "",
            f"{self.pairless:,} had no pair" if self.pairless else "",
            skipped=self.refused + unread,
            further=[f"{self.unchosen:,} had no such branch" if self.unchosen else ""],
        )
