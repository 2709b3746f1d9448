"""Many rollouts headless: the seed program's loop and evaluators, order, failures, the library."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from rollstep.core.batch import Batch, Done, Job, never_waits
from rollstep.core.errors import NotSavedError, RoleError, UsageError
from rollstep.core.model.messages import (
    Stop,
    TargetReply,
    UserMessage,
    parts_text,
    target_reply,
    user_message,
)
from rollstep.core.model.project import (
    EchoTarget,
    EvaluatorLine,
    HeuristicEvaluator,
    HumanTarget,
    Project,
    PythonTarget,
    ScriptedCall,
    ScriptedEvaluator,
    ScriptedTarget,
    StopRules,
    TargetLine,
)
from rollstep.core.model.steps import Role
from rollstep.core.model.view import View
from rollstep.core.projects.seed_author import seed_system
from rollstep.core.roles.protocols import Stream, no_stream
from rollstep.core.roles.registry import Roles, build_roles, with_objects
from rollstep.core.store.change import Change
from rollstep.core.store.library import Library

SUBSTRING = HeuristicEvaluator(match="substring")


def make_project(**fields: Any) -> Project:
    given: dict[str, Any] = {
        "title": "t",
        "goal": "g",
        "target": EchoTarget(seed_system("t", "g")),
        "evaluator": SUBSTRING,
        "opening": "Begin.",
        "max_turns": 10,
    }
    return Project(**{**given, **fields})


def play(*projects: Project, **options: Any) -> list[Done]:
    found: list[Done] = []
    options.setdefault("roles", build_roles)
    Batch(found.append, **options).run(Job(p, record=row) for row, p in enumerate(projects))
    return found


def rows(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.records.data.split(b"\n") if line]


def records(**fields: Any) -> list[dict[str, Any]]:
    (done,) = play(make_project(**fields))
    assert done.whole, done.words
    return rows(done)


def ending(found: list[dict[str, Any]]) -> Any:
    return found[-1]["termination"]


def plan(*lines: str | None) -> ScriptedEvaluator:
    """The seed program's plan: a text, or None for a stop."""
    return ScriptedEvaluator(
        tuple(
            EvaluatorLine(stop="goal_reached") if line is None else EvaluatorLine(line)
            for line in lines
        )
    )


class EvaluatorOf:
    """An evaluator of one's own: answers from a list, and notes what it was given."""

    def __init__(self, *answers: UserMessage | Stop) -> None:
        self.answers = list(answers)
        self.views: list[View] = []

    async def next(self, view: View, stream: Stream = no_stream) -> UserMessage | Stop:
        self.views.append(view)
        return self.answers.pop(0)


class TargetThatNotes:
    """A target of one's own that notes what it was given."""

    def __init__(self) -> None:
        self.views: list[View] = []

    async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
        self.views.append(view)
        return target_reply(f"reply {len(self.views)}")


def own_roles(evaluator: Any, target: Any = None) -> Any:
    return lambda project: Roles(
        evaluator, target or TargetThatNotes(), None, {}, {"evaluator": "own", "target": "own"}
    )


# -- the loop, as the seed program's ------------------------------------------------------------


def test_less_than_one_turn_is_an_error() -> None:
    from rollstep.core.projects.seed_author import SeedAuthor
    from rollstep.core.projects.seed_rows import SeedRow

    with pytest.raises(UsageError):
        SeedAuthor([SeedRow(1, "x")], max_turns=0)


def test_the_session_id_is_the_projects_and_step_ids_are_step_and_16_hex_digits() -> None:
    found = records(id="proj-0123456789ab")
    assert {row["session_id"] for row in found} == {"proj-0123456789ab"}
    assert all(row["project"]["id"] == row["session_id"] for row in found)
    for row in found:
        name, _, digits = row["step_id"].partition("-")
        assert (name, len(digits)) == ("step", 16)
        int(digits, 16)


def test_parents_chain_and_turns_count_from_0_without_gaps() -> None:
    found = records()
    assert [row["turn_index"] for row in found] == list(range(10))
    parents = [row["parent_step_id"] for row in found]
    assert parents == [None, *(row["step_id"] for row in found[:-1])]


def test_the_target_sees_the_history_and_the_evaluator_the_new_reply_too() -> None:
    evaluator = EvaluatorOf(user_message("more"), Stop("enough", "evaluator"))
    target = TargetThatNotes()
    (done,) = play(make_project(), roles=own_roles(evaluator, target))
    assert len(rows(done)) == 2
    texts = [[parts_text(m.parts) for m in view.messages] for view in target.views]  # type: ignore[union-attr]
    assert texts == [["Begin."], ["Begin.", "reply 1", "more"]]
    texts = [[parts_text(m.parts) for m in view.messages] for view in evaluator.views]  # type: ignore[union-attr]
    assert texts == [["Begin.", "reply 1"], ["Begin.", "reply 1", "more", "reply 2"]]
    assert evaluator.views[0].project.target.system == seed_system("t", "g")
    assert all(isinstance(view.messages, tuple) for view in target.views + evaluator.views)


def test_the_evaluator_is_asked_after_the_last_turn_too_and_its_goal_reached_wins() -> None:
    evaluator = EvaluatorOf(user_message("more"), Stop("goal_reached", "evaluator"))
    (done,) = play(make_project(max_turns=2), roles=own_roles(evaluator))
    assert [(v.turn_index, v.max_turns) for v in evaluator.views] == [(1, 2), (2, 2)]
    assert ending(rows(done)) == {"reason": "goal_reached"}


@pytest.mark.parametrize(
    ("given", "written"), [("", "max_turns"), ("bored", "bored"), ("unrecoverable",) * 2]
)
def test_a_stop_passes_its_reason_through_and_without_one_it_is_max_turns(
    given: str, written: str
) -> None:
    (done,) = play(make_project(), roles=own_roles(EvaluatorOf(Stop(given, "evaluator"))))
    assert [row["termination"] for row in rows(done)] == [{"reason": written}]


def test_no_next_message_is_goal_reached_and_on_the_last_turn_max_turns() -> None:
    assert ending(records(evaluator=plan(None))) == {"reason": "goal_reached"}
    assert ending(records(evaluator=plan(None), max_turns=1)) == {"reason": "max_turns"}


def test_an_empty_message_is_sent_as_a_turn() -> None:
    found = records(evaluator=plan("", None))
    assert [row["user_text"] for row in found] == ["Begin.", ""]
    assert found[1]["messages"][1] == {"role": "user", "content": ""}
    assert found[1]["agent_text"] == "[fixture-agent t2] acknowledged: "


def test_without_a_stop_by_the_end_the_last_record_gets_max_turns_and_no_other_has_one() -> None:
    evaluator = EvaluatorOf(*(user_message(f"m{n}") for n in range(3)))
    (done,) = play(make_project(max_turns=3), roles=own_roles(evaluator))
    assert done.whole
    assert [row["termination"] for row in rows(done)] == [None, None, {"reason": "max_turns"}]
    assert "m2" not in {row["user_text"] for row in rows(done)}


def test_an_empty_system_text_is_honoured() -> None:
    assert records(target=EchoTarget(""))[0]["messages"][0] == {"role": "system", "content": ""}


def test_the_default_system_text_is_the_seeds_to_the_letter() -> None:
    assert records(max_turns=1)[0]["messages"][0]["content"] == (
        "You are an autonomous elizaOS agent. The user is pursuing a multi-step project: t. "
        "Goal: g. Drive each turn forward; ask follow-up questions only when needed."
    )


def test_metadata_stands_in_every_record() -> None:
    found = records(metadata='{"seed_task_id": "a", "seed_context": {"x": [1]}}')
    assert {json.dumps(row["project"]["metadata"]) for row in found} == {
        '{"seed_task_id": "a", "seed_context": {"x": [1]}}'
    }


# -- the evaluators, as the seed program's ------------------------------------------------------


def test_a_sentinel_at_the_limit_is_max_turns() -> None:
    done = ScriptedTarget((TargetLine("All done."),))
    assert ending(records(target=done, max_turns=1)) == {"reason": "max_turns"}
    assert ending(records(target=done, max_turns=2)) == {"reason": "goal_reached"}


def test_a_script_of_one_message_gives_two_turns_and_none_gives_one() -> None:
    found = records(evaluator=plan("a"))
    assert [row["user_text"] for row in found] == ["Begin.", "a"]
    assert ending(found) == {"reason": "goal_reached"}
    assert len(records(evaluator=plan())) == 1


@pytest.mark.parametrize("text", ["I abandoned it", "Incomplete.", "ALL SET", "It is finished"])
def test_sentinels_match_anywhere_in_any_letter_case(text: str) -> None:
    found = records(target=ScriptedTarget((TargetLine(text),)))
    assert [row["termination"] for row in found] == [{"reason": "goal_reached"}]


def test_followups_rotate_and_the_second_is_used_first() -> None:
    texts = [row["user_text"] for row in records(max_turns=8)]
    followups = HeuristicEvaluator().followups
    assert texts[1:] == [followups[turn % 5] for turn in range(1, 8)]
    assert texts[1] == "Can you walk through the next step?"


def test_followups_are_configurable_but_not_empty_and_empty_sentinels_never_match() -> None:
    evaluator = HeuristicEvaluator(("go",), ("",), "substring")
    assert [r["user_text"] for r in records(evaluator=evaluator, max_turns=3)[1:]] == ["go", "go"]
    (done,) = play(make_project(evaluator=HeuristicEvaluator(())))
    assert not done.whole
    assert "followups" in done.words


def test_the_echo_names_the_turn_and_the_first_120_characters() -> None:
    found = records(opening="x" * 130, max_turns=2)
    assert found[0]["agent_text"] == f"[fixture-agent t1] acknowledged: {'x' * 120}"
    assert found[1]["agent_text"].startswith("[fixture-agent t2] acknowledged: Can you")


# -- order, failures, limits --------------------------------------------------------------------


class FailsOn:
    """A target that fails for one opening message."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
        if view.project.opening == "fail" and view.turn_index == 2:
            raise self.error
        return target_reply("ok")


@pytest.mark.parametrize("error", [RoleError("it broke"), ZeroDivisionError("it broke")])
def test_one_failing_rollout_ends_itself_only_and_keeps_its_complete_turns(
    error: Exception,
) -> None:
    def roles(project: Project) -> Roles:
        made = build_roles(project)
        return Roles(made.evaluator, FailsOn(error), None, made.names, made.kinds)

    found = play(make_project(), make_project(opening="fail"), make_project(), roles=roles)
    assert [done.whole for done in found] == [True, False, True]
    assert "it broke" in found[1].words
    assert [row["termination"] for row in rows(found[1])] == [None, None]


def test_a_project_without_trust_fails_and_the_others_go_on() -> None:
    own = make_project(target=PythonTarget("my_pkg.agent:make"))
    found = play(make_project(), own, make_project())
    assert [done.whole for done in found] == [True, False, True]
    assert "my_pkg.agent:make" in found[1].words


def test_a_humans_move_parks_the_rollout() -> None:
    (done,) = play(make_project(target=HumanTarget()))
    assert not done.whole
    assert "You play the target" in done.words


def test_a_limit_parks_and_stops_where_the_project_says_so() -> None:
    same = ScriptedTarget((TargetLine("No."),) * 9)
    evaluator = HeuristicEvaluator(("Why?",))
    rules = StopRules(repeated_exchanges=3)
    (done,) = play(make_project(target=same, evaluator=evaluator, stop=rules))
    assert (done.whole, done.words) == (False, "the same exchange 3 times")
    rules = StopRules(repeated_exchanges=3, on_limit="stop")
    found = records(target=same, evaluator=evaluator, stop=rules)
    assert ending(found) == {"reason": "unrecoverable"}


def test_a_stop_in_mid_turn_is_not_whole_and_says_which_turn() -> None:
    target = ScriptedTarget((TargetLine("Hi."), *(TargetLine("", None, (ScriptedCall("f"),)),) * 9))
    from rollstep.core.model.project import RulesSimulator, Tool, ToolRule

    (done,) = play(
        make_project(
            target=target,
            tools=(Tool("f"),),
            tool_simulator=RulesSimulator((ToolRule("f", '"ok"'),)),
            max_steps_per_turn=4,
        )
    )
    assert not done.whole
    assert done.words == "turn 2 has no final reply (max_steps)"
    assert len(rows(done)) == 1


def test_live_rollouts_come_out_in_the_order_of_their_rows() -> None:
    import asyncio

    class Slow:
        async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
            for _ in range(30 - int(view.project.title)):
                await asyncio.sleep(0)
            return target_reply("done")

    def roles(project: Project) -> Roles:
        made = build_roles(make_project())
        return Roles(made.evaluator, Slow(), None, made.names, made.kinds)

    projects = [make_project(title=str(n), target=PythonTarget("x:y")) for n in range(30)]
    assert not never_waits(projects[0])
    found = play(*projects, roles=roles, side_by_side=4)
    assert [done.job.project.title for done in found] == [str(n) for n in range(30)]
    assert all(done.whole for done in found)


class Interrupts:
    """A target that waits in the first row until all others have come, and is interrupted then."""

    def __init__(self, finished: list[str]) -> None:
        self._finished = finished

    async def reply(self, view: View) -> str:
        while view.project.title == "slow":
            if len(self._finished) == 3:
                raise KeyboardInterrupt
            await asyncio.sleep(0)
        return "ok"


def test_an_interrupted_run_hands_on_what_waits_for_an_earlier_row() -> None:
    finished: list[str] = []
    done: list[Done] = []

    class Kept:
        def commit_many(self, changes: Iterable[Change]) -> list[dict[str, int]]:
            finished.extend(c.rollout_id for c in changes if c.status == "ended")
            return []

    slow = Interrupts(finished)
    roles = lambda project: with_objects(build_roles(make_project()), target=slow)  # noqa: E731
    batch = Batch(done.append, roles=roles, library=Kept())
    own = PythonTarget("x:y")
    projects = [make_project(title=title, target=own) for title in ("slow", "a", "b", "c")]
    with pytest.raises(KeyboardInterrupt):
        batch.run(Job(project) for project in projects)
    assert [each.job.project.title for each in done] == ["a", "b", "c"]
    assert [each.rollout_id for each in done] == finished
    assert all(each.whole for each in done)


def test_an_interrupt_waits_for_what_is_being_asked_and_saves_it(tmp_path: Path) -> None:
    """What waits for room is not begun; what is asked for is saved, and nothing more is asked."""
    asked: list[str] = []
    told: list[int] = []

    class Interrupted:
        async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
            asked.append(view.project.title)
            if len(asked) == 2:
                os.kill(os.getpid(), signal.SIGINT)
            while not told:
                await asyncio.sleep(0)
            return target_reply("paid for")

    def roles(project: Project) -> Roles:
        made = build_roles(make_project())
        kinds: dict[Role, str] = {"evaluator": "heuristic", "target": "own"}
        return Roles(made.evaluator, Interrupted(), None, made.names, kinds)

    own = PythonTarget("x:y")
    projects = [make_project(title=title, target=own) for title in "abcd"]
    with Library.open(tmp_path / "library.sqlite") as library:
        batch = Batch(
            lambda done: None, roles=roles, library=library, side_by_side=2, ending=told.append
        )
        with pytest.raises(KeyboardInterrupt):
            batch.run(Job(project) for project in projects)
        kept = {each.title: library.load(each.id) for each in library.recent()}
    assert (asked, told) == (["a", "b"], [2])
    assert sorted(kept) == ["a", "b"]
    for saved in kept.values():
        assert [step.role for step in saved.steps][:2] == ["evaluator", "target"]
        assert saved.status == "open"


def test_two_runs_give_equal_bytes_and_another_seed_other_ids() -> None:
    def data(seed: int) -> bytes:
        return b"".join(done.records.data for done in play(*[make_project()] * 3, seed=seed))

    assert data(0) == data(0)
    ids = [{json.loads(r)["step_id"] for r in data(s).split(b"\n") if r} for s in (0, 1)]
    assert len(ids[0]) == 30
    assert not ids[0] & ids[1]


# -- the library ----------------------------------------------------------------------------------


def test_the_library_keeps_every_rollout_as_it_was_played(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        found = play(make_project(), make_project(target=HumanTarget()), library=library)
        for done, status in zip(found, ("ended", "parked"), strict=True):
            saved = library.load(done.rollout_id)
            assert saved.status == status
            assert saved.header.record == done.job.record
            assert saved.projects == (done.job.project,)
        saved = library.load(found[0].rollout_id)
        assert len(saved.steps) == 21
        assert saved.head == saved.steps[-1].id
        assert saved.commands == ()


def test_the_stop_that_a_limit_makes_is_kept_of_live_rollouts_too(tmp_path: Path) -> None:
    project = make_project(
        target=PythonTarget("x:y"),
        evaluator=HeuristicEvaluator(("Why?",)),
        opening="Why?",
        stop=StopRules(repeated_exchanges=2, on_limit="stop"),
    )

    class Same:
        async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
            return target_reply("No.")

    def roles(project: Project) -> Roles:
        return with_objects(build_roles(make_project(evaluator=project.evaluator)), target=Same())

    with Library.open(tmp_path / "library.sqlite") as library:
        (done,) = play(project, roles=roles, library=library)
        saved = library.load(done.rollout_id)
    assert saved.status == "ended"
    stop = saved.steps[-1]
    assert isinstance(stop.payload, Stop)
    assert (stop.payload.by, saved.head) == ("rule", stop.id)


class NotedCommits:
    """A library that notes what it is given, and may fail."""

    def __init__(self, fail_at: int = -1) -> None:
        self.commits: list[list[Change]] = []
        self.fail_at = fail_at

    def commit_many(self, changes: Iterable[Change]) -> list[dict[str, int]]:
        if len(self.commits) == self.fail_at:
            raise NotSavedError("disk full")
        self.commits.append(list(changes))
        return []


def test_offline_rollouts_share_commits() -> None:
    library = NotedCommits()
    play(*[make_project()] * 200, library=library)
    assert sum(len(changes) for changes in library.commits) == 200
    assert len(library.commits) < 10


def test_a_live_reply_is_saved_before_the_next_role_is_asked() -> None:
    library = NotedCommits()
    saved_when_asked: list[int] = []

    class Watching:
        async def reply(self, view: View, stream: Stream = no_stream) -> TargetReply:
            saved = sum(len(change.steps) for changes in library.commits for change in changes)
            saved_when_asked.append(saved)
            return target_reply("ok")

    def roles(project: Project) -> Roles:
        made = build_roles(make_project())
        return Roles(made.evaluator, Watching(), None, made.names, {"target": "own"})

    project = make_project(target=PythonTarget("x:y"), max_turns=3)
    play(project, roles=roles, library=library)
    assert saved_when_asked == [1, 3, 5]


def test_a_library_that_fails_ends_the_run_with_its_words() -> None:
    with pytest.raises(NotSavedError, match="disk full"):
        play(*[make_project()] * 3, library=NotedCommits(fail_at=0))


def test_finished_rollouts_are_forgotten() -> None:
    """Memory stays flat: a handful of rollouts' steps are alive at any time, not all."""
    import gc

    from rollstep.core.model.steps import Step

    alive: list[int] = []

    def look(done: Done) -> None:
        if done.job.record and done.job.record % 40 == 0:
            gc.collect()
            alive.append(sum(isinstance(found, Step) for found in gc.get_objects()))

    Batch(look, roles=build_roles).run(Job(make_project(), record=n) for n in range(121))
    assert len(alive) == 3
    assert alive[2] <= alive[0] + 21
