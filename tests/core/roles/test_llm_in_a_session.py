"""Whole rollouts whose three roles are models, against a server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rollstep.core.errors import RoleError
from rollstep.core.events import Noticed, Streamed
from rollstep.core.model.messages import (
    Reasoning,
    Stop,
    ToolResult,
    UserMessage,
    payload_text,
    text_parts,
)
from rollstep.core.model.project import LlmEvaluator, LlmSimulator, LlmTarget, Project, Tool
from rollstep.core.model.steps import Step
from rollstep.core.retaking import AskChange
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.session import Session
from rollstep.core.workers.pool import Workers

from ...provider.replies import FunctionCall, Reply
from ...provider.server import ProviderServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

RETURNS = '{"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}'
GET = FunctionCall("get_order", '{"id": 1}', None)


def calling(name: str, **arguments: Any) -> Reply:
    return Reply(None, calls=(FunctionCall(name, json.dumps(arguments)),), finish="tool_calls")


class Played:
    """A rollout whose roles are the models ``p-user``, ``p-agent`` and ``p-tools``."""

    def __init__(self, provider: ProviderServer, workers: Workers, **specs: Any) -> None:
        def model(name: str, **more: Any) -> dict[str, Any]:
            return {"model": f"openai/p-{name}", "api_base": provider.api_base, **more}

        self.project = Project(
            "Refund",
            LlmTarget(**model("agent", system="Secret.", **specs.get("target", {}))),
            LlmEvaluator(**model("user", persona="Eleni.", **specs.get("evaluator", {}))),
            opening="Where is it?",
            tools=(Tool("get_order", "Looks an order up.", returns=RETURNS),),
            tool_simulator=LlmSimulator(**model("tools", **specs.get("simulator", {}))),
        )

        def roles(project: Project) -> Roles:
            return build_roles(project, trusted=True, models=workers)

        self.events: list[Any] = []
        self.session = Session.start(self.project, roles=roles)
        self.session.subscribe(self.events.append)

    async def steps(self, count: int) -> list[Step]:
        made = [await self.session.step() for _ in range(count)]
        assert all(made)
        return [step for step in made if step is not None]


@pytest.fixture
def played(provider: ProviderServer, gateway_workers: Workers, canary: str) -> Any:
    return lambda **specs: Played(provider, gateway_workers, **specs)


async def test_a_whole_rollout_is_played_by_models(provider: ProviderServer, played: Any) -> None:
    provider.answer("p-agent", Reply(None, calls=(GET, GET)), Reply("Lost."), Reply("Refunded."))
    provider.answer("p-tools", Reply('{"status": "lost"}'), Reply('{"error": "busy"}'))
    provider.answer(
        "p-user",
        calling("send_message", message="Then refund me.", reasoning="push"),
        calling("end_conversation", reason="goal_reached", note="Paid."),
    )
    rollout = played()
    opening, reply, first, second, lost, push, done, stop = await rollout.steps(8)
    assert [call.made_id for call in reply.payload.tool_calls] == [True, True]
    ids = [call.id for call in reply.payload.tool_calls]
    assert [first.payload.call_id, second.payload.call_id] == ids
    assert (first.payload.is_error, second.payload.is_error) == (False, True)
    assert push.payload == UserMessage(text_parts("Then refund me."), (Reasoning("push"),))
    assert payload_text(opening.payload) == "Where is it?"
    assert stop.payload == Stop("goal_reached", "evaluator", "Paid.")
    assert (payload_text(lost.payload), payload_text(done.payload)) == ("Lost.", "Refunded.")
    assert "push" not in json.dumps([r.body for r in provider.asked("p-agent")])
    assert "Secret." not in json.dumps([r.body for r in provider.asked("p-user")])
    simulated = [r.body["messages"][1]["content"] for r in provider.asked("p-tools")]
    assert '[get_order({"id": 1}) answered: {"status": "lost"}]' in simulated[1]
    for step in (reply, first, push, stop):
        assert step.call is not None
        assert step.call.request
    await rollout.session.close()


async def test_a_result_that_does_not_fit_is_asked_for_once_more_and_both_are_shown(
    provider: ProviderServer, played: Any
) -> None:
    provider.answer("p-agent", Reply(None, calls=(GET,), finish="tool_calls"))
    provider.answer("p-tools", Reply('{"state": 1}'), Reply('{"status": "lost"}'))
    before = len(provider.asked("p-tools"))
    rollout = played()
    *_, result = await rollout.steps(3)
    assert isinstance(result.payload, ToolResult)
    assert payload_text(result.payload) == '{"status": "lost"}'
    first, second = provider.asked("p-tools")[before:]
    kept = second.body["messages"]
    assert kept[:2] == first.body["messages"]
    assert kept[2] == {"role": "assistant", "content": '{"state": 1}'}
    assert "does not fit its returns" in kept[3]["content"]
    assert result.call is not None
    assert (result.call.attempts, result.call.usage.prompt_tokens) == (2, 20)
    assert "does not fit its returns" in result.call.note
    told = [event.words for event in rollout.events if isinstance(event, Noticed)]
    assert any("Asking once more." in words for words in told)
    shown = "".join(event.text for event in rollout.events if isinstance(event, Streamed))
    assert shown.count('{"state": 1}') == 1
    await rollout.session.close()


async def test_a_result_that_does_not_fit_twice_is_a_failure_and_was_asked_for_twice(
    provider: ProviderServer, played: Any
) -> None:
    provider.answer("p-agent", Reply(None, calls=(GET,), finish="tool_calls"))
    provider.answer("p-tools", Reply("Lost."), Reply("I said, lost."))
    before = len(provider.asked("p-tools"))
    rollout = played()
    await rollout.steps(2)
    with pytest.raises(RoleError, match="no usable result, twice") as caught:
        await rollout.session.step()
    assert (caught.value.kind, caught.value.partial) == ("bad_reply", "I said, lost.")
    assert len(provider.asked("p-tools")) == before + 2
    await rollout.session.close()


async def test_a_state_goes_from_call_to_call_and_can_be_edited(
    provider: ProviderServer, played: Any
) -> None:
    provider.answer("p-agent", Reply(None, calls=(GET, GET), finish="tool_calls"), Reply("Done."))
    answers = ({"result": {"status": "a"}, "state": {"n": 1}}, {"result": {"status": "b"}})
    provider.answer("p-tools", *(Reply(json.dumps(each)) for each in answers))
    rollout = played(simulator={"state": '{"n": 0}'})
    _, _, first, second = await rollout.steps(4)
    assert (first.state, second.state) == ('{"n": 1}', '{"n": 1}')
    assert payload_text(first.payload) == '{"status": "a"}'
    edited = await rollout.session.override(first.id, first.payload, state='{"n": 7}')
    assert edited.step is not None
    assert edited.step.state == '{"n": 7}'
    await rollout.session.step()
    asked = [r.body["messages"][1]["content"] for r in provider.asked("p-tools")[-3:]]
    assert [n for text in asked for n in "017" if f'The state now: {{"n": {n}}}' in text] == [
        *("0", "1", "7")
    ]
    await rollout.session.close()


@pytest.mark.parametrize("own", [False, True])
async def test_an_added_instruction_reaches_each_role(
    provider: ProviderServer, played: Any, own: bool
) -> None:
    """Also where the project's own prompt names none of the role's instructions."""
    provider.answer("p-agent", Reply(None, calls=(GET,)), Reply("Lost."))
    provider.answer("p-tools", Reply('{"status": "lost"}'))
    provider.answer("p-user", Reply("And now?"))
    prompts = {"prompt": "Play."} if own else {}
    rollout = played(evaluator=prompts, target=prompts, simulator=prompts)
    _, reply, result, _, message = await rollout.steps(5)
    places = ((reply, "p-agent"), (result, "p-tools"), (message, "p-user"))
    for step, model in places:
        words = f"Be {{{{ rude }}}} as {model}."
        await rollout.session.retake(step.id, 1, AskChange(instruction=words))
        system = provider.asked(model)[-1].body["messages"][0]["content"]
        assert words in system
        assert system.startswith("Play.") == own
    await rollout.session.close()


@pytest.mark.parametrize("answers", ["json", "tools"])
async def test_of_a_message_in_a_form_what_it_says_is_shown_as_it_comes(
    provider: ProviderServer, played: Any, answers: str
) -> None:
    said = {"reasoning": "push", "message": "And now?", "stop": None}
    in_a_form = {"json": Reply(json.dumps(said)), "tools": calling("send_message", **said)}
    provider.answer("p-agent", Reply("Lost."))
    provider.answer("p-user", in_a_form[answers])
    rollout = played(evaluator={"answers": answers})
    *_, message = await rollout.steps(3)
    assert payload_text(message.payload) == "And now?"
    shown = "".join(event.text for event in rollout.events if isinstance(event, Streamed))
    assert shown == "Lost.And now?"
    body, kept = provider.asked("p-user")[-1].body, json.loads(message.call.params)
    name = {"json": "response_format", "tools": "tool_choice"}[answers]
    assert body[name] == kept[name]
    await rollout.session.close()
