"""Every fault that providers are known for, by name. Each can be asked plainly or for a stream."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from .exchange import Behaviour, Exchange
from .replies import FunctionCall, Reply

CANARY = "sk-canary-1234567890"
"""The key that tests put into the environment and look for where it must not be."""

SAID = "Half of a reply"
"""What has arrived when a fault comes in the middle."""


def status(number: int, message: str, wait: str = "", **more: Any) -> Behaviour:
    """An error with a status and an OpenAI-style body; ``wait`` is its Retry-After."""
    body = {"error": {"message": message, **more}}
    headers = {"retry-after": wait} if wait else {}
    return lambda exchange: exchange.send(number, body, headers)


def body(text: str, kind: str = "application/json", events: str | None = None) -> Behaviour:
    """Status 200 and this body; ``events`` in its place when a stream is asked for."""

    async def behave(exchange: Exchange) -> None:
        if events is None or not exchange.request.streams:
            await exchange.send(200, text, kind=kind)
            return
        await exchange.start_events()
        await exchange.event_bytes(events.encode())
        await exchange.end_events()

    return behave


async def hang(exchange: Exchange) -> None:
    """Never answers."""
    await exchange.hang()


async def _bad_gateway(exchange: Exchange) -> None:
    await exchange.send(502, "<html>502 Bad Gateway</html>", kind="text/html")


async def reset(exchange: Exchange) -> None:
    """The connection is torn down before anything is said."""
    exchange.reset()


async def not_http(exchange: Exchange) -> None:
    """Something else listens on this port."""
    await exchange.write(b"220 mail.example ESMTP\r\n500 What?\r\n\r\n")
    exchange.close()


def _plain(model: str) -> bytes:
    return json.dumps(Reply(SAID).plain(model)).encode()


async def _half(exchange: Exchange) -> None:
    """The first part of a reply: some text deltas, or the first half of the body."""
    if exchange.request.streams:
        await exchange.start_events()
        chunks = list(Reply(SAID).chunks(exchange.request.model))
        for chunk in chunks[:-2]:
            await exchange.event(chunk)
    else:
        data = _plain(exchange.request.model)
        await exchange.head(200, "application/json", {"content-length": str(len(data))})
        await exchange.write(data[: data.index(SAID.encode()) + len(SAID)])


async def reset_amid(exchange: Exchange) -> None:
    """The connection is torn down in the middle of the reply."""
    await _half(exchange)
    await asyncio.sleep(0.05)  # a reset overtakes what is still on its way
    exchange.reset()


async def short_body(exchange: Exchange) -> None:
    """The connection ends properly, but too early."""
    await _half(exchange)
    exchange.close()


async def hang_amid(exchange: Exchange) -> None:
    """Begins to answer, and then nothing more comes."""
    await _half(exchange)
    await exchange.hang()


async def drip(exchange: Exchange) -> None:
    """Gives a character now and then, so that no time limit for one read is ever reached."""
    if not exchange.request.streams:
        await exchange.head(200, "application/json", {"content-length": "1000000"})
        while True:
            await exchange.write(b" ")
            await asyncio.sleep(0.02)
    await exchange.start_events()
    for chunk in Reply("x" * 1_000_000, piece=1).chunks(exchange.request.model):
        await exchange.event(chunk)
        await asyncio.sleep(0.02)


async def endless(exchange: Exchange) -> None:
    """Text without end, as fast as it is taken."""
    if not exchange.request.streams:
        await exchange.head(200, "application/json", {"transfer-encoding": "chunked"})
        await exchange.event_bytes(b'{"id": "')
        while True:
            await exchange.event_bytes(b"x" * 10_000)
            await asyncio.sleep(0.001)
    await exchange.start_events()
    chunk = list(Reply("x" * 10_000, piece=10_000).chunks(exchange.request.model))[1]
    while True:
        await exchange.event(chunk)


async def cut_stream(exchange: Exchange) -> None:
    """The stream ends in the middle of an event, without a finish reason and without [DONE]."""
    await _half(exchange)
    if exchange.request.streams:
        await exchange.event_bytes(b'data: {"id": "resp-1", "choices": [{"index": 0, "del')
        await exchange.end_events()
    exchange.close()


async def no_finish(exchange: Exchange) -> None:
    """The stream ends properly after some text, but without a finish reason and [DONE]."""
    await _half(exchange)
    if exchange.request.streams:
        await exchange.end_events()
    exchange.close()


async def bad_event(exchange: Exchange) -> None:
    """An event in the middle of the stream is no JSON."""
    await _half(exchange)
    if exchange.request.streams:
        await exchange.event("{nonsense")
        await exchange.event("[DONE]")
        await exchange.end_events()
    exchange.close()


_ERROR = json.dumps({"error": {"message": f"Overloaded ({CANARY}).", "code": 529}})


async def odd_chunk(exchange: Exchange) -> None:
    """Something in the middle of the stream is JSON, but no part of a reply."""
    await _half(exchange)
    if exchange.request.streams:
        await exchange.event({"id": "resp-1", "choices": ["what?"]})
        await exchange.event("[DONE]")
        await exchange.end_events()
    exchange.close()


async def error_event(exchange: Exchange) -> None:
    """The provider reports an error in the middle of its stream."""
    await _half(exchange)
    if exchange.request.streams:
        await exchange.event({"error": {"message": f"overloaded ({CANARY})", "code": 529}})
        await exchange.end_events()
    exchange.close()


def whole(**more: Any) -> Behaviour:
    """A reply (see Reply) that is odd, but a reply."""
    return lambda exchange: exchange.reply(Reply(**more))


def _choices(value: Any) -> Behaviour:
    """A body whose choices are this."""
    text = json.dumps(Reply(more={"choices": value}).plain("m"))
    return body(text, events=f"data: {text}\n\ndata: [DONE]\n\n")


_CALLS = (
    FunctionCall("get_order", '{"order_id": "4471"}', "call-a"),
    FunctionCall("get_policy", '{"topic": "refunds",  "n": 1.10}', "call-b"),
)

FAULTS: dict[str, Behaviour] = {
    "400": status(400, "Unknown parameter: 'temprature' [/bold]", code="unknown_parameter"),
    "401": status(401, f"Incorrect API key provided: {CANARY}.", code="invalid_api_key"),
    "403": status(403, "Your organization may not use this model."),
    "404": status(404, "The model does not exist.", code="model_not_found"),
    "408": status(408, "Request timed out."),
    "409": status(409, "Conflict, try again."),
    "413": status(413, "Request entity too large."),
    "422": status(422, "messages.0.content: field required"),
    "policy": status(400, "Blocked.", code="content_policy_violation"),
    "policy_message": status(400, "Your request was rejected by our safety system."),
    "context": status(400, "Too many tokens.", code="context_length_exceeded"),
    "context_message": status(400, "prompt is too long: 9000 tokens > 8192 maximum"),
    "429": status(429, "Slow down.", code="rate_limit_exceeded"),
    "429_after": status(429, "Slow down.", "12", code="rate_limit_exceeded"),
    "429_late": status(429, "Slow down.", "600", code="rate_limit_exceeded"),
    "quota": status(429, "You exceeded your current quota.", code="insufficient_quota"),
    "402": status(402, "Insufficient Balance"),
    "500": status(500, f"The server had an error with {CANARY}."),
    "502": _bad_gateway,
    "503": status(503, "Overloaded."),
    "504": status(504, "Upstream request timeout."),
    "529": status(529, "Overloaded.", type="overloaded_error"),
    "hang": hang,
    "hang_amid": hang_amid,
    "drip": drip,
    "endless": endless,
    "reset": reset,
    "reset_amid": reset_amid,
    "short_body": short_body,
    "not_http": not_http,
    "malformed": body('{"id": "resp-1", "choices": [', events="data: {nonsense\n\n"),
    "html": body("<html>Welcome to the proxy</html>", kind="text/html"),
    "empty_body": body("", events=""),
    "only_done": body("[DONE]", events="data: [DONE]\n\n"),
    "null_choices": _choices(None),
    "no_choices": _choices([]),
    "cut_stream": cut_stream,
    "no_finish": no_finish,
    "bad_event": bad_event,
    "error_event": error_event,
    "error_body": body(_ERROR, events=f"data: {_ERROR}\n\n"),
    "odd_chunk": odd_chunk,
    "nothing": whole(text=""),
    "finish_unknown": whole(text=SAID, finish="weary"),
    "length": whole(text=SAID, finish="length"),
    "length_nothing": whole(text="", finish="length"),
    "filtered": whole(text=SAID, finish="content_filter"),
    "filtered_nothing": whole(text=None, finish="content_filter"),
    "no_usage": whole(text="a" * 40, usage=None),
    "too_much_text": whole(text="x" * 1_200_000, piece=50_000),
    "too_long_arguments": whole(
        text=None, calls=(FunctionCall("f", json.dumps("x" * 300_000)),), piece=50_000
    ),
    "parallel_calls": whole(text="Looking.", calls=_CALLS, finish="tool_calls", piece=3),
    "reasoning": whole(text="Yes.", reasoning="Let me think.\n\nHm."),
    "think_tags": whole(text="<think>Let me think.</think>Yes."),
    "not_json_arguments": whole(
        text=None, calls=(FunctionCall("get_order", '{"order_id": 44'),), finish="tool_calls"
    ),
}
