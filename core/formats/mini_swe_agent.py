"""Trajectories of mini-swe-agent (``.traj.json``): a bare list of messages, or an object that holds
one with what is known of the run.

Its actions stand in the text of the replies, in code blocks, and their output comes as a message
of the user: both stay what the model was sent. From version 2 on there are tool calls too. The end
is a message of the role ``exit``, or stands in ``info``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import Fault, FormatError
from ..model.marks import Score
from ..model.messages import Stop
from ..model.steps import Call, Usage
from .reading.building import TreeBuilder, imported_project
from .reading.chat import ChatReader
from .reading.json_in import as_text
from .reading.record import Imported, Reader, Record
from .reading.values import count, items, number, score_value, seconds, shown, table, text, without

_ENDS = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_BLOCKS = ("```bash\n", "```mswea_bash_command\n")
_OUTPUTS = ("<returncode>", "<output>", "Observation:")


def recognise(value: Any) -> int:
    """Whether it is a trajectory of mini-swe-agent."""
    if isinstance(value, list):
        return _bare(value)
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return 0
    if text(value.get("trajectory_format")).startswith("mini-swe-agent"):
        return 99
    info = table(value.get("info"))
    return 95 if info.keys() & {"mini_version", "model_stats", "exit_status", "submission"} else 0


def _bare(messages: list[Any]) -> int:
    """A bare list is known by what the first messages ask for and answer."""
    first = messages[:6]
    if not first or not all(isinstance(each, dict) and "role" in each for each in first):
        return 0
    said = [text(each.get("content")) for each in first]
    if any(_ENDS in each for each in said):
        return 95
    acts = any(block in each for each in said for block in _BLOCKS)
    return 85 if acts and any(each.startswith(_OUTPUTS) for each in said) else 0


def read(record: Record) -> Iterator[Imported]:
    """The trajectory. Raises FormatError where there is none."""
    whole = {"messages": record.value} if isinstance(record.value, list) else table(record.value)
    builder = TreeBuilder(record.digest)
    chat = ChatReader(builder)
    for index, message in enumerate(items(whole.get("messages"))):
        _read_message(chat, builder, message, f"messages[{index}]")
    if not builder.steps:
        fault = Fault("the trajectory has no messages.", where="messages")
        raise FormatError(faults=(fault,))
    info = table(whole.get("info"))
    _end(builder, info)
    task = _task(whole)
    title = text(whole.get("instance_id")) or task[:80] or "mini-swe-agent"
    project = imported_project(
        title,
        system=chat.system.text if chat.system else None,
        goal=task,
        metadata=as_text({"mini-swe-agent": without(info, "submission")}) if info else "{}",
    )
    yield Imported(
        project,
        builder.steps,
        title,
        scores=tuple(_scores(builder, info)),
        extra=as_text(rest) if (rest := without(whole, "messages")) else "",
        notes=tuple(builder.notes),
        created_at=builder.steps[0].created_at,
    )


READER = Reader(recognise, read)


def _read_message(chat: ChatReader, builder: TreeBuilder, message: Any, where: str) -> None:
    if not isinstance(message, dict):
        chat.read_one(message, where)
        return
    more = table(message.get("extra"))
    at = seconds(more.get("timestamp")) or seconds(message.get("timestamp"))
    if message.get("role") == "exit":
        reason = shown(more.get("exit_status")) or "exit"
        rest = without(message, "role", "content")
        note = shown(message.get("content"))
        builder.add(Stop(reason, "rule", note), extra=as_text(rest), created_at=at)
        return
    step_id = chat.read_one(message, where)
    if step_id is not None:
        builder.replace(step_id, created_at=at, call=_call(more))


def _call(more: dict[str, Any]) -> Call | None:
    """How a reply was made, where the model's own answer is kept beside it."""
    response = table(more.get("response"))
    if not response and "cost" not in more:
        return None
    usage = table(response.get("usage"))
    tokens = Usage(
        count(usage.get("prompt_tokens", usage.get("input_tokens"))),
        count(usage.get("completion_tokens", usage.get("output_tokens"))),
    )
    model = text(response.get("model"))
    return Call(
        model, usage=tokens, cost=number(more.get("cost")), response_id=text(response.get("id"))
    )


def _end(builder: TreeBuilder, info: dict[str, Any]) -> None:
    """The stop that ``info`` tells of, where no message of the role exit told it."""
    ended = isinstance(builder.steps[-1].payload, Stop)
    reason = shown(info.get("exit_status"))
    if reason and not ended:
        builder.add(Stop(reason, "rule", shown(info.get("submission"))))


def _task(whole: dict[str, Any]) -> str:
    """The task, where the file names it."""
    agent = table(table(table(whole.get("info")).get("config")).get("agent"))
    for place in (whole.get("task"), whole.get("problem_statement"), agent.get("task")):
        if text(place):
            return text(place)
    return ""


def _scores(builder: TreeBuilder, info: dict[str, Any]) -> Iterator[Score]:
    last = builder.steps[-1]
    if isinstance(last.payload, Stop):
        words = shown(info.get("traceback")) or shown(info.get("exception_str"))
        if not words and not last.payload.note:
            words = "nothing was submitted"
        yield Score("exit_status", last.payload.reason, words, "mini-swe-agent", (last.id,))
    for key in ("resolved", "score", "reward"):
        if info.get(key) is not None:
            yield Score(key, score_value(info[key]), "", "mini-swe-agent")
