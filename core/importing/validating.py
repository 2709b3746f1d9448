"""Whether the records of files are what their format asks for, by its own writer's rules too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ..errors import BundleError, Fault
from ..exporting.items import from_bundle
from ..exporting.plan import Plan
from ..exporting.subjects import subjects_of
from ..formats.reading.files import Read
from ..formats.report import Report
from ..formats.table import FORMATS, report
from .items import numbered
from .saved import rollouts_of
from .summary import Left
from .tally import Tally, odd_in
from .walking import Progress, Stop, Walk, is_bundle


class Verdict(msgspec.Struct, frozen=True):
    """What is said of one record: ``refused`` by the rules, or ``odd`` and still good."""

    left: Left
    refused: bool


class Validation:
    """One validation under way; ``tally`` counts. ``refused`` are the records that cannot be read,
    or that a writer of the format would not write.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        *,
        format: str | None = None,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._unreadable: list[Left] = []
        self.tally = Tally(self._unreadable.append)
        self.walk = Walk(paths, self.tally, format=format, progress=progress, stop=stop)
        self._forced = format is not None

    def verdicts(self) -> Iterator[Verdict]:
        """What there is to say, record by record."""
        for path in self.walk.each():
            yield from self._bundle(path) if is_bundle(path) else self._records(path)
            yield from self._not_read()

    def _records(self, path: Path) -> Iterator[Verdict]:
        for read in self.walk.records(path):
            yield from self._not_read()
            yield from self._of(path, read)

    def _bundle(self, path: Path) -> Iterator[Verdict]:
        """What there is to say of our own whole rollouts."""
        warnings: list[str] = []
        try:
            for _ in from_bundle(path, warnings):
                self.tally.read += 1
                self.tally.formats["bundle"] += 1
        except BundleError as error:
            self.tally.fail(path, error)
        for warning in warnings:
            self.tally.odd += 1
            fault = Fault(warning.removeprefix(f"{path}: "))
            yield Verdict(Left(path, 0, (fault,)), refused=False)

    def _not_read(self) -> Iterator[Verdict]:
        for left in self._unreadable:
            yield Verdict(left, refused=True)
        self._unreadable.clear()

    def _of(self, path: Path, read: Read) -> Iterator[Verdict]:
        odd = list(noted.faults) if (noted := odd_in(path, read)) is not None else []
        reports = list(self._reports(path, read))
        more = [Fault(words, read.line) for each in reports for words in _odd_words(each)]
        if odd or more:
            self.tally.odd += not odd
            yield Verdict(Left(path, read.number, (*odd, *more)), refused=False)
        refused = [msgspec.structs.replace(f, line=read.line) for r in reports for f in r.refused]
        if refused:
            self.tally.leave(Left(path, read.number, tuple(refused)))
            yield from self._not_read()

    def _reports(self, path: Path, read: Read) -> Iterator[Report]:
        """What the format's own writer says of the trajectories of a record."""
        fmt = FORMATS[read.format]
        if not fmt.writes or fmt.whole:
            return
        for made, _ in rollouts_of(read, str(path), forced=self._forced):
            saved = numbered(made)
            plan = Plan(format=fmt.name, branches="this" if fmt.collect is None else "all")
            for subject in subjects_of(saved, saved.tree(), plan):
                yield report(msgspec.structs.replace(subject, as_it_is=True), fmt)


def _odd_words(found: Report) -> Iterator[str]:
    """What the record holds beyond its format."""
    for loss in found.lost:
        if loss.steps:
            yield f"{loss.render()}: {found.format} does not hold this."
    yield from found.notes
