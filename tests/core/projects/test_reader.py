"""Project files: what is read, and every fault that is found, in the human's words."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import ProjectFileError
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.project import (
    EvaluatorLine,
    HumanSimulator,
    LlmEvaluator,
    LlmTarget,
    Project,
    ScriptedCall,
    ScriptedEvaluator,
    ScriptedTarget,
    TargetLine,
    Tool,
    When,
)
from rollstep.core.projects.reader import parse_project, parse_roles, read_project

from .faults import HEAD, ROLES, fault_of

DATA = Path(__file__).parent / "data"


def faults_in(name):
    with pytest.raises(ProjectFileError) as caught:
        read_project(DATA / name)
    assert all(str(DATA / name) in line for line in str(caught.value).splitlines())
    return [fault.render() for fault in caught.value.faults]


def test_a_whole_project():
    project = parse_project("""
version: 1
title: Refund
goal: A refund.
opening: "Hi, it arrived cracked."
max_turns: 8
target:
  kind: scripted
  system: |
    Be kind.
  replies:
    - Hello
    - when: {tool: look, result: {/status: lost}, turn: 2}
      text: Lost.
      reasoning: hm
      tool_calls: [{name: look, arguments: {id: "4471", n: 4471}}]
    - {when: cracked, takes: [one, two]}
evaluator:
  kind: scripted
  messages: [more, {stop: bored}, null]
tools:
  - name: look
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
tool_simulator: {kind: human}
stop: {max_cost_usd: 0.50, repeated_exchanges: 3}
breakpoints:
  - {role: tool, tool: look}
  - turn >= 2
""")
    assert project.target == ScriptedTarget(
        (
            TargetLine("Hello"),
            TargetLine(
                "Lost.",
                reasoning="hm",
                tool_calls=(ScriptedCall("look", '{"id": "4471", "n": 4471}'),),
                when=When(tool="look", result='{"/status": "lost"}', turn=2),
            ),
            TargetLine(when=When("cracked"), takes=("one", "two")),
        ),
        system="Be kind.\n",
    )
    assert project.evaluator == ScriptedEvaluator(
        (EvaluatorLine("more"), EvaluatorLine(stop="bored"), EvaluatorLine(stop="goal_reached"))
    )
    schema = '{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}'
    assert project.tools == (Tool("look", parameters=schema),)
    assert project.tool_simulator == HumanSimulator()
    assert project.stop.max_cost_usd == 0.5
    assert project.breakpoints == (Breakpoint(role="tool", tool="look"), Breakpoint("turn >= 2"))


def test_duplicate_keys_name_both_lines_and_the_path():
    assert faults_in("duplicate_keys.yaml") == [
        "line 6, column 3: target.system: duplicate key: first at line 5, again at line 6. "
        "Keep one of them.",
        "line 7, column 1: target: duplicate key: first at line 2, again at line 7. "
        "Keep one of them.",
    ]


def test_duplicate_keys_inside_json_values_are_refused_too():
    text = HEAD + "metadata: {a: {1: x, '1': y}}\n"
    assert "metadata.a.1: duplicate key" in fault_of(text)


def test_texts_stay_as_written_where_a_text_is_expected():
    project = read_project(DATA / "texts_that_yaml_would_convert.yaml")
    assert (project.title, project.id, project.goal) == ("no", "00042", "2026-01-05")
    assert project.opening == "12:30"
    assert isinstance(project.target, LlmTarget)
    assert (project.target.model, project.target.system) == ("3.5", "1.10")
    assert isinstance(project.evaluator, LlmEvaluator)
    assert (project.evaluator.model, project.evaluator.persona) == ("yes", "on")
    expected = ("off", "~", "0123", "12:30", "1e3", "0x1F", "null")
    assert project.evaluator.stop_words == expected


def test_json_values_are_json_and_all_else_is_text():
    project = read_project(DATA / "texts_that_yaml_would_convert.yaml")
    assert isinstance(project.target, LlmTarget)
    assert project.target.params == (
        '{"top_p": 1.10, "stop": ["off", null, "0123", "12:30", 1e3, true]}'
    )
    assert project.metadata == (
        '{"created": "2026-01-05", "when": "2026-01-05T10:00:00Z", "on": "yes", "no": "off", '
        '"1": 0.5, "big": 12345678901234567890}'
    )


def test_tabs_are_named():
    (fault,) = faults_in("tab_indentation.yaml")
    assert fault == "line 3: tab used for indentation; use spaces."


def test_an_alias_bomb_is_refused_without_time_or_memory():
    code = (
        "import sys; from pathlib import Path\n"
        "from rollstep.core.projects.reader import read_project\n"
        "try: read_project(Path(sys.argv[1]))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )

    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (400 * 2**20, 400 * 2**20))
        resource.setrlimit(resource.RLIMIT_CPU, (5, 5))

    done = subprocess.run(
        [sys.executable, "-c", code, str(DATA / "alias_bomb.yaml")],
        capture_output=True,
        text=True,
        preexec_fn=limits,
        check=False,
    )
    assert done.stdout.startswith("ProjectFileError")
    assert "repeat more than 100,000 values" in done.stdout
    assert done.stderr == ""


def test_aliases_and_merge_keys_work():
    project = parse_project(
        "title: t\n"
        "metadata:\n"
        "  base: &base {kind: llm, model: a, system: s}\n"
        "  more: &more {model: b, params: {n: 1}}\n"
        "  list: [&x one, *x]\n"
        "target: {<<: [*base, *more], system: own}\n"
        "evaluator: {<<: *base, model: c, system: s}\n".replace(
            ", model: c, system: s", ""
        ).replace("evaluator: {<<: *base}", "evaluator: {kind: human}")
    )
    assert project.target == LlmTarget("a", system="own", params='{"n": 1}')
    assert json.loads(project.metadata)["list"] == ["one", "one"]


def test_a_merge_of_something_else_is_named():
    assert "<< takes a mapping" in fault_of(HEAD + "metadata: {<<: x}\n")


def test_a_second_document_and_python_tags_are_both_named_and_nothing_runs():
    faults = faults_in("second_document_and_python_tag.yaml")
    assert faults == [
        "line 1, column 1: evaluator is missing.",
        "line 3: second document starts at line 3; one file is one project.",
        "line 5, column 7: the tag !!python/object/apply:os.getcwd is refused; "
        "nothing in a project file is executed. Remove the tag; put text in quotes.",
    ]


def test_a_file_that_is_not_utf8_is_named_with_line_and_byte():
    (fault,) = faults_in("latin1.yaml")
    assert fault == "line 1, byte 10: file is not UTF-8 (0xE9). Convert it to UTF-8."


def test_empty_sections_wrong_shapes_and_misspelt_keys_all_at_once():
    faults = faults_in("empty_sections_and_wrong_shapes.yaml")
    assert [fault.split(".")[0] for fault in faults] == [
        "line 2, column 11: evaluator: expected a mapping with a kind, found nothing",
        'line 3, column 9: target: expected a mapping with a kind, found the text "just a string"',
        'line 5, column 3: tools: expected a list, found the text "lookup_order"',
        "line 6, column 1: seeds: unknown key",
        'line 7, column 12: max_turns: expected a whole number, found the text "ten"',
        "line 8, column 1: max_truns: unknown key",
    ]
    assert faults[-1].endswith("Did you mean max_turns?")


def test_a_byte_order_mark_is_fine():
    assert parse_project(b"\xef\xbb\xbf" + HEAD.encode()).title == "demo"
    assert parse_project("\ufeff" + HEAD).title == "demo"
    fault = fault_of(b"\xef\xbb\xbftitle: \xe9\n")
    assert fault.startswith("line 1, byte 10: file is not UTF-8")


def test_utf16_is_named():
    assert "UTF-16" in fault_of(HEAD.encode("utf-16"))


def test_windows_line_ends_are_fine():
    text = "title: t\r\ngoal: |\r\n  one\r\n  two\r\n" + ROLES
    assert parse_project(text).goal == "one\ntwo\n"


@pytest.mark.parametrize(
    "schema",
    [
        "{}",
        "{type: [string, 'null'], format: date}",
        "{$ref: '#/$defs/a', $defs: {a: {enum: [1, null]}}}",
        '{anyOf: [{const: 1}, {pattern: "^[a-z]+$"}], additionalProperties: false}',
        "{$schema: http://json-schema.org/draft-07/schema#, definitions: {}}",
    ],
)
def test_schemas_plain_or_not_are_taken(schema):
    text = HEAD + f"tools: [{{name: a, returns: {schema}}}]\ntool_simulator: {{kind: human}}\n"
    assert parse_project(text).tools[0].returns is not None


def test_plain_schemas_do_not_load_the_jsonschema_package():
    text = HEAD + (
        "tools: [{name: a, parameters: {type: object, properties: {id: {type: string, "
        "description: d, enum: [a]}}, required: [id], additionalProperties: false}}]\n"
        "tool_simulator: {kind: human}\n"
    )
    code = (
        "import sys; from rollstep.core.projects.reader import parse_project\n"
        "parse_project(sys.argv[1]); print([m for m in sys.modules if 'jsonschema' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.parametrize("null", ["null", "~", ""])
def test_a_null_line_of_a_scripted_evaluator_stops_with_goal_reached(null):
    text = "title: t\ntarget: {kind: echo}\nevaluator:\n  kind: scripted\n  messages:\n    - no\n"
    project = parse_project(f"{text}    - {null}\n")
    assert project.evaluator == ScriptedEvaluator(
        (EvaluatorLine("no"), EvaluatorLine(stop="goal_reached"))
    )


def test_escaped_surrogate_pairs_are_one_character_and_lone_ones_stay():
    lines = (
        'goal: "\\ud83d\\ude00 \\ud83d"',
        'opening: "\\uDC00\\U0000dfff"',
        'metadata: {a: "\\ud83d"}',
    )
    project = parse_project(HEAD + "\n".join(lines))
    assert (project.goal, project.opening) == ("\U0001f600 \ud83d", "\udc00\udfff")
    assert project.metadata == '{"a": "\\ud83d"}'


def test_json_is_yaml():
    text = json.dumps({"title": "t", "target": {"kind": "echo"}, "evaluator": {"kind": "human"}})
    assert isinstance(parse_project(text), Project)


ODD_YAML = st.text("ab:-[]{}&*!<|>'\"\\#?,%@ \t\n0~.\x85\ud83d", max_size=60)


@given(st.one_of(st.binary(max_size=60), ODD_YAML))
def test_whatever_is_read_gives_a_project_or_faults(data):
    extra = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    for text in (extra, HEAD.encode() + b"metadata: {a: " + extra, HEAD.encode() + extra):
        faults = faults_or_none(text)
        assert faults is None or all(len(fault.splitlines()) == 1 for fault in faults)
        assert faults != []


def faults_or_none(text):
    try:
        parse_project(text)
    except ProjectFileError as error:
        return [fault.render() for fault in error.faults]
    return None


def test_roles_may_leave_out_the_title_and_projects_may_not():
    assert parse_roles(ROLES).title == ""
    assert "title is missing" in fault_of(ROLES)
