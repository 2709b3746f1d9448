"""Logs of other programs, written for the tests of opening them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def tau2(path: Path, *rewards: float, messages: int = 4) -> Path:
    """Results of tau2 with one simulation for each reward; a failed one never called a tool."""
    simulations = [_simulation(number, reward, messages) for number, reward in enumerate(rewards)]
    tasks = [{"id": f"t{n}", "user_scenario": {"instructions": "x"}} for n in range(len(rewards))]
    document = {
        "timestamp": "2026-01-01T00:00:00",
        "info": {"num_trials": 1, "seed": 1},
        "tasks": tasks,
        "simulations": simulations,
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def tau2_with_a_greeting(path: Path) -> Path:
    """One simulation as tau2 writes it: the agent greets first, and the user's last message holds
    the token that stops it.
    """
    call = {"id": "c1", "name": "get_order", "arguments": {"id": "4471"}, "requestor": "assistant"}
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": "Hi! How can I help you today?"},
        {"role": "user", "content": "My order 4471 arrived broken."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "id": "c1", "content": '{"status": "delivered"}', "error": False},
        {"role": "assistant", "content": "I am sorry, I can not refund it."},
        {"role": "user", "content": "OK then. ###STOP###"},
    ]
    said = [{**message, "turn_idx": place} for place, message in enumerate(messages)]
    document = {
        "timestamp": "2026-01-01T00:00:00",
        "info": {"num_trials": 1, "seed": 1},
        "tasks": [{"id": "t0", "user_scenario": {"instructions": "x"}}],
        "simulations": [{**_simulation(0, 0.0, 0), "messages": said}],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def _simulation(number: int, reward: float, messages: int) -> dict[str, Any]:
    said = [
        {
            "role": "assistant" if place % 2 else "user",
            "content": f"sample {number}, message {place + 1}",
            "turn_idx": place,
        }
        for place in range(messages)
    ]
    met = reward >= 1
    action = {
        "action_id": "a1",
        "requestor": "assistant",
        "name": "issue_refund",
        "arguments": {"order_id": "4471"},
    }
    return {
        "id": f"sim-{number}",
        "task_id": f"t{number}",
        "trial": 0,
        "timestamp": "2026-01-01T00:00:00",
        "start_time": "2026-01-01T00:00:00",
        "end_time": "2026-01-01T00:01:00",
        "duration": 60.0,
        "termination_reason": "user_stop",
        "reward_info": {
            "reward": reward,
            "reward_basis": ["ACTION"],
            "reward_breakdown": {"ACTION": reward},
            "action_checks": [{"action": action, "action_match": met, "action_reward": reward}],
        },
        "messages": said,
    }


def chats(path: Path, count: int) -> Path:
    """One conversation a line, in OpenAI's shape."""
    rows = [
        {
            "messages": [
                {"role": "user", "content": f"question {number}"},
                {"role": "assistant", "content": f"answer {number}"},
            ]
        }
        for number in range(1, count + 1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def swe_agent_run() -> dict[str, Any]:
    """A trajectory of SWE-agent that holds what its model was sent."""
    asked = [
        {"role": "system", "content": "You fix bugs.", "agent": "main"},
        {"role": "user", "content": "Fix it: as it was asked.", "agent": "main"},
    ]
    step = {
        "action": "submit",
        "observation": "",
        "response": "Done.",
        "thought": "Done.",
        "query": asked,
    }
    history = [*asked, {"role": "assistant", "content": "Done.", "agent": "main"}]
    return {
        "environment": "swe_main",
        "trajectory": [step],
        "history": history,
        "info": {"exit_status": "submitted", "submission": "diff"},
    }
