"""A session with a live model: what is kept of replies and failures, and what never is."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rollstep.core.errors import RoleError
from rollstep.core.events import AskEnded, Event, Noticed, Streamed
from rollstep.core.model.messages import payload_text
from rollstep.core.model.project import HeuristicEvaluator, LlmTarget, Project
from rollstep.core.model.steps import Usage
from rollstep.core.roles import llm
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.session import Session
from rollstep.core.store.library import Library
from rollstep.core.workers.pool import Workers

from ..provider.faults import FAULTS, SAID
from ..provider.replies import Reply
from ..provider.server import ProviderServer

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.xdist_group("models")]


async def test_failures_are_kept_as_attempts_and_a_reply_with_all_that_is_known_of_it(
    provider: ProviderServer,
    gateway_workers: Workers,
    canary: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(llm, "PACE", 0.0)
    model = "gpt-4.1-mini"  # one with a price
    target = LlmTarget(f"openai/{model}", api_base=provider.api_base, system="Be kind.")
    project = Project("Live", target, HeuristicEvaluator(), opening="Hi", max_turns=3)

    def roles(project: Project) -> Roles:
        return build_roles(project, trusted=True, models=gateway_workers)

    before = len(provider.asked(model))
    with Library.open(tmp_path / "library.sqlite") as library:
        session = Session.start(project, roles=roles, library=library)
        events: list[Event] = []
        session.subscribe(events.append)
        await session.step()
        for fault in ("401", "error_event"):
            provider.answer(model, FAULTS[fault])
            with pytest.raises(RoleError):
                await session.step()
        provider.answer(model, FAULTS["503"], Reply("Here it is.", delay=0.02, pace=0.005))
        step = await session.step()
        await session.close()
        assert step is not None
        kept = library.load(session.rollout.header.id)
    assert len(provider.asked(model)) == before + 4, "something was asked for twice"
    refused, lost = kept.attempts
    assert (refused.kind, refused.partial, refused.cost) == ("auth", "", None)
    assert (lost.kind, lost.partial) == ("server", SAID)
    assert lost.cost is not None
    assert refused.usage is None
    assert lost.usage is not None
    assert lost.usage.estimated
    assert lost.usage.prompt_tokens > 5
    assert lost.usage.completion_tokens == len(SAID) // 4 + 1
    call = next(each for each in kept.steps if each.id == step.id).call
    assert call is not None
    assert (call.attempts, call.usage) == (2, Usage(10, 3, 0, 4))
    assert call.cost == pytest.approx(7.6e-06)
    assert 0 < call.first_token_seconds < call.seconds
    assert call.tokens_per_second
    assert payload_text(step.payload) == "Here it is."

    told = [event for event in events if isinstance(event, Streamed | Noticed | AskEnded)]
    (notice,) = [event for event in told if isinstance(event, Noticed)]
    assert notice.parent_id == step.parent_id
    assert notice.words.startswith("The provider failed (503): Overloaded. Retrying in ")
    after = told[told.index(notice) + 1 :]
    assert "".join(e.text for e in after if isinstance(e, Streamed)) == "Here it is."

    everything = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    everything += b"".join(msgspec.json.encode(event) for event in events)
    assert b"Here it is." in everything
    assert canary.encode() not in everything
