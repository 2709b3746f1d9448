from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise

import pytest
from hypothesis import given
from rollstep.core.formats.html import render
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS, report
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.marks import Score, Silence
from rollstep.core.model.messages import (
    Reasoning,
    Stop,
    TargetReply,
    ToolCall,
    target_reply,
    text_parts,
    tool_result,
    user_message,
)
from rollstep.core.model.rollout import Branch, Rollout, RolloutHeader
from rollstep.core.model.steps import Step, role_of
from rollstep.core.rules.hidden import mark, unsafe

from ....strategies import texts
from ..conftest import make_project, make_subject
from ..samples import everything
from .document import Element, parse

HOSTILE = (
    "<script>alert(1)</script>",
    "</div></article></main><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "<!-- ]]> &lt;b&gt; &#60;i&#62;",
    "javascript:alert(1)",
    "</style><style>*{display:none}</style>",
    "[/bold] [@click=app.quit]x[/]",
)


def page_of(*payloads: object, **fields: object) -> Element:
    return parse(render(make_subject(*payloads, **fields)))


@pytest.mark.parametrize("text", HOSTILE)
def test_outside_text_stays_text_wherever_it_stands(text: str) -> None:
    call = ToolCall(text, text, text)
    reply = TargetReply(text_parts(text), (Reasoning(text),), (call,), text, text)
    subject = make_subject(
        user_message(text),
        (reply, {"origin": "human", "author": text, "reason": text}),
        (tool_result(text, text), {"injected": text, "state": text}),
        Stop(text, "human", text),
        project=make_project(title=text, goal=text, breakpoints=(Breakpoint(name=text, turn=1),)),
        scores=(Score(text, text, text, text, ("s2",)),),
        title=text,
    )
    page = parse(render(subject))
    assert page.one("h1").text == text
    assert [each.tag for each in page.all() if each.tag in ("img", "svg", "b>", "i")] == []
    assert len(page.all("script")) == 1
    assert len(page.all("style")) == 1
    assert [n for each in page.all() for n in each.attributes if n.startswith("on")] == []
    assert page.by_id("s1").one(cls="text").text == text
    assert page.by_id("s3").text.count(text) >= 2
    links = {each.attributes["href"] for each in page.all("a")}
    assert all(re.fullmatch(r"#s\d+", link) for link in links)


def test_characters_that_hide_or_act_are_marks_that_can_be_seen() -> None:
    page = page_of(user_message("a\x1b[31m\u202eb\u200b\ud83d\x00\r\n\tc 👩‍🌾 שלום"))
    step = page.by_id("s1")
    text = step.one(cls="text")
    assert text.text == "a␛[31m‹U+202E›b‹U+200B›‹\\ud83d›␀␍\n\tc 👩‍🌾 שלום"
    assert [mark.text for mark in text.all(cls="hid")] == [
        *("␛", "‹U+202E›", "‹U+200B›", "‹\\ud83d›", "␀", "␍")
    ]
    assert text.attributes["dir"] == "auto"


@given(texts)
def test_every_text_stands_there_with_marks_and_nothing_else_changed(text: str) -> None:
    step = page_of(user_message(text)).by_id("s1")
    shown = step.one(cls="text").text if text else ""
    assert shown == unsafe().sub(mark, text)


def test_nothing_is_loaded_and_only_its_own_style_and_script_count() -> None:
    data = render(everything())
    page = parse(data)
    policies = [
        each.attributes["content"]
        for each in page.all("meta")
        if each.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    (policy,) = policies
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        digest = hashlib.sha256(page.one(tag).text.encode("utf-8")).digest()
        assert f"{tag}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert page.all("link") == []
    assert not [n for e in page.all() for n in e.attributes if n in ("src", "style", "action")]
    assert not re.search(rb"url\(|@import|https?:|import\(|fetch\(|XMLHttp", data)


def test_the_turns_stand_in_lanes_and_the_steps_are_numbered_in_time() -> None:
    call = ToolCall("c1", "get_order", '{"order_id": "4471"}')
    page = page_of(
        user_message("Hi."),
        target_reply("Let me look.", (call,)),
        tool_result("c1", '{"status":"lost"}'),
        target_reply("It is lost."),
        user_message("Oh."),
        target_reply("Sorry."),
        Stop("max_turns", "rule"),
    )
    first, second = page.all("section", "turn")
    assert [head.text for head in (first.one("h2"), second.one("h2"))] == ["turn 1", "turn 2"]
    lanes = first.all(cls="lane")
    assert [[step.attributes["id"] for step in lane.all("article")] for lane in lanes] == [
        ["s1"],
        ["s2", "s4"],
        ["s3"],
    ]
    # On a narrow screen the places bring them into the order of time.
    assert {"p1"} <= page.by_id("s1").classes
    assert {"p4"} <= page.by_id("s4").classes
    assert ".p4{order:4}" in page.one("style").text
    assert page.by_id("s7").one(cls="who").text == "stop by rule: max_turns"
    assert page.by_id("s3").one(cls="json").text == '{\n  "status": "lost"\n}'
    assert page.by_id("s3").one(cls="answers").text == "get_order"
    assert [each.text for each in page.one("nav").all(cls="turn-line")] == [
        *("1 E T S T", "2 E T", "end max_turns")
    ]


def test_a_lane_that_nobody_speaks_in_folds() -> None:
    assert page_of(user_message("Hi."), target_reply("Ho.")).one("main").classes == {"no-tool"}


def test_arguments_are_laid_out_with_every_token_as_it_was() -> None:
    call = ToolCall("c1", "f", '{"n":1.10,"n":1e3,"s":"\\u00e9"}')
    page = page_of(user_message("Hi."), target_reply("", (call,)))
    laid_out = page.by_id("s2").one(cls="json").text
    assert laid_out == '{\n  "n": 1.10,\n  "n": 1e3,\n  "s": "\\u00e9"\n}'


def test_reasoning_is_folded_and_readable_without_scripts() -> None:
    page = page_of(user_message("Hi."), TargetReply(text_parts("Ho."), (Reasoning("Hm."),)))
    folded = page.by_id("s2").one("details", "reasoning")
    assert folded.one("summary").text == "reasoning"
    assert "open" not in folded.attributes
    assert folded.one(cls="text").text == "Hm."


def forked() -> Subject:
    """A reply that was overridden, with a third take, and a branch that was forked off early."""
    project = make_project()
    tree = Rollout(RolloutHeader("r1", "Refund"), [project])

    def add(step_id: str, parent: str | None, payload: object, **fields: object) -> None:
        given = {"origin": "script", **fields}
        tree.add(Step(step_id, parent, role_of(payload), payload, **given))  # type: ignore[arg-type]

    add("a", None, user_message("Where is my order?"))
    add("b", "a", target_reply("I do not know."))
    add(
        *("c", "a", target_reply("I know exactly.")),
        origin="human",
        replaces="b",
        author="Ann",
        reason="more helpful",
    )
    add("d", "a", target_reply("No idea."))
    add("e", "c", Stop("goal_reached", "evaluator"))
    add("f", "a", target_reply("Gone."))
    add("g", "f", user_message("Gone too."))
    tree.hidden.add("f")
    tree.hidden.add("g")
    return Subject(
        tree.trajectory("e"),
        (project,),
        "r1",
        branches=2,
        rollout=tree,
        title="Refund",
        named=(Branch("b", "cold"), Branch("g", hidden=True)),
    )


def test_an_edit_says_who_and_why_and_shows_the_words_that_changed() -> None:
    step = parse(render(forked())).by_id("s2")
    assert step.one(cls="signs").text.startswith("*")
    assert step.one(cls="edit").text == (
        "by hand, Ann, in place of another step; reason: more helpful"
    )
    diff = step.one("details", "diff")
    assert "open" in diff.attributes
    assert tuple(
        "".join(e.text for e in diff.all() if e.tag in ("span", tag)) for tag in ("del", "ins")
    ) == ("I do not know.", "I know exactly.")
    assert diff.one("summary").text == "what changed: +2 -3 words"


def test_the_other_takes_and_branches_are_there_and_named() -> None:
    page = parse(render(forked()))
    takes = page.by_id("s2").one("details", "takes")
    assert takes.one("summary").text == "2 other takes of this step"
    first, second = takes.all(cls="take")
    assert first.text == "the original; goes on as coldI do not know."
    assert second.text == "goes on as branch 2 of 3No idea."
    assert [each.text for each in page.one("ul").all("li")] == [
        "cold, 2 steps, forks after step 1",
        "branch 2 of 3, 2 steps, forks after step 1",
    ]
    assert "this is branch 3 of 3; other branches: 2" in page.one("header", "top").text


def test_scores_and_the_stop_stand_at_the_top_with_the_steps_that_they_cite() -> None:
    subject = make_subject(
        user_message("Hi."),
        target_reply("No."),
        Stop("unrecoverable", "rule"),
        scores=(Score("tau2", 0.0, "issue_refund never called", "tau2", ("s2", "elsewhere")),),
    )
    page = parse(render(subject))
    top = page.one("header", "top")
    assert [each.text for each in top.all(cls="outcome")] == [
        "FAILED tau2 0.0: issue_refund never called",
        "stop by rule: unrecoverable",
    ]
    score = top.one(cls="score")
    assert score.text == "tau2 0.0issue_refund never calledcites step 2"
    assert score.one("a").attributes["href"] == "#s2"
    assert "! tau2 0.0 cites this step" in page.by_id("s2").text
    assert page.by_id("s2").one(cls="signs").text == "!"


@pytest.mark.parametrize(
    ("last", "words"), [("import", "FAILED tau2"), ("human", "as imported: FAILED tau2")]
)
def test_of_an_edited_branch_the_failure_is_that_of_the_import(last: str, words: str) -> None:
    subject = make_subject(
        (user_message("Hi."), {"origin": "import"}),
        (target_reply("No."), {"origin": last}),
        scores=(Score("reward", 0.0, "never called", "tau2"),),
        format="tau2",
    )
    (failure, _) = parse(render(subject)).one("header", "top").all(cls="outcome")
    assert failure.text == f"{words} reward 0.0: never called"


def test_flags_are_marked_and_explained_but_not_the_silenced_ones() -> None:
    steps = (user_message("Hi."), target_reply(""), user_message("?"), target_reply("x"))
    page = page_of(*steps)
    assert page.by_id("s2").one(cls="signs").text == "!"
    assert "(empty)" in page.by_id("s2").one(cls="flag").text
    silenced = page_of(*steps, silences=(Silence("s2", "empty"),))
    assert silenced.by_id("s2").all(cls="flag") == []


def test_breakpoints_are_marked_where_they_hold() -> None:
    project = make_project(breakpoints=(Breakpoint(role="target", name="mine"),))
    page = page_of(user_message("Hi."), target_reply("Ho."), project=project)
    assert page.by_id("s2").one(cls="signs").text == "#"
    assert page.by_id("s2").one(cls="break").text == "# mine"
    assert page.by_id("s1").all(cls="signs") == []


def test_it_is_light_or_dark_as_the_system_or_as_one_chooses_without_a_script() -> None:
    page = page_of(user_message("Hi."))
    style = page.one("style").text
    assert "@media (prefers-color-scheme: dark)" in style
    assert "@media print" in style
    themes = [e for e in page.all("input") if e.attributes.get("name") == "theme"]
    assert [each.attributes["id"] for each in themes] == ["auto", "light", "dark"]
    for name in ("light", "dark"):
        assert f":root:has(#{name}:checked) {{" in style


def test_both_ways_to_be_light_or_dark_have_the_same_colours() -> None:
    style = page_of(user_message("Hi.")).one("style").text
    blocks = re.findall(r"\{\s*(--paper[^}]*)\}", style)
    light, dark, light_chosen, dark_chosen = (re.sub(r"\s+", " ", b) for b in blocks[:4])
    assert (light, dark) == (light_chosen, dark_chosen)


def test_colours_can_be_read_on_their_paper() -> None:
    style = page_of(user_message("Hi.")).one("style").text
    for block in re.findall(r"\{\s*(--paper[^}]*)\}", style):
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
        for name in set(colours) - {"paper", "panel", "rule", "added", "removed", "hit"}:
            for ground in ("paper", "panel"):
                assert _contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_everything_is_closed_in_its_place_and_ids_are_unique() -> None:
    page = parse(render(everything()))
    ids = [each.attributes["id"] for each in page.all() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    numbers = [int(name[1:]) for name in ids if re.fullmatch(r"s\d+", name)]
    assert sorted(numbers) == list(range(1, 10))
    assert all(b > a for a, b in pairwise(sorted(numbers)))


def test_the_report_says_what_is_written_in_a_way_of_its_own() -> None:
    found = report(everything(), FORMATS["html"])
    assert not found.refused
    assert found.notes == (
        "hidden and control characters (step 6) are written as marks that can be seen",
        "parts that are not text (step 1) are named, not shown",
        "this branch is shown whole; the others are named where they fork off",
    )


def test_a_rollout_without_a_step_is_a_page_too() -> None:
    assert page_of().one(cls="outcome").text == "not ended"
