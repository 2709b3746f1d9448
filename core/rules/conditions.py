"""Whether a ``when`` holds: a pure function of what the role was just told.

*Just told* is, for the target, all that came since its own last reply (the user's message, or the
tool results); for the evaluator, the target's last reply and the tool results of that turn, as far
as the evaluator may see them. ``text`` and ``regex`` may be found in any one of these messages;
``tool`` and ``result`` look at the last tool result among them. All that a ``when`` names must
hold; one that names nothing always holds.

``turn`` is the number, from 1, of the turn that the answer belongs to: an evaluator's line with
``turn: 2`` is the message that opens the second turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..errors import UsageError
from ..model.messages import Payload, TargetReply, ToolCall, ToolResult, UserMessage, payload_text
from ..model.project import When
from .json_values import MISSING, at, parse, pointer_tokens, same_value
from .searching import searcher


def holds(when: When, messages: tuple[Payload, ...], turn_index: int) -> bool:
    """Whether the condition holds for a role that has seen ``messages`` and answers in turn
    ``turn_index`` (from 0). Raises UsageError for a condition that can never be asked (see
    ``problem``).
    """
    if when.turn is not None and when.turn != turn_index + 1:
        return False
    told = just_told(messages)
    if when.text is not None and not _has_text(when.text, told):
        return False
    if when.regex is not None and not _has_match(when.regex, told):
        return False
    if when.tool is None and when.result is None:
        return True
    result = next((m for m in reversed(told) if isinstance(m, ToolResult)), None)
    if result is None:
        return False
    if when.tool is not None and answered_tool(result, messages) != when.tool:
        return False
    return when.result is None or _has_values(when.result, result)


def problem(when: When) -> str:
    """What is wrong with a condition (a bad regular expression or JSON pointer), or ""."""
    try:
        if when.regex is not None:
            _pattern(when.regex)
        if when.result is not None:
            _wanted(when.result)
    except UsageError as error:
        return str(error)
    return ""


def just_told(messages: tuple[Payload, ...]) -> tuple[Payload, ...]:
    """The messages that the role has not answered yet (see above). Which role it is follows from
    the last message: only the evaluator is asked after a target reply.
    """
    if messages and isinstance(messages[-1], TargetReply):
        return _told_evaluator(messages)
    start = len(messages)
    while start and not isinstance(messages[start - 1], TargetReply):
        start -= 1
    return messages[start:]


def answered_tool(result: ToolResult, messages: tuple[Payload, ...]) -> str | None:
    """The name in the call that a result answers, or None when that call is not to be seen."""
    call = answered_call(result, messages)
    return call.name if call is not None else None


def answered_call(result: ToolResult, messages: Sequence[Payload]) -> ToolCall | None:
    """The call that a result answers, or None when it is not to be seen. Ids may come again in
    later turns: the newest call counts.
    """
    for message in reversed(messages):
        if isinstance(message, TargetReply):
            for call in message.tool_calls:
                if call.id == result.call_id:
                    return call
    return None


def _told_evaluator(messages: tuple[Payload, ...]) -> tuple[Payload, ...]:
    told: list[Payload] = [messages[-1]]
    for message in reversed(messages[:-1]):
        if isinstance(message, UserMessage):
            break
        if isinstance(message, ToolResult):
            told.append(message)
    told.reverse()
    return tuple(told)


def _has_text(wanted: str, told: tuple[Payload, ...]) -> bool:
    folded = wanted.casefold()
    return any(folded in payload_text(message).casefold() for message in told)


def _has_match(regex: str, told: tuple[Payload, ...]) -> bool:
    _pattern(regex)
    search = searcher(regex, otherwise=False)
    return any(search(payload_text(message)) for message in told)


def _has_values(wanted: str, result: ToolResult) -> bool:
    found = parse(payload_text(result))
    if found is MISSING:
        return False
    return all(same_value(at(found, tokens), value) for tokens, value in _wanted(wanted))


@lru_cache(maxsize=1024)
def _pattern(regex: str) -> re.Pattern[str]:
    try:
        return re.compile(regex)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(f"The regex {regex!r} is not a regular expression: {error}.") from error


@lru_cache(maxsize=1024)
def _wanted(result: str) -> tuple[tuple[tuple[str, ...], Any], ...]:
    pairs = parse(result)
    if not isinstance(pairs, dict):
        raise UsageError(
            "result must be an object of JSON pointers and the values that stand there, such as "
            f'{{"/status": "lost"}}, and is {result[:80]}.'
        )
    try:
        return tuple((pointer_tokens(pointer), value) for pointer, value in pairs.items())
    except ValueError as error:
        raise UsageError(f"result: {error}.") from error
