"""Budgets of files of other programs: reading and writing rows, and opening one of many samples."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from rollstep.core.exporting.subjects import subject_of
from rollstep.core.formats.reading.files import read_records
from rollstep.core.formats.rows import Row
from rollstep.core.formats.subject import Subject
from rollstep.core.formats.table import FORMATS
from rollstep.core.model.messages import Payload, Stop, target_reply, user_message
from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project
from rollstep.core.model.rollout import Rollout, RolloutHeader
from rollstep.core.model.steps import Step, role_of

from .report import Line, ratio

_SAMPLE_BYTES = 200_000
_PROSE = (
    "the order was delivered on Tuesday but one plate is broken and the customer asks for a refund "
    "or an exchange please check the policy before you answer because returns are possible for "
    "thirty days only what is the number of your order thank you I have found it"
)
_WORDS = _PROSE.split()


def lines(folder: Path, *, megabytes: int, rounds: int, peer: Path | None) -> list[Line]:
    """Measure; ``peer`` is the seed's program, or None for json.dumps alone."""
    return [
        _reading(folder, rounds),
        *_writing(folder, rounds, peer),
        *_opening(folder, megabytes, rounds),
    ]


# Reading


def _reading(folder: Path, rounds: int) -> Line:
    path = folder / "conversations.jsonl"
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(1000):
            file.write(json.dumps(_conversation(rng)) + "\n")

    def alone() -> None:
        with path.open("rb") as file:
            for line in file:
                json.loads(line)

    def whole() -> None:
        for read in read_records(path):
            if not read.imported:
                raise AssertionError(read.faults)

    theirs, ours = _by_turns(2 * rounds + 3, alone, whole)
    per_record = path.stat().st_size / 1000
    return Line(
        "reading conversations, against json.loads of the same lines",
        min(theirs) / min(ours),
        0.5,
        detail=f"{per_record / 1000:.0f} kB a record: {min(ours) * 1000:.0f} µs against "
        f"{min(theirs) * 1000:.0f}",
        at_least=True,
    )


def _conversation(rng: random.Random) -> dict[str, Any]:
    """A customer service conversation with a policy, tools, and five turns."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": _text(rng, 450)}]
    for turn in range(5):
        messages.append({"role": "user", "content": _text(rng, 40)})
        if turn % 2:
            arguments = json.dumps({"order_id": f"#{rng.randint(1, 10**6)}", "why": _text(rng, 4)})
            function = {"name": "tool_1", "arguments": arguments}
            call = {"id": f"call_{turn}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            result = json.dumps({"status": "delivered", "price": 49.5, "notes": _text(rng, 150)})
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        messages.append({"role": "assistant", "content": _text(rng, 140)})
    return {"messages": messages, "tools": _TOOLS}


def _text(rng: random.Random, words: int) -> str:
    """Words with full stops, line ends, quotes and dashes between them, as prose has them."""
    made = []
    for number in range(words):
        word = rng.choice(_WORDS)
        if number % 9 == 8:
            word += "."
        if number % 14 == 13:
            word += "\n"
        if number % 37 == 36:
            word = f'"{word}"'
        if number % 61 == 60:
            word += " \u2014"
        made.append(word)
    return " ".join(made)


_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": f"tool_{number}",
            "description": _text(random.Random(number), 25),
            "parameters": {
                "type": "object",
                "properties": {
                    name: {"type": "string", "description": _text(random.Random(number), 8)}
                    for name in ("order_id", "why", "note")
                },
                "required": ["order_id"],
            },
        },
    }
    for number in range(6)
]


# Writing


def _writing(folder: Path, rounds: int, peer: Path | None) -> Iterator[Line]:
    """Rollouts in formats of rows, against the turn records of the same rollouts as the seed's own
    writer (or json.dumps) writes them.
    """
    subjects = [_subject(number) for number in range(300)]
    path = folder / "rows.jsonl"
    records = [json.loads(row.data) for each in subjects for row in _rows("turn-records", each)]
    theirs: Callable[[list[Any], Path], object] = _write_plainly
    if peer is not None:
        program = _program(peer)
        theirs = program.write_records
        records = [program.TurnRecord(**record) for record in records]

    def dump() -> None:
        path.unlink(missing_ok=True)
        theirs(records, path)

    whose = "json.dumps" if peer is None else "the seed's writer"
    for name in ("turn-records", "openai", "trl"):
        ours, peers = _by_turns(2 * rounds + 3, partial(_write, name, subjects, path), dump)
        rates = (f"{len(subjects) / min(times):,.0f}" for times in (ours, peers))
        yield Line(
            f"writing rollouts as {name}, against turn records by {whose}",
            min(peers) / min(ours),
            1,
            detail=" against ".join(rates) + " rollouts of 10 turns a second",
            at_least=True,
        )


def _write(name: str, subjects: list[Subject], path: Path) -> None:
    with path.open("wb") as file:
        for subject in subjects:
            for row in _rows(name, subject):
                file.write(row.data)


def _rows(name: str, subject: Subject) -> Iterable[Row]:
    rows = FORMATS[name].rows
    assert rows is not None
    return rows(subject)


def _subject(number: int) -> Subject:
    """A rollout of ten turns, of a seed row with some context."""
    rng = random.Random(number)
    memory = [{"role": "user", "content": f"Earlier message {n}."} for n in range(4)]
    metadata = {
        "seed_task_id": f"reply:{number:08x}",
        "seed_benchmark": "synth-planning",
        "seed_context": {"channel": "dm", "memory": memory, "agentId": "agent"},
    }
    project = Project(
        f"reply:{number:08x}",
        EchoTarget(system="You are an autonomous agent. Drive each turn forward."),
        HeuristicEvaluator(),
        goal=_text(rng, 20),
        metadata=json.dumps(metadata),
    )
    payloads: list[Payload] = []
    for _ in range(10):
        payloads += [user_message(_text(rng, 12)), target_reply(_text(rng, 25))]
    payloads.append(Stop("max_turns", "rule"))
    rollout = Rollout(RolloutHeader(f"r{number}", project.title), [project])
    before = None
    for place, payload in enumerate(payloads):
        step = Step(f"{number}.{place}", before, role_of(payload), payload, "script", seq=place + 1)
        rollout.add(step)
        before = step.id
    return subject_of(rollout, before)


def _write_plainly(records: list[dict[str, Any]], path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _program(path: Path) -> Any:
    """The seed's program, whatever its file is called."""
    spec = spec_from_loader("seed_program", SourceFileLoader("seed_program", str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["seed_program"] = module
    spec.loader.exec_module(module)
    return module


# Opening


_OPEN = """
import sys
from pathlib import Path
from rollstep.core.importing import import_record
from rollstep.core.store.library import Library
with Library.throwaway() as library:
    import_record(Path(sys.argv[1]), int(sys.argv[2]), library)
"""


def _opening(folder: Path, megabytes: int, rounds: int) -> Iterator[Line]:
    count = megabytes * 1_000_000 // _SAMPLE_BYTES
    for what, write in (("a log", _write_log), ("JSON Lines", _write_rows)):
        many, one = folder / "many", folder / "one"
        write(many, range(count))
        write(one, range(count // 2, count // 2 + 1))
        ours, alone = [], []
        for _ in range(rounds + 1):
            ours.append(_open(many, count // 2 + 1))
            alone.append(_open(one, 1))
        yield Line(
            f"opening one sample of {what} of {megabytes} MB, against it alone",
            ratio(ours, alone),
            3,
            detail=f"{min(ours) * 1000:.0f} against {min(alone) * 1000:.0f} ms, from the start of "
            "the process",
        )


def _open(path: Path, number: int) -> float:
    at = time.perf_counter()
    subprocess.run([sys.executable, "-c", _OPEN, str(path), str(number)], check=True)
    return time.perf_counter() - at


def _write_log(path: Path, numbers: range) -> None:
    """A log as Inspect writes it, as one document."""
    with path.open("w", encoding="utf-8") as file:
        head = {"task": "shop", "model": "some/model", "created": "2026-01-01T00:00:00+00:00"}
        file.write('{"version": 2, "status": "success", "eval": ')
        file.write(json.dumps({**head, "dataset": {}, "config": {}}))
        file.write(', "samples": [')
        for place, number in enumerate(numbers):
            file.write(", " if place else "")
            messages = _messages(number)
            sample = {"id": number, "epoch": 1, "input": "", "target": "", "messages": messages}
            file.write(json.dumps({**sample, "output": {"choices": []}}))
        file.write("]}\n")


def _write_rows(path: Path, numbers: range) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in numbers:
            file.write(json.dumps({"messages": _messages(number)}) + "\n")


def _messages(number: int) -> list[dict[str, str]]:
    rng = random.Random(number)
    text = _text(rng, 150)
    count = _SAMPLE_BYTES // (len(text) + 50)
    return [
        {"role": ("user", "assistant")[place % 2], "content": f"{place} {text}"}
        for place in range(count)
    ]


def _by_turns(rounds: int, *tasks: Callable[[], object]) -> list[list[float]]:
    """How long each task takes, every task once in each round, in seconds of this processor."""
    times: list[list[float]] = [[] for _ in tasks]
    for _ in range(rounds):
        for task, taken in zip(tasks, times, strict=True):
            at = time.process_time()
            task()
            taken.append(time.process_time() - at)
    return times
