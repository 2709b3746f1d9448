"""A user's own code in a child process: every form of it, and everything that it can do wrong."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.model.messages import (
    Reasoning,
    Stop,
    TargetReply,
    ToolCall,
    ToolResult,
    payload_text,
    target_reply,
    user_message,
)
from rollstep.core.model.project import (
    LlmTarget,
    PythonEvaluator,
    PythonSimulator,
    PythonTarget,
)
from rollstep.core.model.steps import Role
from rollstep.core.model.view import View
from rollstep.core.roles.protocols import Answer, no_stream
from rollstep.core.roles.python import PythonAuthor, PythonRole, python_role
from rollstep.core.roles.user_code import Setup, UserCode
from rollstep.core.workers.pool import Workers
from rollstep.core.workers.wire import dump

from .making import PROJECT, view

FOLDER = Path(__file__).parent / "user_roles"
CALL = ToolCall("c9", "get_order", '{"order_id": "4471"}')
SAID = user_message("hi")
SPECS: dict[Role, Any] = {
    "evaluator": PythonEvaluator,
    "target": PythonTarget,
    "tool": PythonSimulator,
}

Play = Callable[..., PythonRole]


@pytest.fixture
async def play() -> AsyncIterator[Play]:
    """Makes roles from this folder's user code, and ends their processes after the test."""
    workers = Workers()

    def make(
        role: Role, found_at: str, options: str = "{}", timeout: float = 60.0, folder: Path = FOLDER
    ) -> PythonRole:
        spec = SPECS[role](object=found_at, options=options, timeout=timeout)
        return python_role(role, spec, folder, workers)

    yield make
    await workers.aclose()


@pytest.mark.parametrize(
    ("found_at", "options", "text"),
    [
        ("good:Agent", "{}", "Hello: hi"),
        ("good:Agent", '{"greeting": "Hoi"}', "Hoi: hi"),
        ("good:make_agent", '{"greeting": "Ciao"}', "Ciao: hi"),
        ("good:an_agent", "{}", "Ready made: hi"),
        ("good:Holder.Inner", "{}", "from a nested class"),
        ("good:reply", "{}", "bare"),
        ("good:reply_with_options", '{"mood": "gay"}', "bare and gay"),
        ("good:reply_async", "{}", "bare, async"),
        ("good:reply_with_its_own_loop", "{}", "own loop"),
        ("good:reply_with_prints", "{}", "printed"),
    ],
)
async def test_every_form_of_a_target(play: Play, found_at: str, options: str, text: str) -> None:
    answer = await play("target", found_at, options).ask(view("target", SAID))
    assert answer == Answer(target_reply(text))


async def test_an_evaluators_forms_of_answer(play: Play) -> None:
    role = play("evaluator", "good:User")
    answers = [
        (await role.next(view("evaluator", SAID, turn=turn, max_turns=4))).payload
        for turn in range(5)
    ]
    assert answers[0] == user_message("text")
    assert answers[1] == user_message("payload")
    assert answers[2] == msgspec.structs.replace(
        user_message("dict"), reasoning=(Reasoning("why"),)
    )
    assert answers[3] == Stop("gave_up", "evaluator", "enough")
    assert answers[4] == Stop("max_turns", "evaluator")


async def test_a_dict_with_tool_calls_is_a_reply_whose_missing_ids_are_made(play: Play) -> None:
    answer = await play("target", "good:reply_with_calls").ask(view("target", SAID, turn=1))
    assert answer.payload == TargetReply(
        target_reply("Let me look.").parts,
        (Reasoning("I need the order."),),
        (
            ToolCall("call_2_1", "get_order", '{"order_id": "4471", "ä": 1.0}', made_id=True),
            ToolCall("mine", "raw", "{not json"),
        ),
    )


async def test_a_simulator_keeps_its_state_in_the_answer(play: Play) -> None:
    role = play("tool", "good:Shop")
    first = await role.respond(view("tool", call=CALL))
    assert first.payload == ToolResult("c9", target_reply(CALL.arguments).parts, is_error=True)
    assert first.state == '{"calls": 1}'
    second = await role.respond(view("tool", call=CALL, state=first.state))
    assert second.state == '{"calls": 2}'


@pytest.mark.parametrize("value", ["{}", "[1, null]", "true", "42", '{"a": "é"}'])
async def test_any_json_value_is_a_result(play: Play, value: str) -> None:
    call = ToolCall("c", "t", value)
    answer = await play("tool", "good:tool_value").respond(view("tool", call=call))
    assert answer.payload == ToolResult("c", target_reply(value).parts)


async def test_lone_surrogates_and_big_numbers_go_there_and_back(play: Play) -> None:
    said = user_message("\udc00\ud83d \x1b[31m")
    answer = await play("target", "good:reply_odd_text").ask(view("target", said))
    assert payload_text(answer.payload) == f"\udc00\ud83d \x1b[31m|\ud83d\x00\u2028|{10**30}"


async def test_text_is_streamed_as_it_arrives(play: Play) -> None:
    pieces: list[str] = []
    await play("target", "good:reply_in_pieces").ask(view("target", SAID), pieces.append)
    assert pieces == ["one ", "two ", "\\ud83d"]


async def test_roles_written_for_the_seed_program_play_unchanged(play: Play) -> None:
    project = msgspec.structs.replace(
        PROJECT, goal="a garden", target=LlmTarget("m", system="Be an agent.")
    )
    path = (user_message("one"), target_reply("two"), user_message("three"))
    target = await play("target", "good:SeedClient").ask(view("target", *path, project=project))
    said = "system:Be an agent. > user:one > assistant:two > user:three"
    assert target.payload == target_reply(said)
    decider = play("evaluator", "good:SeedDecider")
    asked = view("evaluator", *path[:2], turn=1, max_turns=3, project=project)
    assert (await decider.ask(asked)).payload == user_message("a garden: ['user', 'assistant'] 1/3")
    stop = (await decider.ask(view("evaluator", *path[:2], turn=2))).payload
    assert stop == Stop("max_turns", "evaluator")


IN_A_CHILD: list[tuple[Role, str, str, str]] = [
    ("target", "bad:raises", "raised", "raised an error: ValueError: no [/b] such order"),
    ("target", "bad:exits", "raised", "SystemExit: 3"),
    ("target", "bad:dies", "died", "ended without an answer (exit status 7)"),
    ("target", "bad:crashes", "died", "ended without an answer (killed by SIGSEGV)"),
    ("target", "bad:gives_none", "empty", "gave None; an answer is a TargetReply, text"),
    ("target", "bad:gives_the_unwritable", "bad_reply", "not well formed"),
    ("target", "bad:gives_too_much", "bad_reply", "gave an answer of 40,0"),
    ("target", "does_not_import:x", "raised", "No module named 'a_module_that_is_not_there'"),
]


@pytest.mark.parametrize(("role", "found_at", "kind", "words"), IN_A_CHILD)
async def test_whatever_a_child_does_wrong_is_a_role_error_in_plain_words(
    play: Play, role: Role, found_at: str, kind: str, words: str
) -> None:
    with pytest.raises(RoleError) as caught:
        await play(role, found_at).ask(view(role, SAID, call=CALL))
    assert caught.value.kind == kind
    assert words in str(caught.value)
    assert found_at in str(caught.value)


FAULTS: list[tuple[Role, str, str, str]] = [
    ("target", "bad:raises", "raised", "raised an error: ValueError: no [/b] such order"),
    ("target", "bad:raises_async", "raised", "raised an error: LookupError: later"),
    ("target", "bad:raises_a_role_error", "quota", "failed: out of credit"),
    ("target", "bad:raises_the_unprintable", "raised", "Odd: <exception str() failed>"),
    ("target", "bad:gives_none", "empty", "gave None; an answer is a TargetReply, text"),
    ("target", "bad:gives_a_number", "bad_reply", "gave an int"),
    ("target", "bad:gives_another_roles_payload", "bad_reply", "gave a ToolResult"),
    ("target", "bad:gives_malformed_parts", "bad_reply", "not well formed"),
    ("target", "bad:gives_the_unwritable", "bad_reply", "not well formed"),
    ("target", "bad:gives_a_bad_call", "bad_reply", "gave a tool call that is not"),
    ("tool", "bad:gives_none", "empty", "gave None"),
    ("tool", "bad:gives_an_object_as_result", "bad_reply", "cannot be written as JSON"),
    ("tool", "bad:gives_not_a_number", "bad_reply", "cannot be written as JSON"),
    ("evaluator", "bad:gives_none", "empty", "gave None"),
    ("evaluator", "bad:gives_a_number", "bad_reply", "a UserMessage, a Stop, text"),
    ("target", "bad:takes_too_much", "raised", "wrong signature: takes_too_much(view, other)"),
    ("target", "bad:takes_nothing", "raised", "takes_nothing(view)"),
    ("target", "bad:NoMethod", "raised", "has no reply or respond"),
    ("target", "bad:NOT_A_ROLE", "raised", "is an int"),
    ("target", "bad:FailsToStart", "raised", "OSError: no database here"),
    ("target", "bad:WantsOptions", "raised", "missing a required"),
    ("target", "bad:not_there", "raised", "bad has no 'not_there'"),
    ("target", "nowhere.at_all:x", "raised", "could not be imported"),
    ("target", "does_not_import:x", "raised", "No module named 'a_module_that_is_not_there'"),
]


@pytest.mark.parametrize(("role", "found_at", "kind", "words"), FAULTS)
async def test_whatever_user_code_does_wrong_is_a_role_error_in_plain_words(
    role: Role, found_at: str, kind: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child's service, called in this process: starting one for each would take long."""
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    for module in ("bad", "does_not_import"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(RoleError) as caught:
        await ask_here(role, found_at, view(role, SAID, call=CALL))
    assert caught.value.kind == kind
    assert words in str(caught.value)


async def ask_here(role: Role, found_at: str, asked: View) -> None:
    service = UserCode()
    service.handle(dump(Setup(role, found_at, "{}", str(FOLDER))), no_stream)
    answer = service.handle(dump(asked), no_stream)
    if not isinstance(answer, bytes):
        await answer


async def test_the_traceback_starts_in_the_users_code_and_is_kept_beside(play: Play) -> None:
    with pytest.raises(RoleError) as caught:
        await play("target", "bad:raises").ask(view("target", SAID))
    assert "Traceback" in caught.value.detail
    assert str(FOLDER / "bad.py") in caught.value.detail
    assert "user_code.py" not in caught.value.detail
    assert "Traceback" not in str(caught.value)


async def test_what_a_role_error_carries_is_kept(play: Play) -> None:
    with pytest.raises(RoleError) as caught:
        await play("target", "bad:raises_a_role_error").ask(view("target", SAID))
    assert (caught.value.detail, caught.value.partial) == ("body", "half of it")


async def test_keys_of_the_environment_are_in_no_message(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_API_KEY", "sk-canary-1234567890")
    for found_at in ("bad:raises", "bad:dies"):
        with pytest.raises(RoleError) as caught:
            await play("target", found_at).ask(view("target", SAID))
        assert "sk-canary" not in str(caught.value) + caught.value.detail
        assert "[CANARY_API_KEY]" in str(caught.value) + caught.value.detail


async def test_last_words_of_a_process_that_died_are_kept(play: Play) -> None:
    with pytest.raises(RoleError) as caught:
        await play("target", "bad:dies").ask(view("target", SAID))
    assert "last words" in caught.value.detail


@pytest.mark.parametrize("found_at", ["bad:hangs", "bad:hangs_busily"])
async def test_a_call_that_hangs_is_ended_when_its_time_is_over(play: Play, found_at: str) -> None:
    with pytest.raises(RoleError) as caught:
        await play("target", found_at, timeout=0.5).ask(view("target", SAID))
    assert caught.value.kind == "timeout"
    assert "gave no answer in 0.5 s" in str(caught.value)


async def test_after_a_failure_the_code_is_read_anew(play: Play, tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text("def reply(view):\n    return 1 / 0\n")
    role = play("target", "mine:reply", folder=tmp_path)
    with pytest.raises(RoleError, match="ZeroDivisionError"):
        await role.ask(view("target", SAID))
    code.write_text("def reply(view):\n    return 'mended, and of another length'\n")
    answer = await role.ask(view("target", SAID))
    assert payload_text(answer.payload) == "mended, and of another length"


async def test_calls_that_succeed_share_a_process(play: Play) -> None:
    role = play("target", "bad:says_its_id")
    ids = {payload_text((await role.ask(view("target", SAID))).payload) for _ in range(3)}
    assert len(ids) == 1
    assert ids != {str(os.getpid())}


async def test_calls_at_once_do_not_wait_for_each_other_and_do_not_mix(play: Play) -> None:
    role = play("target", "good:Agent")
    answers = await asyncio.gather(
        *(role.ask(view("target", user_message(str(i)))) for i in range(12))
    )
    assert [payload_text(a.payload) for a in answers] == [f"Hello: {i}" for i in range(12)]


async def test_a_cancelled_call_ends_its_process_and_what_that_started(
    play: Play, tmp_path: Path
) -> None:
    noted = tmp_path / "pids"
    project = msgspec.structs.replace(PROJECT, goal=str(noted))
    role = play("target", "bad:starts_another_process")
    task = asyncio.create_task(role.ask(view("target", SAID, project=project)))
    own, started = map(int, (await asyncio.to_thread(text_of, noted)).split())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_running(own)
    wait_until(lambda: not is_running(started))


async def test_closing_ends_the_processes_and_leaves_no_zombie() -> None:
    workers = Workers()
    role = python_role("target", PythonTarget(object="bad:says_its_id"), FOLDER, workers)
    pid = int(payload_text((await role.ask(view("target", SAID))).payload))
    assert is_running(pid)
    await workers.aclose()
    await workers.aclose()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_child_ends_with_its_parent_even_when_that_is_killed(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from rollstep.core.model.messages import user_message\n"
        "from rollstep.core.model.project import EchoTarget, HeuristicEvaluator, Project\n"
        "from rollstep.core.model.project import PythonTarget\n"
        "from rollstep.core.model.view import View\n"
        "from rollstep.core.roles.python import python_role\n"
        "from rollstep.core.workers.pool import Workers\n"
        "async def main():\n"
        "    spec = PythonTarget(object='bad:writes_its_id_and_hangs')\n"
        f"    role = python_role('target', spec, Path({str(FOLDER)!r}), Workers())\n"
        "    project = Project(title='t', target=spec, evaluator=HeuristicEvaluator(),\n"
        f"        goal={str(noted)!r})\n"
        "    await role.ask(View('target', project, (user_message('hi'),), 0, 1))\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen([sys.executable, str(script)])
    try:
        pid = int(text_of(noted))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    wait_until(lambda: not is_running(pid))


def test_an_author_gives_projects_and_moves_the_generator_on() -> None:
    author = PythonAuthor("good:author", base_folder=FOLDER, trusted=True)
    rng, same = random.Random(7), random.Random(7)
    projects = author.author(3, rng)
    titles = [f"made {same.randrange(1000)}" for _ in range(3)]
    assert [project.title for project in projects] == titles
    assert rng.getstate() == same.getstate()


async def test_an_author_works_beside_a_running_loop_and_may_be_of_the_seeds_kind() -> None:
    author = PythonAuthor("good:SeedAuthor", base_folder=FOLDER, trusted=True)
    projects = author.author(2, random.Random(0))
    assert [(p.id, p.opening, p.metadata) for p in projects] == [
        ("p0", "hi", '{"a": 1}'),
        ("p1", "hi", '{"a": 1}'),
    ]


def test_an_author_needs_trust() -> None:
    with pytest.raises(UsageError, match=r"good:author.*--trust"):
        PythonAuthor("good:author")


def test_an_author_that_gives_none_says_so() -> None:
    author = PythonAuthor("bad:NoMethod", base_folder=FOLDER, trusted=True)
    with pytest.raises(RoleError, match="has no author"):
        author.author(1, random.Random(0))


def text_of(path: Path) -> str:
    """What another process writes there, once it is there."""
    wait_until(lambda: path.exists() and path.read_text() != "")
    return path.read_text()


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Whether there is such a process that is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
