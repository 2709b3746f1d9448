"""The JSON Schema and the documentation agree with the types, and the samples with both."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from rollstep.core.generated import main
from rollstep.core.projects.docs import DOCS_FILE, docs_text
from rollstep.core.projects.json_values import JsonBuilder
from rollstep.core.projects.reader import parse_project, read_project
from rollstep.core.projects.schema import SCHEMA_FILE, project_schema, schema_text
from rollstep.core.projects.writer import project_yaml
from rollstep.core.projects.yaml_nodes import compose

from .strategies import projects

SAMPLES = sorted((Path(__file__).parents[3] / "sample_projects").glob("*.yaml"))
VALIDATOR = jsonschema.Draft202012Validator(project_schema())


def as_json(text):
    """The JSON value that an editor's YAML reader gives the schema."""
    return json.loads(JsonBuilder([]).build(compose(text, []), ""))


def test_the_shipped_schema_is_up_to_date():
    assert SCHEMA_FILE.read_text("utf-8") == schema_text()


def test_the_documentation_is_up_to_date():
    assert DOCS_FILE.read_text("utf-8") == docs_text()


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(project_schema())


def test_the_example_of_the_documentation_is_a_project():
    example = docs_text().split("```yaml\n")[1].split("```")[0]
    assert parse_project(example).title == "Refund a damaged blender"
    VALIDATOR.validate(as_json(example))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples_are_projects_and_fit_the_schema_they_name(path):
    text = path.read_text("utf-8")
    first = text.splitlines()[0]
    assert first == "# yaml-language-server: $schema=../core/projects/project.schema.json"
    VALIDATOR.validate(as_json(text))
    project = read_project(path)
    assert parse_project(project_yaml(project)) == project


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(projects)
def test_what_is_written_fits_the_schema(project):
    VALIDATOR.validate(as_json(project_yaml(project)))


@pytest.mark.parametrize(
    "wrong",
    [
        "max_truns: 3",
        "max_turns: 0",
        "target: {kind: scripted, persona: x}",
        "target: {kind: scriptd}",
        "target: {}",
        "tools: [{description: no name}]",
        "stop: {on_limit: maybe}",
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(wrong):
    target = "" if wrong.startswith("target") else "target: {kind: echo}\n"
    text = f"title: t\n{target}evaluator: {{kind: human}}\n{wrong}\n"
    assert not VALIDATOR.is_valid(as_json(text))


def test_generators_write_and_check(tmp_path, capsys):
    path = tmp_path / "file"
    assert main(path, "new\n", ["--check"]) == 1
    assert "not up to date" in capsys.readouterr().err
    assert main(path, "new\n", []) == 0
    assert main(path, "new\n", ["--check"]) == 0
    assert main(path, "new\n", ["--wrong"]) == 2
