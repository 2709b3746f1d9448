"""What the export dialog is given: the formats, reports on them, and the writing itself, all done
on the engine's thread.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.exporting.items import Item, no_requests
from rollstep.core.exporting.many import export_many, survey
from rollstep.core.exporting.plan import Plan
from rollstep.core.exporting.provenance import has_provenance, provenance_path
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.messages import TargetReply, ToolResult

from .screens.export_types import (
    ExportChoice,
    ExportFormat,
    ExportReport,
    ExportRequest,
    Scope,
    file_stem,
)

if TYPE_CHECKING:
    from .controller import Controller
    from .presenter import DebuggerModel


_WITH_CALLS = "openai"
"""What the dialog opens with where tools were called: turn records cannot hold the calls."""


class Exporter:
    """Exports the branch that the cursor is on, or its beginning."""

    def __init__(self, model: DebuggerModel, controller: Controller) -> None:
        self._controller = controller
        self._leaf = model.leaf
        self._here = model.cursor + 1
        self._title = model.rollout.header.title
        self._steps = len(model.path)
        self._has_calls = any(
            isinstance(step.payload, ToolResult)
            or (isinstance(step.payload, TargetReply) and step.payload.tool_calls)
            for step in model.path.steps
        )

    def request(self) -> ExportRequest:
        """What the dialog is given."""
        formats = tuple(
            ExportFormat(f.name, f.suffix, f.what, f.whole) for f in FORMATS.values() if f.writes
        )
        return ExportRequest(
            f"Export {self._title}",
            formats,
            self._steps,
            self._here,
            self._report,
            self._write,
            stem=file_stem(self._title),
            format=_WITH_CALLS if self._has_calls else "",
        )

    async def _report(self, name: str, scope: Scope) -> ExportReport:
        async def report() -> ExportReport:
            found = survey(self._plan(name, scope), [self._item()], several=False)
            return ExportReport(tuple(found.report()), bool(found.refused))

        return await asyncio.wrap_future(self._controller.engine.submit(report()))

    async def _write(self, choice: ExportChoice) -> str:
        async def write() -> str:
            path = Path(choice.path).expanduser()
            plan = self._plan(choice.format, choice.scope)
            done = export_many(plan, [self._item()], path, several=False, force=choice.overwrite)
            more = ""
            if has_provenance(plan.fmt):
                more = f", and who made each message to {provenance_path(path).name}"
            return f"Wrote {os.path.abspath(done.files[0])}{more}"

        return await asyncio.wrap_future(self._controller.engine.submit(write()))

    def _plan(self, name: str, scope: Scope) -> Plan:
        whole = FORMATS[name].whole or scope != "here"
        return Plan(format=name, leaf=self._leaf, up_to=None if whole else self._here or None)

    def _item(self) -> Item:
        engine = self._controller.engine
        session, library = engine.session, engine.library
        assert session is not None
        return Item(session.saved(), library.request if library is not None else no_requests)
