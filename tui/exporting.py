"""What the export dialog is given: the formats, reports on them, and the writing itself. The
rollout is taken down on the engine's thread; all else is done on a thread of its own.
"""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING, Any

from rollstep.core.exporting.plan import PROJECT_FORMATS, Plan, is_document
from rollstep.core.files import expanded
from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.table import FORMATS, Format
from rollstep.core.model.messages import TargetReply, ToolResult

from .commands.progress import counted
from .screens.export_types import (
    ExportChoice,
    ExportFormat,
    ExportOption,
    ExportReport,
    ExportRequest,
    Values,
    file_stem,
)
from .who import NAMES

if TYPE_CHECKING:
    from rollstep.core.exporting.items import Requests
    from rollstep.core.exporting.tally import ExportSummary
    from rollstep.core.model.project import Project
    from rollstep.core.store.change import Saved

    from .controller import Controller
    from .presenter import DebuggerModel


_WITH_CALLS = "openai"
"""What the dialog opens with where tools were called: turn records cannot hold the calls."""

_KEYRING_PATIENCE = 1.0

WHOSE = ExportOption(
    "role",
    "replies",
    (
        ("target", "the target's"),
        ("evaluator", "the evaluator's, as it was asked"),
        ("tool", "the simulator's, as it was asked"),
    ),
)
REASONING = ExportOption(
    "reasoning", "reasoning", (("keep", "where the format has a place"), ("strip", "left out"))
)
SECRETS = ExportOption(
    "redact", "secrets", (("", "as they stand"), ("yes", "replaced by a marker"))
)
HEEDED = (
    ExportOption("split", "rows", (("", "one for all"), ("replies", "one for each reply"))),
    ExportOption("history", "history", (("turn", "its own turn"), ("full", "all turns before"))),
    ExportOption(
        "reasoning_key",
        "key",
        tuple((key, key) for key in ("reasoning_content", "thinking", "reasoning")),
    ),
    ExportOption(
        "beside_call",
        "by a call",
        (("refuse", "text is refused"), ("think", "text becomes thinking")),
    ),
    ExportOption(
        "greeting",
        "greeting",
        (
            ("refuse", "the target's own is refused"),
            ("drop", "the target's own is left out"),
            ("system", "it is told in the system text"),
        ),
    ),
    ExportOption("strip_stop", "stop words", (("", "as they stand"), ("yes", "left out"))),
    ExportOption("prune_nulls", "nulls", (("", "as they stand"), ("yes", "left out of arguments"))),
)
"""The options that some formats have."""

_ODD = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_TOOL = 64


class Exporter:
    """Exports the branch that the cursor is on, its beginning, or branches of the rollout."""

    def __init__(self, model: DebuggerModel, controller: Controller) -> None:
        self._controller = controller
        self._leaf = model.leaf
        self._here = model.cursor + 1
        self._title = model.rollout.header.title
        self._steps = len(model.path)
        self._branches = len(model.rollout.leaves())
        self._renames = fitting_names(model.project)
        self._keyring = False
        self._one = asyncio.Lock()
        self._has_calls = any(
            isinstance(step.payload, ToolResult)
            or (isinstance(step.payload, TargetReply) and step.payload.tool_calls)
            for step in model.path.steps
        )

    def request(self) -> ExportRequest:
        """What the dialog is given."""
        options = [self._what(), WHOSE, REASONING, SECRETS, *HEEDED]
        if self._renames:
            options.append(self._names())
        return ExportRequest(
            f"Export {self._title}",
            tuple(shown_format(f, "what") for f in FORMATS.values() if f.writes),
            tuple(options),
            self._report,
            self._write,
            stem=file_stem(self._title),
            format=_WITH_CALLS if self._has_calls else "",
            folders=frozenset(
                {
                    ("what", "accepted"),
                    ("what", "all"),
                    ("role", "evaluator"),
                    ("role", "tool"),
                }
            ),
        )

    def _what(self) -> ExportOption:
        whole = self._steps
        values = [("branch", f"the whole branch, {whole} of {whole} steps")]
        if self._here != whole:
            values.append(("here", f"up to here, {self._here} of {whole} steps"))
        values.append(("accepted", "branches that are accepted"))
        if self._branches > 1:
            values.append(("all", f"all {self._branches} branches"))
        return ExportOption("what", "what", tuple(values))

    def _names(self) -> ExportOption:
        fitted = ", ".join(f"{old} as {new}" for old, new in self._renames)
        return ExportOption("renames", "tools", (("", "names as they are"), ("yes", fitted)))

    # Looking and writing

    async def _report(self, name: str, values: Values) -> ExportReport:
        async with self._one:  # a key held down asks for one report at a time
            saved, requests = await self._taken()
            return await asyncio.to_thread(self._look, saved, requests, self._plan(name, values))

    async def _write(self, choice: ExportChoice) -> str:
        saved, requests = await self._taken()
        plan = self._plan(choice.format, choice.values)

        def write() -> str:
            from rollstep.core.exporting.items import Item
            from rollstep.core.exporting.many import export_many

            path, item = expanded(choice.path), Item(saved, requests)
            return written_words(
                export_many(plan, [item], path, several=False, force=choice.overwrite), plan
            )

        return await asyncio.to_thread(write)

    def _look(self, saved: Saved, requests: Requests, plan: Plan) -> ExportReport:
        # What follows takes a tenth of a second to load, and is loaded here, off the screen's loop.
        from rollstep.core.exporting.items import Item
        from rollstep.core.exporting.many import survey

        warn = [] if self._keyring else keyring_words()
        self._keyring = True
        found = survey(plan, [Item(saved, requests)], several=False)
        return report_of(found, plan, warn)

    async def _taken(self) -> tuple[Saved, Requests]:
        async def take() -> tuple[Saved, Requests]:
            engine = self._controller.engine
            session, library = engine.session, engine.library
            assert session is not None
            return session.saved(), library.request if library is not None else lambda digest: None

        return await asyncio.wrap_future(self._controller.engine.submit(take()))

    def _plan(self, name: str, values: Values) -> Plan:
        what = values.get("what", "branch")
        chosen: dict[str, Any] = {}
        if what in ("accepted", "all"):
            chosen["branches"] = what
        else:
            chosen["leaf"] = self._leaf
            chosen["up_to"] = (self._here or None) if what == "here" else None
        for option in ("role", "reasoning"):
            if values.get(option):
                chosen[option] = values[option]
        return Plan(
            format=name,
            redact=bool(values.get("redact")),
            options=write_options(values, self._renames),
            **chosen,
        )


def shown_format(
    fmt: Format, what: str, whole: tuple[str, ...] = ("reasoning", "redact")
) -> ExportFormat:
    """A format as the dialog shows it; ``what`` is the option that says what is exported, ``whole``
    are those of a format of whole rollouts.
    """
    if fmt.whole:
        options = whole
    elif fmt.name in PROJECT_FORMATS:
        options = (what, "redact")
    else:
        options = (what, "role", "reasoning", "redact")
    heeded = (*(option.name for option in HEEDED), "renames")
    options += tuple(name for name in heeded if name in fmt.heeds)
    document = is_document(fmt) and fmt.collect is None
    return ExportFormat(fmt.name, fmt.suffix, fmt.what, options, document)


def write_options(values: Values, renames: tuple[tuple[str, str], ...] = ()) -> WriteOptions:
    """What is chosen of the options that some formats have."""
    given: dict[str, Any] = {}
    for option in HEEDED:
        value = values.get(option.name, "")
        if value:
            given[option.name] = True if value == "yes" else value
    if values.get("renames"):
        given["renames"] = renames
    return WriteOptions(**given)


def fitting_names(project: Project) -> tuple[tuple[str, str], ...]:
    """For tools whose names trainers refuse, names that they take: pairs of old and new."""
    taken = {tool.name for tool in project.tools}
    pairs = []
    for tool in project.tools:
        name = _ODD.sub("_", tool.name)[:_LONGEST_TOOL]
        if name == tool.name:
            continue
        number = 2
        while name in taken:
            end = f"_{number}"
            name, number = _ODD.sub("_", tool.name)[: _LONGEST_TOOL - len(end)] + end, number + 1
        taken.add(name)
        pairs.append((tool.name, name))
    return tuple(pairs)


def keyring_words() -> list[str]:
    """Have them known as secrets; why not, where that cannot be."""
    from rollstep.core.workers.keyring_keys import remember_kept

    words = remember_kept(_KEYRING_PATIENCE)
    return [words] if words else []


def report_of(found: ExportSummary, plan: Plan, warn: list[str]) -> ExportReport:
    """The summary of a look, as the dialog shows it."""
    from rollstep.core.exporting.provenance import SUFFIX, has_provenance

    findings = found.findings()
    lines = [line for line in found.report() if line not in findings]
    if found.secrets and not plan.redact:
        findings.append("Secrets are written as they stand, unless you choose otherwise above.")
    if found.trajectories > 1:
        lines[:0] = [found.counts().replace("wrote", "to write"), *found.skips()]
    if not found.trajectories:
        words = "There is no such branch."
        if plan.role != "target":
            words = f"Nothing in it is an answer of the {NAMES[plan.role]}."
        return ExportReport((words,), refused=True)
    if has_provenance(plan.fmt):
        lines.append(f"beside it NAME{SUFFIX}: who made each message{_counts(found)}")
    return ExportReport(tuple(lines), not found.written, (*warn, *findings))


def written_words(done: ExportSummary, plan: Plan) -> str:
    """What was written, and where."""
    from rollstep.core.exporting.provenance import has_provenance

    words = f"Wrote {os.path.abspath(done.files[0])}"
    if done.trajectories > 1 or done.rows != 1:
        words += f", {counted(done.rows, done.unit)}"
    if done.refused:
        words += f", {done.refused:,} refused"
    return f"{words}, and who made each message beside it" if has_provenance(plan.fmt) else words


def _counts(found: ExportSummary) -> str:
    counts = ((found.edits, "edit"), (found.flags, "flag"))
    words = " and ".join(counted(number, what) for number, what in counts if number)
    return f" ({words})" if words else ""
