"""The rollouts that a query means, found by SQL: the same that the language's rules find."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollstep.core.errors import UsageError
from rollstep.core.listing.facts import describe_some
from rollstep.core.listing.rollout_list import Order, list_rollouts
from rollstep.core.model.marks import Mark, Score
from rollstep.core.model.messages import Stop, ToolCall, target_reply, tool_result, user_message
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Call, Step, Usage, role_of
from rollstep.core.rules.query.nodes import QueryError
from rollstep.core.rules.query.rollout_fields import ROLLOUTS
from rollstep.core.store.change import Change, Saved
from rollstep.core.store.importing import import_rollout
from rollstep.core.store.library import Library

from tests.core.store.making import PROJECT, conversation, first, step
from tests.strategies import saved_rollouts

from .oracle import question


def saved(library: Library, *changes: Change) -> None:
    for change in changes:
        library.commit(change)
    while describe_some(library):
        pass


def found(library: Library, query: str, **order: object) -> list[str]:
    return list_rollouts(library, query, Order(**order) if order else None).ids()  # type: ignore[arg-type]


@pytest.fixture
def three() -> Library:
    """One that was accepted and edited, one with tools and scores, one that waits."""
    library = Library.throwaway()
    steps = conversation(2, "a", stop="goal_reached")
    marked = Mark("a4", verdict="accept", rating=4, tags=("Done", "refund"), by="mira", at=5.0)
    edit = Step(
        "a9", "a0", "target", target_reply("kinder"), "human", replaces="a1", created_at=9.0
    )
    call = Call("openai/mini", usage=Usage(10, 5), cost=0.25)
    payloads = (
        user_message("Where is it? 下单退款"),
        target_reply("", (ToolCall("c1", "issue_refund", "{}"),)),
        tool_result("c1", "paid"),
        target_reply("It is on its way."),
        Stop("max_turns", "rule"),
    )
    tooled, parent = [], None
    for number, payload in enumerate(payloads):
        origin = "model" if number in (1, 3) else "script"
        step = Step(f"b{number}", parent, role_of(payload), payload, origin)  # type: ignore[arg-type]
        tooled.append(msgspec.structs.replace(step, call=call if origin == "model" else None))
        parent = step.id
    saved(
        library,
        first("one", (*steps, edit), marks=(marked,), head="a9"),
        first(
            "two",
            tuple(tooled),
            scores=(Score("reward", 0.0, "issue_refund came late", "tau2"), Score("style", "good")),
        ),
        Change(
            "three",
            RolloutHeader("three", "A parked one", source="rows.jsonl", format="openai"),
            (PROJECT,),
            conversation(1, "c"),
            status="parked",
            status_note="out of credit",
        ),
    )
    return library


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"one", "two", "three"}),
        ("verdict:none", {"two", "three"}),
        ("verdict = accept outdated", {"one"}),
        ("verdict", {"one"}),
        ("tag:done", {"one"}),
        ("tag = done", set()),
        ("tag = Done", {"one"}),
        ("tag != Done", {"one"}),
        ("-tag:done", {"two", "three"}),
        ("tag ~ ^ref", {"one"}),
        ("by = mira rating >= 4", {"one"}),
        ("rating", {"one"}),
        ("tool:issue_refund", {"two"}),
        ("tool = refund", set()),
        ("turns>1", set()),
        ("turns = 1 stop:max_turns", {"two"}),
        ("edits>0", {"one"}),
        ("score<1", {"two"}),
        ("score.style = good", {"two"}),
        ("score.style < 1", set()),
        ("score.none", set()),
        ("why:late", {"two"}),
        ("why:credit parked:yes", {"three"}),
        ("parked = no", {"one", "two"}),
        ("model:MINI cost > 0.4 tokens = 30", {"two"}),
        ("cost < 1", {"two"}),
        ("format = openai source:rows", {"three"}),
        ('"on its way"', {"two"}),
        ('"下单"', {"two"}),
        ('"退款"', {"two"}),
        ('"parked one"', {"three"}),
        ("text ~ /on its? way/", {"two"}),
        ("id ~ ^t", {"two", "three"}),
        ('verdict:none tool:issue_refund turns>0 score<1 "way" -tag:done stop:max_turns', {"two"}),
        ("branches = 2 or status = parked", {"one", "three"}),
        ("updated > 2000-01-01", {"one", "two", "three"}),
    ],
)
def test_what_a_query_means(three: Library, query: str, expected: set[str]) -> None:
    assert set(found(three, query)) == expected


def test_bad_queries_and_orders_are_said(three: Library) -> None:
    with pytest.raises(QueryError, match="column 1: no field 'verdikt'; did you mean verdict"):
        list_rollouts(three, "verdikt:none")
    with pytest.raises(UsageError, match="not sorted by"):
        list_rollouts(three, "", Order("colour"))


def test_orders_put_what_has_no_value_last(three: Library) -> None:
    assert found(three, "", by="score")[0] == "two"
    assert found(three, "", by="score", descending=False)[0] == "two"
    assert found(three, "", by="title", descending=False)[0] == "three"
    assert found(three, "", by="updated") == ["three", "two", "one"]


def test_a_row_shows_how_it_stands_and_a_change_makes_its_facts_old(three: Library) -> None:
    rows = list_rollouts(three, "id = one")
    (row,) = rows.rows(0, 1)
    assert row is not None
    assert row.fresh
    assert row.facts is not None
    assert (row.facts.verdict, row.facts.outdated, row.summary.edits) == ("accept", True, 1)
    three.commit(Change("one", marks=(Mark("a9", verdict="reject", by="mira", at=20.0),)))
    rows.forget()
    (row,) = rows.rows(0, 1)
    assert row is not None
    assert not row.fresh
    assert describe_some(three) == 1
    rows.forget()
    (row,) = rows.rows(0, 1)
    assert row is not None
    assert row.facts is not None
    assert (row.facts.verdict, row.facts.outdated) == ("reject", False)


def test_facts_of_an_earlier_state_are_not_kept(three: Library) -> None:
    """Somebody wrote to the rollout while its facts were worked out."""
    three.commit(Change("one", marks=(Mark("a9", tags=("new",), at=30.0),)))
    ((key, _),) = three.undescribed(5)
    row = three.listed([key])[key]
    assert row.facts is not None
    assert three.put_facts([(key, three.updated_at(key) - 1, row.facts)]) == 0
    assert three.undescribed(5) == [(key, "one")]


def test_a_place_is_found_and_a_gone_row_is_none(three: Library) -> None:
    rows = list_rollouts(three)
    assert rows.place(rows.key(1)) == 1
    assert rows.place(99) is None
    assert len(rows) == 3


_numbers = [field.name for field in ROLLOUTS.fields if field.kind == "number"]
_texts = ["title", "goal", "why", "note", "source"]
_words = ["tag", "by", "tool", "model", "stop", "format"]
_conditions = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.sampled_from(_numbers),
        st.sampled_from(["<", "=", "!=", ">"]),
        st.integers(0, 3),
    ),
    st.builds(
        '{} {} "{}"'.format,
        st.sampled_from(_words + _texts),
        st.sampled_from([":", "=", "!="]),
        st.sampled_from(["a", "e", "refund", "human"]),
    ),
    st.sampled_from(
        [
            "parked",
            "outdated",
            "verdict:none",
            "verdict = accept",
            "score > 1",
            "score",
            "tag",
            "stop",
        ]
    ),
)
_queries = st.recursive(
    _conditions,
    lambda inner: st.one_of(
        st.builds("({} or {})".format, inner, inner),
        st.builds("({} {})".format, inner, inner),
        st.builds("not {}".format, inner),
    ),
    max_leaves=4,
)


@given(
    saved_rollouts(), st.sampled_from(["flag empty at step 2: x", "out of credit", ""]), st.data()
)
def test_sql_says_who_waits_as_the_rules_do(rollout: Saved, note: str, data: st.DataObject) -> None:
    """Whichever branch is opened, whatever was accepted last, silenced or edited since."""
    last = data.draw(st.sampled_from([step.id for step in rollout.steps] or [None]))
    stopped = (*rollout.steps, step("the stop", last, Stop("done", "rule")))
    steps = st.sampled_from([each.id for each in stopped])
    marks = st.builds(
        Mark,
        steps,
        verdict=st.sampled_from(["accept", "reject", None]),
        by=st.sampled_from("ab"),
        at=st.integers(0, 9).map(float),
    )
    parked = msgspec.structs.replace(
        rollout,
        steps=stopped,
        status="parked",
        status_note=note,
        head=data.draw(st.one_of(st.none(), steps)),
        marks=tuple(data.draw(st.lists(marks, max_size=3, unique_by=lambda m: (m.step_id, m.by)))),
    )
    with Library.throwaway() as library:
        import_rollout(parked, {}, library)
        while describe_some(library):
            pass
        for query in ("status = ended", "parked"):
            assert bool(found(library, query)) == question(query)(library.load(rollout.header.id))


@given(saved_rollouts(), _queries, st.booleans())
def test_sql_finds_what_the_language_says(rollout: Saved, query: str, indexed: bool) -> None:
    with Library.throwaway() as library:
        import_rollout(rollout, {}, library)
        while describe_some(library):
            pass
        if indexed:
            library.index_pending()
        stored = library.load(rollout.header.id)
        assert bool(found(library, query)) == question(query)(stored)


@pytest.mark.parametrize(
    ("query", "means"),
    [
        ('title:"\\ud800"', []),
        ('title = "NUL\\u0000here"', ["odd"]),
        ('title:"nul\\u0000HERE"', ["odd"]),
        ('title:"\\u0000"', ["odd", "plain"]),  # a space, as lists have it
        ('tag = "lone\\ud800"', ["odd"]),
        ('"\\ud800lone"', ["odd"]),
        ('"\\u0000here"', ["odd"]),
        ('text:"a\\u0000zzz"', []),
        ("text ~ /\\ud800lone/", ["odd"]),
        ("turns < 99999999999999999999999", ["odd", "plain"]),
        ("turns > -99999999999999999999999", ["odd", "plain"]),
        (f"turns < {'9' * 400}", ["odd", "plain"]),
        ("score > 99999999999999999999999", []),
        (" or ".join(f'"w{n}"' for n in range(1_700)), ["odd"]),
        (" and ".join(f"turns < {n}" for n in range(2, 1_200)), ["odd", "plain"]),
    ],
)
def test_odd_characters_large_numbers_and_long_queries(query: str, means: list[str]) -> None:
    with Library.throwaway() as library:
        said = user_message("w1699 \ud800lone \0here")
        steps = (Step("a", None, "evaluator", said, "script"),)
        mark = Mark("a", tags=("lone\ud800",), by="mira", at=5.0)
        header = RolloutHeader("odd", "NUL\0here")
        saved(library, Change("odd", header, (PROJECT,), steps, marks=(mark,)))
        saved(library, first("plain", conversation(1)))
        assert sorted(found(library, query)) == means
