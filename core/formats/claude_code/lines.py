"""The lines of a Claude Code session, put together to messages that know the one before them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..reading.values import items, shown, table, text


class Spoken(msgspec.Struct):
    """A message: ``line`` is its first line, ``message`` all of its blocks, ``parent`` the node
    before it, where that is in the file.
    """

    node: int
    number: int
    line: dict[str, Any]
    message: dict[str, Any]
    parent: int | None = None
    conversation: str = ""

    @property
    def is_result(self) -> bool:
        """Whether it answers calls."""
        blocks = items(self.message.get("content"))
        return any(table(block).get("type") == "tool_result" for block in blocks)

    @property
    def failed(self) -> bool:
        """Whether it tells of a call that failed, in the place of a reply."""
        return self.line.get("isApiErrorMessage") is True


class Session:
    """All lines of a file: which are messages, in what order they follow each other, and to which
    conversation each belongs.
    """

    def __init__(self, values: list[Any], numbers: tuple[int, ...]) -> None:
        self.nodes: list[Spoken] = []
        self.others: list[str] = []
        """The kinds of the lines that are no messages."""
        self._node_of: dict[str, int] = {}
        self._before: dict[str, str] = {}
        self._titles: list[tuple[int, int, str]] = []
        self._compactions: list[tuple[int, str]] = []
        self._lost: list[tuple[int, str]] = []
        self._summaries: list[tuple[int, str, str]] = []
        replies: dict[str, int] = {}
        for number, value in zip(numbers, values, strict=False):
            if isinstance(value, dict):
                self._take(value, number, replies)
        for spoken in self.nodes:
            self._join(spoken)

    def conversations(self) -> list[str]:
        """Names of the conversations, those of sessions before those of sub-agents."""
        names = dict.fromkeys(each.conversation for each in self.nodes)
        return sorted(names, key=lambda name: "/" in name)

    def of(self, name: str) -> Iterator[Spoken]:
        """The messages of a conversation, as they stand in the file."""
        return (each for each in self.nodes if each.conversation == name)

    def title(self, name: str) -> str:
        """The title that a person or the program gave the session; the last one counts."""
        if "/" in name:
            return ""
        own = [(0, number, said) for number, leaf, said in self._summaries if leaf in self._before]
        return max((*own, *self._titles), default=(0, 0, ""))[2]

    def outside(self, name: str) -> list[str]:
        """Summaries of other sessions, that the file begins with."""
        if "/" in name:
            return []
        return [said for _, leaf, said in self._summaries if leaf not in self._before]

    def compactions(self, name: str) -> list[int]:
        """Lines at which the conversation was shortened."""
        return [number for number, each in self._compactions if each == name]

    def cut_off(self, name: str) -> list[int]:
        """Lines whose message names one before it that is not there."""
        return [number for number, each in self._lost if each == name]

    def _take(self, line: dict[str, Any], number: int, replies: dict[str, int]) -> None:
        uuid = text(line.get("uuid"))
        before = text(line.get("parentUuid")) or text(line.get("logicalParentUuid"))
        if uuid:
            if uuid in self._before:
                return  # the same line once more
            self._before[uuid] = before
        message = line.get("message")
        if line.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            self._other(line, number)
            return
        reply = text(message.get("id")) if line["type"] == "assistant" else ""
        known = replies.get(reply) if reply else None
        if known is not None:
            _append(self.nodes[known], message)
        else:
            known = len(self.nodes)
            self.nodes.append(Spoken(known, number, line, {"role": line["type"], **message}))
            if reply:
                replies[reply] = known
        if uuid:
            self._node_of[uuid] = known

    def _other(self, line: dict[str, Any], number: int) -> None:
        kind = shown(line.get("type")) or "unknown"
        if kind == "summary":
            leaf, said = text(line.get("leafUuid")), text(line.get("summary"))
            self._summaries.append((number, leaf, said))
        elif kind in ("ai-title", "custom-title"):
            said = text(line.get("customTitle")) or text(line.get("aiTitle"))
            self._titles.append((1 + (kind == "custom-title"), number, said))
        elif line.get("subtype") == "compact_boundary":
            self._compactions.append((number, _name(line)))
        else:
            self.others.append(shown(line.get("subtype")) or kind)

    def _join(self, spoken: Spoken) -> None:
        """Find the message before this one, past lines that are none."""
        line = spoken.line
        before = text(line.get("parentUuid")) or text(line.get("logicalParentUuid"))
        passed: set[str] = set()
        while before and before not in self._node_of and before not in passed:
            passed.add(before)
            if before not in self._before:
                self._lost.append((spoken.number, _name(line)))
            before = self._before.get(before, "")
        parent = self._node_of.get(before)
        if parent is not None and parent < spoken.node:
            spoken.parent = parent
            spoken.conversation = self.nodes[parent].conversation
        else:
            spoken.conversation = _name(line)


def _append(spoken: Spoken, message: dict[str, Any]) -> None:
    """The next blocks of a reply; what its last line says of its end and its tokens counts."""
    blocks = [*_blocks(spoken.message.get("content")), *_blocks(message.get("content"))]
    spoken.message = {**spoken.message, **message, "content": blocks}


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else items(content)


def _name(line: dict[str, Any]) -> str:
    """The conversation that a line without one before it begins: the session, or in it that of a
    sub-agent.
    """
    session = text(line.get("sessionId")) or "session"
    if line.get("isSidechain") is True:
        return f"{session}/{text(line.get('agentId')) or text(line.get('uuid')) or 'agent'}"
    return session
