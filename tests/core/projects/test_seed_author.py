"""The statements about the seed program's author, one test each, and the ways back."""

import json
import random
import re

import msgspec
import pytest
from rollstep.core.errors import SeedFileError, UsageError
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.projects.reader import parse_roles
from rollstep.core.projects.seed_author import SeedAuthor
from rollstep.core.projects.seed_export import seed_row
from rollstep.core.projects.seed_rows import SeedRow, row_of, seed_record

ROWS = tuple(SeedRow(i + 1, f"text {i}", f'"id-{i}"', f"id-{i}") for i in range(7))


def row(**record):
    return row_of(seed_record(json.dumps(record).encode(), 1), 1)


def author(rows, n=None, seed=0, **options):
    return SeedAuthor(rows, run_seed=seed, **options).author(n or len(rows), random.Random(seed))


def test_author_1_an_empty_list_of_rows_is_an_error():
    with pytest.raises(SeedFileError, match="no seed rows"):
        SeedAuthor(())


@pytest.mark.parametrize("n", [1, 3, 7])
@pytest.mark.parametrize("seed", [0, 1, 42])
def test_author_2_up_to_all_rows_are_sampled_and_shuffled_as_random_sample_does(n, seed):
    expected = random.Random(seed).sample(ROWS, n)
    assert [p.title for p in author(ROWS, n, seed)] == [r.title for r in expected]


def test_author_2_more_than_all_are_chosen_with_replacement_each_with_a_new_id():
    rng = random.Random(3)
    expected = [rng.choice(ROWS).title for _ in range(20)]
    projects = author(ROWS, 20, 3)
    assert [p.title for p in projects] == expected
    assert len({p.id for p in projects}) == 20


def test_author_3_a_row_with_empty_text_is_skipped_and_not_replaced():
    rows = (*ROWS, row(user_text=""), row(user_text=None), row())
    titles = [p.title for p in author(rows, 10)]
    assert titles == [r.title for r in random.Random(0).sample(rows, 10) if r.user_text]
    assert len(titles) == 7


def test_author_3_whitespace_only_text_is_kept():
    (project,) = author((row(user_text=" \n"),))
    assert project.opening == " \n"


def test_author_3_all_rows_empty_gives_no_projects():
    assert author((row(),)) == []


@pytest.mark.parametrize("empty", [{}, {"task_id": ""}, {"task_id": None}])
def test_author_4_an_empty_task_id_becomes_seed_and_a_uuid(empty):
    (project,) = author((row(user_text="x", **empty),))
    uuid = r"seed-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    assert re.fullmatch(uuid, project.title)
    assert json.loads(project.metadata)["seed_task_id"] == project.title


def test_author_4_title_goal_and_id():
    (project,) = author((row(task_id="t" * 100, user_text="g" * 200),))
    assert project.title == "t" * 80
    assert project.goal == "Complete the multi-step request: " + "g" * 120
    assert re.fullmatch("proj-[0-9a-f]{12}", project.id)
    assert json.loads(project.metadata)["seed_task_id"] == "t" * 100


def test_author_4_an_id_that_is_no_text_is_the_title_as_python_writes_it():
    (project,) = author((row(task_id=[1, "a"], user_text="x"),))
    assert project.title == "[1, 'a']"
    assert json.loads(project.metadata)["seed_task_id"] == [1, "a"]


def test_author_5_a_null_benchmark_or_context_stays_null():
    (project,) = author((row(task_id="a", user_text="x", benchmark=None, context=None),))
    expected = '{"seed_task_id": "a", "seed_benchmark": null, "seed_context": null}'
    assert project.metadata == expected


def test_author_5_the_default_benchmark_applies_only_when_the_key_is_absent():
    (project,) = author((row(task_id="a", user_text="x"),))
    expected = '{"seed_task_id": "a", "seed_benchmark": "synth", "seed_context": {}}'
    assert project.metadata == expected


def test_loop_10_the_default_system_text_to_the_letter():
    (project,) = author((row(task_id="garden-3", user_text="Lay out a plot."),))
    assert project.target == EchoTarget(
        "You are an autonomous elizaOS agent. The user is pursuing a multi-step project: garden-3. "
        "Goal: Complete the multi-step request: Lay out a plot.. Drive each turn forward; ask "
        "follow-up questions only when needed."
    )


def test_loop_10_an_empty_system_text_is_honoured():
    assert author(ROWS[:1], system="")[0].target == EchoTarget("")


def test_loop_1_max_turns_below_one_is_an_error():
    with pytest.raises(UsageError, match="max_turns"):
        SeedAuthor(ROWS, max_turns=0)


def test_the_roles_are_echo_and_the_seed_programs_heuristic():
    project = author(ROWS, 1, max_turns=4)[0]
    assert project.evaluator == HeuristicEvaluator(match="substring")
    assert project.max_turns == 4
    assert author(ROWS, 1)[0].max_turns == 10


def test_equal_runs_give_equal_projects_and_other_seeds_other_ids():
    rows = (*ROWS, row(user_text="no id"))
    assert author(rows, 8, 5) == author(rows, 8, 5)
    assert not {p.id for p in author(rows, 8, 5)} & {p.id for p in author(rows, 8, 6)}


def test_equal_rows_give_different_ids():
    twice = (row(user_text="x"), row(user_text="x"))
    first, second = author(twice)
    assert first.id != second.id
    assert first.title != second.title


def test_projects_are_made_only_when_asked_for():
    class Rows(tuple):
        read = 0

        def __getitem__(self, index):
            Rows.read += 1
            return super().__getitem__(index)

    projects = SeedAuthor(Rows(ROWS)).projects(7, random.Random(0))
    next(projects)
    assert Rows.read == 1


def test_one_row_can_be_opened_on_its_own():
    project = SeedAuthor(ROWS).project_of(ROWS[2])
    assert (project.title, project.opening) == ("id-2", "text 2")
    with pytest.raises(SeedFileError, match="line 4"):
        SeedAuthor(ROWS).project_of(SeedRow(4, ""))


def test_a_negative_number_of_projects_is_an_error():
    with pytest.raises(UsageError, match="negative"):
        SeedAuthor(ROWS).projects(-1, random.Random(0))


def test_lone_surrogates_make_projects():
    (project,) = author((row(task_id="\ud83d", user_text="\udc00"),))
    assert project.opening == "\udc00"
    assert json.loads(project.metadata)["seed_task_id"] == "\ud83d"


ROLES = """
target: {kind: llm, model: openai/gpt-4.1-mini, system: Be brief.}
evaluator: {kind: scripted, messages: [more]}
tools: [{name: look}]
tool_simulator: {kind: human}
max_turns: 3
"""


def test_roles_of_a_file_without_title_goal_and_opening():
    roles = parse_roles(ROLES)
    project = author(ROWS, 1, roles=roles)[0]
    assert project.title.startswith("id-")
    assert (project.target, project.evaluator) == (roles.target, roles.evaluator)
    assert (project.tools, project.tool_simulator) == (roles.tools, roles.tool_simulator)
    assert project.max_turns == 3
    assert author(ROWS, 1, roles=roles, max_turns=5)[0].max_turns == 5
    assert author(ROWS, 1, roles=roles, system="")[0].target.system == ""


def test_an_authored_project_goes_back_to_its_row():
    record = {"task_id": "a", "benchmark": "b", "user_text": "x", "context": {"channel": "dm"}}
    (project,) = author((row(**record),))
    export = seed_row(project)
    assert export.row == record
    assert list(export.row) == ["task_id", "benchmark", "user_text", "context"]
    assert export.lost == ()


def test_what_a_row_cannot_hold_is_reported():
    project = Project(
        "Refund",
        EchoTarget("own"),
        HeuristicEvaluator(),
        goal="A refund.",
        opening="Hi",
        metadata='{"note": 1}',
        max_turns=3,
    )
    export = seed_row(project)
    assert export.row == {"task_id": "Refund", "user_text": "Hi"}
    assert [sentence.split(":")[0] for sentence in export.lost] == [
        "goal",
        "target",
        "evaluator",
        "max_turns",
        "metadata",
    ]
    no_opening = msgspec.structs.replace(project, opening=None)
    assert seed_row(no_opening).lost[0].startswith("opening")
