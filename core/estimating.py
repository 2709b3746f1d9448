"""What the next call would cost, before it is made: an estimate, and the most that it can be.

Prices are those of ``workers/prices.py``. How long the reply will be nobody knows: as long as this
role's replies in the rollout were so far (``spending.py``), or as the project's ``max_tokens`` lets
it be. What there may be and whether this fits is not said here, but in ``budget.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from .errors import RollstepError
from .model.project import LlmSimulator, Project
from .model.steps import ROLES, Usage
from .model.view import View
from .roles.llm_requests import Spec, asked_of, model_of
from .workers.prices import Price, about_tokens, price_of

USUAL_REPLY = 300
"""Tokens of a reply where nothing is known of this role's."""

RESERVED_REPLY = 4096
"""Tokens that a budget sets aside for a reply where the project's ``params`` set no limit."""

_MOST = ("max_tokens", "max_completion_tokens")


class Estimate(msgspec.Struct, frozen=True):
    """What one step of a model may take: tokens of the prompt; of the reply as usual, at most (0
    where nothing says), and as many as a budget sets aside. Dollars are None where the price is
    unknown; ``own_server`` is why, at a server of one's own. ``calls`` may be made for the step.
    """

    model: str
    prompt_tokens: int
    reply_tokens: int
    most_reply_tokens: int
    reserved_reply_tokens: int
    price: Price | None = None
    own_server: bool = False
    calls: int = 1

    @property
    def cost(self) -> float | None:
        """Dollars that it is likely to cost."""
        return self._cost(self.reply_tokens, 1)

    @property
    def most_cost(self) -> float | None:
        """Dollars that it costs at most."""
        most = self.most_reply_tokens
        return self._cost(most, self.calls) if most else None

    @property
    def reserved_cost(self) -> float | None:
        """Dollars that a budget sets aside."""
        return self._cost(self.reserved_reply_tokens, self.calls)

    @property
    def reserved_tokens(self) -> int:
        """Tokens that a budget sets aside."""
        return self.calls * (self.prompt_tokens + self.reserved_reply_tokens)

    def _cost(self, reply: int, calls: int) -> float | None:
        price = self.price
        if price is None:
            return None
        return calls * (price.prompt * self.prompt_tokens + price.completion * reply)


def unpriced(models: Iterable[str]) -> list[str]:
    """Those of these models whose price is unknown."""
    return [model for model in models if price_of(model) is None]


def models_of(projects: Iterable[Project]) -> list[str]:
    """The models that these projects name, each once."""
    specs = (model_of(project, role) for project in projects for role in ROLES)
    return list(dict.fromkeys(spec.model for spec in specs if spec is not None))


def estimate_of(spec: Spec, view: View, usual: int) -> Estimate:
    """What asking this model would cost; ``usual`` is how long its replies are."""
    calls = 2 if _may_repair(spec, view) else 1
    params, own_server = json.loads(spec.params), spec.api_base is not None
    return _estimate(spec.model, _characters(view, spec), params, own_server, usual, calls)


def estimate_call(
    model: str, messages: Sequence[dict[str, Any]], params: dict[str, Any], api_base: str | None
) -> Estimate:
    """What one call that no role makes would cost."""
    return _estimate(model, _length(messages), params, api_base is not None, USUAL_REPLY, 1)


def _estimate(
    model: str, characters: int, params: dict[str, Any], own_server: bool, usual: int, calls: int
) -> Estimate:
    price = price_of(model)
    limit = _limit(params)
    most = limit or (price.most_completion_tokens if price is not None else 0)
    return Estimate(
        model,
        about_tokens(characters),
        min(usual, most) if most else usual,
        most,
        limit or min(most or RESERVED_REPLY, RESERVED_REPLY),
        price,
        price is None and own_server,
        calls,
    )


def used_when_cancelled(
    project: Project, view: View, arrived: str
) -> tuple[Usage | None, float | None]:
    """What a model has probably used, and what that cost, when its call was cancelled after so much
    had arrived; None where no model plays.
    """
    spec = model_of(project, view.role)
    if spec is None:
        return None, None
    usage = Usage(about_tokens(_characters(view, spec)), about_tokens(len(arrived)), estimated=True)
    price = price_of(spec.model)
    return usage, price.cost(usage) if price is not None else None


def _may_repair(spec: Spec, view: View) -> bool:
    """Whether the answer may be asked for once more, because it must fit a schema or a form."""
    if not isinstance(spec, LlmSimulator):
        return False
    tool = view.project.tool(view.call.name) if view.call is not None else None
    return spec.state is not None or (tool is not None and tool.returns is not None)


def _limit(params: dict[str, Any]) -> int:
    """Tokens of a reply that the parameters allow; 0 where they do not say."""
    for name in _MOST:
        if isinstance(most := params.get(name), int) and most > 0:
            return most
    return 0


def _characters(view: View, spec: Spec) -> int:
    """Of the request; of the messages alone where it cannot be made (asking says why)."""
    try:
        request = asked_of(spec, view)
    except RollstepError:
        return sum(len(repr(message)) for message in view.messages)
    return _length(request.messages) + _length(request.tools)


def _length(things: Sequence[dict[str, Any]]) -> int:
    return len(json.dumps(things, ensure_ascii=False)) if things else 0
