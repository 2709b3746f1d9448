import json

import jsonschema
import pytest
from rollstep.core.rules.schema_example import example_from_schema, example_text

ORDER = {
    "type": "object",
    "properties": {
        "status": {"enum": ["delivered", "lost"]},
        "price": {"type": "number", "minimum": 1},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "minItems": 2},
        "placed": {"type": "string", "format": "date"},
        "note": {"type": ["string", "null"]},
    },
    "required": ["status", "price", "tracking"],
    "$defs": {"line": {"type": "object", "properties": {"sku": {"type": "string"}}}},
}


@pytest.mark.parametrize(
    "schema",
    [
        ORDER,
        {"type": "integer", "exclusiveMinimum": 3},
        {"type": "number", "maximum": -2},
        {"anyOf": [{"type": "null"}, {"type": "string", "minLength": 3}]},
        {"oneOf": [{"type": "object", "properties": {"ok": {"const": True}}, "required": ["ok"]}]},
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
                {"properties": {"b": {"type": "array", "items": {"type": "null"}}}},
            ]
        },
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]},
        {},
    ],
)
def test_the_example_fits_its_schema(schema: dict[str, object]) -> None:
    jsonschema.validate(example_from_schema(schema), schema)


def test_every_declared_and_required_name_is_there_to_be_filled_in() -> None:
    assert list(example_from_schema(ORDER)) == [
        "status", "price", "lines", "placed", "note", "tracking",
    ]  # fmt: skip


def test_a_schema_that_contains_itself_ends() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#"}}}
    assert json.dumps(example_from_schema(tree)).count("child") < 20


@pytest.mark.parametrize("schema", [None, "", "{", "true", '{"$ref": "http://example.com/x"}'])
def test_no_usable_schema_gives_nothing_to_fill_in(schema: str | None) -> None:
    assert example_text(schema) in ("", "null")


def test_the_text_is_readable_json_in_any_script() -> None:
    assert example_text('{"properties": {"城": {"default": "東京"}}}') == '{\n  "城": "東京"\n}'
