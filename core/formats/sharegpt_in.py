"""ShareGPT rows read, in all the dialects that they come in: ``from``/``value`` or ``role``/
``content`` under ``conversations``, the usual aliases of roles, and LLaMA-Factory's rows of two
answers (``chosen``, ``rejected``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .reading.calls import NO_ID
from .reading.json_in import JsonProblem, JsonReader, as_text
from .reading.pair_rows import PairRows
from .reading.record import Imported, Reader, Record
from .reading.role_rows import RoleRows
from .sharegpt import END, KEYS, RANKING, THINK
from .sharegpt_quick import QuickConversations

_ROLES = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "bot", "chatgpt", "bing", "ai"), "assistant"),
    "function_call": "function_call",
    **dict.fromkeys(("observation", "tool", "function", "ipython", "tool_response"), "tool"),
    "system": "system",
}
_USUAL = {"human": "user", "gpt": "assistant", "function_call": "", "observation": "tool"}
_KNOWN = ("conversations", "system", "tools", "chosen", "rejected")


def recognise(value: Any) -> int:
    """How surely a record is a ShareGPT row."""
    if not isinstance(value, dict):
        return 0
    said = value.get("conversations")
    if not isinstance(said, list) or not said or not isinstance(said[0], dict):
        return 20 if isinstance(said, list) else 0
    first = said[0]
    if "from" in first and "value" in first:
        return 94
    return 85 if "role" in first and ("content" in first or "value" in first) else 30


def read(record: Record) -> Iterable[Imported]:
    """The trajectory of a row; of a row of two answers a tree. Raises FormatError."""
    row = record.value
    ranking = isinstance(row, dict) and "chosen" in row and "rejected" in row
    taken: RoleRows = PairRows(record) if ranking else RoleRows(record)
    if not isinstance(row, dict):
        raise taken.refuse("this is no object with conversations.", "")
    extra = {key: value for key, value in row.items() if key not in _KNOWN}
    extra[KEYS] = list(row)
    taken.take_tools(row.get("tools") or None, "tools", extra)
    said = row.get("conversations")
    if not isinstance(said, list) or (not said and not ranking):
        raise taken.refuse("there is no list of messages.", "conversations")
    if isinstance(row.get("system"), str) and row["system"]:
        taken.read_one({"role": "system", "content": row["system"]}, "system")
    reader = _Conversation(taken)
    for index, entry in enumerate(said):
        reader.read(entry, f"conversations[{index}]")
    if not ranking:
        yield taken.imported(extra)
        return
    assert isinstance(taken, PairRows)
    extra[RANKING] = True
    taken.begin_answers()
    leaves = []
    for key, verdict in (("chosen", "accept"), ("rejected", "reject")):
        taken.begin_answer()
        for place, entry in enumerate(row[key] if isinstance(row[key], list) else [row[key]]):
            reader.read(entry, f"{key}[{place}]" if isinstance(row[key], list) else key)
        leaves.append(taken.end_answer("accept" if verdict == "accept" else "reject"))
    yield taken.imported(extra, head=leaves[0])


class _Conversation:
    """Turns entries of a conversation into chat messages."""

    def __init__(self, taken: RoleRows) -> None:
        self._taken = taken
        self._calls = 0
        """How many calls the last reply made."""

    def read(self, entry: Any, where: str) -> None:
        notes = self._taken.builder.notes
        if not isinstance(entry, dict):
            self._taken.read_one(entry, where)
            return
        before = len(notes)
        for message in self._messages(entry, where):
            self._taken.read_one(message, where)
        # These rows have no ids of calls, and that is no fault of theirs.
        notes[before:] = [note for note in notes[before:] if note.message != NO_ID]

    def _messages(self, entry: dict[str, Any], where: str) -> list[dict[str, Any]]:
        tag = entry.get("from", entry.get("role"))
        value = entry.get("value", entry.get("content"))
        more = {
            key: each
            for key, each in entry.items()
            if key not in ("from", "role", "value", "content")
        }
        role = _ROLES.get(tag, tag) if isinstance(tag, str) else tag
        if role == "function_call":
            return [self._reply(value, more, where)]
        if role == "assistant":
            return [self._reply_text(value, more)]
        if role == "tool":
            return self._results(value, more, where)
        return [{"role": role, "content": value, **more}]

    def _reply_text(self, value: Any, more: dict[str, Any]) -> dict[str, Any]:
        calls = more.get("tool_calls")
        self._calls = len(calls) if isinstance(calls, list) else 0
        thought, text = _thought(value)
        return {"role": "assistant", "content": text, **thought, **more}

    def _reply(self, value: Any, more: dict[str, Any], where: str) -> dict[str, Any]:
        """A reply that calls; kept as a text where its value is no JSON."""
        thought, text = _thought(value)
        calls = text
        if isinstance(text, str):
            try:
                calls = JsonReader().parse(text)[0]
            except JsonProblem:
                self._taken.builder.note("a function_call that is no JSON; shown as a text", where)
                return self._reply_text(value, more)
        given = calls if isinstance(calls, list) else [calls]
        self._calls = len(given)
        called = [each if isinstance(each, dict) else {"arguments": each} for each in given]
        return {
            "role": "assistant",
            "content": None,
            **thought,
            "tool_calls": [{"type": "function", "function": each} for each in called],
            **more,
        }

    def _results(self, value: Any, more: dict[str, Any], where: str) -> list[dict[str, Any]]:
        """The results that an observation holds: one for each call, where it is a list of them."""
        count, self._calls = self._calls, 0
        values = [value]
        if count > 1:
            parsed = _list(value)
            if len(parsed) == count:
                values = [each if isinstance(each, str) else as_text(each) for each in parsed]
            else:
                words = f"{count} calls were made, and this is one result; it answers the first"
                self._taken.builder.note(words, where)
        return [{"role": "tool", "content": each, **more} for each in values]


def _list(value: Any) -> list[Any]:
    if isinstance(value, str):
        try:
            value = JsonReader().parse(value)[0]
        except JsonProblem:
            return []
    return value if isinstance(value, list) else []


def _thought(value: Any) -> tuple[dict[str, str], Any]:
    """The reasoning that stands before an answer, and the answer."""
    if isinstance(value, str) and value.startswith(THINK):
        thought, end, rest = value[len(THINK) :].partition(END)
        if end:
            return {"reasoning_content": thought}, rest
    return {}, value


READER = Reader(recognise, read, quick=QuickConversations)
