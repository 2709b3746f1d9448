"""Reading turn records: the rows of one session become one tree again.

Rows are joined by ``parent_step_id``, in whichever order they stand; a row whose ``messages`` hold
the history before its turn adds its own turn only. What cannot be derived when the rows are written
again (their step ids above all) stays in ``Step.extra`` of the reply that closes the turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ...errors import Fault, FormatError
from ...model.marks import Mark
from ...model.messages import (
    Stop,
    SystemNote,
    TargetReply,
    UserMessage,
    text_parts,
)
from ..edit_fields import Edits, joined
from ..jsonl import json_string
from ..reading.building import TreeBuilder, imported_project
from ..reading.chat import SYSTEM, TARGET, USER, ChatReader
from ..reading.json_in import as_text
from ..reading.record import Imported, Reader, Record
from ..reading.tools import read_tools
from .fields import (
    PROJECT_KEYS,
    SYNTH_KIND,
    is_odd_field,
    is_plain,
    kept_of_row,
    role_of_message,
    usual_by,
)


def recognise(value: Any) -> int:
    """How surely a record is a turn record."""
    if not isinstance(value, dict):
        return 0
    if value.get("synth_kind") == SYNTH_KIND:
        return 99
    if "user_text" in value and "agent_text" in value:
        return 90 if "session_id" in value or "step_id" in value else 60
    return 0


def group(value: Any) -> str:
    """The session that a row belongs to."""
    if not isinstance(value, dict):
        return ""
    found = value.get("session_id")
    if found is None and isinstance(value.get("project"), dict):
        found = value["project"].get("id")
    return found if isinstance(found, str) else ""


def read(record: Record) -> Iterator[Imported]:
    """The session that these rows make. Raises FormatError where none of them is one."""
    values = record.value if isinstance(record.value, list) else [record.value]
    lines = record.lines or (record.number,) * len(values)
    rows = [
        _Row(value, line)
        for value, line in zip(values, lines, strict=False)
        if isinstance(value, dict)
    ]
    if not rows:
        raise FormatError(
            faults=(Fault("this is no turn record but another JSON value.", lines[0]),)
        )
    yield _Session(record, rows).read()


READER = Reader(recognise, read, unit="group", group=group)


class _Row:
    """A row as it came, and where."""

    def __init__(self, value: dict[str, Any], line: int) -> None:
        self.value = value
        self.line = line
        self.step_id = value.get("step_id")
        parent = value.get("parent_step_id")
        self.parent = parent if parent is None or isinstance(parent, str) else as_text(parent)


class _Turn(msgspec.Struct):
    """A turn that was read: its last step, its messages as they came, the system text in force."""

    end: str | None
    parent: _Turn | None
    own: list[Any]
    system: Any
    depth: int
    name: str | None


class _Session:
    """Puts the rows of one session together."""

    def __init__(self, record: Record, rows: list[_Row]) -> None:
        self.builder = TreeBuilder(record.digest)
        self.chat = ChatReader(self.builder)
        self.edits = Edits(self.builder)
        self.head: str | None = None
        self.rows = rows
        self.first = rows[0].value
        project = self.first.get("project")
        self.project: dict[str, Any] = project if isinstance(project, dict) else {}
        self.system = _system_of(self.first)
        self.turns: dict[str, _Turn] = {}
        self.seen: dict[str, dict[str, Any]] = {}
        self.marks: list[Mark] = []

    def read(self) -> Imported:
        """All rows, parents first."""
        if self.system is not None:
            self.chat.read_one(self.system, "messages[0]")
        before: _Turn | None = None
        for row, parent in self._in_order():
            self.builder.here = parent.end if parent is not None else None
            before = self._row(row, parent) or before
        if not self.builder.steps:
            fault = Fault("no row of this session has a message.", self.rows[0].line, 0, "messages")
            raise FormatError(faults=(fault,))
        self.edits.resolve()
        return self._imported()

    def _in_order(self) -> Iterator[tuple[_Row, _Turn | None]]:
        """Each row with the turn that it follows, which has been read by then."""
        waiting: dict[str, list[_Row]] = {}
        for row in self.rows:
            if row.parent is None or row.parent in self.turns:
                yield from self._with_those_behind(row, waiting)
            else:
                waiting.setdefault(row.parent, []).append(row)
        known = {row.step_id for row in self.rows if isinstance(row.step_id, str)}
        # First those whose parent is nowhere, then what goes in a circle.
        for gone in (*(name for name in waiting if name not in known), *waiting):
            for row in waiting.pop(gone, ()):
                if gone in self.turns:
                    yield from self._with_those_behind(row, waiting)
                else:
                    yield row, self._adopted(row)
                    yield from self._behind(row, waiting)

    def _with_those_behind(
        self, row: _Row, waiting: dict[str, list[_Row]]
    ) -> Iterator[tuple[_Row, _Turn | None]]:
        yield row, self.turns[row.parent] if row.parent is not None else None
        yield from self._behind(row, waiting)

    def _behind(
        self, row: _Row, waiting: dict[str, list[_Row]]
    ) -> Iterator[tuple[_Row, _Turn | None]]:
        """Rows that waited for this one, and for those in turn."""
        ready = [row]
        while ready:
            name = ready.pop(0).step_id
            if isinstance(name, str):
                for each in waiting.pop(name, ()):
                    yield each, self.turns.get(name)
                    ready.append(each)

    def _adopted(self, row: _Row) -> _Turn | None:
        """The turn that a row follows whose parent is not here: the one that stands before it."""
        place = self.rows.index(row)
        before = self.rows[place - 1] if place else None
        turn = (
            self.turns.get(before.step_id) if before and isinstance(before.step_id, str) else None
        )
        self.builder.note(
            f"no row of the session has the step id {row.parent!r}",
            "parent_step_id",
            line=row.line,
            hint="It follows the row before it." if turn else "It begins the conversation.",
        )
        return turn

    def _row(self, row: _Row, parent: _Turn | None) -> _Turn | None:
        name = row.step_id if isinstance(row.step_id, str) else None
        if name in self.turns:
            return self._again(row, name)
        system, own, history = self._own(row, parent)
        if own is None:
            self.builder.note(
                "neither messages nor texts in this row; left out", "messages", line=row.line
            )
            return None
        depth = parent.depth + 1 if parent is not None else 0
        self._put_system(system, parent)
        ends = self._put(row, own)
        turn = _Turn(self.builder.here, parent, own, system, depth, name)
        if ends is not None:
            self._keep(row, turn, ends, history)
        if name is not None:
            self.turns[name] = turn
            self.seen[name] = row.value
        self._stop(row)
        return turn

    def _again(self, row: _Row, name: str) -> _Turn:
        """A row whose step id was there before: another branch repeats what it shares."""
        turn = self.turns[name]
        if row.value != self.seen[name]:
            given = {k: v for k, v in row.value.items() if k != "termination"}
            if given != {k: v for k, v in self.seen[name].items() if k != "termination"}:
                words = f"the step id {name!r} stands twice, for different rows; the first counts"
                self.builder.note(words, "step_id", line=row.line)
            elif row.value.get("termination") is not None:
                self.builder.here = turn.end
                self._stop(row)
        return turn

    # -- messages ------------------------------------------------------------------------------

    def _own(self, row: _Row, parent: _Turn | None) -> tuple[Any, list[Any] | None, str]:
        """The row's system message, the messages of its own turn, and how much history it had."""
        messages = row.value.get("messages")
        if not isinstance(messages, list) or not messages:
            return self.system, _from_texts(row.value), "absent"
        system = messages[0] if role_of_message(messages[0]) in SYSTEM else None
        rest = messages[1:] if system is not None else messages
        if len(rest) == 2:
            return system, rest, "" if all(map(is_plain, rest)) else "turn"
        past = _past(parent)
        if past and len(rest) > len(past) and rest[: len(past)] == past:
            return system, rest[len(past) :], "full"
        users = [place for place, message in enumerate(rest) if role_of_message(message) in USER]
        if parent is None or len(users) < 2:
            return system, rest, "full" if len(users) > 1 else "turn"
        self.builder.note(
            "the history of this row is not that of its parent; only its last turn was read",
            "messages",
            line=row.line,
        )
        return system, rest[users[-1] :], "other"

    def _put_system(self, system: Any, parent: _Turn | None) -> None:
        """A system text that is not the one before becomes a note, as the project has only one."""
        before = parent.system if parent is not None else self.system
        if system == before:
            return
        self.builder.note("the system text changes here; shown as a system note", "messages[0]")
        content = system.get("content") if isinstance(system, dict) else None
        words = content if isinstance(content, str) else ""
        extra = as_text({"$system": system})
        self.builder.add(SystemNote(text_parts(words)), extra=extra)

    def _put(self, row: _Row, own: list[Any]) -> str | None:
        """The steps of the own turn; the last reply's id, or the last step's without one."""
        last = reply = None
        edits = _edits(row.value)
        messages = row.value.get("messages")
        offset = len(messages) - len(own) if isinstance(messages, list) else 0
        for place, message in enumerate(own, offset):
            last = self._message(message, f"messages[{place}]") or last
            if place in edits and last is not None:
                self.edits.put(last, edits[place])
            if last is not None and isinstance(self.builder.step(last).payload, TargetReply):
                reply = last
        return reply or last

    def _message(self, message: Any, where: str) -> str | None:
        if is_plain(message):
            role, content = message["role"], message["content"]
            if isinstance(content, str):
                if role == "user":
                    return self.builder.add(UserMessage(text_parts(content)))
                if role == "assistant":
                    return self.builder.add(TargetReply(text_parts(content)))
        if (
            isinstance(message, dict)
            and message.get("content") == ""
            and role_of_message(message) in TARGET
        ):
            message = {**message, "content": None}  # "" beside calls is how these rows say none
        return self.chat.read_one(message, where)

    # -- what cannot be derived ------------------------------------------------------------------

    def _keep(self, row: _Row, turn: _Turn, ends: str, history: str) -> None:
        """On the step that closes the turn: its row's id, and what else writers cannot know."""
        derived = {
            "synth_kind": SYNTH_KIND,
            "session_id": self.first.get("session_id"),
            "project": self.first.get("project"),
            "turn_index": turn.depth,
            "parent_step_id": turn.parent.name if turn.parent is not None else None,
        }
        kept = kept_of_row(row.value, turn.own, history, derived)
        if len(kept) == 1 and "$step_id" in kept and not self.builder.step(ends).extra:
            extra = f'{{"$step_id": {json_string(kept["$step_id"])}}}'
            self.builder.replace(ends, extra=extra)
        else:
            self._add_extra(ends, kept)

    def _add_extra(self, step_id: str, kept: dict[str, Any]) -> None:
        text = joined(self.builder.step(step_id).extra, as_text(kept))
        self.builder.replace(step_id, extra=text)

    def _stop(self, row: _Row) -> None:
        end = row.value.get("termination")
        here = self.head = self.builder.here
        if end is None:
            return
        given = end if isinstance(end, dict) else {"reason": end}
        reason = given.get("reason")
        words = reason if isinstance(reason, str) else as_text(reason)
        by = given.get("by")
        if by not in ("evaluator", "rule", "human"):
            by = usual_by(words)
        note = given.get("note")
        stop = Stop(words, by, note if isinstance(note, str) else "")
        odd = end != {"reason": words}
        self.head = self.builder.add(stop, extra=as_text({"$termination": end}) if odd else "")
        self.builder.here = here

    # -- the whole ---------------------------------------------------------------------------

    def _imported(self) -> Imported:
        session = group(self.first)
        title = self.project.get("title")
        goal = self.project.get("goal")
        own_id = self.project.get("id")
        metadata = self.project.get("metadata")
        system = self.chat.system
        last = self.rows[-1].value
        project = imported_project(
            title if isinstance(title, str) else session,
            system=system.text if system is not None else None,
            tools=read_tools(last.get("tools"), "tools", self.builder.note),
            goal=goal if isinstance(goal, str) else "",
            opening=self._opening(),
            metadata=as_text(metadata) if isinstance(metadata, dict) else "{}",
            project_id=own_id if isinstance(own_id, str) and own_id else session or None,
        )
        return Imported(
            project,
            self.builder.steps,
            title=project.title,
            key=session,
            head=self.head,
            marks=tuple(self.chat.marks),
            extra=self._record_extra(),
            notes=tuple(self.builder.notes),
        )

    def _opening(self) -> str | None:
        text = self.first.get("user_text")
        return text if isinstance(text, str) else None

    def _record_extra(self) -> str:
        kept: dict[str, Any] = {}
        given = self.first.get("project")
        odd = any(is_odd_field(key, value) for key, value in self.project.items())
        if odd or tuple(self.project) != PROJECT_KEYS:
            kept["$project"] = given
        if self.first.get("session_id") != self.project.get("id"):
            kept["$session_id"] = self.first.get("session_id")
        if self.chat.system is not None and self.chat.system.extra:
            kept["$system"] = self.system
        return as_text(kept) if kept else ""


def _system_of(row: dict[str, Any]) -> Any:
    messages = row.get("messages")
    if isinstance(messages, list) and messages and role_of_message(messages[0]) in SYSTEM:
        return messages[0]
    return None


def _past(turn: _Turn | None) -> list[Any]:
    """All messages up to the end of a turn."""
    pieces: list[list[Any]] = []
    while turn is not None:
        pieces.append(turn.own)
        turn = turn.parent
    return [message for own in reversed(pieces) for message in own]


def _from_texts(row: dict[str, Any]) -> list[Any] | None:
    user, agent = row.get("user_text"), row.get("agent_text")
    if not isinstance(user, str) or not isinstance(agent, str):
        return None
    return [{"role": "user", "content": user}, {"role": "assistant", "content": agent}]


def _edits(row: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """What the row says of edits, by the place of the message."""
    given = row.get("edits")
    found = given if isinstance(given, list) else []
    return {
        edit["message"]: edit
        for edit in found
        if isinstance(edit, dict) and isinstance(edit.get("message"), int)
    }
