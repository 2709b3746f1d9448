from __future__ import annotations

from rollstep.core.formats.options import WriteOptions
from rollstep.core.formats.report import FEATURES
from rollstep.core.formats.table import FORMATS, report, writes_once
from rollstep.core.model.messages import target_reply, user_message

from .conftest import make_project, make_subject
from .samples import everything


def test_formats_hold_only_features_that_exist() -> None:
    for fmt in FORMATS.values():
        assert fmt.holds <= set(FEATURES)


def test_a_bundle_loses_nothing() -> None:
    assert report(everything(), FORMATS["bundle"]).render() == "nothing is lost"


def test_every_feature_is_either_kept_or_lost_and_named() -> None:
    for fmt in FORMATS.values():
        found = report(everything(), fmt)
        named = {*found.kept, *(loss.words for loss in found.lost)}
        assert {FEATURES["edits"], FEATURES["reasoning"], FEATURES["branches"]} <= named


def test_a_seed_row_needs_an_opening_message_the_projects_or_this_paths() -> None:
    def refused(text: str | None, opening: str | None) -> bool:
        steps = [] if text is None else [user_message(text), target_reply("Hello.")]
        subject = make_subject(*steps, project=make_project(opening=opening))
        return bool(report(subject, FORMATS["seed"]).refused)

    assert refused(None, None)
    assert refused("", "Hi.")
    assert not refused(None, "Hi.")
    assert not refused("Hi.", None)


def test_long_lists_of_steps_are_cut_and_counted() -> None:
    payloads = [target_reply("x") if i % 2 else user_message("y") for i in range(24)]
    subject = make_subject(*((payload, {"reason": "r"}) for payload in payloads))
    assert (
        "(step 1, 2, 3, 4, 5, 6, 7, 8 and 16 more)" in report(subject, FORMATS["openai"]).render()
    )


def test_rows_split_by_reply_are_written_once_since_branches_share_them() -> None:
    assert writes_once(FORMATS["trl-prompt-completion"], WriteOptions())
    assert writes_once(FORMATS["trl"], WriteOptions(split="replies"))
    assert not writes_once(FORMATS["trl"], WriteOptions())
    assert not writes_once(FORMATS["openai"], WriteOptions(split="replies"))
