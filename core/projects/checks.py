"""Checks that look at more than one value: names that must be declared, texts that must compile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Table
from typing import Any

import msgspec

from ..errors import Fault
from ..model.debugging import Breakpoint, FaultRule
from ..model.project import (
    EvaluatorLine,
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    ScriptedCall,
    Tool,
    ToolExample,
    ToolRule,
    When,
)
from ..model.steps import Role
from .json_schemas import schema_problem
from .scalars import key_path, name_shown, printable, shown
from .yaml_nodes import Items, Mapping, Node, Scalar

_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")


class Use(msgspec.Struct, frozen=True):
    """A place that names a tool."""

    name: str
    node: Node
    path: str


class Ledger:
    """The tools that a file declares and the places that name one, gathered while it is checked."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        self.declared: list[Use] = []
        self.uses: list[Use] = []
        self.unreadable = False

    def fault(self, node: Node, path: str, message: str, hint: str = "") -> bool:
        """Report a fault; always False, for the checks to return."""
        self.faults.append(Fault(message, node.line, node.column, path, hint))
        return False

    def close(self) -> None:
        """Compare what was declared with what was used, when all of the file has been seen."""
        first: dict[str, Use] = {}
        for tool in self.declared:
            if tool.name in first:
                again = first[tool.name].node.line
                message = f"a second tool {name_shown(tool.name)}; the first is at line {again}."
                self.fault(tool.node, tool.path, message, "Tool names must differ.")
            first.setdefault(tool.name, tool)
        if self.unreadable:
            return
        names = ", ".join(map(name_shown, first))
        known = f"Declared tools: {names}." if names else "No tool is declared."
        for use in self.uses:
            if use.name not in first:
                self.fault(use.node, use.path, f"{shown(use.name)} is no declared tool.", known)


def check_struct(
    cls: type[msgspec.Struct],
    values: Table[str, Any],
    nodes: Table[str, Node],
    node: Node,
    path: str,
    ledger: Ledger,
) -> bool:
    """Check one mapping beyond its single keys; False after a fault. ``values`` holds what was
    given (a value with a fault of its own is no str), ``nodes`` where each stands.
    """
    check = _CHECKS.get(cls)
    return check is None or check(values, nodes, node, path, ledger)


Check = Callable[[Table[str, Any], Table[str, Node], Node, str, Ledger], bool]


def _check_when(
    values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
) -> bool:
    fine = _check_regex(values, nodes, path, ledger)
    _use(values, nodes, "tool", path, ledger)
    pointers = nodes.get("result")
    if isinstance(pointers, Mapping):
        for key, _ in pointers.entries:
            if isinstance(key, Scalar) and not _POINTER.fullmatch(key.text):
                message = f"{shown(key.text)} is no JSON pointer."
                hint = "A pointer begins with /, as in /items/0/price; ~ is written ~0, / is ~1."
                fine = ledger.fault(key, f"{path}.result", message, hint)
    return fine


def _check_evaluator_line(
    values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
) -> bool:
    text, stop = values.get("text"), values.get("stop")
    if text is None and stop is None:
        hint = "A line needs one of them."
        return ledger.fault(node, path, "this line has neither text nor stop.", hint)
    if text is not None and stop is not None:
        hint = "A line either says something or stops."
        return ledger.fault(nodes["stop"], path, "this line has both text and stop.", hint)
    return True


def _check_call(
    values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
) -> bool:
    _use(values, nodes, "name", path, ledger)
    return True


def _check_rule(
    values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
) -> bool:
    _use(values, nodes, "tool", path, ledger)
    return True


def _check_fault_rule(
    values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
) -> bool:
    _use(values, nodes, "tool", path, ledger)
    name = values.get("fault")
    if not isinstance(name, str) or "respond" in nodes:
        return True
    from ..rules.faults.kinds import FAULTS, nearest

    if name in FAULTS:
        return True
    here = nodes["fault"]
    at = path if here is node else f"{path}.fault"
    hint = f"{nearest(name, tuple(FAULTS))} A fault of your own has a respond."
    return ledger.fault(here, at, f"{shown(name)} is no built-in fault.", hint)


def _check_breakpoint(
    values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
) -> bool:
    from ..rules.query.parsing import QueryError, parse
    from ..rules.query.step_fields import STEPS, tools_named

    fine = _check_regex(values, nodes, path, ledger)
    _use(values, nodes, "tool", path, ledger)
    query = values.get("when")
    if not isinstance(query, str):
        return fine
    here = nodes["when"]
    at = path if here is node else f"{path}.when"
    try:
        names = tools_named(parse(query, STEPS))
    except QueryError as error:
        message = f"column {error.column} of this query: {printable(error.sentence, 300)}"
        return ledger.fault(here, at, message)
    ledger.uses += [Use(name, here, at) for name in names]
    return fine


def _check_regex(
    values: Table[str, Any], nodes: Table[str, Node], path: str, ledger: Ledger
) -> bool:
    regex = values.get("regex")
    if isinstance(regex, str):
        from ..rules.query.nodes import pattern

        try:
            pattern(regex)
        except ValueError as error:
            message = f"{printable(str(error), 200)}."
            return ledger.fault(nodes["regex"], f"{path}.regex", message)
    return True


def _check_prompt(role: Role) -> Check:
    def check(
        values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
    ) -> bool:
        text = values.get("prompt")
        if not isinstance(text, str):
            return True
        from ..rules.templates import VARIABLES, TemplateError
        from ..rules.templates import check as check_template

        here = nodes["prompt"]
        try:
            check_template(text, role)
        except TemplateError as error:
            message = f"this template cannot be read: {printable(str(error), 300)}."
            hint = ""
            if error.names:
                message = f"{', '.join(map(name_shown, error.names))} stands for nothing here."
                hint = f"A prompt of this role may name {', '.join(VARIABLES[role])}."
            if error.line and isinstance(here, Scalar) and here.literal:
                here = Scalar(text, False, here.line + error.line, 1)
            return ledger.fault(here, f"{path}.prompt", message, hint)
        return True

    return check


def _check_tool(
    values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
) -> bool:
    name = values.get("name")
    if isinstance(name, str):
        ledger.declared.append(Use(name, nodes["name"], f"{path}.name"))
    else:
        ledger.unreadable = True
    fine = True
    for key in ("parameters", "returns"):
        text = values.get(key)
        if isinstance(text, str) and (problem := schema_problem(json.loads(text))):
            steps, message = problem
            place = _descend(nodes[key], steps)
            at = f"{path}.{key}"
            for step in steps:
                at = f"{at}[{step}]" if isinstance(step, int) else key_path(at, step)
            fine = ledger.fault(place, at, f"not a JSON Schema: {message}")
    return fine


def _check_project(
    values: Table[str, Any], nodes: Table[str, Node], node: Node, path: str, ledger: Ledger
) -> bool:
    tools = nodes.get("tools")
    if tools is None:
        return True
    if not isinstance(tools, Items):
        ledger.unreadable = True
        return True
    if tools.items and "tool_simulator" not in nodes:
        hint = "Add a tool_simulator; with kind: human you answer the calls yourself."
        return ledger.fault(tools, "tools", "nobody answers these tools' calls.", hint)
    return True


def _descend(node: Node, steps: Sequence[str | int]) -> Node:
    """The node that keys and indexes lead to, or the nearest above it."""
    for step in steps:
        if isinstance(node, Items) and isinstance(step, int):
            node = node.items[step]
        elif isinstance(node, Mapping):
            values = (v for k, v in node.entries if isinstance(k, Scalar) and k.text == step)
            found = next(values, None)
            if found is None:
                break
            node = found
    return node


def _use(
    values: Table[str, Any], nodes: Table[str, Node], key: str, path: str, ledger: Ledger
) -> None:
    name = values.get(key)
    if isinstance(name, str):
        ledger.uses.append(Use(name, nodes[key], f"{path}.{key}"))


_CHECKS: dict[type, Check] = {
    When: _check_when,
    EvaluatorLine: _check_evaluator_line,
    ScriptedCall: _check_call,
    ToolRule: _check_rule,
    ToolExample: _check_rule,
    LlmEvaluator: _check_prompt("evaluator"),
    LlmTarget: _check_prompt("target"),
    LlmSimulator: _check_prompt("tool"),
    FaultRule: _check_fault_rule,
    Breakpoint: _check_breakpoint,
    Tool: _check_tool,
    Project: _check_project,
}
