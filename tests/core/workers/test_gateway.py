"""Calls to models that go well, or not badly: what comes back, how it is told, and giving up."""

from __future__ import annotations

import asyncio
import time
from types import ModuleType
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.model.messages import Reasoning, ToolCall
from rollstep.core.model.steps import Call, Usage
from rollstep.core.workers import gateway
from rollstep.core.workers.coalescing import Coalescing
from rollstep.core.workers.model_request import ModelReply
from rollstep.core.workers.pool import Workers

from ...provider.anthropic import THINKING
from ...provider.exchange import Exchange
from ...provider.faults import FAULTS, SAID
from ...provider.replies import FunctionCall, Reply
from ...provider.server import ProviderServer
from .calling import Caller, Told

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]

BOTH = pytest.mark.parametrize("stream", [False, True])
WAYS: dict[str, dict[str, Any]] = {"direct": {}, "litellm": {"drop_params": False}}
BY_WAY = pytest.mark.parametrize("way", WAYS)


@pytest.fixture
def caller(litellm_workers: Workers, provider: ProviderServer, canary: str) -> Caller:
    return Caller(litellm_workers, provider)


def without_times(reply: ModelReply) -> ModelReply:
    return msgspec.structs.replace(reply, seconds=0.0, first_token_seconds=0.0, sent="")


ODD = {
    "finish_unknown": {"text": SAID, "finish_reason": "weary"},
    "length": {"text": SAID, "finish_reason": "length"},
    "filtered": {"text": SAID, "finish_reason": "content_filter"},
    "no_usage": {"text": "a" * 40, "usage": Usage(10, 11, estimated=True)},
    "parallel_calls": {
        "text": "Looking.",
        "tool_calls": (
            ToolCall("call-a", "get_order", '{"order_id": "4471"}'),
            ToolCall("call-b", "get_policy", '{"topic": "refunds",  "n": 1.10}'),
        ),
    },
    "reasoning": {"text": "Yes.", "reasoning": (Reasoning("Let me think.\n\nHm."),)},
    "think_tags": {"text": "Yes.", "reasoning": (Reasoning("Let me think."),)},
    "not_json_arguments": {"tool_calls": (ToolCall("call-1", "get_order", '{"order_id": 44'),)},
}


@BOTH
@BY_WAY
@pytest.mark.parametrize("name", ODD)
async def test_an_odd_reply_is_kept_as_it_came(
    caller: Caller, name: str, way: str, stream: bool
) -> None:
    caller.server.answer(name, FAULTS[name])
    reply = await caller.ask(name, stream=stream, params=WAYS[way])
    assert {field: getattr(reply, field) for field in ODD[name]} == ODD[name]


WHOLE = Reply(
    "  Caf\u00e9 \U0001f600\n\n```json\n{}\n``` \ud83d",
    reasoning=" Hm \n",
    calls=(
        FunctionCall("a", '{"x":1.10,  "y":"{\\"z\\":1}"', "one"),
        FunctionCall("b", "", None),
        FunctionCall("a", "{}", ""),
    ),
    finish="tool_calls",
    piece=1,
)


@BY_WAY
async def test_a_stream_gives_the_very_reply_that_comes_as_a_whole(
    caller: Caller, way: str
) -> None:
    caller.server.answer("whole", WHOLE)
    plain = await caller.ask("whole", stream=False, params=WAYS[way])
    streamed = await caller.ask("whole", params=WAYS[way])
    assert without_times(streamed) == without_times(plain)
    assert plain.text == WHOLE.text
    assert plain.reasoning == (Reasoning(" Hm \n"),)
    calls = tuple(ToolCall(call.id or "", call.name, call.arguments) for call in WHOLE.calls)
    assert plain.tool_calls == calls
    assert plain.usage == Usage(10, 3, 0, 4)


@BOTH
@pytest.mark.parametrize(
    "fields",
    [
        {"content": "Yes.", "reasoning": "Hm."},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                {"type": "text", "text": "Yes."},
            ]
        },
    ],
)
async def test_reasoning_is_found_where_local_servers_put_it(
    caller: Caller, fields: dict[str, Any], stream: bool
) -> None:
    caller.server.answer("local", Reply("", message=fields, delta=fields))
    reply = await caller.ask("local", stream=stream)
    assert (reply.text, reply.reasoning) == ("Yes.", (Reasoning("Hm."),))


@BY_WAY
async def test_calls_that_share_an_index_are_told_apart_by_their_ids(
    caller: Caller, way: str
) -> None:
    one, two = (FunctionCall("f", f'{{"n": {n}}}', f"call-{n}").whole() for n in (1, 2))

    async def behave(exchange: Exchange) -> None:
        await exchange.start_events()
        for chunk in Reply(None, finish="tool_calls").chunks("m"):
            for call in (one, two) if chunk["choices"] and not chunk["choices"][0]["delta"] else ():
                delta = {"tool_calls": [{"index": 0, **call}]}
                choice = {"index": 0, "delta": delta, "finish_reason": None}
                await exchange.event({**chunk, "choices": [choice]})
            await exchange.event(chunk)
        await exchange.event("[DONE]")
        await exchange.end_events()

    caller.server.answer("same-index", behave)
    reply = await caller.ask("same-index", params=WAYS[way])
    assert [call.arguments for call in reply.tool_calls] == ['{"n": 1}', '{"n": 2}']


@BOTH
async def test_thinking_is_kept_whole_with_its_signature(caller: Caller, stream: bool) -> None:
    caller.server.answer("claude-x", Reply("Yes."))
    reply = await caller.ask("claude-x", model="anthropic", stream=stream)
    assert reply.text == "Yes."
    (block,) = reply.reasoning
    assert (block.text, block.signature) == (THINKING["thinking"], THINKING["signature"])
    assert msgspec.json.decode(block.raw or "") == THINKING
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (10, 3)
    assert not reply.usage.estimated


async def test_text_is_told_as_it_comes_in_few_pieces(caller: Caller) -> None:
    text = "".join(f"{n} " for n in range(1_000))
    caller.server.answer("long", Reply(text, reasoning="Hm.", piece=2))
    outcome = await caller.outcome("long")
    assert outcome.reply is not None
    assert "".join(outcome.told.pieces) == outcome.reply.text == text
    assert len(outcome.told.pieces) <= outcome.reply.seconds / 0.04 + 3


async def test_the_first_words_are_told_while_the_rest_is_awaited(caller: Caller) -> None:
    caller.server.answer("slow", FAULTS["hang_amid"])
    heard = asyncio.Event()

    class Heard(Told):
        def __call__(self, text: str) -> None:
            super().__call__(text)
            if "".join(self.pieces) == SAID:
                heard.set()

    task = asyncio.create_task(caller._call(caller.request("slow"), Heard()))
    await asyncio.wait_for(heard.wait(), 20)
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_thinking_in_tags_is_not_told_as_text(caller: Caller) -> None:
    text = "\n<think>\nLet me <b>think</b>.\n</think>\n\nYes."
    caller.server.answer("tags", Reply(text, piece=1, pace=0.01))
    outcome = await caller.outcome("tags")
    assert outcome.reply is not None
    assert "".join(outcome.told.pieces) == outcome.reply.text == "\n\nYes."
    assert outcome.reply.reasoning == (Reasoning("\nLet me <b>think</b>.\n"),)


async def test_how_fast_it_was_is_told(caller: Caller) -> None:
    caller.server.answer("fast", Reply("One two three four.", delay=0.05, pace=0.005))
    reply = await caller.ask("fast")
    assert 0.05 <= reply.first_token_seconds < reply.seconds
    call = Call(
        "m",
        usage=Usage(10, 30),
        seconds=reply.seconds,
        first_token_seconds=reply.first_token_seconds,
    )
    rate = call.tokens_per_second
    assert rate is not None
    assert rate == pytest.approx(30 / (reply.seconds - reply.first_token_seconds))
    whole = await caller.ask("fast", stream=False)
    assert whole.first_token_seconds == 0
    assert whole.seconds >= 0.05


@BOTH
@BY_WAY
async def test_a_known_model_has_a_price_and_another_none(
    caller: Caller, way: str, stream: bool
) -> None:
    caller.server.answer("gpt-4.1-mini", Reply("Yes."))
    reply = await caller.ask("gpt-4.1-mini", stream=stream, params=WAYS[way])
    assert reply.cost == pytest.approx(7.6e-06)
    caller.server.answer("unpriced", Reply("Yes."))
    assert (await caller.ask("unpriced", stream=stream, params=WAYS[way])).cost is None


@BOTH
async def test_a_price_without_a_usage_is_an_estimate(caller: Caller, stream: bool) -> None:
    caller.server.answer("gpt-4.1-mini", Reply("a" * 40, usage=None))
    reply = await caller.ask("gpt-4.1-mini", stream=stream)
    assert reply.usage == Usage(10, 11, estimated=True)
    assert reply.cost == pytest.approx(10 * 0.4e-6 + 11 * 1.6e-6)


@BOTH
async def test_what_a_lost_reply_has_probably_cost_is_told(caller: Caller, stream: bool) -> None:
    caller.server.answer("gpt-4.1-mini", FAULTS["reset_amid"])
    lost = (await caller.outcome("gpt-4.1-mini", stream=stream)).error
    caller.server.answer("gpt-4.1-mini", FAULTS["401"])
    refused = (await caller.outcome("gpt-4.1-mini", stream=stream)).error
    assert lost is not None
    assert lost.cost is not None
    assert lost.cost > 0
    assert refused is not None
    assert refused.cost is None


@BY_WAY
@pytest.mark.parametrize(
    "part", [Reply(None, "Let me think."), Reply(None, calls=(FunctionCall("f", '{"n": 1}'),))]
)
async def test_thoughts_and_calls_are_a_part_of_a_reply_too_and_not_paid_for_twice(
    caller: Caller, way: str, part: Reply
) -> None:
    async def behave(exchange: Exchange) -> None:
        await exchange.start_events()
        for chunk in list(part.chunks("m"))[:-2]:
            await exchange.event(chunk)
        await exchange.event({"error": {"message": "Overloaded.", "code": 529}})
        await exchange.end_events()

    name = f"wordless-{way}-{bool(part.calls)}"
    caller.server.answer(name, behave)
    outcome = await caller.outcome(name, params=WAYS[way])
    assert outcome.error is not None
    assert outcome.error.kind == "server"
    assert len(outcome.requests) == 1


@BOTH
@BY_WAY
async def test_a_try_that_succeeds_in_the_end_counts_those_before_it(
    caller: Caller, way: str, stream: bool
) -> None:
    name = f"third-time-{way}-{stream}"
    caller.server.answer(name, FAULTS["429_after"], FAULTS["reset"], Reply("Yes."))
    outcome = await caller.outcome(name, stream=stream, params=WAYS[way])
    assert outcome.reply is not None
    assert (outcome.reply.text, outcome.reply.attempts) == ("Yes.", 3)
    assert len(outcome.requests) == 3
    first, second = outcome.told.notices
    assert first == "The provider asked us to wait 12 s. Retrying (2 of 5)."
    assert second.startswith("Connection lost before an answer. Retrying in ")
    assert second.endswith(" s (3 of 5).")


async def test_a_call_waits_before_it_tries_again(caller: Caller) -> None:
    caller.server.answer("waits", FAULTS["429_after"], Reply("Yes."))
    started = time.monotonic()
    reply = await caller.ask("waits", pace=0.02)
    assert reply.text == "Yes."
    assert time.monotonic() - started >= 12 * 0.02
    assert reply.seconds < 12 * 0.02 + 20


@BOTH
@BY_WAY
@pytest.mark.parametrize("fault", ["hang", "hang_amid", "drip"])
async def test_a_call_that_is_given_up_hangs_up_at_once(
    caller: Caller, fault: str, way: str, stream: bool
) -> None:
    name = f"given-up-{fault}-{way}-{stream}"
    caller.server.answer(name, FAULTS[fault])
    task = asyncio.create_task(caller.ask(name, stream=stream, params=WAYS[way]))
    server = caller.server
    assert await asyncio.to_thread(server.wait_for, lambda: bool(server.asked(name)))
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert await asyncio.to_thread(server.wait_for, lambda: server.asked(name)[0].gone)
    assert len(server.asked(name)) == 1


async def test_a_call_that_is_given_up_while_it_waits_is_not_tried_again(caller: Caller) -> None:
    caller.server.answer("waiting", FAULTS["429_after"])
    waits = asyncio.Event()

    class Waits(Told):
        def notice(self, words: str) -> None:
            waits.set()

    task = asyncio.create_task(caller._call(caller.request("waiting", pace=0.01), Waits()))
    await asyncio.wait_for(waits.wait(), 20)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    caller.server.answer("after", Reply("Yes.", delay=0.3))  # longer than the wait
    await caller.ask("after")
    assert len(caller.server.asked("waiting")) == 1


async def test_a_key_from_elsewhere_is_used_and_hidden(caller: Caller) -> None:
    key = "kept-in-a-keyring-0987654321"

    async def echo(exchange: Exchange) -> None:
        said = f"You sent {exchange.request.headers['authorization']}"
        await exchange.send(400, {"error": {"message": said}})

    caller.server.answer("echo", echo)
    outcome = await caller.outcome("echo", key=key)
    assert outcome.requests[0].headers["authorization"] == f"Bearer {key}"
    assert key not in outcome.words()
    assert "You sent Bearer [key]." in outcome.words()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", 2),
        ("num_retries", 3),
        ("fallbacks", ["openai/other"]),
        ("api_key", "x"),
        ("messages", []),
    ],
)
async def test_a_parameter_that_changes_what_is_asked_is_refused(
    caller: Caller, name: str, value: Any
) -> None:
    outcome = await caller.outcome("never", params={name: value})
    assert outcome.error is not None
    assert outcome.error.kind == "refused"
    assert f"The parameter {name} is not taken" in str(outcome.error)
    assert outcome.requests == []


async def test_a_redirect_is_not_followed_with_a_key(caller: Caller) -> None:
    async def elsewhere(exchange: Exchange) -> None:
        await exchange.send(307, "", {"location": "http://127.0.0.1:9/v1/chat/completions"})

    caller.server.answer("moved", elsewhere)
    outcome = await caller.outcome("moved")
    assert outcome.error is not None
    assert outcome.error.kind == "refused"
    assert str(outcome.error) == "openai/moved: The provider refused the request (307)."
    assert len(outcome.requests) == 1


async def test_an_address_of_nothing_is_said_and_not_tried_again(caller: Caller) -> None:
    for base in ("nonsense", "ftp://a.example/v1", "http:///v1"):
        request = msgspec.structs.replace(caller.request("m"), api_base=base)
        with pytest.raises(RoleError, match="is no address that begins with http") as caught:
            await caller._call(request, Told())
        assert caught.value.kind == "refused"


async def test_where_nobody_listens_there_is_no_connection(caller: Caller) -> None:
    told = Told()
    request = msgspec.structs.replace(caller.request("m"), api_base="http://127.0.0.1:9/v1")
    with pytest.raises(RoleError, match="No connection to the provider") as caught:
        await caller._call(request, told)
    assert caught.value.kind == "network"
    assert len(told.notices) == 4


async def test_a_server_that_knows_no_stream_options_is_sent_none(caller: Caller) -> None:
    caller.server.answer("old", Reply("Yes.", usage=None))
    outcome = await caller.outcome("old", params={"stream_options": None})
    assert outcome.reply is not None
    assert outcome.requests[0].streams
    assert "stream_options" not in outcome.requests[0].body


async def test_a_server_that_answers_as_a_whole_when_a_stream_was_asked_for_is_read(
    caller: Caller,
) -> None:
    async def whole(exchange: Exchange) -> None:
        await exchange.send(200, Reply("Yes.").plain("m"))

    caller.server.answer("unstreamed", whole)
    outcome = await caller.outcome("unstreamed")
    assert outcome.reply is not None
    assert (outcome.reply.text, outcome.reply.first_token_seconds) == ("Yes.", 0.0)
    assert outcome.told.pieces == ["Yes."]


async def test_a_project_may_want_no_stream(caller: Caller) -> None:
    caller.server.answer("whole-please", Reply("Yes."))
    outcome = await caller.outcome("whole-please", params={"stream": False})
    assert outcome.reply is not None
    assert not outcome.requests[0].streams


async def test_who_waits_for_models_to_load_is_told_so_and_may_give_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import threading

    go, loads = threading.Event(), []

    def load() -> ModuleType:
        loads.append(1)
        go.wait(20)
        return ModuleType("litellm")

    monkeypatch.setattr(gateway, "Translated", load)
    service = gateway.Gateway()
    told = Told()
    first = asyncio.create_task(service._translated(told.notice))
    second = asyncio.create_task(service._translated(told.notice))
    while len(told.notices) < 2:
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    go.set()
    await second
    await service._translated(told.notice)
    assert told.notices == [gateway.LOADING] * 2
    assert loads == [1]


async def test_pieces_that_come_together_are_passed_on_together() -> None:
    told = Told()
    out = Coalescing(told)
    for word in ("a", "b", "c"):
        out.add(word)
    assert told.pieces == ["a"]
    out.flush()
    assert told.pieces == ["a", "bc"]
