"""From a project to the roles that play it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.model.messages import payload_text, target_reply, user_message
from rollstep.core.model.project import (
    EvaluatorSpec,
    HeuristicEvaluator,
    HumanEvaluator,
    LlmEvaluator,
    LlmTarget,
    Project,
    PythonEvaluator,
    PythonTarget,
    RulesSimulator,
    SimulatorSpec,
    TargetSpec,
)
from rollstep.core.model.steps import ROLES, Role
from rollstep.core.roles import registry
from rollstep.core.roles.human import HumanNeeded
from rollstep.core.roles.registry import (
    build_roles,
    kinds,
    needs_trust,
    register,
    tag_of,
    with_objects,
)
from rollstep.core.workers.pool import Workers

from .making import PROJECT, view

FOLDER = Path(__file__).parent / "user_roles"
OWN_CODE = msgspec.structs.replace(PROJECT, target=PythonTarget(object="good:Agent"))


@pytest.fixture
def _registry_put_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    monkeypatch.setattr(registry, "_stateless", set(registry._stateless))
    yield
    registry._offline_roles.cache_clear()


def test_every_kind_that_a_project_file_may_name_is_known() -> None:
    unions: dict[Role, Any] = {
        "evaluator": EvaluatorSpec,
        "target": TargetSpec,
        "tool": SimulatorSpec,
    }
    for role in ROLES:
        assert set(kinds(role)) == {tag_of(spec) for spec in get_args(unions[role])}


def test_roles_say_who_plays_what() -> None:
    project = msgspec.structs.replace(
        OWN_CODE, evaluator=HumanEvaluator(), tool_simulator=RulesSimulator()
    )
    roles = build_roles(project, trusted=True)
    assert [roles.name(role) for role in ROLES] == ["human", "good:Agent", "rules"]
    assert [roles.kind(role) for role in ROLES] == ["human", "python", "rules"]
    without = build_roles(PROJECT)
    assert (without.tool_simulator, without.kind("tool"), without.name("tool")) == (
        None,
        "",
        "nobody",
    )


def test_projects_that_differ_get_roles_that_differ() -> None:
    other = msgspec.structs.replace(PROJECT, evaluator=HeuristicEvaluator(followups=("x",)))
    assert build_roles(PROJECT) is build_roles(msgspec.structs.replace(PROJECT, title="other"))
    assert build_roles(PROJECT) is not build_roles(other)


def test_own_code_is_not_run_without_a_yes() -> None:
    with pytest.raises(UsageError, match=r"runs good:Agent.*--trust"):
        build_roles(OWN_CODE)
    asked: list[Project] = []

    def no(project: Project) -> bool:
        asked.append(project)
        return False

    with pytest.raises(UsageError):
        build_roles(OWN_CODE, trust=no)
    assert asked == [OWN_CODE]


async def test_own_code_is_looked_for_in_the_projects_folder() -> None:
    roles = build_roles(OWN_CODE, base_folder=FOLDER, trust=lambda project: True)
    try:
        answer = await roles.target.reply(view("target", user_message("hi")))
    finally:
        await roles.aclose()
    assert payload_text(answer.payload) == "Hello: hi"


async def test_roles_of_many_rollouts_may_share_their_processes() -> None:
    workers = Workers()
    project = msgspec.structs.replace(PROJECT, target=PythonTarget(object="bad:says_its_id"))
    ids = set()
    try:
        for _ in range(2):
            roles = build_roles(project, base_folder=FOLDER, trusted=True, workers=workers)
            ids.add(payload_text((await roles.target.reply(view("target"))).payload))
            await roles.aclose()
    finally:
        await workers.aclose()
    assert len(ids) == 1


def test_what_needs_a_yes_is_named() -> None:
    project = msgspec.structs.replace(
        PROJECT,
        evaluator=PythonEvaluator(object="a.b:c"),
        target=LlmTarget("openai/x", api_base="http://10.0.0.7/v1"),
    )
    assert needs_trust(project) == (
        "runs a.b:c",
        "sends its conversation and your key to http://10.0.0.7",
    )
    assert needs_trust(PROJECT) == ()


@pytest.mark.usefixtures("_registry_put_back")
async def test_a_kind_of_ones_own() -> None:
    class Parrot(msgspec.Struct, frozen=True, tag_field="kind", tag="parrot"):
        word: str
        system: str | None = None

    class ParrotRole:
        def __init__(self, spec: Parrot) -> None:
            self.word = spec.word

        async def reply(self, view: Any, stream: Any = None) -> Any:
            return target_reply(self.word)

    register("target", "parrot", lambda spec, making: ParrotRole(spec))
    project = msgspec.structs.replace(PROJECT, target=Parrot("Lora"))
    roles = build_roles(project)
    assert payload_text(await roles.target.reply(view("target"))) == "Lora"  # type: ignore[arg-type]
    assert roles.name("target") == "parrot"
    assert "parrot" in kinds("target")


@pytest.mark.usefixtures("_registry_put_back")
async def test_a_built_in_kind_can_be_replaced() -> None:
    build_roles(PROJECT)

    class Quiet:
        async def reply(self, view: Any, stream: Any = None) -> Any:
            return target_reply("...")

    register("target", "echo", lambda spec, making: Quiet())
    answer = await build_roles(PROJECT).target.reply(view("target"))
    assert payload_text(answer) == "..."  # type: ignore[arg-type]


def test_an_unknown_kind_is_named_with_the_known_ones() -> None:
    class Odd(msgspec.Struct, frozen=True, tag_field="kind", tag="odd"):
        pass

    with pytest.raises(UsageError, match=r"'odd'; known kinds: echo, human"):
        build_roles(msgspec.structs.replace(PROJECT, target=Odd()))


async def test_ones_own_objects_play_in_this_process() -> None:
    class Client:
        def respond(self, *, project: Any, history: Any) -> str:
            return f"{len(history)} so far"

    async def evaluator(view: Any) -> str:
        return "and then?"

    roles = with_objects(build_roles(PROJECT), evaluator=evaluator, target=Client())
    reply = await roles.target.reply(view("target", user_message("hi")))
    assert payload_text(reply.payload) == "1 so far"  # type: ignore[union-attr]
    message = await roles.evaluator.next(view("evaluator"))
    assert payload_text(message.payload) == "and then?"  # type: ignore[union-attr]
    assert (roles.name("target"), roles.kind("target")) == ("Client", "object")


@pytest.mark.parametrize("role", ROLES)
async def test_a_human_is_asked_for_by_role(role: Role) -> None:
    from rollstep.core.roles.human import HumanRole

    ask = {"evaluator": "next", "target": "reply", "tool": "respond"}[role]
    with pytest.raises(HumanNeeded) as caught:
        await getattr(HumanRole(), ask)(view(role))
    assert caught.value.role == role


def test_making_offline_roles_loads_nothing_of_the_live_ones() -> None:
    script = (
        "import sys\n"
        "from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project\n"
        "from rollstep.core.roles.registry import build_roles\n"
        "build_roles(Project(title='t', target=EchoTarget(), evaluator=HeuristicEvaluator()))\n"
        "print([m for m in sys.modules if m.startswith(('litellm', 'rollstep.core.roles.python',"
        " 'rollstep.core.roles.llm'))])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


async def test_what_an_object_in_this_process_raises_is_a_role_error_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CANARY_TOKEN", "canary-1234567890")

    class Broken:
        def reply(self, view: Any) -> str:
            raise KeyError("canary-1234567890")

    roles = with_objects(build_roles(PROJECT), target=Broken(), evaluator=lambda view: None)
    with pytest.raises(RoleError) as caught:
        await roles.target.reply(view("target"))
    assert str(caught.value) == "The target Broken raised an error: KeyError: '[CANARY_TOKEN]'"
    assert "Traceback" in caught.value.detail
    assert "canary-1" not in caught.value.detail
    with pytest.raises(RoleError, match="The evaluator function gave None"):
        await roles.evaluator.next(view("evaluator"))


@pytest.mark.parametrize(
    ("params", "model"),
    [
        ('{"api_base": "models.example"}', "openai/m"),
        ('{"base_url": "https://models.example/v1"}', "openai/m"),
        ('{"aws_bedrock_runtime_endpoint": "https:\\u002f/models.example"}', "bedrock/m"),
        ("{}", "huggingface/https://models.example"),
    ],
)
def test_every_way_to_send_a_key_elsewhere_needs_a_yes(params: str, model: str) -> None:
    project = msgspec.structs.replace(PROJECT, target=LlmTarget(model, params=params))
    (wants,) = needs_trust(project)
    assert "your key to " in wants
    assert "models.example" in wants
    with pytest.raises(UsageError, match=r"models\.example.*--trust"):
        build_roles(project)
    headers = '{"extra_headers": {"HTTP-Referer": "https://mine.example"}, "stop": "://"}'
    mine = msgspec.structs.replace(PROJECT, target=LlmTarget("openai/m", params=headers))
    assert needs_trust(mine) == ()


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://models.example:8443/v1?x=1", "https://models.example:8443"),
        ("https://api.openai.com@evil.example/v1", "https://evil.example"),
        ("HTTPS://Models.Example/v1", "https://models.example"),
        ("http://[::1]:8000/v1", "http://[::1]:8000"),
        ("models.example/v1", "models.example/v1"),
        ("http://h:port/", "http://h:port/"),
    ],
)
def test_a_yes_is_for_a_host(address: str, host: str) -> None:
    target = LlmTarget("openai/m", api_base=address)
    evaluator = LlmEvaluator("openai/m", api_base=address)
    project = msgspec.structs.replace(PROJECT, target=target, evaluator=evaluator)
    assert needs_trust(project) == (f"sends its conversation and your key to {host}",)
