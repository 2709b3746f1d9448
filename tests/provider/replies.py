"""What the test server says when nothing is wrong: one reply, plain or as a stream of deltas."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

USAGE: Json = {
    "prompt_tokens": 10,
    "completion_tokens": 3,
    "total_tokens": 13,
    "prompt_tokens_details": {"cached_tokens": 4},
}

_WORDS = (
    "the order refund blender arrived yesterday please check again policy receipt number of and "
    "with is it parcel carrier lost found sorry thanks today tomorrow account card amount"
)


_RESULT = re.compile(r"^Its result \(JSON Schema\): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class FunctionCall:
    """A tool call as a provider sends it. ``id`` None leaves the field out."""

    name: str
    arguments: str = "{}"
    id: str | None = "call-1"

    def whole(self) -> Json:
        """As it stands in a plain reply."""
        function = {"name": self.name, "arguments": self.arguments}
        call: Json = {"type": "function", "function": function}
        return call if self.id is None else {"id": self.id, **call}


@dataclass(frozen=True)
class Reply:
    """One reply. ``piece`` is the number of characters in a delta, ``pace`` the seconds between
    two; ``more`` is put over the top of a plain reply, ``message`` over its message and ``delta``
    over the first delta.
    """

    text: str | None = "Noted."
    reasoning: str = ""
    calls: tuple[FunctionCall, ...] = ()
    finish: str | None = "stop"
    usage: Json | None = field(default_factory=lambda: USAGE)
    id: str = "resp-1"
    piece: int = 4
    pace: float = 0.0
    delay: float = 0.0
    message: Json = field(default_factory=dict)
    delta: Json = field(default_factory=dict)
    more: Json = field(default_factory=dict)

    def plain(self, model: str) -> Json:
        """The whole chat completion."""
        message: Json = {"role": "assistant", "content": self.text}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        if self.calls:
            message["tool_calls"] = [call.whole() for call in self.calls]
        message.update(self.message)
        return {
            "id": self.id,
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "finish_reason": self.finish, "message": message}],
            **({} if self.usage is None else {"usage": self.usage}),
            **self.more,
        }

    def chunks(self, model: str, *, with_usage: bool = True) -> Iterator[Json]:
        """The same in deltas; the arguments of parallel calls take turns, as providers do it."""
        yield self._chunk(model, {"role": "assistant", **self.delta})
        for piece in _pieces(self.reasoning, self.piece):
            yield self._chunk(model, {"reasoning_content": piece})
        for piece in _pieces(self.text or "", self.piece):
            yield self._chunk(model, {"content": piece})
        for delta in self._call_deltas():
            yield self._chunk(model, {"tool_calls": [delta]})
        yield self._chunk(model, {}, self.finish)
        if with_usage and self.usage is not None:
            yield {**self._chunk(model, {}), "choices": [], "usage": self.usage}

    def _call_deltas(self) -> Iterator[Json]:
        for index, call in enumerate(self.calls):
            head = call.whole()
            head["function"]["arguments"] = ""
            yield {"index": index, **head}
        waiting = [list(_pieces(call.arguments, self.piece)) for call in self.calls]
        while any(waiting):
            for index, pieces in enumerate(waiting):
                if pieces:
                    yield {"index": index, "function": {"arguments": pieces.pop(0)}}

    def _chunk(self, model: str, delta: Json, finish: str | None = None) -> Json:
        return {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }


def by_seed(seed: str, body: Json) -> Reply:
    """A reply that follows from the seed and what was asked, and from nothing else: to a user's
    message a call of one of the tools, if there are any; to one who is told a result's schema a
    value that fits it; else a sentence. Who could end the conversation does so after three
    messages of its own.
    """
    asked = json.dumps([body.get("model"), body.get("messages")], sort_keys=True)
    digest = hashlib.sha256(f"{seed}\n{asked}".encode("utf-8", "surrogatepass")).hexdigest()
    rng = random.Random(digest)
    messages, tools = body.get("messages") or [{}], body.get("tools") or []
    if tools and messages[-1].get("role") == "user":
        function = _tool(tools, messages, rng)
        arguments = json.dumps(_arguments(function.get("parameters") or {}, rng))
        call = FunctionCall(function["name"], arguments, f"call_{digest[:8]}")
        reply = Reply(None, calls=(call,), finish="tool_calls", id=f"resp_{digest[:8]}")
    elif schema := _schema(messages):
        value = json.dumps(_arguments(schema, rng))
        reply = Reply(value, id=f"resp_{digest[:8]}")
    else:
        words = " ".join(rng.choices(_WORDS.split(), k=rng.randint(5, 20)))
        reply = Reply(f"{words[0].upper()}{words[1:]}.", id=f"resp_{digest[:8]}")
    said = (len(reply.text or "") + sum(len(call.arguments) for call in reply.calls)) // 4 + 1
    asked_for = len(asked) // 4 + 1
    usage = {"prompt_tokens": asked_for, "completion_tokens": said}
    return dataclasses.replace(reply, usage={**usage, "total_tokens": asked_for + said})


def _arguments(schema: Json, rng: random.Random) -> Json:
    """Some value for each property, of its type."""
    values: dict[str, Any] = {
        "integer": rng.randint(1, 9999),
        "number": rng.randint(1, 9999) / 10,
        "boolean": rng.random() < 0.5,
        "array": [],
        "object": {},
    }
    return {
        name: rng.choice(kind["enum"])
        if kind.get("enum")
        else values.get(str(kind.get("type")), rng.choice(_WORDS.split()))
        for name, kind in (schema.get("properties") or {}).items()
    }


def _tool(tools: list[Json], messages: list[Json], rng: random.Random) -> Json:
    functions = [tool["function"] for tool in tools]
    if [each["name"] for each in functions] == ["send_message", "end_conversation"]:
        said = sum(message.get("role") == "assistant" for message in messages)
        return dict(functions[said >= 3])
    return dict(rng.choice(functions))


def _schema(messages: list[Json]) -> Json | None:
    """The schema that a simulated result is to fit, in a prompt of the tool simulator."""
    found = _RESULT.search(str(messages[0].get("content")))
    return json.loads(found[1]) if found else None


def _pieces(text: str, size: int) -> Iterator[str]:
    for at in range(0, len(text), size):
        yield text[at : at + size]
