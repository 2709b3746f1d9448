"""What queries say of steps: every field, on a path that holds what real rollouts hold."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.marks import Score
from rollstep.core.model.messages import (
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    UserMessage,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import (
    EchoTarget,
    HeuristicEvaluator,
    HumanTarget,
    Project,
    StopRules,
    Tool,
)
from rollstep.core.model.steps import Call, Step, Usage, role_of
from rollstep.core.rules.breakpoints import BreakpointSet
from rollstep.core.rules.hits import Hits
from rollstep.core.rules.json_values import MISSING
from rollstep.core.rules.query.compiling import Known, Reader
from rollstep.core.rules.query.nodes import And, Compare, Has, Node, Not, Or, Ref, to_text
from rollstep.core.rules.query.parsing import parse
from rollstep.core.rules.query.step_facts import SHAPES, shape_of
from rollstep.core.rules.query.step_fields import STEPS, source_for
from rollstep.core.rules.query.step_query import Compiled, PathFacts, compile_query, holds
from rollstep.core.rules.query.step_values import values_in
from rollstep.core.rules.stepper import Ask
from rollstep.core.rules.views import PathState
from rollstep.core.rules.watch import Watch

from tests.strategies import payloads

from .test_language import trees

PROJECT = Project(
    "Shop",
    EchoTarget(),
    HeuristicEvaluator(),
    tools=(
        Tool(
            "refund",
            parameters='{"type": "object", "properties": {"amount": {"type": "number"}}, '
            '"required": ["amount"]}',
            returns='{"type": "object", "required": ["ok"]}',
        ),
        Tool("look"),
    ),
    stop=StopRules(repeated_exchanges=2),
)


def path_of(*payloads: Payload | Step) -> list[Step]:
    steps: list[Step] = []
    for number, payload in enumerate(payloads, 1):
        parent = steps[-1].id if steps else None
        if isinstance(payload, Step):
            made = {"id": f"s{number}", "parent_id": parent}
            steps.append(
                Step(**{**{f: getattr(payload, f) for f in Step.__struct_fields__}, **made})
            )
        else:
            steps.append(Step(f"s{number}", parent, role_of(payload), payload, "model"))
    return steps


def step(payload: Payload, **fields: object) -> Step:
    return Step("", None, role_of(payload), payload, **{"origin": "model", **fields})  # type: ignore[arg-type]


def found(
    query: str, path: list[Step], project: Project = PROJECT, scores: object = ()
) -> list[int]:
    """The places, from 1, of the steps for which a query holds."""
    facts = PathFacts(path, project, scores)  # type: ignore[arg-type]
    compiled = compile_query(query)
    return [index + 1 for index in range(len(path)) if holds(compiled, facts, index)]


A = ToolCall("c1", "refund", '{"amount": 49.0, "order": {"id": "4471"}, "tags": ["a", 7]}')
B = ToolCall("c2", "look", "{not json")

PATH = path_of(
    step(user_message("My Blender broke."), origin="script"),
    step(
        TargetReply((Text("One moment."),), (Reasoning("Refund it?"),), (A, B)),
        call=Call("openai/mini", usage=Usage(100, 20), cost=0.25),
    ),
    tool_result("c2", "nothing", is_error=True),
    step(tool_result("c1", '{"ok": true, "items": [{"id": 1}]}'), injected="stale_data"),
    step(target_reply("Done."), call=Call("local/other", usage=Usage(10, 5), cost=None)),
    step(user_message("Thank you."), origin="human", replaces="s0", late=True),
    step(target_reply("Bye."), origin="import"),
    SystemNote((Text("The shop closes."),)),
    Stop("goal_reached", "evaluator", "All well."),
)


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("role = evaluator", [1, 6, 9]),
        ("role != evaluator", [2, 3, 4, 5, 7, 8]),
        ("kind = note or kind = stop", [8, 9]),
        ("tool", [2, 3, 4]),
        ("tool = refund", [2, 4]),
        ("tool != refund", [2, 3]),
        ("not tool = refund", [1, 2, 3, 5, 6, 7, 8, 9]),
        ("tool = refund and args/amount = 49", [2, 4]),
        ("tool = look and args/amount = 49", []),
        ("args/amount > 48.5 args/amount <= 49", [2, 4]),
        ('args/amount = "49"', []),
        ("args/order/id = 4471", []),
        ('args/order/id = "4471"', [2, 4]),
        ("args/order/id >= 4", []),
        ('args/order/id >= "4"', [2, 4]),
        ("args/order : 4471", [2, 4]),
        ("args/tags/1 = 7", [2, 4]),
        ("args/tags/2", []),
        ("args = {not", []),
        ('args = "{not json"', [2, 3]),
        ('args ~ /"amount": 49/', [2, 4]),
        ("args : JSON", [2, 3]),
        ("result = nothing", [3]),
        ("result/ok = true", [4]),
        ("result/ok = 1", []),
        ("result/items/0/id = 1.0", [4]),
        ("result : ITEMS", [4]),
        ("result", [3, 4]),
        ("text : blender", [1]),
        ('"BLENDER"', [1]),
        ("/Blend.r/", [1]),
        ("/blend.r/", []),
        ("text ~ /(?i)BLEND/", [1]),
        ('text = "Done."', [5]),
        ('"all well"', [9]),
        ('"shop closes"', [8]),
        ("reasoning", [2]),
        ("reasoning : refund", [2]),
        ("turn = 1", [1, 2, 3, 4, 5]),
        ("turn > 1", [6, 7, 8, 9]),
        ("step >= 8", [8, 9]),
        ("cost > 0", [2, 3, 4, 5, 6, 7, 8, 9]),
        ("cost > 0.25", []),
        ("tokens >= 135", [5, 6, 7, 8, 9]),
        ("failure", [3]),
        ("failure = true", [3]),
        ("failure != true kind = result", [4]),
        ("invalid", [2]),
        ("invalid and tool = look", [2]),
        ("invalid and tool = refund", []),
        ("stop", [9]),
        ("stop = goal_reached", [9]),
        ("stop != goal_reached", []),
        ("origin = human or origin = import", [6, 7]),
        ("edited", [6]),
        ("injected", [4]),
        ("injected = stale_data", [4]),
        ("late", [6]),
        ("model : MINI", [2]),
        ("model ~ ^local/", [5]),
        ("model", [2, 5]),
    ],
)
def test_what_holds_where(query: str, places: list[int]) -> None:
    assert found(query, PATH) == places


def test_a_message_before_every_user_message_is_in_turn_1() -> None:
    assert found("turn = 1", path_of(SystemNote(()), target_reply("Hi"), user_message("Oh"))) == [
        *(1, 2, 3)
    ]


def test_calls_of_a_reply_are_looked_at_one_by_one() -> None:
    calls = (ToolCall("a", "one", '{"n": 1}'), ToolCall("b", "two", '{"n": 2}'))
    path = path_of(target_reply("", calls), UserMessage((), (), calls))
    assert found("tool = one args/n = 1", path) == [1, 2]
    assert found("tool = one args/n = 2", path) == []


def test_results_belong_to_the_call_of_their_id_whatever_the_order() -> None:
    first = (ToolCall("x", "one", "{}"), ToolCall("x", "two", "{}"))
    path = path_of(
        target_reply("", first),
        tool_result("x", ""),
        tool_result("x", ""),
        user_message("Again"),
        target_reply("", (ToolCall("x", "three", "{}"),)),
        tool_result("x", ""),
        tool_result("x", "twice"),
        tool_result("y", "of no call"),
        target_reply(""),
    )
    assert found("kind = result tool = one", path) == [2]
    assert found("kind = result tool = two", path) == [3]
    assert found("kind = result tool = three", path) == [6, 7]
    assert found("kind = result not tool", path) == [8]


def test_repeated_counts_equal_exchanges_in_a_row_as_the_limit_does() -> None:
    def turn(said: str, answer: str) -> tuple[Payload, Payload]:
        return user_message(said), target_reply(answer)

    path = path_of(*turn("a", "b"), *turn("a", "b"), *turn("a", "c"), *turn("a", "c"))
    assert found("repeated = 1", path) == [2, 6]
    assert found("repeated >= 2", path) == [4, 8]
    state = PathState(PROJECT)
    facts = PathFacts(path, PROJECT)
    for index, each in enumerate(path):
        state.extend(each)
        assert state.repeats == facts.value("repeated", index)[1]


def test_scores_are_those_that_cite_the_step_and_at_a_stop_those_of_the_whole() -> None:
    scores = (
        Score("good", 0.5, step_ids=("s2", "s3")),
        Score("good", 0.9, step_ids=("s3",)),
        Score("label", "fine", step_ids=("s3",)),
        Score("reward", 0.0),
        Score("nothing", None, step_ids=("s4",)),
    )

    def at(query: str) -> list[int]:
        return found(query, PATH, scores=scores)

    assert at("score") == [2, 3, 9]
    assert at("score < 0.6") == [2, 3, 9]
    assert at("score.good > 0.6") == [3]
    assert at("score = fine") == [3]
    assert at("score.reward = 0") == [9]
    assert at("score.reward = false") == []


def test_invalid_looks_at_calls_of_tools_nobody_declared_only_where_some_are() -> None:
    path = path_of(target_reply("", (ToolCall("a", "unheard_of", "{}"),)), tool_result("a", "x"))
    assert found("invalid", path) == [1]
    assert found("invalid", path, Project("Bare", EchoTarget(), HeuristicEvaluator())) == []


def test_invalid_results() -> None:
    def result(text: str, *, is_error: bool = False) -> list[int]:
        return found(
            "kind = result invalid",
            path_of(target_reply("", (A,)), tool_result("c1", text, is_error=is_error)),
        )

    assert result("{}") == [2]
    assert result('{"ok": NaN}') == [2]
    assert result("") == [2]
    assert result('{"ok": 1}') == []
    assert result("{}", is_error=True) == []


def test_what_a_human_role_says_is_no_edit() -> None:
    project = Project("Mine", HumanTarget(), HeuristicEvaluator())
    path = path_of(
        step(user_message("Hi"), origin="human"),
        step(target_reply("Hello"), origin="human"),
        step(user_message("Hi"), origin="human", copied_from="s1"),
    )
    assert found("edited", path, project) == [1]
    assert found("origin = human", path, project) == [1, 2, 3]


def test_odd_json_is_compared_as_python_reads_it_and_never_raises() -> None:
    odd = [
        '{"n": NaN}',
        '{"n": 1e999}',
        '{"n": ' + "9" * 400 + "}",
        '{"n": ' + "9" * 5000 + "}",
        '{"n": "\ud800"}',
        "[" * 100_000,
        "",
    ]
    path = path_of(*(target_reply("", (ToolCall("a", "t", text),)) for text in odd))
    assert found("args/n > 1e300", path) == [2, 3]
    assert found("args/n = NaN", path) == []
    assert found("args/n", path) == [1, 2, 3, 5]
    assert found("args/n ~ /99999/", path) == [3]
    assert found("args/n : 9", path) == [3]
    assert found('args/n = "\ud800"', path) == [5]


def test_a_regular_expression_looks_at_the_first_million_characters() -> None:
    path = path_of(target_reply("a" * 999_999 + "bc"))
    assert found("/b/", path) == [1]
    assert found("/c/", path) == []
    assert found("text : c", path) == [1]


def test_before_a_role_is_asked_only_what_is_known_then_holds() -> None:
    facts = PathFacts(PATH[:5], PROJECT)

    def holds_before(query: str, ask: Ask) -> bool:
        return compile_query(query).holds(*facts.facts_before(ask))

    ask = Ask("evaluator", 1)
    for query in ("role = evaluator", "turn = 2", "step = 6", '"done"', "repeated = 1", "cost > 0"):
        assert holds_before(query, ask), query
    for query in ("kind", "tool", "args", "result", "stop", "origin", "model", "score", "failure"):
        assert not holds_before(query, ask), query
    facts = PathFacts(PATH[:3], PROJECT)
    ask = Ask("tool", 0, A)
    assert holds_before("role = tool tool = refund args/amount = 49 turn = 1", ask)
    assert not holds_before("repeated", ask)
    empty = PathFacts([], PROJECT)
    assert compile_query("turn = 1 step = 1 cost = 0 tokens = 0 not repeated").holds(
        *empty.facts_before(Ask("evaluator", 0))
    )


def test_facts_of_a_path_that_goes_on_are_those_of_the_whole() -> None:
    facts = PathFacts(PATH[:1], PROJECT)
    query = compile_query("turn = 2 or tokens = 120 or tool = refund or repeated")
    whole = PathFacts(PATH, PROJECT)
    for length in range(1, len(PATH) + 1):
        assert facts.follow(PATH[:length]) is facts
        assert holds(query, facts, length - 1) == holds(query, whole, length - 1)
    fork = [*PATH[:2], *path_of(user_message("x"))]
    assert len(facts.follow(fork)) == 3
    assert facts.follow(fork) is not facts


@given(trees, st.lists(payloads, max_size=6))
def test_any_query_answers_for_any_path_as_a_plain_reading_of_it_does(
    node: Node, given_payloads: list[Payload]
) -> None:
    path = path_of(*given_payloads)
    compiled = Compiled(node)
    for index, each in enumerate(path):
        facts, shape = PathFacts(path, PROJECT).facts(index)
        calls = getattr(each.payload, "tool_calls", ()) or (facts.call,)
        expected = False
        for call in calls:
            facts.call = call
            expected = expected or _plainly(node, facts, shape)
        assert holds(compiled, PathFacts(path, PROJECT), index) is expected


@given(trees, st.lists(payloads, max_size=8), st.data())
def test_what_a_run_looks_at_is_what_the_screen_finds(
    node: Node, given_payloads: list[Payload], data: st.DataObject
) -> None:
    again = st.sampled_from(given_payloads or [user_message("Hi")])
    path = path_of(*given_payloads, *data.draw(st.lists(again, max_size=4)))
    when, compiled = to_text(node), Compiled(node)
    breaks = BreakpointSet(
        (Breakpoint(when), Breakpoint(when, before=True), Breakpoint(), Breakpoint("repeated"))
    )
    watch, state = Watch(breaks, PROJECT, Hits()), PathState(PROJECT)
    half = len(path) // 2
    for index, each in enumerate(path):
        state.extend(each)
        if index == half:  # as a run that begins in the middle does
            watch = Watch(breaks, PROJECT, Hits(), at_start=index == 0)
        held = {fired.breakpoint for fired in watch.after(each, state)}
        so_far = PathFacts(path[: index + 1], PROJECT)
        place, _ = so_far.facts(index)
        for name in ("turn", "place", "cost", "tokens", "repeated"):
            assert getattr(watch, name) == getattr(place, name), name
        assert (breaks.breakpoints[0] in held) is holds(compiled, so_far, index)
        for ask in (Ask("evaluator", 1), Ask("target", 0), Ask("tool", 0, A)):
            held_before = bool(watch.before((ask,), state, each))
            assert held_before is compiled.holds(*so_far.facts_before(ask))


_counts = st.builds(
    Compare,
    st.sampled_from(["turn", "step", "cost", "tokens", "repeated"]).map(Ref),
    st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
    st.integers(-1, 4) | st.sampled_from([0.5, 1.0, 2.5]),
)
_others = st.sampled_from([Has(Ref("late")), Compare(Ref("kind"), "=", "reply")])


def _joined(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(And, parts) | st.builds(Or, parts) | st.builds(Not, inner)


@example(Compare(Ref("repeated"), ">", 0.5), [target_reply("c")], 0)
@given(
    st.recursive(_counts | _others, _joined, max_leaves=4),
    st.lists(
        st.sampled_from([user_message("a"), user_message("b"), target_reply("c"), SystemNote(())]),
        max_size=9,
    ),
    st.integers(0, 9),
)
def test_a_breakpoint_that_sleeps_wakes_in_time(
    node: Node, said: list[Payload], start: int
) -> None:
    paid = Call("m", usage=Usage(1, 1), cost=0.5)
    path = path_of(*(step(payload, call=paid) for payload in said))
    breaks = BreakpointSet((Breakpoint(to_text(node)),))
    watch = Watch(breaks, PROJECT, Hits(), at_start=start == 0)
    facts, state = PathFacts(path, PROJECT), PathState(PROJECT)
    for index, each in enumerate(path):
        state.extend(each)
        if index >= start:
            assert bool(watch.after(each, state)) is holds(Compiled(node), facts, index)


def test_arguments_of_a_result_of_no_call_match_nothing() -> None:
    assert found("args ~ // or args : a or args = a or args", path_of(tool_result("x", "y"))) == []


def _plainly(node: Node, facts: object, shape: str) -> bool:
    """The same, worked out without anything known beforehand, one node at a time."""
    if isinstance(node, Not):
        return not _plainly(node.part, facts, shape)
    if isinstance(node, And):
        return all([_plainly(part, facts, shape) for part in node.parts])
    if isinstance(node, Or):
        return any([_plainly(part, facts, shape) for part in node.parts])
    if isinstance(node, Has):
        source = source_for(shape)(node.ref)
        value = source.value if isinstance(source, Known) else source.read(facts)
        field = STEPS.get(node.ref.name)
        assert field is not None
        if field.kind == "flag":
            return value is True
        many = isinstance(source, Reader) and source.many
        return bool(value) if many else value is not MISSING
    test = Compiled(node).tests[shape]
    if isinstance(test, bool):
        return test
    return any([test(facts)])  # type: ignore[arg-type]


def test_every_payload_has_a_shape_that_queries_are_compiled_for() -> None:
    assert {shape_of(each.payload) for each in PATH} <= set(SHAPES)
    for field in STEPS.fields:
        compiled = Compiled(parse(field.name, STEPS))
        assert set(compiled.tests) == set(SHAPES)


def test_values_for_completion_are_those_of_the_path() -> None:
    values = values_in(PATH, PROJECT, (Score("good", 0.5),))
    assert values["tool"] == ["refund", "look"]
    assert values["args/amount"] == [49.0]
    assert values["args/order/id"] == ["4471"]
    assert values["result/items/0/id"] == [1]
    assert values["model"] == ["local/other", "openai/mini"]
    assert values["injected"] == ["stale_data"]
    assert values["stop"] == ["goal_reached"]
    assert values["score.good"] == [0.5]
    for name in values:
        parse(name, STEPS)
