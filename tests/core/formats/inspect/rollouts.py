"""Rollouts of every shape, and the logs that are written of them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from typing import Any

import msgspec
from hypothesis import Phase
from hypothesis import strategies as st
from rollstep.core.formats.inspect import EVAL_READER, READER, zipped
from rollstep.core.formats.reading.content import other_part
from rollstep.core.formats.reading.json_in import JsonReader
from rollstep.core.formats.reading.record import Imported, Record
from rollstep.core.formats.subject import Subject
from rollstep.core.model.messages import (
    Part,
    Payload,
    Reasoning,
    Stop,
    SystemNote,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from rollstep.core.model.rollout import Rollout, RolloutHeader, Trajectory
from rollstep.core.model.steps import Call, Step, Usage, role_of

from ..conftest import make_project
from ..foreign import check


def log_of(data: Iterable[bytes]) -> dict[str, Any]:
    found = json.loads(b"".join(data))
    assert isinstance(found, dict)
    return found


def read_json(data: Iterable[bytes]) -> list[Imported]:
    value, _ = JsonReader().parse(b"".join(data).decode())
    found = list(READER.read(Record(1, value, "d2")))
    for imported in found:
        check(imported)
    return found


def read_zip(data: Iterable[bytes]) -> list[Imported]:
    with zipfile.ZipFile(io.BytesIO(b"".join(data))) as packed:
        entries = zipped(tuple(packed.namelist()))
        assert entries is not None
        around, _ = JsonReader().parse(packed.read(entries.around).decode())
        return [
            imported
            for number, name in enumerate(entries.samples, 1)
            for imported in EVAL_READER.read(
                Record(number, JsonReader().parse(packed.read(name).decode())[0], "d2", around)
            )
        ]


def subjects_of(rollout: Rollout, **more: Any) -> list[Subject]:
    """The trajectories of all leaves, the newest first."""
    leaves = rollout.leaves()[::-1]
    header = rollout.header
    return [
        Subject(
            Trajectory(rollout.path(leaf)),
            tuple(rollout.projects),
            header.id,
            rollout=rollout,
            title=header.title,
            format=header.format,
            extra=header.extra,
            **more,
        )
        for leaf in leaves
    ]


def shape(steps: Iterable[Step]) -> dict[str, Any]:
    """A tree without its ids: each step named by what leads to it."""
    paths: dict[str | None, tuple[Any, ...]] = {None: ()}
    names: dict[str, Any] = {}
    for step in steps:
        paths[step.id] = (*paths[step.parent_id], step.payload)
        names[step.id] = (len(paths[step.id]), step.payload, step.take)
    found = {}
    for step in steps:
        plain = msgspec.structs.replace(
            step,
            id="",
            parent_id=None,
            seq=0,
            replaces=repr(names.get(step.replaces or "")),
            copied_from=repr(names.get(step.copied_from or "")),
            call=step.call and msgspec.structs.replace(step.call, request=""),
            extra="",
        )
        found[repr((paths[step.id], step.take, step.origin, step.author))] = plain
    return found


QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Without making a failing tree smaller, which takes minutes."""

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
NAME = st.text("abcxyz_", min_size=1, max_size=4)
PICTURE = other_part({"type": "image", "image": "data:image/png;base64,AAAA"})
STRANGE = other_part({"type": "hologram", "n": 1})
ODD = other_part({"type": ["image"], "image": "x"})
PART: st.SearchStrategy[Part] = TEXT.filter(bool).map(Text) | st.sampled_from(
    [PICTURE, STRANGE, ODD]
)
PARTS = st.lists(PART, max_size=2).map(tuple)
REASONING = st.lists(
    st.builds(
        Reasoning,
        TEXT,
        st.none() | NAME,
        st.none() | st.just('{"type":"thinking","thinking":"t",  "n": 1.10}'),
    ),
    max_size=2,
).map(tuple)
ARGUMENTS = st.sampled_from(['{"a":  1.10}', '{"a": 1}', "{}", "[1]", "broken", "", '{"x": NaN}'])
CALLS = st.lists(st.builds(ToolCall, NAME, NAME, ARGUMENTS, st.booleans()), max_size=2).map(tuple)
PAYLOAD: st.SearchStrategy[Payload] = st.one_of(
    st.builds(UserMessage, PARTS, REASONING, CALLS),
    st.builds(
        TargetReply, PARTS, REASONING, CALLS, st.sampled_from(["", "stop", "length", "odd"]), TEXT
    ),
    st.builds(ToolResult, NAME, PARTS, st.booleans()),
    st.builds(SystemNote, PARTS),
)
CALL = st.builds(
    Call,
    NAME,
    st.sampled_from(["{}", '{"temperature": 0.5, "stop": ["x"]}']),
    st.just(""),
    st.builds(Usage, st.integers(0, 9), st.integers(0, 9)),
    st.none() | st.floats(0, 9),
    st.floats(0, 9),
)
FIELDS = st.fixed_dictionaries(
    {
        "origin": st.sampled_from(["model", "human", "script", "import"]),
        "author": TEXT,
        "reason": TEXT,
        "injected": st.sampled_from(["", "timeout"]),
        "created_at": st.sampled_from([0.0, 1.8e9, 1.8e9 + 0.25]),
        "call": st.none() | CALL,
        "state": st.none() | st.just('{"n": 1}'),
    }
)


@st.composite
def rollouts(draw: st.DrawFn) -> Rollout:
    """Trees with everything in them; siblings differ."""
    rollout = Rollout(RolloutHeader("r1", "A title"), [make_project()])
    for number in range(draw(st.integers(1, 9))):
        known = [i for i, s in rollout.steps.items() if not isinstance(s.payload, Stop)]
        parent = draw(st.sampled_from([None, *known])) if known else None
        stop = st.builds(Stop, NAME, st.sampled_from(["evaluator", "rule", "human"]), TEXT)
        payload = draw(PAYLOAD | stop if known else PAYLOAD)
        fields = draw(FIELDS)
        replaces = draw(st.sampled_from([None, *rollout.steps]))
        rollout.add(
            Step(
                f"s{number}",
                parent,
                role_of(payload),
                payload,
                take=number,
                replaces=replaces,
                **fields,
            )
        )
    return rollout
