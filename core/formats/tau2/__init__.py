"""Results of tau2-bench: one file with ``simulations``, or a folder of them, one simulation a file.

In tau2 the user may call tools too. It ends a simulation by a token in its last message: that
message is its stop here, with all of its text, so that whoever goes on from a step before it meets
a stop again, and no message that the target would have to answer.

What a simulation was scored by comes along: the reward and why, every check behind it, and the
reviews, each with the steps that it speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import Fault, FormatError
from ...model.messages import Stop, StopBy, Text, UserMessage, parts_text
from ...model.project import Tool
from ...model.steps import Call, Usage
from ..reading.building import TreeBuilder, imported_project
from ..reading.chat import ChatReader
from ..reading.json_in import as_text
from ..reading.record import Imported, Reader, Record
from ..reading.tools import read_tools
from ..reading.values import count, items, number, seconds, shown, table, text, without
from .scores import scores_of

_SIGNS = ("termination_reason", "reward_info", "agent_cost", "user_cost", "start_time", "trial")
_TAKEN = ("timestamp", "cost", "usage", "generation_time_seconds")
_USER_STOP = "user_stop"
_WHO: dict[str, StopBy] = {_USER_STOP: "evaluator"}
_TOKENS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
_SCENARIO = ("reason_for_call", "known_info", "unknown_info", "task_instructions")


def recognise(value: Any) -> int:
    """Whether it is a simulation of tau2, or a document that holds them."""
    if not isinstance(value, dict):
        return 0
    if isinstance(value.get("simulations"), list):
        return 97 if value.keys() & {"tasks", "info", "simulation_index"} else 60
    if "task_id" not in value or not value.keys() & {"messages", "ticks"}:
        return 0
    signs = sum(key in value for key in _SIGNS)
    return 96 if signs > 1 else 70 * signs


def read(record: Record) -> Iterator[Imported]:
    """The simulation, or every one of a whole document. Raises FormatError."""
    value = record.value
    if isinstance(value, dict) and isinstance(value.get("simulations"), list):
        around = without(value, "simulations")
        if not value["simulations"]:
            raise FormatError(faults=(Fault("it holds no simulations.", where="simulations"),))
        for index, simulation in enumerate(value["simulations"]):
            yield _simulation(simulation, around, f"{record.digest}.{index}")
    else:
        yield _simulation(value, table(record.around), record.digest)


def beside(path: Path) -> Path | None:
    """The results that a simulation in a file of its own belongs to."""
    return path.parent.parent / "results.json" if path.parent.name == "simulations" else None


READER = Reader(recognise, read, samples=("simulations",), beside=beside)


def _simulation(value: Any, around: dict[str, Any], digest: str) -> Imported:
    if not isinstance(value, dict):
        raise FormatError(faults=(Fault("this is no simulation object."),))
    builder = TreeBuilder(digest)
    info = table(around.get("info"))
    messages, ids = _flat(_messages(value, builder)), {}
    chat = ChatReader(builder)
    for index, message in enumerate(messages):
        step_id = _read_message(chat, builder, message, index, info)
        if step_id is not None and isinstance(message, dict):
            ids[_turn(message, index)] = step_id
    if not builder.steps:
        raise FormatError(faults=(Fault("the simulation has no messages.", where="messages"),))
    _add_stop(builder, value)
    task = _task(value, around)
    environment = table(info.get("environment_info"))
    system = chat.system.text if chat.system else _policy(value, environment)
    title = f"{shown(environment.get('domain_name')) or 'tau2'} {shown(value.get('task_id'))}"
    if value.get("trial") is not None:
        title += f", trial {shown(value['trial'])}"
    project = imported_project(
        title,
        system=system,
        tools=_tools(environment, builder),
        goal=_goal(task),
        metadata=as_text({"tau2": without({"task": task, "info": _short(info)})}),
    )
    return Imported(
        project,
        builder.steps,
        title,
        key=text(value.get("id")),
        scores=tuple(scores_of(value, builder.steps, ids)),
        extra=as_text(without(value, "messages", "ticks")),
        notes=tuple(builder.notes),
        created_at=seconds(value.get("start_time")) or seconds(value.get("timestamp")),
    )


def _messages(value: dict[str, Any], builder: TreeBuilder) -> list[Any]:
    found = value.get("messages")
    if isinstance(found, list):
        return found
    if found is not None:
        builder.note("messages is no list; not read", "messages")
    ticks = items(value.get("ticks"))
    if ticks:
        builder.note(
            f"a spoken conversation: the chunks of {len(ticks)} ticks are joined to messages",
            "ticks",
        )
    return _spoken(ticks)


def _flat(messages: list[Any]) -> Iterator[Any]:
    """Several results in one message are one message each."""
    for message in messages:
        inside = message.get("tool_messages") if isinstance(message, dict) else None
        if isinstance(inside, list):
            yield from inside
        else:
            yield message


def _spoken(ticks: list[Any]) -> list[Any]:
    """What was said and called in each tick, the chunks of one speaker joined."""
    found: list[Any] = []
    for tick in map(table, ticks):
        for side, role in (("agent", "assistant"), ("user", "user")):
            chunk = table(tick.get(f"{side}_chunk"))
            calls = items(tick.get(f"{side}_tool_calls"))
            said = text(chunk.get("content"))
            last = found[-1] if found else {}
            if said and not calls and last.get("role") == role and not last.get("tool_calls"):
                last["content"] += said
            elif said or calls:
                at = chunk.get("timestamp", tick.get("timestamp"))
                message = {"role": role, "content": said, "tool_calls": calls, "timestamp": at}
                found.append(message)
            found += map(table, items(tick.get(f"{side}_tool_results")))
    return found


def _read_message(
    chat: ChatReader, builder: TreeBuilder, message: Any, index: int, info: dict[str, Any]
) -> str | None:
    where = f"messages[{index}]"
    if not isinstance(message, dict):
        return chat.read_one(message, where)
    step_id = chat.read_one(without(message, *_TAKEN), where)
    if step_id is not None:
        agent = message.get("role") == "assistant"
        model = text(table(info.get("agent_info" if agent else "user_info")).get("llm"))
        call = _call(message, model)
        builder.replace(step_id, created_at=seconds(message.get("timestamp")), call=call)
    return step_id


def _call(message: dict[str, Any], model: str) -> Call | None:
    if message.get("usage") is None and message.get("cost") is None:
        return None
    usage = table(message.get("usage"))
    tokens = Usage(count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")))
    took = number(message.get("generation_time_seconds")) or 0.0
    return Call(model, usage=tokens, cost=number(message.get("cost")), seconds=took)


def _turn(message: dict[str, Any], index: int) -> int:
    given = message.get("turn_idx")
    return given if type(given) is int else index


def _add_stop(builder: TreeBuilder, value: dict[str, Any]) -> None:
    reason = shown(value.get("termination_reason"))
    said = _last_words(builder)
    if said and reason in ("", _USER_STOP):
        assert builder.here is not None
        builder.replace(builder.here, payload=Stop(_USER_STOP, "evaluator", said))
    elif reason:
        by = _WHO.get(reason, "rule")
        error = shown(table(value.get("info")).get("error"))
        builder.add(Stop(reason, by, error), created_at=seconds(value.get("end_time")))


def _last_words(builder: TreeBuilder) -> str:
    """What the user said last, where one of its tokens is in it and it is nothing but text."""
    payload = builder.step(builder.here).payload if builder.here is not None else None
    if not isinstance(payload, UserMessage) or payload.tool_calls or payload.reasoning:
        return ""
    if not all(isinstance(part, Text) for part in payload.parts):
        return ""
    said = parts_text(payload.parts)
    return said if any(token in said for token in _TOKENS) else ""


def _task(value: dict[str, Any], around: dict[str, Any]) -> dict[str, Any]:
    name = shown(value.get("task_id"))
    tasks = map(table, items(around.get("tasks")))
    return next((task for task in tasks if shown(task.get("id")) == name), {})


def _goal(task: dict[str, Any]) -> str:
    """What the user is told to want, and what the task says of itself."""
    scenario = table(task.get("user_scenario"))
    told = scenario.get("instructions")
    pieces = [shown(scenario.get("persona")), told if isinstance(told, str) else ""]
    pieces += [shown(table(told).get(key)) for key in _SCENARIO]
    pieces.append(shown(task.get("ticket")))
    goal = "\n\n".join(piece for piece in pieces if piece)
    return goal or shown(table(task.get("description")).get("purpose"))


def _policy(value: dict[str, Any], environment: dict[str, Any]) -> str | None:
    """What stands for the system text, which is not in the file."""
    return text(value.get("policy")) or text(environment.get("policy")) or None


def _tools(environment: dict[str, Any], builder: TreeBuilder) -> tuple[Tool, ...]:
    declared = environment.get("tool_defs")
    if isinstance(declared, dict):
        declared = [_declared(name, table(each)) for name, each in declared.items()]
    return read_tools(declared, "info.environment_info.tool_defs", builder.note)


def _declared(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A tool of a map of names, in the shape that others declare them in."""
    words, schema = given.get("description", given.get("doc")), given.get("params")
    return without({"name": name, "parameters": schema, **given, "description": words}, "doc")


def _short(info: dict[str, Any]) -> dict[str, Any]:
    """Of the run what is not long and not taken elsewhere."""
    return without(info, "environment_info")
