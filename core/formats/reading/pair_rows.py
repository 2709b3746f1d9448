"""Rows of a history and answers to it, read as one tree: what rows have in common is there once."""

from __future__ import annotations

from typing import Any

import msgspec

from ...model.marks import Mark, Verdict
from ...model.messages import TargetReply, ToolCall
from .building import TreeBuilder
from .calls import OpenCalls
from .chat import ChatReader
from .record import Imported, Record
from .role_rows import RoleRows, with_marks


class _State(msgspec.Struct, frozen=True):
    """Where a message left its reader: its own text, its step, and the calls that wait."""

    text: str
    here: str | None
    waiting: tuple[ToolCall, ...]
    made: int


class PairRows(RoleRows):
    """A history that is shared, and answers that are takes of each other."""

    def __init__(self, record: Record) -> None:
        super().__init__(record, shared=True)
        self.marks: list[Mark] = []
        self._end = _State("", None, (), 0)
        self._placed = 0
        self._note_line = 0
        self._states: list[_State] = []
        """What was read of the row so far, message by message."""
        self._answered = 0
        """How many of them are the history."""

    def history(self, messages: Any, where: str, *, empty: bool = False) -> None:
        """Take in what the answers of this row follow, from the beginning. What it has in common
        with the row before is not read again.
        """
        self._place_notes()
        known = self._go_back(messages if isinstance(messages, list) else [])
        if not known and (messages or not empty):
            self.read(messages, where)
        for index in range(known, len(messages) if known else 0):
            self.read_one(messages[index], f"{where}[{index}]")
        self.begin_answers()

    def read_one(self, message: Any, where: str) -> str | None:
        """Take in one message; the id of its step, None for the system text."""
        step_id = super().read_one(message, where)
        calls = self.chat.calls
        state = _State(repr(message), self.builder.here, calls.waiting(), calls.made)
        self._states.append(state)
        return step_id

    def _go_back(self, messages: list[Any]) -> int:
        """Stand where the rows part; how many messages they have in common."""
        common = 0
        for message, state in zip(messages, self._states, strict=False):
            if repr(message) != state.text:
                break
            common += 1
        del self._states[common:]
        if not common:
            self.builder.here = None
            self.chat = self._fresh(self.builder)
            return 0
        self._restore(self._states[-1])
        return common

    def _restore(self, state: _State) -> None:
        self.builder.here = state.here
        self.chat.calls.opened(state.waiting)
        self.chat.calls.made = state.made

    def answer(self, messages: Any, where: str, verdict: Verdict | None = None) -> str | None:
        """Take in one answer (a message or a list of them), with a verdict; its last step."""
        given = [messages] if isinstance(messages, dict) else messages
        if not isinstance(given, list) or not given:
            raise self.refuse("there is no answer in it.", where)
        self.begin_answer()
        self.read(given, where)
        return self.end_answer(verdict)

    def begin_answers(self) -> None:
        """What was read is the history; answers follow."""
        calls = self.chat.calls
        self._end = _State("", self.builder.here, calls.waiting(), calls.made)
        self._answered = len(self._states)

    def begin_answer(self) -> None:
        """What is read from now on answers the history."""
        self._restore(self._end)
        del self._states[self._answered :]

    def end_answer(self, verdict: Verdict | None = None) -> str | None:
        """What was read is an answer, with a verdict; its last step."""
        leaf = self.builder.here
        if verdict is not None and any(mark.step_id == leaf for mark in self.marks):
            self.builder.note("both sides are the same answer: this makes no pair", "")
        if leaf is not None and verdict is not None:
            self.marks.append(Mark(leaf, verdict=verdict))
        return leaf

    def imported(self, extra: dict[str, Any], **fields: Any) -> Imported:
        """What was read, with the marks of masks and verdicts."""
        self._place_notes()
        marks = with_marks((*self.chat.marks, *self.marks))
        return super().imported(extra, marks=marks, **fields)

    def _place_notes(self) -> None:
        """Say in the newest notes which line they are of; what rows repeat is noted once."""
        kept = {(note.message, note.where): note for note in self.builder.notes[: self._placed]}
        for note in self.builder.notes[self._placed :]:
            placed = msgspec.structs.replace(note, line=self._note_line)
            kept.setdefault((note.message, note.where), placed)
        self.builder.notes[:] = kept.values()
        self._placed = len(kept)
        self._note_line = self.line

    def _fresh(self, builder: TreeBuilder) -> ChatReader:
        """A reader at the beginning of a list, with what was found so far."""
        before = self.chat
        reader = ChatReader(builder)
        reader.system = before.system
        reader.marks = before.marks
        reader.calls = OpenCalls()
        return reader

    def replies(self) -> list[str]:
        """The target's replies among the steps."""
        return [step.id for step in self.builder.steps if isinstance(step.payload, TargetReply)]
