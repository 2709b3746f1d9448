"""Reading ``eliza_native_v1``: the rows of one trajectory become one tree.

Each row repeats the whole history. Messages that an earlier row had, as history or as its response,
are the same steps; what stands in no field of ours stays on the reply that the row is about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from ...errors import Fault, FormatError
from ...model.marks import Score
from ...model.messages import SystemNote, TargetReply, ToolCall, ToolResult, UserMessage, text_parts
from ...model.steps import Call, Usage
from ..reading.building import TreeBuilder, imported_project
from ..reading.chat import SYSTEM, ChatReader
from ..reading.json_in import as_text
from ..reading.record import Imported, Reader, Record
from ..reading.tools import read_declared
from ..reading.values import count, items, score_value, seconds, table, text
from .messages import are_plain_calls, is_plain, key_of
from .parts import as_chat
from .rows import FORMAT, KEYS

_REQUEST = ("system", "messages", "tools")
_RESPONSE = ("text", "toolCalls")
_FIELDS = frozenset({*_REQUEST, *_RESPONSE, "prompt"})
_IDS = frozenset({"boundary", "trajectoryId", "stepId", "callId", "stepIndex", "scenarioId"})
_TITLE = 80


def recognise(value: Any) -> int:
    """How surely a record is such a row."""
    if not isinstance(value, dict):
        return 0
    if value.get("format") == FORMAT:
        return 99
    known = isinstance(value.get("request"), dict) and isinstance(value.get("response"), dict)
    return 60 if known and "boundary" in value else 0


def group(value: Any) -> str:
    """The trajectory that a row belongs to; without an id, rows that begin alike."""
    value = table(value)
    found = value.get("trajectoryId")
    if isinstance(found, str) and found:
        return found
    request = table(value.get("request"))
    messages = request.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else request.get("prompt")
    begin = as_text([request.get("system"), first]).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(begin, digest_size=12).hexdigest()


def read(record: Record) -> Iterator[Imported]:
    """The tree that these rows make. Raises FormatError where none of them can be used."""
    values = record.value if isinstance(record.value, list) else [record.value]
    lines = record.lines or (record.number,) * len(values)
    tree = _Tree(record)
    for value, line in zip(values, lines, strict=False):
        tree.add(table(value), line)
    yield tree.imported()


READER = Reader(recognise, read, unit="group", group=group)


class _Node(msgspec.Struct):
    """A message that was read, and those that follow it."""

    step_id: str | None
    after: dict[Any, _Node]
    answered: bool = False
    """Whether a row is about it, so that it has that row's fields."""


class _Walk(msgspec.Struct, frozen=True):
    """The history of the row before: its messages, where they lead, and whether all of them are
    written again as they stand (``plain``).
    """

    messages: list[Any]
    system: str | None
    path: list[_Node]
    plain: bool


class _Tree:
    """Puts the rows of one trajectory together."""

    def __init__(self, record: Record) -> None:
        self.builder = TreeBuilder(record.digest)
        self.root = _Node(None, {})
        self.first: dict[str, Any] | None = None
        self.system: str | None = None
        self.tools: Any = None
        self.scores: dict[str, Score] = {}
        self.created_at = 0.0
        self.faults: list[Fault] = []
        self._walk = _Walk([], None, [], True)

    def add(self, row: dict[str, Any], line: int) -> None:
        """One row."""
        request, response = table(row.get("request")), row.get("response")
        given, system = _messages(request)
        messages = as_chat(given) if given is not None else None
        if not isinstance(response, dict) or messages is None:
            missing = "request.messages" if isinstance(response, dict) else "response"
            self.faults.append(Fault("this row has none; it was left out.", line, 0, missing))
            return
        if self.first is None:
            self.first, self.system, self.tools = row, system, request.get("tools")
        path = self._history(messages, system, plain=messages is given)
        self._response(row, response, path, line)
        for name in ("scenarioStatus", "judgeScore"):
            if row.get(name) is not None:
                self.scores[name] = Score(name, score_value(row[name]))

    # -- the tree ------------------------------------------------------------------------------

    def _history(self, messages: list[Any], system: str | None, *, plain: bool) -> list[_Node]:
        """Walks the messages, and adds those that are new; the nodes that they are.

        Most rows go on where the row before ended: what both have is not looked at again.
        """
        self.builder.here = None
        before = self._walk
        known = len(before.messages)
        if known and before.system == system and messages[:known] == before.messages:
            path, plain = [*before.path], plain and before.plain
        else:
            path, known = [self.root], 0
            if system != self.system:
                path.append(self._other_system(system))
        chat: ChatReader | None = None
        for index, message in enumerate(messages[known:], known):
            key = key_of(message)
            plain = plain and is_plain(message)
            node = path[-1].after.get(key)
            if node is None:
                chat = chat or self._reader(path)
                self.builder.here = path[-1].step_id
                step_id = chat.read_one(_cleaned(message), f"request.messages[{index}]")
                node = path[-1].after[key] = _Node(step_id, {})
            else:
                chat = None
                self._take_over(node, message)
            path.append(node)
        self._walk = _Walk(messages, system, path, plain)
        return path

    def _reader(self, path: list[_Node]) -> ChatReader:
        """A reader that knows which calls are open at the end of this path."""
        chat = ChatReader(self.builder, begun=True)
        answered: list[str] = []
        for node in reversed(path):
            payload = self.builder.step(node.step_id).payload if node.step_id else None
            if isinstance(payload, TargetReply):
                chat.calls.opened(payload.tool_calls)
                break
            if isinstance(payload, ToolResult):
                answered.append(payload.call_id)
        for call_id in reversed(answered):
            chat.calls.answered(call_id)
        return chat

    def _other_system(self, system: str | None) -> _Node:
        """A row with another system text than the first: its branch begins with a note."""
        key = f"system {system!r}"
        node = self.root.after.get(key)
        if node is None:
            extra = as_text({"$system": system})
            step_id = self.builder.add(SystemNote(text_parts(system or "")), extra=extra)
            node = self.root.after[key] = _Node(step_id, {})
            words = "a row has another system text than the first; shown as a system note"
            self.builder.note(words, "request.system")
        self.builder.here = node.step_id
        return node

    def _take_over(self, node: _Node, message: Any) -> None:
        """Arguments that a response had as an object stand in the history as the text that they
        were.
        """
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        if not calls or node.step_id is None:
            return
        payload = self.builder.step(node.step_id).payload
        if not isinstance(payload, TargetReply):
            return
        given = [table(table(call).get("function")).get("arguments") for call in calls]
        made = tuple(
            msgspec.structs.replace(call, arguments=said) if isinstance(said, str) else call
            for call, said in zip(payload.tool_calls, given, strict=False)
        )
        if made != payload.tool_calls and len(made) == len(payload.tool_calls):
            replaced = msgspec.structs.replace(payload, tool_calls=made)
            self.builder.replace(node.step_id, payload=replaced)

    def _response(
        self, row: dict[str, Any], response: dict[str, Any], path: list[_Node], line: int
    ) -> None:
        reply = self._reply(response, line)
        key = key_of(_as_message(reply))
        node = path[-1].after.get(key)
        if node is None:
            self.builder.here = path[-1].step_id
            node = path[-1].after[key] = _Node(self.builder.add(reply), {})
        elif node.answered:
            words = "this row has the request and the response of another; read once"
            self.builder.note(words, "response", line=line)
            return
        assert node.step_id is not None
        node.answered = True
        step = self.builder.step(node.step_id)
        kept = as_text(self._kept(row, response))
        at = seconds(row.get("timestamp"))
        self.created_at = self.created_at or at
        payload = step.payload
        if isinstance(payload, TargetReply) and not payload.finish_reason:
            payload = msgspec.structs.replace(payload, finish_reason=reply.finish_reason)
        extra = f"{step.extra[:-1]}, {kept[1:]}" if step.extra else kept
        self.builder.replace(
            node.step_id, payload=payload, extra=extra, call=_call(row, response), created_at=at
        )

    def _reply(self, response: dict[str, Any], line: int) -> TargetReply:
        said, given = response.get("text"), response.get("toolCalls")
        calls = []
        for index, item in enumerate(given if isinstance(given, list) else []):
            call = table(item)
            name, call_id = text(call.get("toolName")), text(call.get("toolCallId"))
            arguments = call.get("input")
            if not call_id:
                where = f"response.toolCalls[{index}].toolCallId"
                self.builder.note("the tool call has no id; one was made", where, line=line)
            calls.append(
                ToolCall(
                    call_id or f"call_{index + 1}",
                    name,
                    arguments if isinstance(arguments, str) else as_text(arguments),
                    made_id=not call_id,
                )
            )
        if not text(said) and not calls:
            self.builder.note("the response is empty", "response", line=line)
        reason = text(response.get("finishReason"))
        return TargetReply(text_parts(text(said)), (), tuple(calls), reason)

    # -- what has no field -----------------------------------------------------------------------

    def _kept(self, row: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
        """What the row says besides, for the writer of such rows."""
        request = table(row.get("request"))
        ids = {key: row[key] for key in row if key in _IDS}
        if row.get("format") != FORMAT and "format" in row:
            ids["format"] = row["format"]
        kept: dict[str, Any] = {"$row": ids}
        more = {key: item for key, item in row.items() if key not in KEYS}
        if more:
            kept["row"] = more
        if "system" in request and not isinstance(request["system"], str):
            kept["request"] = {"system": request["system"]}
        for name, value, known in (
            ("request", request, _REQUEST),
            ("response", response, _RESPONSE),
        ):
            more = {key: item for key, item in value.items() if key not in (*known, "prompt")}
            if more:
                kept[name] = {**kept.get(name, {}), **more}
        messages = request.get("messages")
        if messages is None and isinstance(request.get("prompt"), str):
            kept["$prompt"] = True
        elif not (self._walk.plain and all(map(is_plain, items(messages)[:1]))):
            kept["$messages"] = messages
        if not isinstance(request.get("system"), str) and _has_system(messages):
            kept["$system_in"] = "messages"
        if request.get("tools") != self.tools:
            kept["$tools"] = request.get("tools")
        calls = response.get("toolCalls")
        if not are_plain_calls(calls):
            kept.setdefault("response", {})["toolCalls"] = calls
        if not isinstance(response.get("text"), str) and "text" in response:
            kept.setdefault("response", {})["text"] = response["text"]
        order = {"row": list(row), "request": list(request), "response": list(response)}
        usual = {"row": KEYS, "request": _REQUEST, "response": _RESPONSE}
        odd = {name: keys for name, keys in order.items() if not _in_usual_order(keys, usual[name])}
        if odd:
            kept["$order"] = odd
        return kept

    def imported(self) -> Imported:
        """All that was read. Raises FormatError where that is nothing."""
        first = self.first
        if first is None:
            raise FormatError(faults=tuple(self.faults))
        declared = read_declared(self.tools, "request.tools", self.builder.note)
        name, scenario = text(first.get("trajectoryId")), text(first.get("scenarioId"))
        opening = self._opening()
        kept: dict[str, Any] = {}
        if declared.raw or self.tools == []:
            kept["$tools"] = self.tools
        project = imported_project(
            scenario or name or (opening or "")[:_TITLE],
            system=self.system,
            tools=declared.tools,
            opening=opening,
            metadata=as_text({"seed_task_id": scenario}) if scenario else "{}",
            project_id=name or None,
        )
        return Imported(
            project,
            self.builder.steps,
            title=project.title,
            key=name,
            scores=tuple(self.scores.values()),
            extra=as_text(kept) if kept else "",
            notes=(*self.faults, *self.builder.notes),
            created_at=self.created_at,
        )

    def _opening(self) -> str | None:
        for step in self.builder.steps:
            if isinstance(step.payload, UserMessage):
                return "".join(getattr(part, "text", "") for part in step.payload.parts)
        return None


def _messages(request: dict[str, Any]) -> tuple[list[Any] | None, str | None]:
    """The messages of a request, without a system text that comes first, and that text."""
    messages, system = request.get("messages"), request.get("system")
    if not isinstance(messages, list):
        prompt = request.get("prompt")
        if not isinstance(prompt, str):
            return None, None
        messages = [{"role": "user", "content": prompt}]
    if isinstance(system, str):
        return messages, system
    if _has_system(messages):
        return messages[1:], messages[0]["content"]
    return messages, None


def _has_system(messages: Any) -> bool:
    """Whether a list of messages begins with a system text."""
    first = table(messages[0]) if isinstance(messages, list) and messages else {}
    return text(first.get("role")) in SYSTEM and isinstance(first.get("content"), str)


def _as_message(reply: TargetReply) -> dict[str, Any]:
    calls = [
        {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
        for call in reply.tool_calls
    ]
    said = "".join(getattr(part, "text", "") for part in reply.parts)
    return {"role": "assistant", "content": said, **({"tool_calls": calls} if calls else {})}


def _cleaned(message: Any) -> Any:
    """A reply that only calls has no text, however its row says so."""
    if isinstance(message, dict) and message.get("content") == "" and message.get("tool_calls"):
        return {**message, "content": None}
    return message


def _in_usual_order(keys: list[str], usual: tuple[str, ...]) -> bool:
    """Whether a writer that knows nothing of the source puts just these keys in this order."""
    needed = [key for key in usual if key in keys]
    optional = {"system", "tools", "toolCalls", "scenarioId"}
    return keys == needed and all(key in keys or key in optional for key in usual)


def _call(row: dict[str, Any], response: dict[str, Any]) -> Call | None:
    """What the row says of the call's model and tokens."""
    model, usage = text(row.get("model")), table(response.get("usage"))
    if not model and not usage:
        return None
    prompt = count(usage.get("promptTokens", usage.get("inputTokens")))
    completion = count(usage.get("completionTokens", usage.get("outputTokens")))
    cached = count(usage.get("cacheReadInputTokens"))
    return Call(model, usage=Usage(prompt, completion, cached_tokens=cached))
