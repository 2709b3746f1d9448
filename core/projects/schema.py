"""The JSON Schema of the project file, generated from the types, for editors to complete and check.

``python -m rollstep.core.projects.schema`` writes ``project.schema.json`` beside this file;
``--check`` only says whether it is up to date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from ..generated import main
from ..model.project import Project
from .shapes import (
    NULL_MEANS,
    SHORTHAND,
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

SCHEMA_FILE = Path(__file__).with_name("project.schema.json")


def project_schema() -> dict[str, Any]:
    """The schema as a JSON value."""
    definitions: dict[str, Any] = {}
    whole = _mapping(Project, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rollstep project",
        **whole,
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text() -> str:
    """The schema as the shipped file holds it."""
    return json.dumps(project_schema(), indent=2, ensure_ascii=False) + "\n"


def _mapping(cls: type[msgspec.Struct], definitions: dict[str, Any]) -> dict[str, Any]:
    fields = fields_of(cls)
    properties = {field.name: _property(field, definitions) for field in fields}
    required = [field.name for field in fields if field.required]
    if tag := tag_of(cls):
        properties = {TAG_KEY: {"const": tag}, **properties}
        required.insert(0, TAG_KEY)
    schema = {
        "description": summary_of(cls),
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    return {**schema, "required": required} if required else schema


def _property(field: Field, definitions: dict[str, Any]) -> dict[str, Any]:
    schema = _schema_of(field.shape, definitions)
    if field.nullable:
        schema = {"anyOf": [schema, {"type": "null"}]}
    if field.description:
        schema = {"description": field.description, **schema}
    default = _default(field)
    return schema if default is None else {**schema, "default": default}


def _default(field: Field) -> Any:
    if field.required or field.default in (None, ""):
        return None
    if isinstance(field.shape, JsonShape):
        return json.loads(field.default)
    return msgspec.to_builtins(field.default)


def _schema_of(shape: Shape, definitions: dict[str, Any]) -> dict[str, Any]:
    match shape:
        case TextShape():
            return {
                "type": "string",
                **_given({"pattern": shape.pattern, "minLength": shape.min_length}),
            }
        case NumberShape():
            bounds = {"minimum": shape.ge, "maximum": shape.le, "exclusiveMinimum": shape.gt}
            return {"type": "integer" if shape.whole else "number", **_given(bounds)}
        case FlagShape():
            return {"type": "boolean"}
        case ChoiceShape():
            return {"enum": list(shape.choices)}
        case JsonShape():
            return {"type": "object"} if shape.object else {}
        case ListShape():
            items = _schema_of(shape.item, definitions)
            return {
                "type": "array",
                "items": items,
                **_given({"minItems": shape.min_length or None}),
            }
        case StructShape():
            return _reference(shape.cls, definitions)
        case UnionShape():
            return _union(shape, definitions)


def _union(shape: UnionShape, definitions: dict[str, Any]) -> dict[str, Any]:
    """One of the kinds. Spelled with if and then, so that an editor speaks only of the kind that
    is meant.
    """
    kinds = shape.kinds()
    return {
        "type": "object",
        "properties": {TAG_KEY: {"enum": list(kinds)}},
        "required": [TAG_KEY],
        "allOf": [
            {
                "if": {"properties": {TAG_KEY: {"const": kind}}, "required": [TAG_KEY]},
                "then": _reference(cls, definitions),
            }
            for kind, cls in kinds.items()
        ],
    }


def _reference(cls: type[msgspec.Struct], definitions: dict[str, Any]) -> dict[str, Any]:
    name = cls.__name__
    if name not in definitions:
        definitions[name] = {}
        mapping = _mapping(cls, definitions)
        short = [{"type": "string"}] if cls in SHORTHAND else []
        short += [{"type": "null"}] if cls in NULL_MEANS else []
        if short:
            description = mapping.pop("description")
            mapping = {"description": description, "anyOf": [*short, mapping]}
        definitions[name] = mapping
    return {"$ref": f"#/$defs/{name}"}


def _given(limits: dict[str, Any]) -> dict[str, Any]:
    return {name: limit for name, limit in limits.items() if limit is not None}


if __name__ == "__main__":
    sys.exit(main(SCHEMA_FILE, schema_text(), sys.argv[1:]))
