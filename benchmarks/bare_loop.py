"""The least that a headless run can do: make the turn records in a loop and write each with
json.dumps. Stands against ``rollstep run`` where no other program is given.

    python -m benchmarks.bare_loop SEED_FILE OUTPUT_FILE TURNS
"""

from __future__ import annotations

import json
import random
import sys
import uuid
from pathlib import Path
from typing import Any

_FOLLOWUPS = (
    "Great. What's next?",
    "Can you walk through the next step?",
    "Sounds good — keep going.",
    "Anything else I should confirm?",
    "Let's continue.",
)


def main(seed_file: Path, output: Path, turns: int) -> None:
    """Read the rows, play them in the order that the seed 0 gives, write the records."""
    rows = [json.loads(line) for line in seed_file.read_text(encoding="utf-8").splitlines()]
    with output.open("a", encoding="utf-8") as file:
        for row in random.Random(0).sample(rows, len(rows)):
            for record in _records(row, turns):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _records(row: dict[str, Any], turns: int) -> list[dict[str, Any]]:
    text, title = row["user_text"], str(row["task_id"])[:80]
    identity = f"proj-{uuid.uuid4().hex[:12]}"
    metadata = {
        "seed_task_id": row["task_id"],
        "seed_benchmark": row["benchmark"],
        "seed_context": row["context"],
    }
    goal = f"Complete the multi-step request: {text[:120]}"
    system = f"You pursue {title}. Goal: {goal}."
    records: list[dict[str, Any]] = []
    parent = None
    for index in range(turns):
        reply = f"[fixture-agent t{index + 1}] acknowledged: {text[:120]}"
        step = f"step-{uuid.uuid4().hex[:16]}"
        records.append(
            {
                "synth_kind": "multi_turn_project",
                "session_id": identity,
                "project": {
                    "id": identity,
                    "title": title,
                    "goal": goal,
                    "metadata": dict(metadata),
                },
                "turn_index": index,
                "parent_step_id": parent,
                "step_id": step,
                "messages": [
                    {"role": "system", "content": system},
                    {"role": "user", "content": text},
                    {"role": "assistant", "content": reply},
                ],
                "user_text": text,
                "agent_text": reply,
                "termination": None,
            }
        )
        parent = step
        text = _FOLLOWUPS[(index + 1) % len(_FOLLOWUPS)]
    records[-1]["termination"] = {"reason": "max_turns"}
    return records


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
