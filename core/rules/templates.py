"""Prompts are templates (Jinja2), and a project may bring its own. They come from outside, so they
run in a sandbox that reaches nothing but the variables named here, and can neither change them nor
make texts without end.

jinja2 takes long to import, so it is loaded when the first template is met.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from ..model.steps import Role

VARIABLES: dict[Role, dict[str, str]] = {
    "evaluator": {
        "title": "The project's title.",
        "goal": "The project's goal.",
        "persona": "The evaluator's persona.",
        "instructions": "The evaluator's instructions.",
        "stop_when": "The evaluator's stop_when; empty where it has none.",
        "examples": "The evaluator's examples, a list of texts.",
        "stop_reasons": "The reasons that it may stop with, a list of words.",
        "answers": "How it is to answer: auto, tools, json or text.",
        "sees_tools": "How much it sees of the tools: none, names or full.",
        "turn": "The number of the turn that its message begins, from 1.",
        "max_turns": "The project's max_turns; turn is one more when all are over.",
    },
    "target": {
        "title": "The project's title.",
        "system": "The target's system text; empty where it has none.",
        "context": "The seed row's context, an object; empty unless sees_context is true.",
        "memory": "The messages in the context's memory, each with role and content.",
        "actions": "The context's available_actions, a list of texts.",
        "tools": "The tools, each with name and description.",
    },
    "tool": {
        "title": "The project's title.",
        "world": "The simulator's world notes.",
        "tool": "The tool: name, description, parameters and returns (JSON texts); none where it "
        "is not declared.",
        "call": "The call to answer: name and arguments (JSON text).",
        "examples": "The examples for this tool: tool, arguments and respond (JSON texts).",
        "keeps_state": "Whether the simulator keeps a state.",
        "state": "The state as JSON text; empty where it keeps none.",
        "fails_as_error": 'Whether a result {"error": …} says that the tool failed.',
    },
}
"""What a prompt of each role may name, and what it stands for."""

_UNBOUNDED = frozenset(
    {"center", "expandtabs", "format", "format_map", "ljust", "replace", "rjust", "zfill"}
)
"""Methods of texts that make a long one of a short one, told how long."""

_NO_FILTERS = ("center", "format", "indent", "pprint", "replace", "wordwrap", "xmlattr")
_NO_GLOBALS = ("range", "lipsum", "cycler")


class TemplateError(Exception):
    """A template cannot be read or rendered. ``line`` counts its own lines from 1; 0: unknown."""

    def __init__(self, words: str, line: int = 0, names: tuple[str, ...] = ()) -> None:
        super().__init__(words)
        self.line = line
        self.names = names


def check(text: str, role: Role) -> None:
    """Raise TemplateError for a prompt that is no template, or that names what its role does not
    know (``names`` holds those).
    """
    from jinja2 import meta
    from jinja2.exceptions import TemplateSyntaxError

    environment = _environment()
    try:
        tree = environment.parse(text)
        environment.compile(tree)
    except TemplateSyntaxError as error:
        raise TemplateError(_sentence(error), error.lineno) from None
    except RecursionError:
        raise TemplateError("nested too deeply") from None
    known = VARIABLES[role].keys() | environment.globals.keys()
    unknown = meta.find_undeclared_variables(tree) - known
    if unknown:
        names = tuple(sorted(unknown))
        line = next((n for n, row in enumerate(text.split("\n"), 1) if names[0] in row), 0)
        raise TemplateError("", line, names)


def render(text: str, variables: Mapping[str, Any]) -> str:
    """The template with its variables filled in. Raises TemplateError."""
    from jinja2.exceptions import TemplateSyntaxError

    try:
        return str(_compiled(text).render(variables))
    except TemplateSyntaxError as error:
        raise TemplateError(_sentence(error), error.lineno) from None
    except Exception as error:  # a template can fail in as many ways as a program can
        raise TemplateError(f"{type(error).__name__}: {error}") from error


def literal(text: str) -> str:
    """A template that says this text, whatever is in it."""
    # Jinja reads the escapes of such a text as Python does, and JSON's are the same.
    return "{{ " + json.dumps(text, ensure_ascii=False) + " }}"


@lru_cache(maxsize=64)
def _compiled(text: str) -> Any:
    return _environment().from_string(text)


def _sentence(error: Any) -> str:
    return str(error.message or error).rstrip(".")


@cache
def _environment() -> Any:
    from jinja2 import StrictUndefined
    from jinja2.exceptions import SecurityError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Sandbox(ImmutableSandboxedEnvironment):
        """Nothing but the variables, and nothing without end."""

        intercepted_binops = frozenset({"*", "**", "%"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            """Numbers are reckoned with; texts and lists are not multiplied."""
            numbers = all(isinstance(value, int | float) for value in (left, right))
            if operator == "**" or not numbers:
                raise SecurityError(f"{operator} is not available here")
            return super().call_binop(context, operator, left, right)

        def wrap_str_format(self, value: Any) -> None:
            """``format`` is no method here; see ``_UNBOUNDED``."""
            return None

        def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
            """The sandbox's own rule, and no methods that make long texts."""
            unbounded = isinstance(obj, str) and attr in _UNBOUNDED
            return not unbounded and super().is_safe_attribute(obj, attr, value)

    environment = Sandbox(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )
    for name in _NO_FILTERS:
        environment.filters.pop(name, None)
    for name in _NO_GLOBALS:
        environment.globals.pop(name, None)
    environment.filters["tojson"] = _as_json
    return environment


def _as_json(value: Any) -> str:
    """JSON for reading; Jinja's own is made for HTML."""
    return json.dumps(value, ensure_ascii=False)
