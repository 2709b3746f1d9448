"""``docs/project-file.md``, generated from the types.

``python -m rollstep.core.projects.docs`` writes it in a checkout; ``--check`` only says whether it
is up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from ..generated import main
from ..model.debugging import Breakpoint, FaultRule
from ..model.project import (
    EvaluatorLine,
    Project,
    ScriptedCall,
    StopRules,
    TargetLine,
    Tool,
    ToolExample,
    ToolRule,
    When,
)
from .shapes import (
    TAG_KEY,
    ChoiceShape,
    Field,
    FlagShape,
    JsonShape,
    ListShape,
    NumberShape,
    Shape,
    StructShape,
    TextShape,
    UnionShape,
    fields_of,
    summary_of,
    tag_of,
)
from .writer import json_as_yaml

DOCS_FILE = Path(__file__).parents[2] / "docs" / "project-file.md"

_HEAD = """<!-- Generated from core/model/project.py: python -m rollstep.core.projects.docs -->

# The project file

A project is one YAML file: a goal, an opening message, the roles that play it, the tools and how
their calls are answered. `rollstep open FILE` steps through it, `rollstep run FILE` runs it.

```yaml
# yaml-language-server: $schema=../core/projects/project.schema.json
version: 1
title: Refund a damaged blender
goal: The customer gets a refund for order 4471, or a clear reason why not.
opening: "Hi, the blender from order 4471 arrived cracked."
max_turns: 8
target:
  kind: scripted
  system: |
    You are the shop's support agent.
  replies:
    - text: Let me look that up.
      tool_calls:
        - {name: get_order, arguments: {order_id: "4471"}}
    - when: {tool: get_order, result: {/status: lost}}
      text: I am sorry, that parcel was lost.
    - Your order was delivered yesterday.
evaluator:
  kind: scripted
  persona: Impatient, gives the order number only when asked.
  messages:
    - I want my money back.
    - {stop: goal_reached}
tools:
  - name: get_order
    description: Looks up one order.
    parameters:
      type: object
      properties: {order_id: {type: string}}
      required: [order_id]
tool_simulator:
  kind: rules
  rules:
    - tool: get_order
      when: {order_id: "4471"}
      respond: {status: delivered, price: 49.0}
```

With the first line, an editor that speaks the YAML language server's protocol completes and checks
the file while you type. The schema is `core/projects/project.schema.json`, in an installed rollstep
`rollstep/core/projects/project.schema.json`.

## How values are read

- **Where a text is expected, what you wrote is the text**: `off`, `no`, `0123`, `12:30`, `1.10` and
  dates need no quotes. (Other YAML readers, and editors, may want them; the files that rollstep
  writes have them.) An empty text is written `""`.
- **Where any JSON value may stand** (`arguments`, `respond`, `when` of a rule, `parameters`,
  `params`, `options`, `metadata`, …), `true`, `false`, `null` (or `~`, or nothing) and decimal
  numbers are what they look like, with their digits kept as written. Everything else is a text:
  dates, `12:30`, `0123`, `0x1F`, `yes`, `no`, `on`, `off`. `.nan`, `.inf` and numbers that JSON
  readers would take for infinite are refused.
- **Where true or false is expected**, only `true` and `false` are taken.
- Values are compared as they are: `4471` and `"4471"` differ.
- Duplicate keys, unknown keys, tags (`!!python/…`), a second document, tabs as indentation, more
  than 100 levels of nesting and aliases that multiply are refused. Merge keys (`<<`) and anchors
  work.
- Every fault of a file is reported at once, with its line, column and path.

## Other checks

- Tool names differ. Scripted calls, rules and `when` name declared tools only.
- A project with tools has a `tool_simulator`.
- `parameters` and `returns` are JSON Schemas, `regex` compiles, and the keys of `result` are JSON
  pointers.
- A line of a scripted evaluator has either `text` or `stop`.
- A `prompt` is a Jinja2 template that names only what its role knows ([models](models.md)).
- A fault is one of the built-in kinds, or has a `respond` of its own ([faults](faults.md)).

With `--roles FILE`, seed rows get the roles, tools and rules of a project file; there `title`,
`goal` and `opening` may be left out.
"""

_PARTS: tuple[type[msgspec.Struct], ...] = (
    EvaluatorLine,
    TargetLine,
    When,
    ScriptedCall,
    Tool,
    ToolRule,
    ToolExample,
    StopRules,
    Breakpoint,
    FaultRule,
)


def docs_text() -> str:
    """The page as the file holds it."""
    pieces = [_HEAD, "## The keys of a project", _table(Project)]
    for field in fields_of(Project):
        if isinstance(field.shape, UnionShape):
            pieces.append(f"## `{field.name}`")
            pieces.append(field.description)
            for cls in field.shape.members:
                pieces += [f"### `kind: {tag_of(cls)}`", _summary(cls)]
                if fields_of(cls):
                    pieces.append(_table(cls))
    pieces.append("## Parts")
    for cls in _PARTS:
        pieces += [f"### {_title(cls)}", _summary(cls), _table(cls)]
    return "\n\n".join(piece.strip("\n") for piece in pieces) + "\n"


def _table(cls: type[msgspec.Struct]) -> str:
    lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for field in fields_of(cls):
        value = _words(field.shape) + (" or null" if field.nullable else "")
        cells = (f"`{field.name}`", value, _default(field), _cell(field.description))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _words(shape: Shape) -> str:
    match shape:
        case TextShape():
            return "text" if not shape.min_length else "text, not empty"
        case NumberShape():
            return ("whole number" if shape.whole else "number") + _bounds(shape)
        case FlagShape():
            return "true or false"
        case ChoiceShape():
            return " or ".join(f"`{choice}`" for choice in shape.choices)
        case JsonShape():
            return "mapping of JSON values" if shape.object else "any JSON value"
        case ListShape():
            return f"list of {_words(shape.item)}" + (", at least one" if shape.min_length else "")
        case StructShape():
            title = _title(shape.cls)
            return f"[{title}](#{title.replace(' ', '-')})"
        case UnionShape():
            return f"mapping with `{TAG_KEY}`: " + ", ".join(f"`{kind}`" for kind in shape.kinds())


def _bounds(shape: NumberShape) -> str:
    if shape.le is not None and shape.le == shape.ge:
        return f", {shape.le:g}"
    words = {"at least": shape.ge, "above": shape.gt, "at most": shape.le}
    return "".join(f", {word} {bound:g}" for word, bound in words.items() if bound is not None)


def _default(field: Field) -> str:
    if field.required:
        return "**required**"
    value: Any = field.default
    if value is None or value in ("", ()):
        return ""
    if isinstance(field.shape, JsonShape):
        return f"`{value}`"
    if isinstance(value, msgspec.Struct):
        return ""
    if isinstance(value, float):
        return f"`{value:g}`"
    return f"`{_cell(json_as_yaml(list(value) if isinstance(value, tuple) else value))}`"


def _summary(cls: type) -> str:
    """The docstring, its code marks those of Markdown."""
    return summary_of(cls).replace("``", "`")


def _title(cls: type) -> str:
    """The class name as words: EvaluatorLine is "evaluator line"."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in cls.__name__).strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(DOCS_FILE, docs_text(), sys.argv[1:]))
