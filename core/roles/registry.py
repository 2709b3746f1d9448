"""Roles by kind name, and the one place that turns a project into the roles that play it.

The kinds that start child processes are imported only when a project names them. A kind of one's
own is added by ``register``; its spec is a frozen struct whose tag is the kind's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ..errors import UsageError
from ..model.project import (
    EchoTarget,
    HeuristicEvaluator,
    HumanEvaluator,
    HumanSimulator,
    HumanTarget,
    LlmEvaluator,
    LlmSimulator,
    LlmTarget,
    Project,
    PythonEvaluator,
    PythonSimulator,
    PythonTarget,
    RulesSimulator,
    ScriptedEvaluator,
    ScriptedTarget,
)
from ..model.steps import Role
from ..workers.pool import Workers
from .adapt import UserRole
from .echo import EchoTargetRole
from .heuristic import HeuristicEvaluatorRole
from .human import HumanRole
from .protocols import Evaluator, Target, ToolSimulator
from .rules import RulesSimulatorRole
from .scripted import ScriptedEvaluatorRole, ScriptedTargetRole

Trust = Callable[[Project], bool]
"""Asked once for a project whose roles run code or send a key somewhere (see ``needs_trust``)."""


@dataclass(frozen=True)
class Making:
    """What a factory may use: the folder of its file, and where child processes are
    kept (they are ended with the roles, or by whoever gave them).
    """

    base_folder: Path | None
    workers: Workers


Factory = Callable[[Any, Making], Any]
"""Makes a role from its spec."""


@dataclass(frozen=True)
class Roles:
    """The roles that play one project. ``name`` and ``kind`` say who plays which."""

    evaluator: Evaluator
    target: Target
    tool_simulator: ToolSimulator | None
    names: Mapping[Role, str]
    kinds: Mapping[Role, str]
    workers: Workers | None = None
    """The child processes that end with these roles; None when they belong to somebody else."""

    def name(self, role: Role) -> str:
        """Who plays this role, for display: its model, its object, or its kind."""
        return self.names.get(role, "nobody")

    def kind(self, role: Role) -> str:
        """The kind of this role, or "" for a tool simulator that the project does not have."""
        return self.kinds.get(role, "")

    async def aclose(self) -> None:
        """End the child processes. May be called more than once."""
        if self.workers is not None:
            await self.workers.aclose()


def build_roles(
    project: Project,
    *,
    base_folder: Path | None = None,
    trusted: bool = False,
    trust: Trust | None = None,
    workers: Workers | None = None,
    models: Workers | None = None,
) -> Roles:
    """The roles of a project.

    ``base_folder`` is where the project's own code is looked for first: the folder of its file, or
    the current one. Code runs only with ``trusted``, or when ``trust`` says yes; no child process
    starts before the first question. With ``workers`` given, roles built for many rollouts share
    their child processes, and ``Roles.aclose`` leaves them running; with ``models`` they share the
    gateway to the models only, and each has its own processes for a user's code.

    Raises UsageError for an unknown kind, a spec that cannot be played, or missing trust.
    """
    evaluator, target, simulator = project.evaluator, project.target, project.tool_simulator
    if _stateless.issuperset((type(evaluator), type(target), type(simulator))):
        if isinstance(target, EchoTarget):
            target = _ECHO
        return _offline_roles(evaluator, target, simulator)
    wants = needs_trust(project)
    if wants and not trusted and not (trust is not None and trust(project)):
        raise UsageError(
            f"This project {' and '.join(wants)}. Look at it first; then allow it with --trust, "
            "or by saying yes when the app asks."
        )
    kept = Workers(models) if workers is None else workers
    making = Making(base_folder, kept)
    return _make(evaluator, target, simulator, making, kept if workers is None else None)


def with_objects(
    roles: Roles,
    *,
    evaluator: object = None,
    target: object = None,
    tool_simulator: object = None,
) -> Roles:
    """The same roles, but some of them played by your own objects in this process (in a notebook,
    say). Any form is taken that a ``python`` role may have, the seed program's too.
    """
    given: dict[Role, object] = {"evaluator": evaluator, "target": target, "tool": tool_simulator}
    own = {role: thing for role, thing in given.items() if thing is not None}
    adapted: dict[Role, Any] = {role: UserRole(role, thing) for role, thing in own.items()}
    return Roles(
        adapted.get("evaluator", roles.evaluator),
        adapted.get("target", roles.target),
        adapted.get("tool", roles.tool_simulator),
        MappingProxyType({**roles.names, **{r: type(thing).__name__ for r, thing in own.items()}}),
        MappingProxyType({**roles.kinds, **dict.fromkeys(own, "object")}),
        roles.workers,
    )


def _make(
    evaluator: Any, target: Any, simulator: Any, making: Making, own: Workers | None
) -> Roles:
    specs: dict[Role, Any] = {"evaluator": evaluator, "target": target}
    if simulator is not None:
        specs["tool"] = simulator
    made = {role: _factory(role, kind_of(spec))(spec, making) for role, spec in specs.items()}
    return Roles(
        made["evaluator"],
        made["target"],
        made.get("tool"),
        MappingProxyType({role: name_of(spec) for role, spec in specs.items()}),
        MappingProxyType({role: kind_of(spec) for role, spec in specs.items()}),
        own,
    )


_ECHO = EchoTarget()
"""Stands for every echo: their system texts concern the views, not the answers, and differ from
row to row of a seed file."""


@lru_cache(maxsize=256)
def _offline_roles(evaluator: Any, target: Any, simulator: Any) -> Roles:
    """Roles that hold no state and start nothing: a batch of one kind of project shares them."""
    return _make(evaluator, target, simulator, Making(None, Workers()), None)


def register(role: Role, kind: str, factory: Factory) -> None:
    """Make a kind known (or put another in its place): ``factory(spec, making)`` gives the role."""
    _factories[role, kind] = factory
    _stateless.difference_update([spec for spec in _stateless if tag_of(spec) == kind])
    _offline_roles.cache_clear()


def kinds(role: Role) -> tuple[str, ...]:
    """The kinds that this role can be of, in alphabetical order."""
    return tuple(sorted(kind for known, kind in _factories if known == role))


def kind_of(spec: msgspec.Struct) -> str:
    """The kind that a spec's ``kind:`` names."""
    return tag_of(type(spec))


def tag_of(spec: type) -> str:
    """The kind that a class of specs is for; "" for a class that is none."""
    config = getattr(spec, "__struct_config__", None)
    return str(config.tag) if config is not None else ""


def needs_trust(project: Project) -> tuple[str, ...]:
    """What a project would do that needs a yes, each in words that continue "this project …";
    empty when it does nothing of the kind.
    """
    specs = (project.evaluator, project.target, project.tool_simulator)
    code = [
        s.object for s in specs if isinstance(s, PythonEvaluator | PythonTarget | PythonSimulator)
    ]
    models = [s for s in specs if isinstance(s, LlmEvaluator | LlmTarget | LlmSimulator)]
    hosts = dict.fromkeys(_host(address) for spec in models for address in _addresses(spec))
    wants = [f"runs {', '.join(dict.fromkeys(code))}"] if code else []
    wants += [f"sends its conversation and your key to {host}" for host in hosts]
    return tuple(wants)


def _addresses(spec: LlmEvaluator | LlmTarget | LlmSimulator) -> Iterator[str]:
    """Where a model's requests go, if not to its provider; ``params`` or its name may say so."""
    if spec.api_base is not None:
        yield spec.api_base
    if "://" in spec.model:
        yield spec.model
    if spec.params != "{}":
        for name, value in json.loads(spec.params).items():
            if isinstance(value, str) and (name in _ADDRESSES or _URL.match(value)):
                yield value


def _host(address: str) -> str:
    """The host that is spoken to, with its scheme and port: one yes is for one host. What stands
    before an @ is no part of it, however much it looks like a host.
    """
    try:
        parts = urlsplit(address.strip())
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return address
    if not parts.hostname:
        return address
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{name}{port}"


def name_of(spec: Any) -> str:
    """Who plays, for display: the model, the object, or the kind."""
    return str(getattr(spec, "model", None) or getattr(spec, "object", None) or kind_of(spec))


def _factory(role: Role, kind: str) -> Factory:
    factory = _factories.get((role, kind))
    if factory is None:
        raise UsageError(
            f"There is no {role} of the kind {kind!r}; known kinds: {', '.join(kinds(role))}."
        )
    return factory


def _llm(role: Role) -> Factory:
    def make(spec: Any, making: Making) -> Any:
        from .llm import llm_role

        return llm_role(role, spec, making.workers)

    return make


def _python(role: Role) -> Factory:
    def make(spec: Any, making: Making) -> Any:
        from .python import python_role

        return python_role(role, spec, making.base_folder or Path.cwd(), making.workers)

    return make


_ADDRESSES = frozenset({"api_base", "base_url"})
_URL = re.compile(r"\s*(?:https?|wss?)://", re.IGNORECASE)

_stateless: set[type] = {
    HeuristicEvaluator,
    ScriptedEvaluator,
    HumanEvaluator,
    EchoTarget,
    ScriptedTarget,
    HumanTarget,
    RulesSimulator,
    HumanSimulator,
    type(None),
}
_factories: dict[tuple[Role, str], Factory] = {
    ("evaluator", "scripted"): lambda spec, making: ScriptedEvaluatorRole(spec),
    ("evaluator", "heuristic"): lambda spec, making: HeuristicEvaluatorRole(spec),
    ("evaluator", "python"): _python("evaluator"),
    ("evaluator", "llm"): _llm("evaluator"),
    ("evaluator", "human"): lambda spec, making: HumanRole(),
    ("target", "scripted"): lambda spec, making: ScriptedTargetRole(spec),
    ("target", "echo"): lambda spec, making: EchoTargetRole(spec),
    ("target", "python"): _python("target"),
    ("target", "llm"): _llm("target"),
    ("target", "human"): lambda spec, making: HumanRole(),
    ("tool", "rules"): lambda spec, making: RulesSimulatorRole(spec),
    ("tool", "python"): _python("tool"),
    ("tool", "llm"): _llm("tool"),
    ("tool", "human"): lambda spec, making: HumanRole(),
}
