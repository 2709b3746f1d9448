"""TRL rows read: conversations, prompts with completions (neighbours that begin alike make one
tree), and preferences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from ...model.marks import Mark
from ...model.messages import TargetReply
from ..openai_chat import recognise as recognise_chat
from ..reading.pair_rows import PairRows
from ..reading.quick_chat import QuickChat
from ..reading.record import Imported, Reader, Record
from ..reading.role_rows import ORDER, RoleRows, with_extra, with_marks
from .columns import HAD, MESSAGE_COLUMNS, OURS, STOP, read_columns
from .messages import COMPLETION, SHAPE, SIDES

_TOLD = ("chat_template_kwargs", *OURS)


def recognise(value: Any) -> int:
    """How surely a record is a TRL conversation: sure where something is TRL's own."""
    score = recognise_chat(value)
    if score < 70:
        return 0
    if any(key in value for key in _TOLD):
        return 91
    return 90 if any(_is_trls(message) for message in value["messages"]) else 60


def _is_trls(message: Any) -> bool:
    """Whether a message has what OpenAI's rows have not: arguments as objects, reasoning."""
    if not isinstance(message, dict):
        return False
    if isinstance(message.get("reasoning_content"), str) or isinstance(
        message.get("thinking"), str
    ):
        return True
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        inner = call.get("function") if isinstance(call, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get("arguments"), dict):
            return True
    return False


def read(record: Record) -> Iterable[Imported]:
    """The trajectory of one row. Raises FormatError."""
    row = record.value
    taken = RoleRows(record)
    if not isinstance(row, dict):
        raise taken.refuse("this is no object with messages.", "")
    extra = _besides(row)
    taken.read(row.get("messages"))
    taken.take_tools(row.get("tools"), "tools", extra)
    marks = taken.chat.marks
    stop, _ = read_columns(row, None)
    if stop is not None:
        taken.builder.add(stop)
    _, mark = read_columns(row, taken.builder.here)
    yield taken.imported(extra, marks=with_marks((*marks, *([mark] if mark else ()))))


def _besides(row: dict[str, Any]) -> dict[str, Any]:
    """What a row holds besides messages, tools and our columns."""
    known = (*MESSAGE_COLUMNS, "tools", *OURS)
    extra = {key: value for key, value in row.items() if key not in known}
    if STOP in row:
        extra[HAD] = True
    order = list(row)
    usual = [key for key in (*MESSAGE_COLUMNS, "tools") if key in row]
    usual += [key for key in row if key in extra] + [key for key in OURS if key in row]
    if order != usual:
        extra[ORDER] = order
    return extra


def _messages(value: Any, role: str) -> Any:
    """A list of messages; a string is one."""
    return [{"role": role, "content": value}] if isinstance(value, str) else value


def recognise_completion(value: Any) -> int:
    """How surely a record is a prompt with its completion."""
    if not isinstance(value, dict) or "prompt" not in value or "completion" not in value:
        return 0
    kinds = [type(value[key]) for key in ("prompt", "completion")]
    if kinds == [list, list]:
        return 92 if _is_chat(value["prompt"]) or _is_chat(value["completion"]) else 20
    return 75 if kinds == [str, str] else 10


def _is_chat(messages: Any) -> bool:
    return isinstance(messages, list) and any(isinstance(m, dict) and "role" in m for m in messages)


def group(value: Any) -> str:
    """Rows that begin with the same system text and first message, and have the same tools."""
    prompt = value.get("prompt") if isinstance(value, dict) else value
    head = prompt
    if isinstance(prompt, list):
        system = bool(prompt) and isinstance(prompt[0], dict) and prompt[0].get("role") == "system"
        head = prompt[: 2 if system else 1]
    tools = value.get("tools") if isinstance(value, dict) else None
    data = repr((head, tools)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_completions(record: Record) -> Iterable[Imported]:
    """The tree of neighbouring rows with the same beginning. Raises FormatError."""
    values = record.value if isinstance(record.value, list) else [record.value]
    taken = PairRows(record)
    besides = [_besides(row) if isinstance(row, dict) else {} for row in values]
    common = {
        key: value
        for key, value in besides[0].items()
        if all(repr(each.get(key)) == repr(value) for each in besides)
    }
    learnt: set[str] = set()
    lines = record.lines or (0,) * len(values)
    for row, own, line in zip(values, besides, lines, strict=True):
        taken.line = line
        if not isinstance(row, dict):
            raise taken.refuse("this is no object with a prompt and a completion.", "")
        taken.history(_messages(row.get("prompt"), "user"), "prompt", empty=True)
        before = taken.builder.here
        leaf = taken.answer(_messages(row.get("completion"), "assistant"), "completion")
        if leaf is not None:
            learnt |= _mark_completion(taken, before, leaf, own, common)
    first = values[0]
    taken.take_tools(first.get("tools"), "tools", common)
    if isinstance(first.get("prompt"), str):
        common[SHAPE] = "text"
    taken.marks += [Mark(each, train=False) for each in taken.replies() if each not in learnt]
    yield taken.imported(common)


def _mark_completion(
    taken: PairRows, before: str | None, leaf: str, own: dict[str, Any], common: dict[str, Any]
) -> set[str]:
    """Say on a row's last step that it ends one; the replies that the row teaches."""
    learnt, size = set(), 0
    here: str | None = leaf
    while here is not None and here != before:
        step = taken.builder.step(here)
        size += 1
        if isinstance(step.payload, TargetReply):
            learnt.add(here)
        here = step.parent_id
    more: dict[str, Any] = {COMPLETION: size}
    if differing := {key: value for key, value in own.items() if key not in common}:
        more["$row"] = differing
    taken.builder.replace(leaf, extra=with_extra(taken.builder.step(leaf).extra, more))
    return learnt


def recognise_preference(value: Any) -> int:
    """How surely a record is a preference."""
    if not isinstance(value, dict) or "chosen" not in value or "rejected" not in value:
        return 0
    kinds = {type(value[key]) for key in ("chosen", "rejected")}
    prompt = value.get("prompt")
    if kinds == {list} and _is_chat(value["chosen"]):
        return 93 if isinstance(prompt, list | str) or "prompt" not in value else 40
    return 76 if kinds == {str} and isinstance(prompt, str) else 10


def read_preference(record: Record) -> Iterable[Imported]:
    """The history with its two answers as takes, and a verdict on each. Raises FormatError."""
    row = record.value
    taken = PairRows(record)
    if not isinstance(row, dict):
        raise taken.refuse("this is no object with chosen and rejected.", "")
    extra = _besides(row)
    taken.take_tools(row.get("tools"), "tools", extra)
    chosen, rejected = (_messages(row.get(key), "assistant") for key in ("chosen", "rejected"))
    prompt = _messages(row.get("prompt", []), "user")
    if isinstance(row.get("prompt"), str) and isinstance(row.get("chosen"), str):
        extra[SHAPE] = "text"
    if "prompt" not in row and isinstance(chosen, list) and isinstance(rejected, list):
        extra[SHAPE] = "whole"
        prompt = [one for one, _ in takewhile(_same, zip(chosen, rejected, strict=False))]
        chosen, rejected = chosen[len(prompt) :], rejected[len(prompt) :]
    taken.history(prompt, "prompt", empty=True)
    sizes = [len(side) if isinstance(side, list) else 1 for side in (chosen, rejected)]
    if sizes != [1, 1]:
        extra[SIDES] = sizes
    leaf = taken.answer(chosen, "chosen", "accept")
    taken.answer(rejected, "rejected", "reject")
    yield taken.imported(extra, head=leaf)


def _same(pair: tuple[Any, Any]) -> bool:
    return repr(pair[0]) == repr(pair[1])


READER = Reader(recognise, read, quick=QuickChat)
COMPLETION_READER = Reader(recognise_completion, read_completions, "group", group=group)
PREFERENCE_READER = Reader(recognise_preference, read_preference)
