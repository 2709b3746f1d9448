"""As sent: the stored request field by field, and a preview of the next one, with token counts."""

from __future__ import annotations

import json
from concurrent.futures import Future
from typing import Any

import msgspec
import pytest
from rollstep.core.model.messages import ToolCall, target_reply, user_message
from rollstep.core.model.project import LlmEvaluator, LlmSimulator, LlmTarget, Project, Tool
from rollstep.core.model.rollout import RolloutHeader
from rollstep.core.model.steps import Call, Step, Usage
from rollstep.tui.inspector import TABS, document
from rollstep.tui.presenter import DebuggerModel
from rollstep.tui.requests import Requests, Stored
from rollstep.tui.snapshot import Snapshot

from .synthetic import chain

PROJECT = Project(
    "t",
    LlmTarget("openai/agent", system="Be kind.", params='{"temperature": 0.5}'),
    LlmEvaluator("openai/user", persona="Eleni."),
    tools=(Tool("get_order", "Looks an order up."),),
    tool_simulator=LlmSimulator("openai/tools", world="Order 1 is lost.", state='{"n": 0}'),
)
PATH = (
    user_message("Where is it? [/bold]"),
    target_reply("", (ToolCall("c1", "get_order", '{"id": 1}'),)),
)


def model(steps: tuple[Step, ...], project: Project = PROJECT) -> DebuggerModel:
    header = RolloutHeader("r", "t", 0.0)
    return DebuggerModel(Snapshot(header, [project], steps, head=steps[-1].id))


def page(shown: DebuggerModel, name: str, request: str | None = None) -> str:
    tab = next(tab for tab in TABS if name in (tab.role, tab.id))
    return "\n".join(block.text for block in document(shown, tab, Stored(request)).blocks)


REQUEST: dict[str, Any] = {
    "model": "openai/agent",
    "temperature": 0.5,
    "messages": [
        {"role": "system", "content": "Be kind."},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}],
            "thinking_blocks": [{"signature": "s"}],
        },
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]},
    ],
    "tools": [{"type": "function", "function": {"name": "f"}}],
}


def test_a_stored_request_is_shown_with_every_field_it_has() -> None:
    text = page(model(chain(PATH)), "target", json.dumps(REQUEST))
    for part in ("as stored", "openai/agent", '"temperature": 0.5', "system, about 2 tokens"):
        assert part in text
    for part in ("Be kind.", '"arguments": "{}"', '"signature": "s"', '"url": "data:x"'):
        assert part in text
    assert "tools, about 12 tokens" in text  # a schema is mostly keys, and they count


def test_the_provider_s_own_count_stands_beside_the_estimate() -> None:
    steps = list(chain(PATH))
    for usage, words in ((Usage(288), "counted 288"), (Usage(288, estimated=True), "")):
        call = Call("openai/agent", request="d", usage=usage)
        steps[-1] = msgspec.structs.replace(steps[-1], call=call)
        text = page(model(tuple(steps)), "target", json.dumps(REQUEST))
        assert "at four characters each" in text
        assert ("the provider counted 288" in text) == bool(words)


def made(step: Step, **fields: Any) -> Step:
    return msgspec.structs.replace(step, **fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"origin": "import"}, "reconstructed: the import holds no request"),
        ({"origin": "human"}, "written by hand: nothing was sent"),
        ({"origin": "script"}, "no model was asked (script): nothing was sent"),
        ({"origin": "model"}, "reconstructed: the role told of no request"),
    ],
)
def test_what_is_no_stored_request_says_what_it_is(fields: dict[str, Any], words: str) -> None:
    first, last = chain(PATH)
    text = page(model((first, made(last, **fields))), "target")
    assert words in text
    assert "as stored" not in text
    assert "Be kind." in text


async def test_a_stored_request_is_fetched_once_and_shown_for_its_copies_too() -> None:
    first, last = chain(PATH)
    last = made(last, origin="model", call=Call("openai/agent", request="d1"))
    copy = made(last, id="c2", seq=3, origin="model", copied_from=last.id, call=None)
    shown = model((first, last, copy))
    fetched: list[str] = []
    running: list[Any] = []
    there: Future[str | None] = Future()

    def fetch(digest: str) -> Future[str | None]:
        fetched.append(digest)
        return there

    tab = next(tab for tab in TABS if tab.role == "target")
    told: list[int] = []
    requests = Requests(fetch, running.append)
    for step_id in (last.id, copy.id):
        shown.go_to(step_id)
        stored = requests.of(shown, "target", lambda: told.append(1))
        assert stored.coming
        text = "\n".join(block.text for block in document(shown, tab, stored).blocks)
        assert "being fetched" in text
        assert "reconstructed" not in text
    assert requests.of(shown, "evaluator") == Stored()
    there.set_result(json.dumps(REQUEST))
    await running[0]
    assert (fetched, told, len(running)) == (["d1"], [1, 1], 1)
    stored = requests.of(shown, "target")
    text = "\n".join(block.text for block in document(shown, tab, stored).blocks)
    assert "for step 2, as stored, copied from the step that it was sent for" in text
    lost = page(shown, "target")
    assert "as stored" not in lost
    gone = Stored(lost=True)
    text = "\n".join(block.text for block in document(shown, tab, gone).blocks)
    assert "reconstructed: this library does not hold the request that was sent" in text


def test_what_would_be_sent_next_is_shown_as_the_code_that_asks_makes_it() -> None:
    shown = model(chain(PATH))
    tool = page(shown, "tool")
    for part in ("were it asked after step 2", '"model": "openai/tools"', "Order 1 is lost."):
        assert part in tool
    assert 'Now answer this call of get_order: {"id": 1}' in tool
    assert 'The state now: {"n": 0}' in tool
    target = page(shown, "target")
    assert '"temperature": 0.5' in target
    evaluator = page(shown, "evaluator")
    assert "Who you are: Eleni." in evaluator
    assert "Where is it? [/bold]" in evaluator
    assert "Be kind." not in evaluator


def test_a_prompt_that_cannot_be_rendered_says_so_where_it_would_be_seen() -> None:
    broken = msgspec.structs.replace(
        PROJECT, evaluator=LlmEvaluator("openai/user", prompt="{{ goal.nothing }}")
    )
    text = page(model(chain(PATH), broken), "evaluator")
    assert "The prompt of the evaluator cannot be rendered" in text


def test_the_simulator_s_state_and_a_repair_are_shown_with_the_step() -> None:
    steps = chain((*PATH, user_message("x")))[:2]
    result = msgspec.structs.replace(
        chain((*PATH,))[1], state='{"n": 7}', state_stale=True, call=Call("m", note="Twice asked.")
    )
    text = page(model((steps[0], result)), "message")
    assert "the simulator's state after this, from before this edit" in text
    assert '"n": 7' in text
    assert "Twice asked." in text
