"""What is wrong in a project file is named: where, what, and what may be meant."""

import pytest
from rollstep.core.errors import ProjectFileError
from rollstep.core.model.debugging import FaultRule
from rollstep.core.projects.reader import parse_project, read_project

from .faults import HEAD, fault_of, faults_of


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("version: 2", "version: expected 1, found 2."),
        ("max_turns: 0", "max_turns: 0 is too small; the least is 1."),
        ("max_turns: 1.5", "max_turns: expected a whole number, found 1.5."),
        ('max_turns: "5"', 'found the text "5". Remove the quotes.'),
        ("max_turns: ", "max_turns: expected a whole number, found nothing."),
        ("max_turns: 1_000", 'found the text "1_000"'),
        ("max_turns: [1]", "max_turns: expected a whole number, found a list."),
        ("max_turns: " + "9" * 30, "this number is too large."),
        ("max_turns: " + "9" * 5000, "more than 4000 digits"),
        ("stop: {max_cost_usd: .nan}", ".nan is no JSON number."),
        ("stop: {max_cost_usd: .inf}", ".inf is no JSON number."),
        ("stop: {on_limit: stpo}", "Did you mean stop?"),
        ("stop: {on_limit: [stop]}", "expected one of pause, stop, found a list."),
        ("goal:", 'goal: nothing stands here. Write "" for an empty text.'),
        ("goal: [a]", "goal: expected a text, found a list."),
        ("metadata: [a]", "metadata: expected a mapping, found a list."),
        ("metadata: {a: [.NaN]}", "metadata.a[0]: .NaN is no JSON number."),
        ("metadata: {a b: 1e400}", 'metadata["a b"]: 1e400 is too large'),
        ("metadata: {[a]: b}", "metadata: a key has to be a text."),
        ("metadata: &a {b: *a}", "*a stands inside what it names."),
        ("metadata: {b: *a}", "*a names no anchor"),
        ("metadata: {a: !!float 1}", "the tag !!float is refused"),
        ("metadata: !mine {a: 1}", "the tag !mine is refused"),
        ("metadata: {a: " + "[" * 150 + "]" * 150 + "}", "nested deeper than 100 levels."),
        ("breakpoints: [[a]]", "breakpoints[0]: expected a text or a mapping"),
        ("tools: {name: a}", "tools: expected a list, found a mapping."),
        ("tools: ", "found nothing. Remove the key, or write [] for an empty list."),
        ("tool_simulator: {kind: rules, rules: [{respond: a}]}", "rules[0]: tool is missing."),
        ("tool_simulator: {kind: ruels}", "Did you mean rules? Known kinds: rules, llm,"),
        ("tool_simulator: {rules: []}", "tool_simulator: kind is missing. Known kinds: rules,"),
        ("tool_simulator: {kind: [a]}", "tool_simulator.kind: unknown kind a list."),
        ("tool_simulator: {kind: human, rules: []}", "Only kind rules has it."),
        ("tool_simulator: {kind: rules, independent: yes}", "Write true or false, without quotes."),
        ("tool_simulator: {kind: python, object: foo}", '"foo" has not the right form.'),
        ("tool_simulator: {kind: python, object: 'a:b', timeout: 0}", "it must be above 0."),
        ('"a\\e\\nb\\u202e": 1', 'column 1: ["a\\u001b\\nb\\u202e"]: unknown key.'),
        ("user_text: hi", "Did you mean opening?"),
        ("tools: [{name: a}]", "Add a tool_simulator"),
        ("metadata: a: b", 'a ": " cannot stand here.'),
        ("metadata: @a", "'@' cannot begin a value."),
        ("metadata: {a: [", "a bracket is not closed"),
        ('goal: "never closed', "a quote that is opened is never closed."),
        ("goal", "a key without its colon"),
        ("metadata: {a: 1}\n  b: 2", "line 5"),
        ("goal: a\x00b", "line 4, column 8: the character U+0000"),
        ("goal: \ud800", "the character U+D800"),
        ('goal: "\\q"', "unknown escape"),
    ],
)
def test_one_fault_in_words(extra, words):
    assert words in fault_of(f"{HEAD}{extra}\n")


def target(line):
    return (
        "title: demo\nevaluator: {kind: human}\ntool_simulator: {kind: human}\n"
        f"tools: [{{name: look}}, {{name: buy}}]\ntarget: {{kind: scripted, replies: [{line}]}}\n"
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "{tool_calls: [{name: loook}]}",
            '"loook" is no declared tool. Declared tools: look, buy.',
        ),
        ("{when: {tool: sell}}", 'replies[0].when.tool: "sell" is no declared tool.'),
        ('{when: {regex: "["}}', "when.regex: not a regular expression"),
        ("{when: {result: {status: 1}}}", '"status" is no JSON pointer.'),
        ("{when: {result: {/a~2: 1}}}", '"/a~2" is no JSON pointer.'),
        ("{when: {turn: 0}}", "when.turn: 0 is too small"),
        ("~", "replies[0]: expected a text or a mapping, found nothing."),
    ],
)
def test_faults_of_scripted_lines(line, words):
    assert words in fault_of(target(line))


@pytest.mark.parametrize(
    ("breakpoint", "words"),
    [
        (
            "- turn = two",
            "line 5, column 3: breakpoints[0]: column 8 of this query: turn is a number.",
        ),
        (
            "- role: tool\n  when: tol = look",
            "line 6, column 9: breakpoints[0].when: column 1 of this query: no field 'tol'; "
            "did you mean tool?",
        ),
        ("- tool: loook", 'breakpoints[0].tool: "loook" is no declared tool.'),
        ("- not tool = loook", 'breakpoints[0]: "loook" is no declared tool.'),
        ("- regex: a(", "breakpoints[0].regex: not a regular expression: "),
        ("- ignore: -1", "breakpoints[0].ignore: -1 is too small"),
        ("- {before: perhaps}", "Write true or false, without quotes."),
        ("- ''", "column 1 of this query: the query is empty."),
    ],
)
def test_faults_of_breakpoints(breakpoint, words):
    assert words in fault_of(f"{HEAD}breakpoints:\n{breakpoint}\n")


def test_a_tool_rule_for_an_undeclared_tool_is_named():
    text = HEAD + "tool_simulator: {kind: rules, rules: [{tool: a, respond: ok}]}\n"
    assert '"a" is no declared tool. No tool is declared.' in fault_of(text)


def test_undeclared_tools_are_not_reported_where_the_declarations_cannot_be_read():
    text = HEAD + (
        "tools: [{nam: a}]\ntool_simulator: {kind: rules, rules: [{tool: a, respond: ok}]}\n"
    )
    assert not any("no declared tool" in fault for fault in faults_of(text))


def test_tool_names_differ():
    text = HEAD + "tools:\n  - name: a\n  - name: a\ntool_simulator: {kind: human}\n"
    assert "tools[1].name: a second tool a; the first is at line 5." in fault_of(text)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("{type: objct}", "line 5, column 9: tools[0].returns.type: not a JSON Schema: 'objct' is"),
        ("{properties: {a: {type: [string, nul]}}}", "returns.properties.a.type"),
        ("{required: a}", "returns.required: not a JSON Schema: 'a' is not of type 'array'."),
        ('{pattern: "["}', "returns.pattern: not a JSON Schema: '[' is not a 'regex'."),
        ("{properties: [a]}", "returns.properties"),
        ("{minimum: true}", "returns.minimum"),
        ("{$schema: [a]}", "returns"),
    ],
)
def test_a_schema_that_is_none_is_named(schema, words):
    text = HEAD + f"tools: [{{name: a, returns:\n {schema}}}]\ntool_simulator: {{kind: human}}\n"
    assert words in fault_of(text)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ("[{when: a}]", "messages[0]: this line has neither text nor stop."),
        ("[{text: a, stop: b}]", "messages[0]: this line has both text and stop."),
        ("[[a]]", "messages[0]: expected a text or a mapping, found a list."),
    ],
)
def test_faults_of_evaluator_lines(messages, words):
    text = f"title: t\ntarget: {{kind: echo}}\nevaluator: {{kind: scripted, messages: {messages}}}"
    assert words in fault_of(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty."),
        ("# only a comment\n", "the file is empty."),
        ("~", "the file is empty."),
        ("- a\n", "expected a mapping, found a list."),
        ("just text\n", 'expected a mapping, found the text "just text".'),
        ("x: " + "[" * 50_000, "nested too deeply"),
        ("- " * 50_000, "nested deeper than 100 levels"),
        ("? " * 50_000, "nested"),
    ],
)
def test_texts_that_are_no_project(text, words):
    assert words in fault_of(text)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ProjectFileError, match=r"none.yaml: there is no such file"):
        read_project(tmp_path / "none.yaml")
    with pytest.raises(ProjectFileError, match="a folder, not a project file"):
        read_project(tmp_path)
    with pytest.raises(ProjectFileError, match="cannot be read"):
        read_project(tmp_path / "nul\0byte")


def test_brackets_in_a_path_are_shown_as_they_are(tmp_path):
    path = tmp_path / "[v1][bold]run[_x].yaml"
    path.write_text("title: t\n")
    with pytest.raises(ProjectFileError) as caught:
        read_project(path)
    assert str(path) in str(caught.value)


def test_a_wrong_kind_hides_no_other_mistake_in_that_role():
    near = "title: t\ntarget: {kind: ecoh, sytem: a}\nevaluator: {kind: human}\n"
    far = "title: t\ntarget: {kind: gpt, sytem: a, replies: [b], zzz: 1}\nevaluator: {moedl: a}\n"
    assert faults_of(near) == [
        'line 2, column 16: target.kind: unknown kind "ecoh". Did you mean echo? '
        "Known kinds: llm, scripted, echo, python, human.",
        "line 2, column 22: target.sytem: unknown key. Did you mean system?",
    ]
    named = "\n".join(faults_of(far))
    assert "target.sytem: unknown key. Did you mean system?" in named
    assert "target.zzz: unknown key." in named
    assert "target.replies" not in named
    assert "evaluator: kind is missing." in named
    assert "evaluator.moedl: unknown key. Did you mean model?" in named


def test_faults_are_built_in_or_have_a_respond_of_their_own():
    text = (
        HEAD + "tools: [{name: a}]\ntool_simulator: {kind: human}\n"
        "faults:\n- timeout\n- {fault: sold_out, tool: a, respond: {left: 0}, probability: 0}\n"
        "- {fault: timeout, respond: gone, is_error: false, times: 2}\n"
    )
    assert parse_project(text).faults == (
        FaultRule("timeout"),
        FaultRule("sold_out", tool="a", respond='{"left": 0}', probability=0),
        FaultRule("timeout", respond='"gone"', is_error=False, times=2),
    )


def test_a_fault_that_is_unknown_says_which_may_be_meant():
    text = (
        HEAD + "tools: [{name: a}]\ntool_simulator: {kind: human}\n"
        "faults:\n- timeuot\n- {fault: sold_out, tool: b}\n- {fault: empty, probability: 2}\n"
    )
    unknown, other, tool, chance = faults_of(text)
    assert unknown.startswith(
        'line 7, column 3: faults[0]: "timeuot" is no built-in fault. Did you mean timeout? There'
    )
    assert unknown.endswith("A fault of your own has a respond.")
    assert other.startswith('line 8, column 11: faults[1].fault: "sold_out" is no built-in fault.')
    assert tool == 'line 8, column 27: faults[1].tool: "b" is no declared tool. Declared tools: a.'
    assert chance == "line 9, column 31: faults[2].probability: 2 is too large; the most is 1."
