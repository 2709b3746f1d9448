"""A path linted in pieces, and flags with what silences them."""

from __future__ import annotations

from hypothesis import given
from rollstep.core.model.marks import Silence
from rollstep.core.rules.lint.findings import RULES
from rollstep.core.rules.lint.linter import (
    Linter,
    findings,
    findings_everywhere,
    findings_with_silences,
)
from rollstep.core.samples import list_samples
from rollstep.core.session import Session
from rollstep.core.store.bundle_reader import read_bundle
from rollstep.core.store.change import Saved

from tests.strategies import saved_rollouts

from .paths import HELLO, asks, call, result, rollout


def test_in_pieces_it_finds_what_it_finds_at_once() -> None:
    tree = rollout(HELLO, asks(call("a"), call("b")), result("a", "{}"), HELLO, HELLO)
    linter = Linter(tree)
    found = [each for step in tree.path("s5") for each in linter.add(step)]
    assert sorted(found, key=str) == sorted(findings(tree, "s5"), key=str)
    assert {each.step_id for each in found} == {"s2", "s3", "s4", "s5"}
    assert {each.rule for each in found} <= RULES.keys()


def test_a_silence_goes_with_its_step_and_rule_and_ends_when_it_is_lifted() -> None:
    tree = rollout(HELLO, HELLO, HELLO)
    silences = (
        Silence("s2", "same-role-twice", "as recorded"),
        Silence("s2", "illegal", "another rule"),
        Silence("s3", "same-role-twice", lifted=True),
    )
    flags = findings_with_silences(tree, "s3", silences)
    assert [(each.finding.step_id, each.silence) for each in flags] == [
        ("s2", silences[0]),
        ("s3", None),
    ]


def test_the_samples_have_the_flags_that_they_teach_and_no_others() -> None:
    taught = {
        "coding": {"tool-error"},
        "group_chat": {"target-edited"},
        "misbehaving_evaluator": {"evaluator-leak"},
        "refund": {"target-edited", "stale"},
        "research": {"state-drift"},
        "weekend": {"target-edited"},
    }
    found: dict[str, set[str]] = {}
    for sample in list_samples():
        if sample.bundle is None:
            continue
        for saved, _ in read_bundle(sample.bundle, []):
            tree = Session.reopen(saved).rollout
            found[sample.name] = {each.rule for each in findings_everywhere(tree)}
            for leaf in tree.leaves():
                assert {each.rule for each in findings(tree, leaf)} <= found[sample.name]
    assert found == taught


@given(saved_rollouts())
def test_whatever_a_rollout_holds_is_linted(saved: Saved) -> None:
    """Anything real opens: no step, schema or text makes it raise, and each finding is of a rule
    on a step of the path.
    """
    tree = Session.reopen(saved).rollout
    for leaf in tree.steps:
        found = findings(tree, leaf)
        assert {each.rule for each in found} <= RULES.keys()
        assert {each.step_id for each in found} <= {step.id for step in tree.path(leaf)}
    everywhere = findings_everywhere(tree)
    assert len(set(everywhere)) == len(everywhere)
    assert set(everywhere) == {each for leaf in tree.leaves() for each in findings(tree, leaf)}
