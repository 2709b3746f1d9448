"""The rules tool simulator: the first row of a table that fits the call answers it.

A row fits when its tool is the call's, the call's arguments have every member of its ``when`` with
the same value (never coerced), and it has answered fewer than ``times`` calls of this path. Which
rows have answered is data of the path (``view.used``, one entry a use). Arguments that are no JSON
object are data like any other: rows without ``when`` still fit.
"""

from __future__ import annotations

import json
from typing import Any

from ..errors import RoleError, UsageError
from ..model.messages import Part, ToolCall, ToolResult, text_parts
from ..model.project import Project, RulesSimulator, ToolRule
from ..model.view import View
from ..rules.json_values import MISSING, includes, parse
from ..rules.recorded import is_recorded
from .protocols import Answer, Stream, no_stream


class RulesSimulatorRole:
    """Answers calls from the table; raises RoleError ``not_ready`` where no row fits."""

    def __init__(self, spec: RulesSimulator) -> None:
        self._rows: dict[str, list[_Row]] = {}
        for index, rule in enumerate(spec.rules):
            self._rows.setdefault(rule.tool, []).append(_Row(index, rule))

    async def respond(self, view: View, stream: Stream = no_stream) -> Answer:
        """The result of ``view.call``."""
        call = view.call
        if call is None:
            raise UsageError("The tool simulator was asked without a call to answer.")
        rows = self._rows.get(call.name, ())
        arguments: Any = None
        for row in rows:
            if row.times is not None and view.used.count(row.index) >= row.times:
                continue
            if row.when is not None:
                if arguments is None:
                    arguments = parse(call.arguments)
                if not includes(arguments, row.when):
                    continue
            parts = row.takes[view.take_index % len(row.takes)]
            return Answer(ToolResult(call.id, parts, row.is_error), script_index=row.index)
        if is_recorded(view.project, "tool"):
            words = _not_recorded(call)
        else:
            words = _no_row(call, rows, view) if rows else _no_tool(call, view.project)
        raise RoleError(words, kind="not_ready")


class _Row:
    """A rule made ready: its ``when`` parsed, its results as parts."""

    __slots__ = ("index", "is_error", "rule", "takes", "times", "when")

    def __init__(self, index: int, rule: ToolRule) -> None:
        self.index = index
        self.rule = rule
        self.times = rule.times
        self.is_error = rule.is_error
        self.when: dict[str, Any] | None = None
        if rule.when is not None:
            self.when = parse(rule.when)
            if not isinstance(self.when, dict):
                raise UsageError(
                    f"tool_simulator.rules[{index}].when must be an object of arguments and their "
                    f"values, and is {rule.when[:80]}."
                )
        self.takes: list[tuple[Part, ...]] = [
            text_parts(_result_text(text)) for text in (rule.respond, *rule.takes)
        ]


def _result_text(json_text: str) -> str:
    """A JSON string is given as the string itself, anything else as its JSON text, unchanged."""
    value = parse(json_text)
    return value if isinstance(value, str) else json_text


def _not_recorded(call: ToolCall) -> str:
    return (
        f"Not recorded: no call of the log was {call.name}({call.arguments[:400]}). "
        "Write the result by hand."
    )


def _no_row(call: ToolCall, rows: list[_Row] | tuple[()], view: View) -> str:
    table = "; ".join(_describe(row, view.used.count(row.index)) for row in rows)
    broken = "" if parse(call.arguments) is not MISSING else " (these arguments are not valid JSON)"
    return (
        f"No rule fits {call.name}({call.arguments[:400]}){broken}. Rules for {call.name}: "
        f"{table}. Write the result by hand, or add a rule to tool_simulator.rules."
    )


def _describe(row: _Row, uses: int) -> str:
    when = f"when {row.rule.when}" if row.rule.when is not None else "any arguments"
    limit = f", {uses} of {row.times} times used" if row.times is not None else ""
    return f"rules[{row.index}] {when}{limit}"


def _no_tool(call: ToolCall, project: Project) -> str:
    names = [tool.name for tool in project.tools]
    if call.name in names:
        return (
            f"No rule answers the tool {call.name}. It was called with {call.arguments[:400]}. "
            "Write the result by hand, or add a rule to tool_simulator.rules."
        )
    declared = ", ".join(names) if names else "none"
    return (
        f"The target called {json.dumps(call.name, ensure_ascii=False)}, which this project does "
        f"not declare (declared: {declared}). Write the result by hand, override the reply, or add "
        "the tool to the project."
    )
