"""Projects as hypothesis draws them: every type, with texts that naive YAML writers break."""

import json

import msgspec
from hypothesis import strategies as st
from rollstep.core.model.debugging import Breakpoint, FaultRule
from rollstep.core.model.project import EvaluatorLine, Project, When
from rollstep.core.projects.scalars import json_string
from rollstep.core.projects.shapes import (
    ChoiceShape,
    FlagShape,
    JsonShape,
    ListShape,
    NumberShape,
    StructShape,
    TextShape,
    UnionShape,
    fields_of,
)
from rollstep.core.rules.query.nodes import quoted

ODD_TEXTS = (
    '', ' ', 'no', 'off', '0123', '12:30', '1.10', '~', 'null', '2026-01-05', '1e3', '.5', '=',
    '<<', '- a', 'a: b', 'a:', 'a #b', '#', "'", '"', '\\', '%', '@x', '`', '*a', '&a', '!a',
    '|', '>', '?', 'trailing ', ' leading', 'two\nlines', 'two\nlines\n', 'two\n\n\n', '\nfirst',
    '  in\nout', 'a\n  b', 'a\n \nb', 'a\n\tb', '\ta\nb', 'a\r\nb', 'a\x85b\nc', 'a\u2028b\nc',
    '\ufeff', 'x\ufeff\ny', '\x00', '\x1b[31m', '\x9d', '\x7f\n', '\ud83d', '\udc00\ud83d',
    '\udfff',
    '\U0001f600 \xfcn\xef\ncode \u6f22\u5b57', '\u202eabc', 'true', 'TRUE', '.nan', 'NaN',
    '.inf', '0x1F', '0o17', '1_000', '+1', '---', '...', '--- a\nb', 'a, b', '{a}', '[b]', 'a]',
    '}', "x" * 200, "long " * 40, "k" * 1500, '\xa0', 'a\u3000', '-1', '-', '--',
)  # fmt: skip
# A high surrogate followed by a low one is one character, in JSON as in YAML escapes.
texts = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(st.characters(), max_size=12),
    st.text(st.sampled_from("ab \n\t:#-'\"\\|\ud83d\u2028\x85é"), max_size=12),
).map(lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))
numbers = st.one_of(
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


def as_json(value):
    """JSON text as the reader makes it."""
    if isinstance(value, str):
        return json_string(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json_string(k)}: {as_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_json, value)) + "]"
    return json.dumps(value)


def of_shape(shape):
    """Values of a shape, legal by the shape alone."""
    match shape:
        case TextShape():
            if shape.pattern:
                return st.just("my_pkg.agent:make")
            return texts.filter(lambda text: len(text) >= (shape.min_length or 0))
        case NumberShape(whole=True):
            return st.integers(int(shape.ge or 0), int(shape.le or 10**9))
        case NumberShape():
            return st.floats(0.001, shape.le or 1e9)
        case FlagShape():
            return st.booleans()
        case ChoiceShape():
            return st.sampled_from(shape.choices)
        case JsonShape():
            objects = st.dictionaries(texts, json_values, max_size=3)
            return (objects if shape.object else json_values).map(as_json)
        case ListShape():
            return st.lists(of_shape(shape.item), min_size=shape.min_length, max_size=3).map(tuple)
        case StructShape():
            return of_struct(shape.cls)
        case UnionShape():
            return st.one_of([of_struct(cls) for cls in shape.members])


def of_struct(cls):
    fields = {}
    for field in fields_of(cls):
        values = of_shape(field.shape)
        if field.nullable:
            values = st.one_of(st.none(), values)
        if field.name == "prompt":  # a template: its marks mean something
            values = values.filter(lambda text: text is None or "{" not in text)
        fields[field.name] = values if field.required else st.one_of(st.just(field.default), values)
    return st.builds(cls, **fields).map(_legal)


def _legal(value):
    """What the checks on more than one value ask for."""
    replace = msgspec.structs.replace
    if isinstance(value, EvaluatorLine):
        return (
            replace(value, stop=None, text=value.text or "")
            if value.text
            else replace(value, text=None, stop=value.stop or "bored")
        )
    if isinstance(value, When):
        return replace(value, tool=None, regex=None if value.regex is None else "a+", result=None)
    if isinstance(value, Breakpoint):
        when = None if value.when is None else f"text : {quoted(value.when)}"
        regex = None if value.regex is None else "a+"
        return replace(value, tool=None, regex=regex, when=when)
    if isinstance(value, FaultRule):
        return replace(value, tool=None, fault=value.fault if value.respond else "timeout")
    return value


def _project(project):
    """A project whose tools are declared once, and answered."""
    replace = msgspec.structs.replace
    names = [tool.name for tool in project.tools]
    tools = tuple(
        replace(tool, name=f"{index}{name}", parameters='{"type": "object"}', returns=None)
        for index, (tool, name) in enumerate(zip(project.tools, names, strict=True))
    )
    name = tools[0].name if tools else None
    simulator = project.tool_simulator if tools else None
    if hasattr(simulator, "rules"):
        rules = tuple(replace(rule, tool=name) for rule in simulator.rules)
        simulator = replace(simulator, rules=rules)
    elif hasattr(simulator, "examples"):
        examples = tuple(replace(example, tool=name) for example in simulator.examples)
        simulator = replace(simulator, examples=examples)
    elif simulator is None and tools:
        tools = ()
        name = None
    target = project.target
    if hasattr(target, "replies"):
        replies = tuple(
            replace(
                line,
                tool_calls=tuple(replace(c, name=name) for c in line.tool_calls) if name else (),
            )
            for line in target.replies
        )
        target = replace(target, replies=replies)
    return replace(project, tools=tools, tool_simulator=simulator, target=target)


projects = of_struct(Project).map(_project)
