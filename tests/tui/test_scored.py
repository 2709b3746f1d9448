"""Why it failed: in the header, at the top of the inspector, and as flags on the steps cited."""

from __future__ import annotations

from rollstep.core.model.marks import Score
from rollstep.core.model.messages import target_reply, user_message
from rollstep.core.model.project import HumanEvaluator, HumanTarget, Project
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Step
from rollstep.tui.bars import header, status
from rollstep.tui.inspector import TABS, document
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.requests import Stored
from rollstep.tui.sent import sent_blocks
from rollstep.tui.snapshot import Snapshot

FAILED = Score("reward", 0.0, "issue_refund never called", "tau2", ("s2", "s4", "gone"))
PASSED = Score("tone", 1.0, "kind enough", "style", ("s2",))


def model_of(*scores: Score, edited: bool = False, cursor: int = 0) -> DebuggerModel:
    said = [user_message("Hi."), target_reply("No."), user_message("Why?"), target_reply("Policy.")]
    steps = [
        Step(
            f"s{n}",
            f"s{n - 1}" if n > 1 else None,
            "target" if n % 2 == 0 else "evaluator",
            payload,
            "import",
            seq=n,
        )
        for n, payload in enumerate(said, 1)
    ]
    if edited:
        steps.append(
            Step("s5", "s3", "target", target_reply("Yes."), "human", seq=5, replaces="s4")
        )
    project = Project("Refund", HumanTarget(), HumanEvaluator())
    model = DebuggerModel(
        Snapshot(
            RolloutHeader("imp-1", "Refund", format="tau2", source="log.json"),
            (project,),
            tuple(steps),
            head=steps[-1].id,
            scores=scores,
        )
    )
    model.cursor = cursor
    return model


def page(model: DebuggerModel) -> list[str]:
    return [block.text for block in document(model, TABS[0]).blocks]


def test_the_header_says_that_it_failed_by_which_score_and_why() -> None:
    row = header(model_of(FAILED, PASSED), 160)
    assert "FAILED tau2 reward 0.0: issue_refund never called" in row.text
    assert ("FAILED tau2 reward 0.0: issue_refund never called", "bar:alarm") in row.spans


def test_a_long_reason_is_cut_in_the_header_and_whole_in_the_inspector() -> None:
    reason = "the refund was never issued although the policy allows it. " * 12
    model = model_of(Score("reward", 0.0, reason, "tau2", ("s1",)))
    for width in (80, 160):
        text = header(model, width).text
        assert "FAILED tau2 reward 0.0" in text
        assert "…" in text
        assert "your move" in text or "ahead" in text
    assert reason in page(model)


def test_a_score_that_all_is_well_is_no_failure() -> None:
    assert "FAILED" not in header(model_of(PASSED), 160).text
    assert "tone 1.0" in header(model_of(PASSED), 160).text


def test_on_an_edited_branch_the_failure_is_that_of_the_import() -> None:
    text = header(model_of(FAILED, edited=True), 160).text
    assert "as imported: FAILED tau2 reward 0.0" in text
    assert "scores, of the imported branch" in page(model_of(FAILED, edited=True, cursor=3))


def test_all_scores_stand_at_the_top_of_the_first_and_of_the_last_page() -> None:
    for cursor in (-1, 3):
        shown = page(model_of(FAILED, PASSED, cursor=cursor))
        assert shown[:5] == [
            "scores",
            "FAILED tau2 reward 0.0, steps 2, 4 ([ ] go there)",
            "issue_refund never called",
            "style tone 1.0, step 2",
            "kind enough",
        ]


def test_elsewhere_one_line_says_it_and_a_step_shows_the_scores_that_cite_it() -> None:
    assert page(model_of(FAILED, PASSED, cursor=0))[0] == (
        "FAILED tau2 reward 0.0, steps 2, 4 ([ ] go there)"
    )
    assert page(model_of(FAILED, PASSED, cursor=1))[0] == "scores that cite this step"
    assert page(model_of(cursor=0))[0].startswith("1 evaluator")


def test_flags_lead_to_the_steps_that_a_failing_score_cites() -> None:
    model = model_of(FAILED, PASSED)
    assert sorted(model.path.flagged) == [1, 3]
    assert model.path.flagged[1] == ("tau2 reward 0.0: issue_refund never called",)
    assert model.move_flag(1)
    assert model.cursor == 1
    assert model.move_flag(1)
    assert model.cursor == 3
    assert "2 flags !" in status(model, 160).text
    while model.lint.work():
        pass
    assert sorted(model.path.flagged) == [1, 3]
    assert [flag.rule for flag in model.lint.at(1)] == ["cited"]


def test_as_sent_is_a_recorded_request_or_a_reconstruction() -> None:
    model = model_of(cursor=1)
    recorded = next(iter(sent_blocks(model, "target", Stored('{"messages": []}'))))
    assert recorded.text == "sent to the target for step 2, recorded request"
    made_up = [block.text for block in sent_blocks(model, "target", Stored())]
    assert "reconstructed: the import holds no request" in made_up


def test_hostile_words_of_a_judge_stay_words() -> None:
    model = model_of(Score("re\x1bward", "fail", "[/b]\x1b]52;c;eA==\x07\nnext line"))
    text = header(model, 160).text
    assert "\x1b" not in text
    assert "\n" not in text
    assert "␛" in text
