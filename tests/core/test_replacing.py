"""Words are replaced over many rollouts: as overrides with what follows kept, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollstep.core.errors import NotSavedError, UsageError
from rollstep.core.model.messages import (
    TargetReply,
    ToolCall,
    payload_text,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.replacing import find_places, replace_places, take_replacements_back
from rollstep.core.rules.replacing import Replacement, breaks_json, hits_in, replaced
from rollstep.core.session import Session
from rollstep.core.store.library import Library

from .store.making import conversation, first, step


def texts(library: Library, rollout_id: str) -> list[str]:
    saved = library.load(rollout_id)
    rollout = saved.tree()
    return [payload_text(s.payload) for s in rollout.path(rollout.newest_leaf(saved.head))]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library.open(tmp_path / "library.sqlite")
    for name in ("a", "b"):
        library.commit(first(name, conversation(2, f"{name}-", stop="done"), head=f"{name}-4"))
    return library


def test_words_stand_for_themselves_and_an_expression_has_groups() -> None:
    steps = (
        step("s1", None, user_message("Is 1.5 more than 1x5? 1.5")),
        step("s2", "s1", target_reply("1.5")),
    )
    wanted = Replacement("1.5", "2", ("evaluator",))
    hits = list(hits_in(steps, wanted))
    assert [(hit.start, hit.end) for hit in hits] == [(3, 6), (22, 25)]
    assert payload_text(replaced(steps[0].payload, hits)) == "Is 2 more than 1x5? 2"
    assert payload_text(replaced(steps[0].payload, hits[1:])) == "Is 1.5 more than 1x5? 2"
    swapped = Replacement(r"/(\d)\.(\d)/", r"\2.\1", ("target",))
    (hit,) = hits_in(steps, swapped)
    assert (hit.step_id, hit.put) == ("s2", "5.1")


@pytest.mark.parametrize(
    ("find", "put", "words"),
    [
        ("", "x", "nothing to find"),
        ("/(/", "x", "no regular expression"),
        ("/(a)/", r"\2", "cannot be put"),
        ("/(a+)+$/", "x", "too long"),
    ],
)
def test_what_cannot_be_is_said(library: Library, find: str, put: str, words: str) -> None:
    library.commit(first("long", (step("l1", None, "a" * 5_000),), head="l1"))
    with pytest.raises(UsageError, match=words):
        find_places(library, ["long"], Replacement(find, put))


async def test_steps_are_overridden_with_what_follows_kept_and_one_undo(library: Library) -> None:
    before = texts(library, "a")
    places, whole = find_places(library, ["a", "b"], Replacement("question", "matter"))
    assert whole
    assert [(place.rollout_id, place.step.id) for place in places] == [
        (name, f"{name}-{n}") for name in "ab" for n in (0, 2)
    ]
    done = await replace_places(library, places[:3], reason="plainer", by="mira")
    assert [(each.rollout_id, each.places) for each in done.done] == [("a", 2), ("b", 1)]
    assert texts(library, "a") == ["matter 0", "answer 0", "matter 1", "answer 1", ""]
    assert texts(library, "b") == ["matter 0", "answer 0", "question 1", "answer 1", ""]
    rollout = library.load("a").tree()
    made = [s for s in rollout if s.origin == "human" and s.copied_from is None]
    assert [(s.reason, s.author) for s in made] == [("plainer", "mira")] * 2
    assert rollout.steps["a-0"].payload == user_message("question 0")
    back = await take_replacements_back(library, done.done, by="mira")
    assert len(back.done) == 2
    assert texts(library, "a") == before


async def test_a_rollout_that_has_another_branch_by_now_is_left(library: Library) -> None:
    places, _ = find_places(library, ["a"], Replacement("answer", "word", ("target",)))
    first_time = await replace_places(library, places, reason="", by="me")
    assert len(first_time.done) == 1
    again = await replace_places(library, places, reason="", by="me")
    assert again.done == ()
    assert "another by now" in again.failed[0][1]


async def test_arguments_are_searched_where_that_is_asked_for(tmp_path: Path) -> None:
    with Library.open(tmp_path / "tools.sqlite") as library:
        good, bad = '{"id": "4471", "n": 4471}', "{'id': '4471'"
        calls = (ToolCall("c1", "get", good), ToolCall("c2", "put", bad))
        steps = (
            step("s1", None, "look at 4471"),
            step("s2", "s1", target_reply("4471?", calls)),
            step("s3", "s2", tool_result("c1", "4471")),
            step("s4", "s3", tool_result("c2", "4471")),
            step("s5", "s4", target_reply("Done.")),
        )
        library.commit(first("t", steps, head="s5"))
        assert len(find_places(library, ["t"], Replacement("4471", "9"))[0]) == 4
        wanted = Replacement("4471", "9", ("arguments",))
        places, _ = find_places(library, ["t"], wanted)
        assert [(p.hit.part, p.hit.in_call) for p in places] == [(0, True), (0, True), (1, True)]
        await replace_places(library, places, reason="another order", by="mira")
        saved = library.load("t")
        path = saved.tree().path(saved.tree().newest_leaf(saved.head))
        changed = path[1].payload
        assert isinstance(changed, TargetReply)
        assert [call.arguments for call in changed.tool_calls] == [
            '{"id": "9", "n": 9}',
            "{'id': '9'",
        ]
        assert (payload_text(changed), path[1].reason) == ("4471?", "another order")
        assert [call.id for call in changed.tool_calls] == ["c1", "c2"]
        assert path[2].copied_from == "s3"
        assert payload_text(path[4].payload) == "Done."


def test_what_would_be_no_json_is_known_before() -> None:
    call = ToolCall("c1", "get", '{"id": "4471", "n": 4471}')
    (asked,) = (step("s2", None, target_reply("", (call,))),)

    def breaks(find: str, put: str) -> list[bool]:
        hits = hits_in((asked,), Replacement(find, put, ("arguments",)))
        return [breaks_json(asked.payload, hit) for hit in hits]

    assert breaks("4471", 'the "new" one') == [False, True]
    assert breaks('"id"', '"order"') == [False]
    assert breaks('"id"', "order") == [True]


async def test_a_result_keeps_its_call(tmp_path: Path) -> None:
    with Library.open(tmp_path / "tools.sqlite") as library:
        steps = (
            step("s1", None, "look"),
            step("s2", "s1", target_reply("", (ToolCall("c1", "get", "{}"),))),
            step("s3", "s2", tool_result("c1", '{"ok": false}')),
            step("s4", "s3", target_reply("It failed.")),
        )
        library.commit(first("t", steps, head="s4"))
        places, _ = find_places(library, ["t"], Replacement("false", "true", ("tool",)))
        await replace_places(library, places, reason="", by="me")
        saved = library.load("t")
        path = saved.tree().path(saved.tree().newest_leaf(saved.head))
        assert path[2].payload == tool_result("c1", '{"ok": true}')
        assert payload_text(path[3].payload) == "It failed."


async def test_what_is_not_saved_is_said_with_the_reason(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, _ = find_places(library, ["a", "b"], Replacement("question", "matter"))
    done = await replace_places(library, places[:2], reason="", by="mira")

    def full(*_: object) -> None:
        raise NotSavedError("Not saved: disk full.")

    with monkeypatch.context() as patch:
        patch.setattr(Library, "commit", full)
        back = await take_replacements_back(library, done.done, by="mira")
        assert (back.done, back.failed) == ((), (("a", "Not saved: disk full."),))
        other = await replace_places(library, places[2:], reason="", by="mira")
        assert (other.done, other.failed) == ((), (("b", "Not saved: disk full."),))
    assert texts(library, "a")[0] == "matter 0"
    assert (await take_replacements_back(library, done.done, by="mira")).done == done.done
    assert texts(library, "a")[0] == "question 0"


async def test_a_session_is_closed_also_when_something_goes_wrong(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    async def close(session: Session) -> None:
        closed.append(session.rollout.header.id)

    places, _ = find_places(library, ["a"], Replacement("answer", "word", ("target",)))
    await replace_places(library, places, reason="", by="me")
    monkeypatch.setattr(Session, "close", close)
    assert (await replace_places(library, places, reason="", by="me")).done == ()
    assert closed == ["a"]
