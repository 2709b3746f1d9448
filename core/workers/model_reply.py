"""A reply as it arrives: rebuilt from deltas, or read whole, with nothing lost on the way.

litellm's own rebuilding joins blocks and invents numbers, so it is done here. Where litellm makes
something up in place of what is missing (a call's id, a usage, a finish reason), the bytes that
came over the wire say what was there.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable
from typing import Any

from ..errors import RoleError
from ..model.failures import kept
from ..model.messages import Reasoning, ToolCall
from ..model.steps import Usage
from .model_request import ModelReply, ModelRequest
from .prices import about_tokens, price_of
from .rewriting import CHAT
from .spoken import Spoken
from .watching import Wire

MOST_TEXT = 1_000_000
"""Characters of text, and of reasoning, that a reply may hold."""

MOST_ARGUMENTS = 256_000
"""Characters of arguments that one call may hold."""

_THINK = re.compile(r"\s*<(think|thinking)>(.*?)</\1>(.*)", re.DOTALL)
_THINKING = ("<think>", "<thinking>")
_USAGE = re.compile(rb'"usage\w*"\s*:\s*\{')
_REASONING_TOKENS = re.compile(rb'"(reasoning_tokens|thoughtsTokenCount)"')
_FINISH = re.compile(rb'"finish_reason"\s*:\s*"([^"\\]+)"')
_CONTENT = re.compile(r'"content"\s*:\s*("(?:[^"\\]|\\.)*)', re.DOTALL)
_FINISHES = frozenset(
    {"stop", "length", "tool_calls", "content_filter", "function_call", "eos", "end_turn"}
)


class _Call:
    """A tool call whose arguments are arriving."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.size = 0


class Arriving:
    """Collects a reply. ``tell`` gets the text as it comes; ``spoken`` is the member whose text is
    told where the reply is an object or a call.
    """

    def __init__(self, tell: Callable[[str], None], spoken: str = "") -> None:
        self._tell = tell
        self._spoken = Spoken(spoken, tell) if spoken else None
        self._is_object: bool | None = None if spoken else False
        self._text: list[str] = []
        self._told = ""
        self._reasoning: list[str] = []
        self._blocks: list[dict[str, Any]] = []
        self._calls: list[_Call] = []
        self._at: dict[int, _Call] = {}
        self._refusal: list[str] = []
        self._finish = ""
        self._id = ""
        self._usage: Any = None
        self._priced: Any = None
        self._size = 0
        self.began_at = 0.0

    @property
    def begun(self) -> bool:
        """Has anything of a reply arrived? ``began_at`` says when, by the monotonic clock."""
        return self.began_at > 0

    def _begin(self) -> None:
        self.began_at = self.began_at or time.monotonic()

    @property
    def text(self) -> str:
        """The text so far, without what stands between think tags; of a message in a form, what
        it says.
        """
        said = self._spoken.text if self._spoken is not None else ""
        return said or split_thinking("".join(self._text), ended=True)[1]

    def add(self, chunk: Any) -> None:
        """Take one chunk of a stream. Raises RoleError when the reply does not end."""
        self._id = self._id or str(getattr(chunk, "id", None) or "")
        if getattr(chunk, "usage", None) is not None:
            self._usage, self._priced = chunk.usage, chunk
        for choice in chunk.choices or ():
            self._finish = choice.finish_reason or self._finish
            if choice.delta is not None:
                self._add_delta(choice.delta)

    def take(self, response: Any) -> None:
        """Take a whole response."""
        self._id = str(getattr(response, "id", None) or "")
        self._usage, self._priced = getattr(response, "usage", None), response
        for choice in (response.choices or ())[:1]:
            native = (getattr(choice, "provider_specific_fields", None) or {}).get(
                "native_finish_reason"
            )
            self._finish = native or choice.finish_reason or ""
            self._add_delta(choice.message)

    def _add_delta(self, delta: Any) -> None:
        thought, text = _thought_and_text(delta.content)
        if text:
            self._hear(text[: MOST_TEXT - self._size])
            self._grow(self._text, text)
        # Local servers name it either way.
        reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
        if thought or reasoning:
            self._grow(self._reasoning, thought or str(reasoning))
        for block in getattr(delta, "thinking_blocks", None) or ():
            # litellm numbers the pieces of a stream; that is no part of the block.
            self._add_block({key: value for key, value in block.items() if key != "index"})
        refusal = getattr(delta, "refusal", None)
        if refusal:
            self._grow(self._refusal, refusal)
        for place, call in enumerate(delta.tool_calls or ()):
            index = getattr(call, "index", None)
            self._add_call(place if index is None else index, call)

    def _hear(self, text: str) -> None:
        if self._is_object is None and text.strip():
            self._is_object = text.lstrip().startswith(("{", "`"))
        if self._is_object and self._spoken is not None:
            self._spoken.add(text)
        else:
            self._tell(text)

    def _grow(self, pieces: list[str], text: str) -> None:
        self._begin()
        room = MOST_TEXT - self._size
        pieces.append(text[:room])
        self._size += min(room, len(text))
        if len(text) > room:
            raise RoleError(
                f"The reply did not end, and was cut off.{kept(self._size)}", kind="overflow"
            )

    def _add_block(self, block: dict[str, Any]) -> None:
        """Thinking comes in pieces, its signature last; what follows that is another block."""
        self._begin()
        last = self._blocks[-1] if self._blocks else None
        if (
            last is None
            or last.get("type") != "thinking"
            or block.get("type") != "thinking"
            or last.get("signature")
        ):
            self._blocks.append(block)
            return
        last["thinking"] = (last.get("thinking") or "") + (block.get("thinking") or "")
        if block.get("signature"):
            last["signature"] = block["signature"]

    def _add_call(self, index: int, delta: Any) -> None:
        self._begin()
        call = self._at.get(index)
        if call is None or (delta.id and call.id and delta.id != call.id):
            call = self._at[index] = _Call()
            self._calls.append(call)
        call.id = call.id or delta.id or ""
        call.name = call.name or delta.function.name or ""
        arguments = delta.function.arguments or ""
        call.arguments.append(arguments)
        if self._spoken is not None and call is self._calls[0]:
            self._spoken.add(arguments[: max(MOST_ARGUMENTS - call.size, 0)])
        call.size += len(arguments)
        if call.size > MOST_ARGUMENTS:
            raise RoleError(
                f"The arguments of a call of {call.name} did not end, and were cut off after "
                f"{MOST_ARGUMENTS:,} characters.",
                kind="overflow",
            )

    def reply(self, request: ModelRequest, wire: Wire) -> ModelReply:
        """The complete reply. Raises RoleError when there is nothing in it."""
        thought, text = split_thinking("".join(self._text), ended=True)
        finish = _native_finish(self._finish, wire)
        refusal = "".join(self._refusal)
        calls = _without_made_up_ids(tuple(map(_whole, self._calls)), wire)
        if not text and not calls and not refusal:
            raise _nothing(finish, wire)
        usage, cost = self._used(request, wire, text, calls)
        return ModelReply(
            text,
            self._reasoning_blocks(thought),
            calls,
            finish,
            refusal,
            usage,
            cost,
            self._id,
            sent=_sent(wire),
        )

    def _reasoning_blocks(self, thought: str) -> tuple[Reasoning, ...]:
        """The blocks with their own JSON where the provider gave any, else the plain text."""
        if self._blocks:
            return tuple(
                Reasoning(
                    str(block.get("thinking") or ""),
                    block.get("signature") or None,
                    json.dumps(block, ensure_ascii=False),
                )
                for block in self._blocks
            )
        text = "".join(self._reasoning) or thought
        return (Reasoning(text),) if text else ()

    def so_far(
        self, request: ModelRequest, wire: Wire, partial: str
    ) -> tuple[Usage | None, float | None]:
        """What was used and what that has probably cost, when no more comes than this ``partial``;
        None where nothing has arrived and the provider does not say otherwise.
        """
        if not self.begun and not partial and _usage(self._usage, wire) is None:
            return None, None
        text = "".join(self._text) or partial
        return self._used(request, wire, text, tuple(map(_whole, self._calls)))

    def _used(
        self, request: ModelRequest, wire: Wire, text: str, calls: tuple[ToolCall, ...]
    ) -> tuple[Usage, float | None]:
        """As the provider counted it, else estimated."""
        usage = _usage(self._usage, wire)
        if usage is None:
            usage = _estimate(request, text, self._reasoning, calls)
            return usage, _table_cost(request.model, usage)
        cost = _told_cost(self._priced)
        return usage, _table_cost(request.model, usage) if cost is None else cost


def _thought_and_text(content: Any) -> tuple[str, str]:
    """What content says: it is a text, or a list of parts."""
    if not isinstance(content, list):
        return "", content or ""
    texts = [part.get("text") or "" for part in content if part.get("type") == "text"]
    thoughts = [
        piece.get("text") or ""
        for part in content
        if part.get("type") == "thinking"
        for piece in part.get("thinking") or ()
    ]
    return "".join(thoughts), "".join(texts)


def split_thinking(text: str, *, ended: bool) -> tuple[str, str]:
    """What stands between think tags at the head of a text, and the rest: some local servers leave
    them there. A tag that is still open leaves no rest, unless the text has ended.
    """
    found = _THINK.match(text)
    if found:
        return found.group(2), found.group(3)
    head = text.lstrip()[:10]
    may_think = any(tag.startswith(head) or head.startswith(tag) for tag in _THINKING)
    return "", "" if may_think and not ended else text


def half_content(body: bytes) -> str:
    """The text of a reply whose JSON was cut off."""
    found = _CONTENT.search(body.decode("utf-8", "ignore"))
    if found is None:
        return ""
    for cut in range(6):  # the end may be within an escape such as \\u00e9
        with contextlib.suppress(ValueError):
            text: str = json.loads(found.group(1)[: len(found.group(1)) - cut] + '"')
            return text
    return ""


def _whole(call: _Call) -> ToolCall:
    return ToolCall(call.id, call.name, "".join(call.arguments))


def _nothing(finish: str, wire: Wire) -> RoleError:
    if finish == "length":
        return RoleError("Cut off by length before any text.", kind="stopped")
    if finish == "content_filter":
        return RoleError("Blocked by the content filter.", kind="stopped")
    if "html" in wire.headers.get("content-type", ""):
        return RoleError("The server sent something that is not a model reply.", kind="bad_reply")
    return RoleError("The model returned nothing.", kind="empty")


def _native_finish(finish: str, wire: Wire) -> str:
    """The provider's own word, where litellm puts ``stop`` in the place of one it does not know."""
    said = _FINISH.findall(wire.body) if finish == "stop" and wire.streams else ()
    own = said[-1].decode("utf-8", "replace") if said else finish
    return finish if own in _FINISHES else own


def _without_made_up_ids(calls: tuple[ToolCall, ...], wire: Wire) -> tuple[ToolCall, ...]:
    """Ids that litellm made for calls that came without one are taken away again."""
    if not calls or wire.streams:
        return calls
    try:
        came = json.loads(wire.body)["choices"][0]["message"]["tool_calls"]
        named = [bool(call.get("id")) for call in came]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return calls  # another shape, whose ids are needed there
    if len(named) != len(calls):
        return calls
    return tuple(
        call if has_id else ToolCall("", call.name, call.arguments)
        for call, has_id in zip(calls, named, strict=True)
    )


def _usage(usage: Any, wire: Wire) -> Usage | None:
    """What the provider counted; None where it did not: litellm then invents numbers."""
    prompt = int(getattr(usage, "prompt_tokens", None) or 0)
    completion = int(getattr(usage, "completion_tokens", None) or 0)
    if not (prompt or completion) or (wire.requests and not _USAGE.search(wire.body)):
        return None
    of_completion = getattr(usage, "completion_tokens_details", None)
    of_prompt = getattr(usage, "prompt_tokens_details", None)
    counted = _REASONING_TOKENS.search(wire.body)
    reasoning = getattr(of_completion, "reasoning_tokens", None) if counted else None
    cached = getattr(of_prompt, "cached_tokens", None)
    return Usage(prompt, completion, int(reasoning or 0), int(cached or 0))


def _estimate(
    request: ModelRequest, text: str, reasoning: list[str], calls: tuple[ToolCall, ...]
) -> Usage:
    """What the call has probably used."""
    said = len(text) + sum(map(len, reasoning)) + sum(len(call.arguments) for call in calls)
    return Usage(about_tokens(len(request.messages)), about_tokens(said), estimated=True)


def _table_cost(model: str, usage: Usage) -> float | None:
    price = price_of(model)
    return price.cost(usage) if price is not None else None


def _told_cost(priced: Any) -> float | None:
    """What litellm has reckoned, which knows a provider's special rates."""
    cost = (getattr(priced, "_hidden_params", None) or {}).get("response_cost")
    return float(cost) if cost is not None else None


def _sent(wire: Wire) -> str:
    """The parameters as they went out, with the tools where the provider takes the chat shape."""
    apart = ["model", "messages", "system", "contents", "input", "system_instruction"]
    if CHAT not in wire.url:
        apart.append("tools")
    params = {name: value for name, value in wire.sent.items() if name not in apart}
    return json.dumps(params, ensure_ascii=False)
