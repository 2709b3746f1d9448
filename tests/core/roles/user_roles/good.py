"""Every form that a role may have."""

import asyncio
import json
import random
import sys

from rollstep.core.model.messages import Stop, ToolResult, target_reply, user_message
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.roles.protocols import Answer


class Agent:
    """A class with options and an async method."""

    def __init__(self, greeting="Hello", fail=False):
        self.greeting = greeting

    async def reply(self, view):
        await asyncio.sleep(0)
        return target_reply(f"{self.greeting}: {view.messages[-1].parts[0].text}")


def make_agent(greeting):
    """A factory."""
    return Agent(greeting)


an_agent = Agent("Ready made")


class Holder:
    class Inner:
        def reply(self, view):
            return "from a nested class"


def reply(view):
    """A bare function."""
    return "bare"


def reply_with_options(view, mood):
    return f"bare and {mood}"


async def reply_async(view):
    return "bare, async"


def reply_with_its_own_loop(view):
    async def work():
        return "own loop"

    return asyncio.run(work())


def reply_with_prints(view):
    print("a print must not disturb the protocol" * 1000)
    sys.stdout.buffer.write(b"\xff\x00\n")
    sys.stderr.write("nor this \ud83d\n")
    print("\ud83d nor this")
    return "printed"


def reply_in_pieces(view, stream):
    for piece in ("one ", "two ", "\ud83d"):
        stream(piece)
    return "one two"


def reply_with_calls(view):
    return {
        "text": "Let me look.",
        "reasoning": "I need the order.",
        "tool_calls": [
            {"name": "get_order", "arguments": {"order_id": "4471", "ä": 1.0}},
            {"name": "raw", "arguments": "{not json", "id": "mine"},
        ],
    }


def reply_odd_text(view):
    said = view.messages[-1].parts[0].text
    return f"{said}|\ud83d\x00\u2028|{10**30}"


class User:
    """An evaluator."""

    def next(self, view):
        if view.turn_index >= view.max_turns:
            return Stop("max_turns", "evaluator")
        return {0: "text", 1: user_message("payload"), 2: {"text": "dict", "reasoning": "why"}}.get(
            view.turn_index, {"stop": "gave_up", "note": "enough"}
        )


class Shop:
    """A tool simulator with a state."""

    def respond(self, view):
        state = json.loads(view.state or '{"calls": 0}')
        state["calls"] += 1
        result = ToolResult(view.call.id, target_reply(view.call.arguments).parts, is_error=True)
        return Answer(result, state=json.dumps(state))


def tool_value(view):
    """Answers with the JSON value that the call's arguments hold."""
    return json.loads(view.call.arguments)


class SeedDecider:
    """Written for the seed program."""

    def decide(self, *, project, history, turn_index, max_turns):
        class Decision:
            terminate = turn_index >= 2
            reason = None
            next_user_text = f"{project.goal}: {[m.role for m in history]} {turn_index}/{max_turns}"

        return Decision()


class SeedClient:
    def respond(self, *, project, history):
        return " > ".join(f"{m.role}:{m.content}" for m in history)


def author(n, rng):
    return [
        Project(
            title=f"made {rng.randrange(1000)}",
            target=EchoTarget(),
            evaluator=HeuristicEvaluator(),
        )
        for _ in range(n)
    ]


class SeedAuthor:
    def author(self, *, n: int, rng: random.Random):
        return [
            {
                "id": f"p{i}",
                "title": "t",
                "goal": "g",
                "initial_user_text": "hi",
                "metadata": {"a": 1},
            }
            for i in range(n)
        ]
