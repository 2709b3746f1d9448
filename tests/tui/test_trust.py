"""One yes for each host that a key goes to, and for each object of one's own that runs."""

from __future__ import annotations

from msgspec.structs import replace
from rollstep.core.model.project import HumanEvaluator, LlmTarget, Project, PythonTarget
from rollstep.tui.start import RoleMaker

PROJECT = Project("t", LlmTarget("openai/m", api_base="https://one.example/v1"), HumanEvaluator())
ONE = "sends its conversation and your key to https://one.example"


def test_what_was_allowed_is_not_asked_again_and_nothing_more_is_allowed() -> None:
    maker = RoleMaker(trust=False)
    assert maker.wants(PROJECT) == (ONE,)
    maker.allowed.update(maker.wants(PROJECT))
    elsewhere = LlmTarget("openai/other", api_base="https://one.example/v2")
    assert maker.wants(replace(PROJECT, target=elsewhere)) == ()
    for base in ("http://one.example/v1", "https://one.example:8443", "https://two.example"):
        (want,) = maker.wants(replace(PROJECT, target=LlmTarget("openai/m", api_base=base)))
        assert want != ONE
    assert maker.wants(replace(PROJECT, target=PythonTarget("own:Agent"))) == ("runs own:Agent",)


def test_trust_is_a_yes_to_all() -> None:
    assert RoleMaker(trust=True).wants(PROJECT) == ()
