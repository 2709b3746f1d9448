"""What the export dialog is given: the formats, reports on them, and the writing itself, all done
on the engine's thread.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rollstep.core.export import export, export_report, provenance_beside, subject_of
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.messages import TargetReply, ToolResult
from rollstep.core.provenance import provenance_of

from .screens.export_types import (
    ExportChoice,
    ExportFormat,
    ExportReport,
    ExportRequest,
    Scope,
    file_stem,
)

if TYPE_CHECKING:
    from rollstep.core.formats.subject import Subject

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
        formats = tuple(ExportFormat(f.name, f.suffix, f.what, f.whole) for f in FORMATS.values())
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
            found = export_report(self._subject(scope), name)
            return ExportReport(tuple(found.render().splitlines()), bool(found.refused))

        return await asyncio.wrap_future(self._controller.engine.submit(report()))

    async def _write(self, choice: ExportChoice) -> str:
        async def write() -> str:
            engine = self._controller.engine
            session, library = engine.session, engine.library
            assert session is not None
            path = Path(choice.path).expanduser()
            provenance = provenance_of(
                session.rollout,
                self._leaf,
                commands=session.commands,
                silences=session.silences,
                up_to=self._up_to(choice.scope),
            )
            export(
                self._subject(choice.scope),
                choice.format,
                path,
                saved=session.saved(),
                requests=library.request if library is not None else lambda digest: None,
                provenance=provenance,
                force=choice.overwrite,
            )
            beside = provenance_beside(choice.format, path)
            more = f", and {provenance.words()} to {beside.name}" if beside is not None else ""
            return f"Wrote {os.path.abspath(path)}{more}"

        return await asyncio.wrap_future(self._controller.engine.submit(write()))

    def _up_to(self, scope: Scope) -> int | None:
        return self._here if scope == "here" and self._here else None

    def _subject(self, scope: Scope) -> Subject:
        session = self._controller.engine.session
        assert session is not None
        return subject_of(
            session.rollout,
            self._leaf,
            up_to=self._up_to(scope),
            marks=session.marks,
            scores=session.scores,
            attempts=len(session.attempts),
        )
