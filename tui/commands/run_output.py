"""Where the rollouts of a run go as they finish, and what is said of them."""

from __future__ import annotations

import json
import shlex
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.appending import Appender, Rewriter
from rollstep.core.jobs import Done
from rollstep.core.playthrough import BUDGET, HUMAN
from rollstep.core.taking_up import ELSEWHERE, FLAGS, LEFT
from rollstep.tui.sanitize import one_line

from .progress import StatusLine, counted, say
from .run_words import Tally, progress_words, summary_lines, summary_of

if TYPE_CHECKING:
    from rollstep.core.budget import RunBudget
    from rollstep.core.runs import Run

RECORDS = "multi_turn_project.jsonl"
PARTIAL = "multi_turn_project.partial.jsonl"
"""Complete turns of rollouts that are not done: kept, but apart from the records."""

_SAID = 10
"""Rollouts of a kind of which a line is said each; more are counted."""
_GOES_ON = {FLAGS: "look at its flag", HUMAN: "write its next step with w"}
_WENT = {"parked": "were parked", "failed": "failed"}


class RunOutput:
    """Writes finished rollouts, tells how far the run is, and in the end how it went.

    With a ``run`` that goes on, the records of the earlier one are written again where they stand.
    """

    def __init__(
        self,
        folder: Path,
        total: int,
        library: Path | None,
        run: Run | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failed = 0
        self.budget: RunBudget | None = None
        self.tally = Tally()
        self._clock = clock
        self._began = clock()
        self._total = total
        self._library = library
        self._run = run
        self._parked: Done | None = None
        """The first that waits for a human."""
        self._said: Counter[str] = Counter()
        self._records = self._file(folder / RECORDS)
        self._partial = self._file(folder / PARTIAL)
        self._line = StatusLine(clock)
        self._written = self._whole_ones = 0
        self._in_part = self._partial_ones = 0
        self._first_id = ""

    def _file(self, path: Path) -> Appender:
        if self._run is not None and self._run.again:
            name = str(path.absolute())
            for written in self._run.record.files:
                if written.path == name:
                    return Rewriter(path, written.start)
        return Appender(path)

    def __enter__(self) -> RunOutput:
        return self

    def __exit__(self, *error: object) -> None:
        files = (self._records, self._partial)
        for file in files:
            if error[0] is None and isinstance(file, Rewriter):
                file.end()
            file.close()
        if self._run is not None:
            self._run.ends_at()
        self._line.close()
        if error[0] is not None:
            interrupted = isinstance(error[1], KeyboardInterrupt)
            if interrupted:
                say(f"interrupted: {self.tally.rollouts:,} of {self._total:,} rollouts came out")
            self.tell()
            if interrupted:
                self.tell_kept()
                self._tell_how_to_go_on()

    def done(self, done: Done) -> None:
        """Write one finished rollout."""
        self.tally.add(done)
        if not done.started:
            self.failed += 1
        else:
            self._first_id = self._first_id or done.rollout_id
            if done.whole:
                self._whole(done)
            else:
                self._failed(done)
        self._line.tell(self._words, last=self.tally.rollouts == self._total)

    def ending(self, rollouts: int) -> None:
        """The run was interrupted while so many rollouts wait for answers."""
        waits = f"waiting for the answers of {counted(rollouts, 'rollout')}, which are paid for"
        self._say(f"interrupted: {waits}. Ctrl+C again ends this at once")

    def _words(self, seconds: float) -> str:
        return progress_words(self.tally, self._total, seconds, bar=self._line.terminal)

    def _whole(self, done: Done) -> None:
        if done.records.count:
            self._records.write(done.records.data)
            self._whole_ones += 1
        self._written += done.records.count
        if done.said:
            self._say(f"{_who(done)}: ended; {one_line(done.said)}")

    def _failed(self, done: Done) -> None:
        self.failed += 1
        kept = ""
        if done.records.count:
            self._partial.write(done.records.data)
            self._in_part += done.records.count
            self._partial_ones += 1
            kept = f" Its {counted(done.records.count, 'complete turn')} went to {PARTIAL}."
        waits = ""
        if done.parked:
            self._parked = self._parked or done
            waits = f" It waits as {done.rollout_id}." if self._library is not None else ""
        if done.before:
            return  # the run before this one said so
        words = done.words
        if done.said:
            words += f"; {done.said}"
        end = "." if (kept or waits) and not words.endswith(".") else ""
        self._said[done.status] += 1
        if self._said[done.status] <= _SAID:
            self._say(f"{_who(done)}: {one_line(words)}{end}{waits}{kept}")
        elif self._said[done.status] == _SAID + 1:
            self._say(f"… more that {_WENT.get(done.status, 'did not end')} are counted below")

    def _say(self, text: str) -> None:
        self._line.clear()
        say(text)

    def tell_kept(self) -> None:
        """Say how to open what the library has now."""
        if self._library is None:
            return
        option = f"--library {shlex.quote(str(self._library))}"
        if self._parked is not None:
            goes_on = _GOES_ON.get(self._parked.reason, "go on with c")
            parked = counted(self.tally.count("parked"), "rollout")
            say(f"{parked} parked; to open the first and {goes_on}, or to go through them:")
            say(f"rollstep open {option} {self._parked.rollout_id}")
            say(f"rollstep review {option} parked:yes")
        elif self._first_id:
            say(f"rollstep list {option} names the rollouts; to open the first of them:")
            say(f"rollstep open {option} {self._first_id} (a record's session_id will do, too)")

    def _tell_how_to_go_on(self) -> None:
        if self._run is not None:
            say("the same command with --resume goes on; nothing that was saved is paid for again")
        elif self.tally.rollouts < self._total:
            say("what had not come out was not kept; with --library FILE a run can go on")

    def tell(self) -> None:
        """Say how it went."""
        if self._records.mended:
            say(f"{self._records.path}: its last line was cut off; a line end was put after it")
        if self.tally.rollouts:
            for line in summary_lines(self.tally, self._clock() - self._began):
                say(line)
        wrote = [
            f"{counted(turns, 'turn record')} of {counted(rollouts, 'rollout')} to {file.path}"
            for turns, rollouts, file in (
                (self._written, self._whole_ones, self._records),
                (self._in_part, self._partial_ones, self._partial),
            )
            if turns
        ]
        say(f"wrote {', and '.join(wrote)}" if wrote else "no turn records were written")
        if failed := self.tally.count("failed"):
            say(f"{counted(failed, 'rollout')} failed{self._how_to_retry()}")
        if cut := self.tally.cut:
            say(f"{counted(cut, 'rollout')} ended within a turn")
        if self.budget is not None:
            self._tell_spent(self.budget)
        if others := self.tally.outcomes[LEFT, ELSEWHERE]:
            say(f"{counted(others, 'rollout')} left to others; --resume takes in what they make")
        if self._parked is not None and self._library is None:
            say("what waits was not kept; with --library FILE it can be opened, and goes on")

    def _how_to_retry(self) -> str:
        return "; the same command with --retry-failed tries them again" if self._run else ""

    def _tell_spent(self, budget: RunBudget) -> None:
        """What it cost, and what was left undone for that."""
        if budget.tokens or budget.dollars:
            from .money import took

            say(f"live calls took {took(budget)}")
        if not_started := self.tally.outcomes[LEFT, BUDGET]:
            say(f"{counted(not_started, 'rollout')} not started: {budget.closed}")
        if self._run is not None and (not_started or self.tally.outcomes["parked", BUDGET]):
            limits = (budget.limits.dollars, "--max-cost"), (budget.limits.tokens, "--max-tokens")
            options = " or ".join(option for limit, option in limits if limit is not None)
            say(f"the same command with --resume and a higher {options} goes on with them")

    def write_summary(self, path: Path) -> None:
        """Write how it went, for programs. Raises ExportError."""
        from rollstep.core.files import write_whole

        found = summary_of(self.tally, self._clock() - self._began)
        data = json.dumps(found, ensure_ascii=False, indent=2) + "\n"
        write_whole(path, data.encode("utf-8", "surrogatepass"), force=True)


def _who(done: Done) -> str:
    return f"{one_line(done.job.label)} ({one_line(done.job.project.title)})"
