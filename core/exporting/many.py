"""An export of any number of rollouts, in one pass: each is read, checked, searched and written
before the next one is read, and the files take their places when all of it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from ..errors import ExportError, Fault
from ..formats.report import FEATURES
from ..formats.rows import Row
from ..formats.subject import Subject
from ..formats.table import few_rows, writes_once
from ..model.rollout import RolloutHeader, Trajectory
from ..model.steps import Step
from ..store.change import Saved
from .items import AnyItem, Item, Unreadable
from .making import make
from .outputs import Made, needs_folder, write_out
from .plan import Plan, check_plan, is_document
from .provenance import Provenance, has_provenance
from .redacting import without_secrets
from .searching import Searcher, known_secrets
from .seen import Seen
from .splitting import Written, on_test_side, side_key
from .staging import Staging, in_words
from .subjects import leaves_of, subjects_of, without_reasoning
from .tally import ExportSummary, Skipped

Progress = Callable[[ExportSummary], None]
"""Told after each rollout how far the export is."""

_replace = msgspec.structs.replace

_ONE_SIDE = (
    "no rollout falls on the {} side, and no file is written for it: which side a rollout is on "
    "follows from its id, so that a few may all be on one"
)


def export_many(
    plan: Plan,
    items: Iterable[AnyItem],
    path: Path | str,
    *,
    several: bool = True,
    force: bool = False,
    secrets: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    before: Progress | None = None,
) -> ExportSummary:
    """Write rollouts to ``path``, all of it or nothing; what was read, written, skipped and found.

    ``several`` says that there may be more than one trajectory: then a format of documents makes a
    folder of them, unless it can put many into one. ``secrets`` maps values to their names (those
    of the environment, where it is None). ``stop`` is asked before each rollout: when it says yes
    nothing is written. ``before`` is told what was read and found, before any file takes its place;
    what it raises leaves everything as it was.

    Raises UsageError for a plan that cannot be, InputError for rollouts that cannot be read, and
    ExportError where a file cannot be written or is there (without ``force``), or where the format
    refused everything.
    """
    check_plan(plan)
    several = several or plan.branches != "this" or plan.role != "target"
    folder = Path(path) if needs_folder(plan, path, several=several) else None
    run = _Run(plan, several, secrets, progress, stop)
    try:
        with Staging(force=force, folder=folder) as staging:
            with in_words(Path(path)):
                files = write_out(run.made(items), plan, Path(path), staging, several=several)
            if run.summary.stopped:
                return run.summary
            run.ended()
            if before is not None:
                before(run.summary)
            _check_any(run.summary)
            staging.commit()
            run.summary.files = files
    finally:
        run.close()
    return run.summary


def survey(
    plan: Plan,
    items: Iterable[AnyItem],
    *,
    several: bool = True,
    secrets: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> ExportSummary:
    """What ``export_many`` would say of these rollouts. Writes nothing."""
    check_plan(plan)
    run = _Run(plan, several, secrets, progress, stop)
    try:
        for _ in run.made(items):
            pass
        run.ended()
    finally:
        run.close()
    return run.summary


def _check_any(summary: ExportSummary) -> None:
    if summary.rows:
        return
    if summary.refused:
        raise ExportError("Nothing was written.")
    if summary.pairless:
        words = "no branch that was asked for holds a pair of answers: no edit, no two verdicts."
        raise ExportError(f"Nothing was written: {words}")
    if summary.unchosen:
        words = "no branch that was asked for is in"
        raise ExportError(f"Nothing was written: {words} any of {summary.rollouts:,} rollouts.")
    raise ExportError("Nothing was written: there is nothing to write.")


class _Run:
    """One export under way. ``made`` is all of it but the writing."""

    def __init__(
        self,
        plan: Plan,
        several: bool,
        secrets: Mapping[str, str] | None,
        progress: Progress | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self._plan = plan
        self._fmt = fmt = plan.fmt
        unit = "rollout" if fmt.whole else "document" if is_document(fmt) else "row"
        if unit == "document" and fmt.render is None and fmt.collect is not None:
            unit = "trajectory"  # all of them stand in one document
        self.summary = ExportSummary(plan.format, unit, redacted=plan.redact)
        self._several = several
        self._secrets = known_secrets() if secrets is None else secrets
        self._progress = progress
        self._stop = stop
        self._seen = Written() if writes_once(self._fmt, plan.options) else None
        everything = frozenset(FEATURES)
        self._looked_at = self._fmt.holds if plan.role == "target" else everything
        if plan.train_split is not None:
            self.summary.test_rows = 0

    def close(self) -> None:
        """Let go of what it held."""
        if self._seen is not None:
            self._seen.close()

    def ended(self) -> None:
        """What can only be said of all rows together."""
        rows = self.summary.rows - (self.summary.test_rows or 0)
        if rows and (words := few_rows(self._fmt, rows)):
            self.summary.of_all = (words,)
        if self.summary.test_rows is not None and self.summary.rows:
            side = "train" if not rows else "test" if not self.summary.test_rows else ""
            if side:
                self.summary.of_all += (_ONE_SIDE.format(side),)

    def made(self, items: Iterable[AnyItem]) -> Iterator[Made]:
        """What each trajectory is made into; those that are refused are told of and left out."""
        for item in items:
            if self._stop is not None and self._stop():
                self.summary.stopped = True
                return
            self.summary.rollouts += 1
            before = self.summary.trajectories
            if isinstance(item, Unreadable):
                fault = Fault(f"it cannot be read ({item.why}).")
                self.summary.skip(Skipped(item.rollout, "", 0, (fault,)))
            else:
                yield from self._of_rollout(item)
                if self.summary.trajectories == before:
                    self.summary.unchosen += 1
            if self._progress is not None:
                self._progress(self.summary)

    def _of_rollout(self, item: Item) -> Iterator[Made]:
        plan, original = self._plan, item.saved
        if plan.reasoning == "strip":
            original, some = without_reasoning(original)
            self.summary.stripped += some
            item = _replace(item, saved=original)
        if plan.redact:
            item = without_secrets(item, self._secrets)
        rollout = item.saved.tree()
        if self._fmt.whole:
            if plan.branches == "this" or leaves_of(item.saved, rollout, plan):
                yield self._whole(item, original)
            return
        beside = has_provenance(self._fmt)
        searcher = Searcher(self._looked_at, self._secrets, beside=beside)
        before = {step.id: step for step in original.steps}
        told = Provenance(item.saved, rollout) if beside else None
        for base in subjects_of(item.saved, rollout, plan, item.up_to, lenient=self._several):
            found = list(searcher.look(_as_saved(base, original, before), before))
            for seen in self._seen_by(base, item):
                made = self._make(seen, told)
                if made is not None:
                    yield made
                    for each in found:
                        self.summary.find(each)
                    found = []

    def _seen_by(self, base: Subject, item: Item) -> Iterable[Seen]:
        """The trajectory as the role that was asked for saw it."""
        if self._plan.role == "target":
            return (Seen(base, base),)
        from .perspective import as_role

        return as_role(base, self._plan.role, item.requests)

    def _make(self, seen: Seen, told: Provenance | None) -> Made | None:
        """The trajectory as its format writes it, or None where that refuses it."""
        summary, fmt = self.summary, self._fmt
        summary.trajectories += 1
        piece = make(seen, fmt)
        report, rows = piece.report, piece.rows
        summary.lines = tuple(report.render().splitlines()) if summary.trajectories == 1 else ()
        if report.pairless:
            summary.pairless += 1
            return None
        if report.refused:
            self._skip(piece.subject, report.refused)
            return None
        summary.written += 1
        summary.reconstructed += seen.reconstructed
        summary.lose(report.lost, piece.subject.rollout_id)
        summary.note(report.notes)
        if not is_document(fmt):
            rows = self._unique(rows)
        assert piece.subject.rollout is not None
        test = self._is_test(piece.subject.rollout.header)
        self._count(1 if is_document(fmt) else len(rows), test)
        provenance = None
        if told is not None:
            provenance = told.of(seen.base, seen.places, seen.context)
            summary.edits += provenance.edits
            summary.flags += provenance.flags
        return Made(piece.subject, rows, piece.data, provenance, test)

    def _whole(self, item: Item, original: Saved) -> Made:
        from ..store.bundle import rollout_lines

        saved, summary = item.saved, self.summary
        summary.trajectories += 1
        summary.written += 1
        test = self._is_test(saved.header)
        self._count(1, test)
        summary.lines = ("nothing is lost",) if summary.trajectories == 1 else ()
        subject = Subject(
            Trajectory(original.steps),
            original.projects,
            saved.header.id,
            marks=original.marks,
            title=original.header.title,
        )
        for each in Searcher(self._looked_at, self._secrets, beside=True).look(subject):
            summary.find(each)
        rows = tuple(Row(line) for line in rollout_lines(saved, item.requests))
        return Made(subject, rows, test=test)

    def _unique(self, rows: tuple[Row, ...]) -> tuple[Row, ...]:
        if self._seen is None:
            return rows
        seen = self._seen
        kept = tuple(row for row in rows if seen.first(row.same or row.data))
        self.summary.repeated += len(rows) - len(kept)
        return kept

    def _count(self, rows: int, test: bool) -> None:
        self.summary.rows += rows
        if test and self.summary.test_rows is not None:
            self.summary.test_rows += rows

    def _is_test(self, header: RolloutHeader) -> bool:
        share = self._plan.train_split
        if share is None:
            return False
        key = side_key(self._plan.by, header.id, header.source, header.record)
        return on_test_side(key, share)

    def _skip(self, subject: Subject, faults: tuple[Fault, ...]) -> None:
        assert subject.rollout is not None
        header, steps = subject.rollout.header, subject.trajectory.steps
        seq = steps[-1].seq if steps else 0
        self.summary.skip(
            Skipped(header.id, header.title, seq, faults, header.source, header.record)
        )


def _as_saved(subject: Subject, saved: Saved, before: Mapping[str, Step]) -> Subject:
    """The subject with the texts that it had before secrets were taken out."""
    steps = tuple(before.get(step.id, step) for step in subject.trajectory.steps)
    return _replace(
        subject,
        trajectory=Trajectory(steps),
        projects=saved.projects,
        marks=saved.marks,
        title=saved.header.title,
    )
