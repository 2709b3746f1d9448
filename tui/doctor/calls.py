"""One small call for each model: whether it answers, how fast, and what that cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rollstep.core.errors import RoleError
from rollstep.core.model.failures import Remedy, remedies
from rollstep.core.model.project import Project
from rollstep.core.model.steps import ROLES
from rollstep.core.roles.llm_requests import model_of
from rollstep.core.rules.limits import in_dollars
from rollstep.core.workers.model_request import ModelReply
from rollstep.core.workers.one_call import ask_model
from rollstep.core.workers.pool import Workers

from .check import Check, ok, problem

_TIMEOUT = 60.0
_QUESTION = [{"role": "user", "content": "Answer with one word: ready"}]

_WORDS: dict[Remedy, str] = {
    "retry": "try again",
    "wait": "wait, then try again",
    "change_model": "name another model",
    "edit": "correct the key, the name, the address or the parameters",
}
"""What can be done about a failed call here; the other remedies are those of a rollout."""


class Asked(NamedTuple):
    """A model, where it is, and the parameters that it is asked with."""

    model: str
    api_base: str | None = None
    params: str = "{}"


def models_of(projects: Iterable[tuple[Path, Project]]) -> Iterator[Asked]:
    """The models that play in these projects."""
    for _, project in projects:
        for role in ROLES:
            if (spec := model_of(project, role)) is not None:
                yield Asked(spec.model, spec.api_base, spec.params)


def check_calls(asked: Sequence[Asked], notice: Callable[[str], None]) -> list[Check]:
    """Ask each of them once, all at the same time."""
    return asyncio.run(_ask_all(list(dict.fromkeys(asked)), notice))


async def _ask_all(asked: list[Asked], notice: Callable[[str], None]) -> list[Check]:
    workers = Workers()
    try:
        return list(await asyncio.gather(*(_ask(each, workers, notice) for each in asked)))
    finally:
        await workers.aclose()


async def _ask(asked: Asked, workers: Workers, notice: Callable[[str], None]) -> Check:
    params: dict[str, Any] = json.loads(asked.params)
    timeout = float(params.pop("timeout", _TIMEOUT))
    try:
        reply = await ask_model(
            workers,
            asked.model,
            _QUESTION,
            api_base=asked.api_base,
            params=params,
            timeout=min(timeout, _TIMEOUT),
            tries=1,
            notice=notice,
        )
    except RoleError as error:
        todo = ", or ".join(_WORDS[each] for each in remedies(error.kind) if each in _WORDS)
        return problem("call", str(error), f"{todo[:1].upper()}{todo[1:]}." if todo else "")
    return ok("call", f"{asked.model}: {_facts(reply)}")


def _facts(reply: ModelReply) -> str:
    usage = reply.usage
    about = "about " if usage.estimated else ""
    tokens = f"{about}{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
    cost = "no price is known" if reply.cost is None else in_dollars(reply.cost)
    return f"answered in {reply.seconds:.1f} s, {tokens}, {cost}"
