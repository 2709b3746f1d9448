"""Trajectories of SWE-agent (``.traj``): ``history`` is what the model was sent and said, and
``trajectory`` the same as thoughts, actions and observations, each with the messages that were
asked with (``query``).

The history is read where there is one, since it is what the model saw. Without it each step of the
trajectory becomes a reply that thinks and calls, and the observation that answers it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import Fault, FormatError
from ..model.marks import Score
from ..model.messages import Stop, TargetReply, ToolCall, ToolResult, text_parts
from ..model.steps import Call
from .reading.building import TreeBuilder, imported_project
from .reading.calls import read_call
from .reading.chat import ChatReader
from .reading.content import read_thinking
from .reading.json_in import JsonProblem, JsonReader, as_text
from .reading.pieces import digest_of
from .reading.record import Imported, Reader, Record
from .reading.values import items, number, score_value, shown, table, text, without

_STEP_KEYS = frozenset({"action", "observation", "thought", "response"})
_CALLED = "bash"
"""The name of an action that was parsed from text: SWE-agent runs all of them in its shell."""


def recognise(value: Any) -> int:
    """Whether it is a trajectory of SWE-agent."""
    if not isinstance(value, dict) or not isinstance(value.get("trajectory"), list):
        return 0
    first = table(next(iter(value["trajectory"]), {}))
    if len(first.keys() & _STEP_KEYS) >= 2:
        return 97
    return 90 if isinstance(value.get("history"), list) and "info" in value else 0


def read(record: Record) -> Iterator[Imported]:
    """The trajectory. Raises FormatError where there is none."""
    whole = table(record.value)
    builder = TreeBuilder(record.digest)
    steps = items(whole.get("trajectory"))
    history = _main_agent(items(whole.get("history")), builder)
    requests: dict[str, str] = {}
    model = _model(whole)
    system = None
    if history:
        system = _history(builder, history)
        _asked(builder, steps, model, requests)
    else:
        system = _steps(builder, steps, model, requests)
    if not builder.steps:
        fault = Fault("the trajectory has no steps and no history.", where="trajectory")
        raise FormatError(faults=(fault,))
    info = table(whole.get("info"))
    reason = shown(info.get("exit_status"))
    if reason:
        builder.add(Stop(reason, "rule", shown(info.get("submission"))))
    goal, title = _goal(whole)
    project = imported_project(
        title or "SWE-agent",
        system=system,
        goal=goal,
        metadata=as_text({"swe-agent": without(info, "submission")}) if info else "{}",
    )
    yield Imported(
        project,
        builder.steps,
        title,
        scores=tuple(_scores(builder, info)),
        requests=tuple(requests.items()),
        extra=as_text(rest) if (rest := without(whole, "trajectory", "history")) else "",
        notes=tuple(builder.notes),
    )


READER = Reader(recognise, read)


def _main_agent(history: list[Any], builder: TreeBuilder) -> list[tuple[int, Any]]:
    """The messages of the agent that made most of them, with their numbers; others are noted."""
    names = [text(table(each).get("agent")) for each in history]
    if len(set(names)) < 2:
        return list(enumerate(history))
    main = max(dict.fromkeys(names), key=names.count)
    others = ", ".join(repr(name) for name in dict.fromkeys(names) if name != main)
    builder.note(f"messages of other agents ({others}) are not part of the conversation", "history")
    pairs = zip(names, enumerate(history), strict=True)
    return [pair for name, pair in pairs if name == main]


def _history(builder: TreeBuilder, history: list[tuple[int, Any]]) -> str | None:
    chat = ChatReader(builder)
    shown_first = False
    for index, message in history:
        if isinstance(message, dict):
            ids = items(message.get("tool_call_ids"))
            if message.get("role") == "tool" and ids and "tool_call_id" not in message:
                message = {**message, "tool_call_id": ids[0]}
            if message.get("is_demo") and not shown_first:
                shown_first = True
                builder.note("a demonstration comes first", f"history[{index}]")
        chat.read_one(message, f"history[{index}]")
    return chat.system.text if chat.system else None


def _asked(builder: TreeBuilder, steps: list[Any], model: str, requests: dict[str, str]) -> None:
    """The requests of the trajectory belong to the replies of the history, from the last back:
    demonstrations come first and were asked for by nobody.
    """
    replies = [step for step in builder.steps if isinstance(step.payload, TargetReply)]
    for step, taken in zip(reversed(replies), reversed(steps), strict=False):
        call = _call(table(taken), model, requests)
        if call is not None:
            builder.replace(step.id, call=call)


def _call(taken: dict[str, Any], model: str, requests: dict[str, str]) -> Call | None:
    query = taken.get("query")
    took = number(taken.get("execution_time")) or 0.0
    if not isinstance(query, list) or not query or query == [{}]:
        return None
    body = as_text({"model": model, "messages": query} if model else {"messages": query})
    digest = digest_of(body.encode("utf-8", "surrogatepass"))
    requests[digest] = body
    return Call(model, request=digest, note=f"the action took {took:g} s" if took else "")


def _steps(
    builder: TreeBuilder, steps: list[Any], model: str, requests: dict[str, str]
) -> str | None:
    """Thoughts, actions and observations; what was asked first is in the first query, if any."""
    chat = ChatReader(builder)
    first = table(steps[0] if steps else None).get("query")
    chat.read(items(first), "trajectory[0].query")
    for index, each in enumerate(steps):
        where = f"trajectory[{index}]"
        if isinstance(each, dict):
            _step(builder, each, index, where, _call(each, model, requests))
        else:
            builder.note("this is no step of a trajectory; left out", where)
    return chat.system.text if chat.system else None


def _step(
    builder: TreeBuilder, taken: dict[str, Any], index: int, where: str, made: Call | None
) -> None:
    action, calls = shown(taken.get("action")), []
    for place, value in enumerate(items(taken.get("tool_calls"))):
        path = f"{where}.tool_calls[{place}]"
        calls.append(read_call(value, index + 1, path, builder.note)[0])
    if action and not calls:
        arguments = as_text({"command": action})
        calls.append(ToolCall(f"call_{index + 1}", _CALLED, arguments, made_id=True))
    blocks = [each for each in items(taken.get("thinking_blocks")) if isinstance(each, dict)]
    said = shown(taken.get("thought")) or shown(taken.get("response"))
    reply = TargetReply(text_parts(said), tuple(map(read_thinking, blocks)), tuple(calls))
    rest = without(taken, "query", "action", "observation", "thought", "messages")
    builder.add(reply, call=made, extra=as_text(rest) if rest else "")
    if calls:
        builder.add(ToolResult(calls[0].id, text_parts(shown(taken.get("observation")))))


def _replay(whole: dict[str, Any]) -> dict[str, Any]:
    """The run's configuration, which stands there as JSON text."""
    given = whole.get("replay_config")
    if isinstance(given, str):
        try:
            return table(JsonReader().parse(given)[0])
        except JsonProblem:
            return {}
    return table(given)


def _model(whole: dict[str, Any]) -> str:
    agent = table(_replay(whole).get("agent"))
    return text(table(agent.get("model")).get("name"))


def _goal(whole: dict[str, Any]) -> tuple[str, str]:
    """What was to be solved, and a name for it."""
    problem = table(_replay(whole).get("problem_statement"))
    goal = text(problem.get("text")) or text(problem.get("problem_statement"))
    return goal, text(problem.get("id")) or text(whole.get("environment"))


def _scores(builder: TreeBuilder, info: dict[str, Any]) -> Iterator[Score]:
    last = builder.steps[-1]
    if isinstance(last.payload, Stop):
        words = "" if last.payload.note else "nothing was submitted"
        yield Score("exit_status", last.payload.reason, words, "swe-agent", (last.id,))
    review = table(info.get("review"))
    for key in ("accept", "score"):
        if key in review:
            said = shown(review.get("outputs") or review.get("output"))
            yield Score(f"review: {key}", score_value(review[key]), said, "swe-agent reviewer")
