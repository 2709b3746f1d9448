"""What the author is asked, and how its answer becomes a project, or faults to tell it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from ..errors import Fault, ProjectFileError
from ..model.project import (
    EvaluatorSpec,
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    SimulatorSpec,
    TargetSpec,
)
from ..projects.reader import parse_project
from ..projects.writer import project_yaml
from ..roles.llm_messages import built_in
from ..roles.reading import unfenced
from ..rules.templates import render
from .sources import Source, row_context

ANGLES = (
    "",
    "the user is friendly but vague, and has to be asked for what is needed.",
    "the user changes their mind once, on a detail that matters.",
    "something that the user asks for is not allowed, and there is another way.",
    "what the user believes is wrong in one point, which a tool would show.",
    "a tool's first answer is incomplete or ambiguous.",
    "the user wants two things, and one depends on the other.",
    "the user is in a hurry and leaves out a step.",
    "nothing can be done, and the honest answer is no, with a reason.",
)
"""What the run's seed chooses from for each project, so that projects of one source differ."""

_TEXT = {"type": "string"}
_FIELDS = ("title", "goal", "opening", "persona", "stop_when", "system", "world", "max_turns")
_ASKED_FOR = (*_FIELDS, "tools")
_NEEDED = ("title", "goal", "opening")
_TOLD = 20
"""Faults that the author is told at once."""


class Cast(msgspec.Struct, frozen=True):
    """Who plays the projects. Tools are the roles file's, or else the author's."""

    evaluator: EvaluatorSpec
    target: TargetSpec
    tool_simulator: SimulatorSpec | None = None
    like: Project | None = None

    @classmethod
    def of_model(cls, model: str, api_base: str | None) -> Cast:
        """All roles are played by the model that writes the projects."""
        return cls(
            LlmEvaluator(model, api_base=api_base),
            LlmTarget(model, api_base=api_base),
            LlmSimulator(model, api_base=api_base),
        )

    @classmethod
    def of_project(cls, roles: Project) -> Cast:
        """The roles, tools, limits and rules of a project file."""
        return cls(roles.evaluator, roles.target, roles.tool_simulator, roles)

    @property
    def has_tools(self) -> bool:
        """Whether the tools are given."""
        return self.like is not None and bool(self.like.tools)


class Unusable(Exception):
    """An answer that is no project; ``faults`` says why, a line each."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


def question(
    source: Source, cast: Cast, angle: str, written: Sequence[str]
) -> list[dict[str, Any]]:
    """The messages that ask for one project."""
    tools = cast.like.tools if cast.like is not None else ()
    variables = {
        "kind": source.kind,
        "text": source.text,
        "more": source.more,
        "angle": angle,
        "written": list(written),
        "tools": [
            {"name": t.name, "description": t.description, "parameters": t.parameters}
            for t in tools
        ],
    }
    return [{"role": "user", "content": render(built_in("author"), variables)}]


def once_more(answer: str, faults: Sequence[str]) -> list[dict[str, Any]]:
    """The messages that ask to mend an answer."""
    told = "\n".join(f"- {fault}" for fault in faults)
    text = f"This cannot be used:\n{told}\nAnswer with the whole JSON object again, corrected."
    said = answer or "(nothing)"  # no provider takes an empty message
    return [{"role": "assistant", "content": said}, {"role": "user", "content": text}]


def answer_format(cast: Cast) -> dict[str, Any]:
    """The answer's form, for models that can be held to one."""
    fields: dict[str, Any] = {name: _TEXT for name in _FIELDS}
    fields["max_turns"] = {"type": "integer"}
    if not cast.has_tools:
        tool = {"name": _TEXT, "description": _TEXT, "parameters": {"type": "object"}}
        item = {"type": "object", "properties": tool, "required": list(tool)}
        fields["tools"] = {"type": "array", "items": item}
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    return {"type": "json_schema", "json_schema": {"name": "project", "schema": schema}}


def project_of(answer: str, cast: Cast, metadata: dict[str, Any]) -> Project:
    """The project that an answer stands for. Raises Unusable with everything that is wrong."""
    given = {name: value for name, value in _object_in(answer).items() if value is not None}
    unknown = [name for name in given if name not in _ASKED_FOR]
    faults = [f"{name}: unknown key." for name in unknown]
    faults += [f"{name}: is missing." for name in _NEEDED if not given.get(name)]
    faults += _odd_tools(given) if not cast.has_tools else []
    drafted = {name: value for name, value in given.items() if name not in unknown}
    try:
        project = _checked(drafted, cast, metadata)
    except ProjectFileError as error:
        raise Unusable([*faults, *map(_told, error.faults)][:_TOLD]) from None
    if faults:
        raise Unusable(faults[:_TOLD])
    return project


def _object_in(answer: str) -> dict[str, Any]:
    """The JSON object in an answer; some models put words around it."""
    text = unfenced(answer)
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError) as error:
        raise Unusable([f"the answer is not JSON: {error}."]) from None
    if not isinstance(found, dict):
        raise Unusable(["the answer holds no JSON object."])
    return found


def _odd_tools(given: dict[str, Any]) -> list[str]:
    """Names that providers refuse."""
    listed = given.get("tools")
    tools = listed if isinstance(listed, list) else []
    named = [tool.get("name") for tool in tools if isinstance(tool, dict)]
    return [
        f"tools: {json.dumps(name)} is no name of a tool; letters, digits, _ and - only."
        for name in named
        if isinstance(name, str) and not name.replace("_", "").replace("-", "").isalnum()
    ]


def _checked(given: dict[str, Any], cast: Cast, metadata: dict[str, Any]) -> Project:
    """The answer as a project file, read by the same checker as any other."""
    tools = given.get("tools")
    document: dict[str, Any] = {
        "version": 1,
        **{
            name: given[name] for name in ("title", "goal", "opening", "max_turns") if name in given
        },
        "target": {"kind": "echo", **_some(given, system="system")},
        "evaluator": {
            "kind": "human",
            **_some(given, persona="persona", stop_when="stop_when"),
        },
        "metadata": metadata,
    }
    if tools and not cast.has_tools:
        document["tools"] = tools
        document["tool_simulator"] = {"kind": "llm", "model": "m", **_some(given, world="world")}
    elif "world" in given:
        document["tool_simulator"] = {"kind": "llm", "model": "m", "world": given["world"]}
    drafted = parse_project(json.dumps(document))
    project = _played_by(drafted, cast)
    return parse_project(project_yaml(project))


def _some(given: dict[str, Any], **names: str) -> dict[str, Any]:
    return {ours: given[theirs] for ours, theirs in names.items() if theirs in given}


def _played_by(drafted: Project, cast: Cast) -> Project:
    """The drafted project with its roles: what the cast leaves open is filled from the draft."""
    evaluator: Any = drafted.evaluator
    target: Any = drafted.target
    simulator: Any = drafted.tool_simulator
    like = cast.like or drafted
    played = msgspec.structs.replace(
        like,
        title=drafted.title,
        goal=drafted.goal,
        opening=drafted.opening,
        id=None,
        max_turns=drafted.max_turns,
        metadata=drafted.metadata,
        tools=like.tools or drafted.tools,
        evaluator=_filled(cast.evaluator, evaluator, "persona", "stop_when"),
        target=_filled(cast.target, target, "system"),
    )
    if not played.tools:
        return msgspec.structs.replace(played, tool_simulator=None)
    if cast.tool_simulator is None:
        return played
    filled = _filled(cast.tool_simulator, simulator, "world")
    return msgspec.structs.replace(played, tool_simulator=filled)


def _filled(spec: Any, draft: Any, *names: str) -> Any:
    """The spec with those of these fields that it has and leaves empty."""
    given = {
        name: getattr(draft, name)
        for name in names
        if hasattr(spec, name) and not getattr(spec, name) and getattr(draft, name, None)
    }
    return msgspec.structs.replace(spec, **given) if given else spec


def _told(fault: Fault) -> str:
    """A fault without its place, which is one in our document and not in the answer."""
    return msgspec.structs.replace(fault, line=0, column=0).render()


def metadata_of(
    source: Source, file: str, model: str, when: str, seed: int, angle: str
) -> dict[str, Any]:
    """Where a project came from, as it is kept in its metadata."""
    origin: dict[str, Any] = {"file": file, "line": source.line, "kind": source.kind}
    if source.id:
        origin["id"] = source.id
    authored = {"from": origin, "model": model, "at": when, "seed": seed, "angle": angle}
    metadata: dict[str, Any] = {"authored": authored}
    if (context := row_context(source)) is not None:
        metadata["seed_context"] = context
    return metadata
