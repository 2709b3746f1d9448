"""Random commands on a session hold what the design promises.

The tree only grows; every step we made is legal by the table; undo then redo is the identity; what
the library reloads equals what was in memory; a bundle reads back equal.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from rollstep.core.errors import RoleError, UsageError
from rollstep.core.model.debugging import Breakpoint
from rollstep.core.model.marks import Mark
from rollstep.core.model.messages import (
    Stop,
    TargetReply,
    Text,
    ToolCall,
    ToolResult,
    target_reply,
    tool_result,
    user_message,
)
from rollstep.core.model.project import Project
from rollstep.core.model.view import View
from rollstep.core.roles.registry import Roles, build_roles
from rollstep.core.rules.stepper import START, advance
from rollstep.core.session import Session
from rollstep.core.store.bundle import write_bundle
from rollstep.core.store.bundle_reader import read_bundle
from rollstep.core.store.library import Library

from ..strategies import texts
from .projects_for_tests import refund

FAULTS = ("timeout", "http_500", "empty", "truncated_json", "stale_data", "none_such")
QUERIES = ("role = tool", "turn >= 2", "tool = get_order and not failure", "stop", "(")
choices = st.integers(0, 10_000)
afters = st.sampled_from(["stay", "keep", "rerun"])


class Gates:
    """The scripted roles of a project, whose answers can be held back."""

    def __init__(self) -> None:
        self.was_asked = False
        self._asked, self._open = asyncio.Event(), asyncio.Event()
        self.open()

    def close(self) -> asyncio.Event:
        """Hold answers back from now on; the event is set when a role was asked."""
        self.was_asked = False
        self._asked, self._open = asyncio.Event(), asyncio.Event()
        return self._asked

    def open(self) -> None:
        """Let answers through."""
        self._open.set()

    def roles_for(self, project: Project) -> Roles:
        """Makes a project's roles."""
        roles = build_roles(project)
        assert roles.tool_simulator is not None
        return dataclasses.replace(
            roles,
            evaluator=Held(self, roles.evaluator.next),
            target=Held(self, roles.target.reply),
            tool_simulator=Held(self, roles.tool_simulator.respond),
        )

    async def wait(self) -> None:
        """Tell that a role was asked, and hold its answer back as long as the gates are closed."""
        self.was_asked = True
        self._asked.set()
        await self._open.wait()


class Held:
    """A role whose answer waits for the gates."""

    def __init__(self, gates: Gates, answer: Any) -> None:
        self._gates = gates
        self._answer = answer

    async def next(self, view: View, stream: Any) -> Any:
        await self._gates.wait()
        return await self._answer(view, stream)

    reply = respond = next


class SessionMachine(RuleBasedStateMachine):
    """A human at the keyboard, with no plan at all."""

    @initialize()
    def begin(self) -> None:
        self.library = Library.throwaway()
        self.gates = Gates()
        self.session = Session.start(
            refund(max_turns=3), library=self.library, author="mira", roles=self.gates.roles_for
        )
        self.seen: dict[str, Any] = {}

    def teardown(self) -> None:
        if hasattr(self, "library"):
            self.library.close()

    def do(self, work: Any) -> Any:
        """Carry out a command; what the rules refuse changes nothing."""

        async def carry_out() -> Any:
            return await work

        try:
            return asyncio.run(carry_out())
        except (UsageError, RoleError):
            return None

    def pick(self, choice: int) -> str | None:
        visible = [i for i in self.session.rollout.steps if i not in self.session.rollout.hidden]
        return visible[choice % len(visible)] if visible else None

    def payload_like(self, step_id: str, text: str) -> Any:
        old = self.session.rollout.steps[step_id].payload
        if isinstance(old, TargetReply):
            calls = old.tool_calls[: len(text) % 3]
            return TargetReply((Text(text),), tool_calls=calls)
        if isinstance(old, ToolResult):
            return tool_result(old.call_id, text)
        return user_message(text) if len(text) % 4 else Stop("goal_reached", "human", text)

    @rule()
    def step(self) -> None:
        self.do(self.session.step())

    @rule()
    def turn(self) -> None:
        self.do(self.session.turn())

    @rule()
    def run_to_the_end(self) -> None:
        async def run() -> None:
            async for _ in self.session.run():
                pass

        self.do(run())

    @rule(choice=choices)
    def go_to(self, choice: int) -> None:
        self.do(self.session.go_to(self.pick(choice)))

    @rule(text=texts, kind=st.sampled_from(["user", "reply", "call", "result", "stop"]))
    def write(self, text: str, kind: str) -> None:
        calls = self.session.position().open_calls
        payloads: dict[str, Any] = {
            "user": user_message(text),
            "reply": target_reply(text),
            "call": TargetReply((Text(text),), tool_calls=(ToolCall("w", "get_order", text),)),
            "result": tool_result(calls[-1].id if calls else "none", text),
            "stop": Stop(text or "done", "human"),
        }
        self.do(self.session.write(payloads[kind], reason=text))

    @precondition(lambda self: len(self.session.rollout) > 0)
    @rule(choice=choices, text=texts, after=afters)
    def override(self, choice: int, text: str, after: Any) -> None:
        step_id = self.pick(choice)
        if step_id is not None:
            self.do(self.session.override(step_id, self.payload_like(step_id, text), after))

    @precondition(lambda self: len(self.session.rollout) > 0)
    @rule(choice=choices, n=st.integers(1, 3))
    def retake(self, choice: int, n: int) -> None:
        step_id = self.pick(choice)
        if step_id is not None:
            self.do(self.session.retake(step_id, n))

    @precondition(lambda self: len(self.session.rollout) > 0)
    @rule(choice=choices, reason=texts)
    def revert(self, choice: int, reason: str) -> None:
        step_id = self.pick(choice)
        if step_id is None:
            return
        edit = self.session.rollout.steps[step_id]
        done = self.do(self.session.revert(step_id, reason))
        if done is not None and edit.replaces is not None:
            original = self.session.rollout.steps[edit.replaces]
            takes = [self.session.rollout.steps[i] for i in self.session.rollout.takes(step_id)]
            assert any(t.payload == original.payload and t.origin != "human" for t in takes) or (
                original.origin == "human"
            )

    @rule(choice=choices, fault=st.sampled_from(FAULTS), after=afters)
    def a_fault(self, choice: int, fault: str, after: Any) -> None:
        step_id = self.pick(choice)
        if step_id is not None and self.session.rollout.steps[step_id].role == "tool":
            self.do(self.session.inject_instead(step_id, fault, after))
        else:
            self.do(self.session.inject(fault, step_id))

    @rule(choice=choices, reason=texts)
    def stop_here(self, choice: int, reason: str) -> None:
        self.do(self.session.stop_here(reason or "enough", self.pick(choice)))

    @rule(turns=st.integers(1, 6))
    def more_turns(self, turns: int) -> None:
        self.do(self.session.more_turns(turns))

    @rule(queries=st.lists(st.sampled_from(QUERIES), max_size=3), ignore=st.integers(0, 2))
    def set_breakpoints(self, queries: list[str], ignore: int) -> None:
        wanted = [Breakpoint(query, ignore=ignore, before=ignore == 1) for query in queries]
        self.do(self.session.set_breakpoints(wanted))

    @precondition(lambda self: len(self.session.rollout) > 0)
    @rule(
        choice=choices, lint=st.sampled_from(["stale", "empty"]), reason=texts, lift=st.booleans()
    )
    def silence(self, choice: int, lint: str, reason: str, lift: bool) -> None:
        step_id = self.pick(choice)
        if step_id is not None:
            if lift:
                self.do(self.session.unsilence(step_id, lint))
            else:
                self.do(self.session.silence(step_id, lint, reason))

    @rule(choice=choices)
    def the_head_moves_while_a_role_is_asked(self, choice: int) -> None:
        """What comes late is filed under the step that it was asked from, and moves nothing."""
        session, elsewhere, head = self.session, self.pick(choice), self.session.head
        known = set(session.rollout.steps)

        async def race() -> None:
            asked = self.gates.close()
            stepping = asyncio.create_task(session.step())
            await asyncio.wait(
                {stepping, asyncio.create_task(asked.wait())},
                return_when=asyncio.FIRST_COMPLETED,
            )
            await session.go_to(elsewhere)
            self.gates.open()
            await stepping

        self.do(race())
        self.gates.open()
        new = [step for step in session.rollout if step.id not in known]
        assert all(step.parent_id == head for step in new)
        assert all(step.late == (elsewhere != head) for step in new if self.gates.was_asked)
        if self.gates.was_asked:
            assert session.head == (elsewhere if elsewhere != head or not new else new[-1].id)

    @rule(choice=choices, text=texts)
    def insert_a_turn(self, choice: int, text: str) -> None:
        self.do(self.session.insert(self.pick(choice), [user_message(text), target_reply("ok")]))

    @precondition(lambda self: len(self.session.rollout) > 0)
    @rule(choice=choices, count=st.integers(1, 4))
    def delete(self, choice: int, count: int) -> None:
        path = self.session.rollout.path(self.session.head)
        if path:
            start = choice % len(path)
            self.do(self.session.delete([s.id for s in path[start : start + count]]))

    @precondition(lambda self: len(self.session.rollout) > 0)
    @rule(choice=choices, name=texts, hidden=st.booleans())
    def branch(self, choice: int, name: str, hidden: bool) -> None:
        step_id = self.pick(choice)
        if step_id is not None:
            self.do(self.session.name_branch(step_id, name))
            self.do(self.session.hide_branch(step_id, hidden))

    @precondition(lambda self: len(self.session.rollout) > 0)
    @rule(choice=choices, rating=st.integers(1, 5), note=texts, by=st.sampled_from(["", "mira"]))
    def mark(self, choice: int, rating: int, note: str, by: str) -> None:
        step_id = self.pick(choice)
        if step_id is not None:
            self.do(self.session.mark(Mark(step_id, rating=rating, note=note, by=by)))

    @rule(turns=st.integers(1, 4))
    def change_the_project(self, turns: int) -> None:
        self.do(self.session.revise(refund(max_turns=turns)))

    @rule()
    def undo(self) -> None:
        self.do(self.session.undo())

    @rule()
    def redo(self) -> None:
        self.do(self.session.redo())

    @rule()
    def undo_then_redo_is_the_identity(self) -> None:
        before = self.picture()
        if self.do(self.session.undo()):
            assert self.do(self.session.redo())
            assert self.picture() == before

    @rule()
    def reopening_gives_the_same(self) -> None:
        if not len(self.session.rollout):
            return
        saved = self.library.load(self.session.rollout.header.id)
        again = Session.reopen(saved, self.library, author="mira", roles=self.gates.roles_for)
        assert again.saved() == self.session.saved()
        assert again.project == self.session.project
        assert again.rollout.hidden == self.session.rollout.hidden
        self.session = again

    @precondition(lambda self: len(self.session.rollout) > 0)
    @rule(choice=choices, text=texts, first=st.booleans())
    def another_program_has_it_open_too(self, choice: int, text: str, first: bool) -> None:
        """Neither loses a step, a command, a silence or a breakpoint of the other."""
        step_id = self.pick(choice)
        if step_id is None:
            return
        ours, rollout_id = self.session, self.session.rollout.header.id
        theirs = Session.reopen(
            self.library.load(rollout_id), self.library, author="tom", roles=self.gates.roles_for
        )
        if first:
            self.do(ours.step())
        self.do(theirs.silence(step_id, "stale", text))
        self.do(theirs.set_breakpoints([Breakpoint("failure", name=text)]))
        self.do(theirs.name_branch(step_id, text))
        self.do(theirs.override(step_id, self.payload_like(step_id, text), "keep", text))
        self.do(theirs.revise(refund(max_turns=choice % 9 + 1)))
        self.do(theirs.undo() if choice % 2 else theirs.step())
        if not first:
            self.do(ours.step())
        news = self.library.news(rollout_id, ours.rollout.seqs_without_gap())
        ours.merge(news.steps, news)
        saved, merged = self.library.load(rollout_id), ours.saved()
        assert {each.id: each for each in merged.steps} == {each.id: each for each in saved.steps}
        assert merged.projects == saved.projects
        assert merged.breakpoints == saved.breakpoints
        for kind in ("silences", "branches", "marks"):
            assert set(getattr(merged, kind)) == set(getattr(saved, kind))
        assert ours.rollout.hidden == saved.tree().hidden
        assert ours.head not in ours.rollout.hidden
        assert len({each.n for each in saved.commands}) == len(saved.commands)
        made = [step_id for each in saved.commands for step_id in each.step_ids]
        assert sorted(made) == sorted(each.id for each in saved.steps)
        self.session = Session.reopen(
            saved, self.library, author="mira", roles=self.gates.roles_for
        )

    @rule()
    def a_bundle_reads_back_equal(self) -> None:
        if not len(self.session.rollout):
            return
        saved = self.session.saved()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.rollstep.jsonl"
            write_bundle([saved], path, requests=self.library.request)
            assert [read for read, _ in read_bundle(path)] == [saved]

    def picture(self) -> tuple[object, ...]:
        """Everything that a human could tell apart."""
        session = self.session
        return (
            frozenset(session.rollout.hidden),
            session.head,
            session.project,
            {b.leaf_id: b for b in session.branches if b.name or b.hidden},
            {(m.step_id, m.by): m for m in session.marks if m != Mark(m.step_id, by=m.by)},
            {(each.step_id, each.rule): each for each in session.silences},
            session.breakpoints,
        )

    @invariant()
    def the_tree_only_grows(self) -> None:
        steps = self.session.rollout.steps if hasattr(self, "session") else {}
        for step_id, step in getattr(self, "seen", {}).items():
            assert steps[step_id] == step
        self.seen = dict(steps)

    @invariant()
    def every_step_we_made_is_legal(self) -> None:
        if not hasattr(self, "session"):
            return
        rollout = self.session.rollout
        positions: dict[str | None, Any] = {None: START}
        for step in rollout:
            positions[step.id] = advance(positions[step.parent_id], step.payload)

    @invariant()
    def the_head_is_in_sight_and_everything_is_saved(self) -> None:
        if hasattr(self, "session"):
            assert self.session.head not in self.session.rollout.hidden
            assert self.session.unsaved == 0


TestSession = SessionMachine.TestCase
TestSession.settings = settings(
    max_examples=500 if os.environ.get("ROLLSTEP_LONG_TESTS") == "1" else 25,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
