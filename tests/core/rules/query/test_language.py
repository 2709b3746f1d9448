"""The query language: what parses, to what, and what is said of what does not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.rules.query.compiling import Reader, compile_node
from rollstep.core.rules.query.nodes import OPERATORS_OF, Field, pattern
from rollstep.core.rules.query.parsing import (
    And,
    Compare,
    Has,
    Node,
    Not,
    Or,
    QueryError,
    Ref,
    Vocabulary,
    parse,
    pieces,
    to_text,
)
from rollstep.core.rules.query.step_fields import STEPS

from tests.strategies import texts


def tree(text: str) -> Node:
    return parse(text, STEPS)


def is_(field: str, value: object, op: str = "=") -> Compare:
    return Compare(Ref(field), op, value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tool = get_order", is_("tool", "get_order")),
        ("tool=get_order", is_("tool", "get_order")),
        ("turn >= 3", is_("turn", 3, ">=")),
        ("cost>0.5", is_("cost", 0.5, ">")),
        ("failure", Has(Ref("failure"))),
        ("failure = false", is_("failure", False)),
        ('"so sorry"', is_("text", "so sorry", ":")),
        ("/so? sorry/", is_("text", "so? sorry", "~")),
        (r"/a\/b/", is_("text", "a/b", "~")),
        ("model : mini", is_("model", "mini", ":")),
        ("model ~ /^gpt/", is_("model", "^gpt", "~")),
        ("model ~ ^gpt", is_("model", "^gpt", "~")),
        ("tool = 4471", is_("tool", "4471")),
        ("tool = true", is_("tool", "true")),
        ("args/n = 4471", Compare(Ref("args", ("n",)), "=", 4471)),
        ('args/n = "4471"', Compare(Ref("args", ("n",)), "=", "4471")),
        ("args/n = null", Compare(Ref("args", ("n",)), "=", None)),
        ("args/n = a:b/c?d=1", Compare(Ref("args", ("n",)), "=", "a:b/c?d=1")),
        ("args/a~1b/0", Has(Ref("args", ("a/b", "0")))),
        ('args/"order id"/""/x', Has(Ref("args", ("order id", "", "x")))),
        ("args/", Has(Ref("args", ("",)))),
        ("score.tau2.reward < 1", Compare(Ref("score", ("tau2.reward",), True), "<", 1)),
        ('score."my score"', Has(Ref("score", ("my score",), True))),
        ("late failure", And((Has(Ref("late")), Has(Ref("failure"))))),
        ("late AND failure", And((Has(Ref("late")), Has(Ref("failure"))))),
        (
            "late failure or not edited",
            Or((And((Has(Ref("late")), Has(Ref("failure")))), Not(Has(Ref("edited"))))),
        ),
        (
            "late (failure or edited)",
            And((Has(Ref("late")), Or((Has(Ref("failure")), Has(Ref("edited")))))),
        ),
        ("not(late)", Not(Has(Ref("late")))),
        ("-late", Not(Has(Ref("late")))),
        ("-tool:refund failure", And((Not(is_("tool", "refund", ":")), Has(Ref("failure"))))),
        ('-"so sorry"', Not(is_("text", "so sorry", ":"))),
        ("turn > -1", is_("turn", -1, ">")),
        ("late:yes", is_("late", True)),
        ("late = no", is_("late", False)),
        ("late\nfailure", And((Has(Ref("late")), Has(Ref("failure"))))),
        ("kind = stop stop", And((is_("kind", "stop"), Has(Ref("stop"))))),
    ],
)
def test_what_a_query_means(text: str, expected: Node) -> None:
    found = tree(text)
    assert found == expected
    assert tree(to_text(found)) == expected


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "empty"),
        ("  ", 3, "empty"),
        ("turn = 2 tol = x", 10, "no field 'tol'; did you mean tool?"),
        ("refund", 1, 'in quotes ("refund") it is looked for in the text'),
        ("turn = two", 8, "turn is a number"),
        ('turn = "2"', 8, "without quotes"),
        ("turn : 2", 6, "takes = != < <= > >="),
        ("turn =", 7, "a value is missing"),
        ("role:targt", 6, "role is evaluator, target or tool; did you mean target?"),
        ("role = targt", 8, "role is evaluator, target or tool; did you mean target?"),
        ("failure = maybe", 11, "failure is true or false"),
        ("(late or failure", 17, "( of column 1 is not closed"),
        ("late)", 5, "a ) without a ("),
        ("late or", 8, "missing at the end"),
        ("not", 4, "missing at the end"),
        ("or late", 1, "no field 'or'"),
        ('"open', 1, "quote is not closed"),
        ('tool = "\\x"', 9, "JSON string"),
        ("/open", 1, "not closed with a /"),
        ("/a(/", 1, "not a regular expression"),
        ("text ~ a**", 8, "not a regular expression"),
        ("text = /a/", 8, "a regular expression goes with ~"),
        ("tool/x", 5, "nothing can stand behind tool with a /"),
        ("score.", 7, "a name is missing behind the ."),
        ("= 3", 1, "'=' does not begin a condition"),
        ("tool == x", 7, "a value is missing; = is written once"),
        ("args/n => 3", 9, "a value is missing; at least is written >="),
        ("tool =~ x", 7, "~ stands alone"),
        ("tool = 'x'", 8, "a text stands in double quotes"),
        ("late && failure", 6, "'&' does not begin a condition; write and"),
        ("late || failure", 6, "write or"),
        ("!late", 1, "write not"),
        (
            "args.n = 3",
            5,
            "nothing can stand behind args with a .; a pointer into it begins with /",
        ),
        ("args/items[0] = 3", 11, "a pointer goes on with /"),
        ("error", 1, "no field 'error'; did you mean failure?"),
        ("amount > 40", 1, "inside args it is args/amount"),
        ("args/n = 1e999", 10, "too large"),
        ("args/n = " + "9" * 5000, 10, "too large"),
        ("(" * 60 + "late" + ")" * 60, 51, "nested deeper than 50"),
        ("not " * 3000 + "late", 201, "nested deeper than 50"),
        ("late " * 5000, 20001, "longer than 20,000"),
    ],
)
def test_what_is_said_of_a_bad_query(text: str, column: int, words: str) -> None:
    with pytest.raises(QueryError, match=re.escape(words)) as caught:
        tree(text)
    assert caught.value.column == column
    assert str(caught.value) == f"column {column}: {caught.value.reason}"


def test_a_warning_of_pythons_regex_is_nobodys_business(recwarn: pytest.WarningsRecorder) -> None:
    pattern("[[a-z]]")
    assert not recwarn.list


_words = st.sampled_from(
    [
        *STEPS.names(),
        *"()=<>~:/",
        "and",
        "or",
        "not",
        '"',
        "/x/",
        '"a"',
        "4",
        "args/a",
        "!=",
        "tool=",
    ]
)


@given(texts | st.text(max_size=40) | st.lists(_words, max_size=12).map(" ".join))
def test_any_text_parses_or_is_a_query_error(text: str) -> None:
    column = 1
    try:
        found = tree(text)
    except QueryError as error:
        column = error.column
    else:
        assert tree(to_text(found)) == found
    assert 1 <= column <= len(text) + 1
    assert all(0 <= piece.start < piece.end <= len(text) for piece in pieces(text, STEPS))


def _values(field: Field, op: str) -> st.SearchStrategy[object]:
    if op == "~":
        return st.sampled_from(["a", "a/b", r"\\", r"a\.b", "[/]", "(a|b)*", "", "^x$", "\n"])
    if op == ":" and not field.only:
        return texts
    if field.only:
        return st.sampled_from(field.words)
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    return {
        "word": texts,
        "text": texts,
        "number": numbers,
        "json": texts | numbers | st.sampled_from([True, False, None, "null", "true", "4471"]),
        "flag": st.booleans(),
    }[field.kind]


@st.composite
def refs(draw: st.DrawFn, field: Field) -> Ref:
    if field.member == "pointer":
        return Ref(field.name, tuple(draw(st.lists(texts, max_size=3))))
    if field.member == "name" and draw(st.booleans()):
        return Ref(field.name, (draw(texts),), named=True)
    return Ref(field.name)


@st.composite
def compares(draw: st.DrawFn, vocabulary: Vocabulary = STEPS) -> Node:
    field = draw(st.sampled_from(vocabulary.fields))
    ref = draw(refs(field))
    if draw(st.booleans()):
        return Has(ref)
    op = draw(st.sampled_from(OPERATORS_OF[field.kind]))
    return Compare(ref, op, draw(_values(field, op)))  # type: ignore[arg-type]


def _nested(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    many = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(Not, inner) | st.builds(And, many) | st.builds(Or, many)


trees: st.SearchStrategy[Node] = st.recursive(compares(), _nested, max_leaves=6)


@given(trees)
def test_a_tree_written_as_a_query_is_read_as_the_same_tree(node: Node) -> None:
    assert repr(tree(to_text(node))) == repr(node)  # repr, because 1 == 1.0 == True


FLAGS = Vocabulary([Field(name, "flag", "") for name in "abc"], "a")


def _naive(node: Node, thing: dict[str, bool]) -> bool:
    if isinstance(node, Not):
        return not _naive(node.part, thing)
    if isinstance(node, And):
        return all(_naive(part, thing) for part in node.parts)
    if isinstance(node, Or):
        return any(_naive(part, thing) for part in node.parts)
    return thing[node.ref.name]


flag_trees: st.SearchStrategy[Node] = st.recursive(
    st.sampled_from("abc").map(lambda name: Has(Ref(name))), _nested, max_leaves=8
)


@given(flag_trees, st.fixed_dictionaries({name: st.booleans() for name in "abc"}))
def test_and_or_and_not_are_what_logic_says(node: Node, thing: dict[str, bool]) -> None:
    def source(ref: Ref) -> Reader:
        return Reader(lambda thing: thing[ref.name])

    test = compile_node(node, source, FLAGS)
    assert not isinstance(test, bool)
    assert test(thing) is _naive(node, thing)
