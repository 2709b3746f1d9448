"""What a project file may hold at each place, derived from the types of ``model/project.py``.

The checker, the writer, the JSON Schema and the documentation all walk these shapes, so that none
of them can disagree with the types or with another.
"""

from __future__ import annotations

import functools
import types
import typing
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import Meta

from ..model.debugging import Breakpoint, FaultRule
from ..model.messages import GOAL_REACHED
from ..model.project import EvaluatorLine, TargetLine, When


class TextShape(msgspec.Struct, frozen=True):
    """A string; ``pattern_words`` say what the pattern asks for."""

    pattern: str | None = None
    min_length: int | None = None
    pattern_words: str = ""


class NumberShape(msgspec.Struct, frozen=True):
    """A number; ``whole`` for integers. Bounds as in JSON Schema: ``ge`` and ``le`` permit the
    bound itself, ``gt`` does not.
    """

    whole: bool
    ge: float | None = None
    le: float | None = None
    gt: float | None = None


class FlagShape(msgspec.Struct, frozen=True):
    """true or false."""


class ChoiceShape(msgspec.Struct, frozen=True):
    """One of these words."""

    choices: tuple[str, ...]


class JsonShape(msgspec.Struct, frozen=True):
    """Any JSON value, kept as JSON text; ``object`` when it has to be an object."""

    object: bool = False


class ListShape(msgspec.Struct, frozen=True):
    """A list, kept as a tuple."""

    item: Shape
    min_length: int = 0


class StructShape(msgspec.Struct, frozen=True):
    """A mapping with known keys."""

    cls: type[msgspec.Struct]


class UnionShape(msgspec.Struct, frozen=True):
    """One of several mappings, told apart by the key ``kind``."""

    members: tuple[type[msgspec.Struct], ...]

    def kinds(self) -> dict[str, type[msgspec.Struct]]:
        """The value of ``kind`` for each member."""
        return {tag_of(cls): cls for cls in self.members}


Shape = (
    TextShape
    | NumberShape
    | FlagShape
    | ChoiceShape
    | JsonShape
    | ListShape
    | StructShape
    | UnionShape
)

TAG_KEY = "kind"

SHORTHAND: dict[type, str] = {
    When: "text",
    EvaluatorLine: "text",
    TargetLine: "text",
    Breakpoint: "when",
    FaultRule: "fault",
}
"""Structs that a plain string may stand for, and the field that it then is."""

NULL_MEANS: dict[type, msgspec.Struct] = {EvaluatorLine: EvaluatorLine(stop=GOAL_REACHED)}
"""Structs that a null may stand for, and what it then is."""


class Field(msgspec.Struct, frozen=True):
    """One key of a mapping. ``nullable`` where null stands for "not given"."""

    name: str
    shape: Shape
    nullable: bool
    required: bool
    default: Any
    description: str


def tag_of(cls: type[msgspec.Struct]) -> str:
    """The value of ``kind`` that names this struct, or the empty string."""
    tag = cls.__struct_config__.tag
    return "" if tag is None else str(tag)


@functools.cache
def fields_of(cls: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The keys of a struct, in the order of the type."""
    return tuple(_field(info) for info in msgspec.structs.fields(cls))


def summary_of(cls: type) -> str:
    """The struct's own docstring, on one line."""
    return " ".join((cls.__doc__ or "").split())


def _field(info: msgspec.structs.FieldInfo) -> Field:
    bare, metas = _unwrap(info.type)
    options = _options(bare)
    nullable = type(None) in options
    description = _bound(metas, "description") or ""
    kept = tuple(option for option in options if option is not type(None))
    return Field(
        name=info.encode_name,
        shape=_shape_of(kept, metas),
        nullable=nullable,
        required=info.required,
        default=None if info.required else info.default,
        description=description,
    )


def _unwrap(hint: Any) -> tuple[Any, tuple[Meta, ...]]:
    if typing.get_origin(hint) is Annotated:
        bare, *extras = typing.get_args(hint)
        return bare, tuple(extra for extra in extras if isinstance(extra, Meta))
    return hint, ()


def _options(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in (Union, types.UnionType):
        return typing.get_args(hint)
    return (hint,)


def _shape_of(options: tuple[Any, ...], metas: tuple[Meta, ...]) -> Shape:
    if len(options) > 1:
        return UnionShape(options)
    bare, inner = _unwrap(options[0])
    return _single(bare, metas + inner)


def _single(bare: Any, metas: tuple[Meta, ...]) -> Shape:
    origin = typing.get_origin(bare)
    if origin is tuple:
        item, inner = _unwrap(typing.get_args(bare)[0])
        return ListShape(_shape_of(_options(item), inner), _bound(metas, "min_length") or 0)
    if origin is Literal:
        return ChoiceShape(typing.get_args(bare))
    if bare is str:
        extra = next((meta.extra for meta in metas if meta.extra), {})
        if extra.get("json"):
            return JsonShape(bool(extra.get("object")))
        pattern = _bound(metas, "pattern")
        words = _bound(metas, "description") if pattern else ""
        return TextShape(pattern, _bound(metas, "min_length"), words or "")
    if bare is bool:
        return FlagShape()
    if bare is int or bare is float:
        bounds = {name: _bound(metas, name) for name in ("ge", "le", "gt")}
        return NumberShape(bare is int, **bounds)
    if isinstance(bare, type) and issubclass(bare, msgspec.Struct):
        return StructShape(bare)
    raise TypeError(f"no shape for {bare!r} in a project file")


def _bound(metas: tuple[Meta, ...], name: str) -> Any:
    return next((value for meta in metas if (value := getattr(meta, name)) is not None), None)
