"""Every sample plays as its file says, its documented overrides change how it ends, and its
recording is what it plays today.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
import yaml
from jsonschema import Draft202012Validator
from rollstep.core.errors import UsageError
from rollstep.core.model.messages import Stop, TargetReply, ToolResult, parts_text, payload_text
from rollstep.core.model.project import (
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    RulesSimulator,
    ScriptedEvaluator,
    ScriptedTarget,
)
from rollstep.core.model.rollout import Rollout
from rollstep.core.model.steps import Step
from rollstep.core.projects.reader import read_project, read_roles
from rollstep.core.projects.seed_author import SeedAuthor
from rollstep.core.projects.seed_export import seed_row
from rollstep.core.projects.seeds import read_seeds
from rollstep.core.samples import FOLDER, DocumentedOverride, lesson, list_samples, sample
from rollstep.core.session import Session
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.bundle_reader import read_bundle
from rollstep.core.store.change import Saved
from rollstep.core.store.importing import import_bundle
from rollstep.core.store.library import Library

from . import record_samples

OFFLINE = [one.name for one in list_samples() if not one.needs_key]
OVERRIDES = [
    pytest.param(name, documented, id=f"{name}-{documented.step}")
    for name in OFFLINE
    for documented in lesson(read_project(FOLDER / f"{name}.yaml")).overrides
]


@pytest.fixture(scope="module")
def recordings() -> dict[str, Saved]:
    import asyncio

    return asyncio.run(record_samples.record_all())


def rollout_of(saved: Saved) -> Rollout:
    rollout = Rollout(saved.header, saved.projects)
    for step in saved.steps:
        rollout.add(step)
    return rollout


def takes_of(project: Project, step: Step) -> int:
    """How many other texts the project has for a step."""
    if step.script_index is None:
        return 0
    if step.role == "tool":
        assert isinstance(project.tool_simulator, RulesSimulator)
        return len(project.tool_simulator.rules[step.script_index].takes)
    if step.role == "target":
        assert isinstance(project.target, ScriptedTarget)
        return len(project.target.replies[step.script_index].takes)
    assert isinstance(project.evaluator, ScriptedEvaluator)
    return len(project.evaluator.messages[step.script_index].takes)


def test_there_are_six_samples_that_play_offline_and_one_that_is_live() -> None:
    assert len(OFFLINE) >= 6
    assert [one.name for one in list_samples() if one.needs_key] == ["refund_live"]


def test_every_project_in_the_folder_is_listed() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {one.name for one in list_samples()}


@pytest.mark.parametrize("name", OFFLINE)
async def test_a_sample_plays_to_its_documented_stop_in_6_to_12_turns(name: str) -> None:
    project = read_project(sample(name).project)
    session = Session.start(project)
    path = await record_samples.play_on(session)
    trajectory = session.rollout.trajectory(path[-1].id)
    assert trajectory.stop is not None
    assert trajectory.stop.reason == lesson(project).ends
    assert 6 <= len(trajectory.turns()) <= 12
    assert len(trajectory.turns()) == sample(name).turns
    assert session.attempts == ()


@pytest.mark.parametrize(("name", "documented"), OVERRIDES)
async def test_a_documented_override_ends_as_documented(
    name: str, documented: DocumentedOverride
) -> None:
    session = Session.start(read_project(sample(name).project))
    as_it_went = await record_samples.play_on(session)
    path = await record_samples.play_override(session, as_it_went, documented)
    stop = session.rollout.trajectory(path[-1].id).stop
    assert stop is not None
    assert stop.reason == documented.ends
    assert documented.last_reply_contains in record_samples.last_reply(path)
    before = session.rollout.trajectory(as_it_went[-1].id).stop
    was = (before and before.reason, record_samples.last_reply(as_it_went))
    assert was != (stop.reason, record_samples.last_reply(path))
    assert session.attempts == ()


@pytest.mark.parametrize("name", OFFLINE)
async def test_any_step_can_be_overridden_by_a_text_and_the_script_plays_on(name: str) -> None:
    """In a demo somebody will type what no line expects; a script must not run dry then."""
    session = Session.start(read_project(sample(name).project))
    as_it_went = await record_samples.play_on(session)
    for number in range(1, len(as_it_went) + 1):
        documented = DocumentedOverride(number, "Hm. 🤔 Let me think.", "", "", "")
        path = await record_samples.play_override(session, as_it_went, documented)
        assert session.rollout.trajectory(path[-1].id).stop is not None
    assert session.attempts == ()


@pytest.mark.parametrize("name", OFFLINE)
async def test_every_take_plays_on_to_a_stop(name: str) -> None:
    session = Session.start(read_project(sample(name).project))
    await record_samples.play_on(session)
    for step in session.rollout.path(session.head):
        with suppress(UsageError):  # which says that there is no other
            while await session.retake(step.id):
                path = await record_samples.play_on(session)
                assert session.rollout.trajectory(path[-1].id).stop is not None
        assert len(session.rollout.takes(step.id)) == 1 + takes_of(session.project, step)
    assert session.attempts == ()


@pytest.mark.parametrize("name", OFFLINE)
def test_the_comment_on_top_documents_every_override(name: str) -> None:
    """Step numbers in the comment and in the metadata must not part."""
    head = sample(name).project.read_text(encoding="utf-8").split("version: 1")[0]
    assert head.startswith("# yaml-language-server: $schema=../core/projects/project.schema.json\n")
    overrides = lesson(read_project(sample(name).project)).overrides
    assert overrides
    for documented in overrides:
        assert f"Step {documented.step}," in head


@pytest.mark.parametrize("name", OFFLINE)
def test_a_sample_offers_other_takes(name: str) -> None:
    project = read_project(sample(name).project)
    lines = (*project.evaluator.messages, *project.target.replies)  # type: ignore[union-attr]
    assert sum(bool(line.takes) for line in lines) >= 2


def test_the_samples_hold_what_screens_must_cope_with() -> None:
    text = "".join(sample(name).project.read_text(encoding="utf-8") for name in OFFLINE)
    greek, arabic, hindi, japanese, emoji = "Θρύψαλα", "السلام", "नमस्ते", "尾道", "🐇"
    for found in (greek, arabic, hindi, japanese, emoji, "```python", "[SORRY10]"):
        assert found in text


@pytest.mark.parametrize("name", OFFLINE)
def test_a_recording_is_what_its_project_plays_today(
    name: str, recordings: dict[str, Saved], tmp_path: Path
) -> None:
    """After a change of a sample: ``python -m tests.core.record_samples``, and look at the diff."""
    bundle = sample(name).bundle
    assert bundle is not None
    write_bundle([recordings[name]], tmp_path / bundle.name)
    assert bundle.read_bytes() == (tmp_path / bundle.name).read_bytes()


def test_the_index_is_made_from_the_projects(recordings: dict[str, Saved]) -> None:
    assert (FOLDER / record_samples.INDEX).read_bytes() == record_samples.index(recordings)


@pytest.mark.parametrize("name", OFFLINE)
def test_a_recording_reopens_with_overrides_forks_and_named_branches(
    name: str, recordings: dict[str, Saved]
) -> None:
    bundle = sample(name).bundle
    assert bundle is not None
    ((saved, _requests),) = read_bundle(bundle)
    assert saved == recordings[name]
    rollout = rollout_of(saved)
    assert any(step.origin == "human" and step.replaces for step in rollout)
    assert sum(len(rollout.children(step.id)) > 1 for step in rollout) >= 2
    named = {branch.name: branch.leaf_id for branch in saved.branches}
    assert len(named) >= 4
    assert set(named.values()) == set(rollout.leaves())
    assert saved.head == named["as it went"]


def test_the_refund_fails_on_one_argument_of_the_targets() -> None:
    """What the sample teaches: the rule table, asked the right question, says yes."""
    simulator = read_project(sample("refund").project).tool_simulator
    assert isinstance(simulator, RulesSimulator)
    reasons = {
        json.loads(rule.when)["reason"]: json.loads(rule.respond)["refundable"]
        for rule in simulator.rules
        if rule.tool == "check_policy" and rule.when
    }
    assert reasons == {"damaged": True, "changed_mind": False}


def test_the_coding_sample_has_a_long_output_and_a_failing_command(
    recordings: dict[str, Saved],
) -> None:
    results = [s.payload for s in recordings["coding"].steps if isinstance(s.payload, ToolResult)]
    assert any(result.is_error for result in results)
    assert max(parts_text(result.parts).count("\n") for result in results) >= 140


def test_the_research_tool_is_wrong_once(recordings: dict[str, Saved]) -> None:
    """Asked the same again in one path, it gives the good result."""
    saved = recordings["research"]
    rollout = rollout_of(saved)
    leaf = next(b.leaf_id for b in saved.branches if b.name == "a doubt")
    years = [
        json.loads(payload_text(step.payload))["results"][0]["year"]
        for step in rollout.path(leaf)
        if isinstance(step.payload, ToolResult) and '"year": 1' in payload_text(step.payload)
    ]
    assert years == [1976, 1901]


def test_the_misbehaving_evaluator_leaks_repeats_itself_and_stops_too_early(
    recordings: dict[str, Saved],
) -> None:
    saved = recordings["misbehaving_evaluator"]
    path = rollout_of(saved).path(saved.head)
    said = [payload_text(step.payload) for step in path if step.role == "evaluator"]
    instructions = saved.projects[0].evaluator.instructions  # type: ignore[union-attr]
    secret = "only if you are asked about allergies"
    assert secret in " ".join(instructions.split())
    assert any(secret in " ".join(text.split()) for text in said)
    assert any(one == two for one, two in itertools.pairwise(said))
    booked = "".join(payload_text(s.payload) for s in path if isinstance(s.payload, TargetReply))
    assert "sesame" not in booked


async def test_the_group_chat_is_its_seed_row_with_roles() -> None:
    """By the seed's own route, ``group_chat.jsonl --roles group_chat.yaml``, it is the same."""
    chat = sample("group_chat")
    assert chat.seed_file is not None
    project = read_project(chat.project)
    seeds = read_seeds(chat.seed_file, strict=True)
    author = SeedAuthor(seeds.rows, roles=read_roles(chat.project))
    (authored,) = author.author(1, random.Random(0))
    seed_only = {"id": authored.id, "metadata": authored.metadata}
    assert msgspec.structs.replace(project, **seed_only) == authored
    assert json.loads(authored.metadata).items() <= json.loads(project.metadata).items()
    assert json.dumps(seed_row(project).row) == json.dumps(json.loads(chat.seed_file.read_bytes()))
    session = Session.start(authored)
    path = await record_samples.play_on(session)
    assert session.rollout.trajectory(path[-1].id).stop == Stop("code_leaked", "evaluator")


def test_the_live_refund_has_the_same_tools_and_models_in_all_roles() -> None:
    live = read_project(sample("refund_live").project)
    scripted = read_project(sample("refund").project)
    assert live.tools == scripted.tools
    assert live.opening == scripted.opening
    assert isinstance(live.target, LlmTarget)
    assert isinstance(live.evaluator, LlmEvaluator)
    assert isinstance(live.tool_simulator, LlmSimulator)
    assert live.stop.max_cost_usd is not None


def test_an_unknown_sample_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no sample 'refnud'\. Did you mean refund\?"):
        sample("refnud")


def test_listing_samples_reads_no_yaml() -> None:
    """The start screen lists them at every start."""
    code = (
        "import sys; from rollstep.core.samples import list_samples; assert list_samples();"
        "sys.exit('yaml' in sys.modules or 'jsonschema' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path.home())


def test_the_tour_tells_of_every_documented_override() -> None:
    """The tables in docs/samples.md name the same steps, endings and branches as the projects."""
    tour = Path(__file__).parents[2] / "docs" / "samples.md"
    told = set()
    for section in tour.read_text(encoding="utf-8").split("\n## ")[1:]:
        name = section.split(":")[0]
        for step, end, branch in re.findall(r"^\| (\d+), .*\| `(\w+)`.*\| (.+) \|$", section, re.M):
            told.add((name, int(step), end, branch))
    assert told == {
        (name, documented.step, documented.ends, documented.branch)
        for name in OFFLINE
        for documented in lesson(read_project(sample(name).project)).overrides
    }


@pytest.mark.parametrize("name", [one.name for one in list_samples()])
def test_an_editor_that_knows_the_schema_finds_no_fault(name: str) -> None:
    path = sample(name).project
    comment = path.read_text(encoding="utf-8").splitlines()[0]
    schema = json.loads((path.parent / comment.split("$schema=")[1]).read_bytes())
    document = yaml.safe_load(path.read_bytes())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []


async def test_a_recording_opened_from_its_file_can_be_played_on() -> None:
    """The branch "said differently" ends in mid-conversation: the script goes on from there."""
    bundle = sample("refund").bundle
    assert bundle is not None
    with Library.throwaway() as library:
        (rollout_id,) = import_bundle(bundle, library)
        session = Session.reopen(library.load(rollout_id), library)
        leaf = next(one.leaf_id for one in session.branches if one.name == "said differently")
        await session.go_to(leaf)
        path = await record_samples.play_on(session)
        assert isinstance(path[-1].payload, Stop)
        assert len(path) == len(session.rollout.path(leaf)) + 1
        assert library.load(rollout_id).head == path[-1].id
        await session.close()
