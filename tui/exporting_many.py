"""What the export dialog is given in the library: the same as for one rollout, but for those that
are meant there. They are read one after the other, on a thread of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rollstep.core.errors import UsageError
from rollstep.core.exporting.plan import Plan
from rollstep.core.files import expanded
from rollstep.core.formats.table import FORMATS

from .exporting import (
    HEEDED,
    REASONING,
    SECRETS,
    WHOSE,
    keyring_words,
    report_of,
    shown_format,
    write_options,
    written_words,
)
from .screens.export_types import (
    ExportChoice,
    ExportOption,
    ExportReport,
    ExportRequest,
    Values,
)

if TYPE_CHECKING:
    from rollstep.core.exporting.items import AnyItem
    from rollstep.core.exporting.tally import ExportSummary
    from rollstep.core.store.library import Library

_WHAT = ExportOption(
    "branches",
    "what",
    (
        ("this", "of each rollout the branch that would be opened"),
        ("accepted", "branches that are accepted"),
        ("kept", "all branches but rejected ones"),
        ("all", "all branches"),
    ),
)


class ManyExporter:
    """Exports the rollouts of these keys of a library, in their order."""

    def __init__(self, library: Library, keys: Sequence[int], what: str) -> None:
        self._library = library
        self._keys = keys
        self._what = what
        self._done = 0
        self._look = 0
        """Which look is the last that was asked for; those before it end."""
        self._cancelled = False
        self._keyring = False
        self._one = asyncio.Lock()

    def request(self) -> ExportRequest:
        """What the dialog is given."""
        formats = tuple(
            shown_format(fmt, "branches", whole=("branches", "reasoning", "redact"))
            for fmt in FORMATS.values()
            if fmt.writes
        )
        return ExportRequest(
            f"Export {self._what}",
            formats,
            (_WHAT, WHOSE, REASONING, SECRETS, *HEEDED),
            self._report,
            self._write,
            stem="rollouts",
            format="openai",
            folders=frozenset(("branches", value) for value, _ in _WHAT.values),
            progress=self._progress,
            cancel=self._cancel,
        )

    def _progress(self) -> str:
        return f"{self._done:,} of {len(self._keys):,} rollouts"

    def _cancel(self) -> None:
        self._cancelled = True

    async def _report(self, name: str, values: Values) -> ExportReport:
        self._look += 1
        mine = self._look
        async with self._one:
            if mine != self._look:
                return ExportReport((), refused=True)  # nobody sees it: another was asked for
            return await asyncio.to_thread(self._looked, mine, _plan(name, values))

    def _looked(self, mine: int, plan: Plan) -> ExportReport:
        from rollstep.core.exporting.many import survey

        warn = [] if self._keyring else keyring_words()
        self._keyring = True
        found = survey(
            plan,
            self._items(),
            several=self._several,
            progress=self._told,
            stop=lambda: self._cancelled or mine != self._look,
        )
        return report_of(found, plan, warn)

    async def _write(self, choice: ExportChoice) -> str:
        self._cancelled = False
        plan = _plan(choice.format, choice.values)

        def write() -> str:
            from rollstep.core.exporting.many import export_many

            done = export_many(
                plan,
                self._items(),
                expanded(choice.path),
                several=self._several,
                force=choice.overwrite,
                progress=self._told,
                stop=lambda: self._cancelled,
            )
            if done.stopped:
                raise UsageError("it was stopped, and no file was changed.")
            return written_words(done, plan)

        return await asyncio.to_thread(write)

    @property
    def _several(self) -> bool:
        return len(self._keys) > 1

    def _told(self, summary: ExportSummary) -> None:
        self._done = summary.rollouts

    def _items(self) -> Iterator[AnyItem]:
        from rollstep.core.exporting.items import from_library

        self._done = 0
        return from_library(self._library, self._library.ids_of(self._keys))


def many_exporter(keys: Sequence[int], what: str) -> Callable[[Library], ManyExporter]:
    """For ``Controller.with_library``: the exporter of these rollouts."""
    return lambda library: ManyExporter(library, keys, what)


def _plan(name: str, values: Values) -> Plan:
    chosen: dict[str, Any] = {
        option: values[option] for option in ("branches", "role", "reasoning") if values.get(option)
    }
    options = write_options(values)
    return Plan(format=name, redact=bool(values.get("redact")), options=options, **chosen)
