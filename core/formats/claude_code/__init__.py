"""Sessions of Claude Code: one event per line, each message naming the one before it.

What a person took back and said anew is a branch. A reply of the model stands on several lines, one
for each of its blocks, and results of parallel calls each hang on the line of their call: both are
put together again. Side conversations of sub-agents are trajectories of their own. Everything that
is no part of a conversation (snapshots, progress, notices) is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...errors import Fault, FormatError
from ...model.messages import UserMessage, payload_text
from ...model.steps import Attempt
from ..anthropic import AnthropicReader
from ..reading.building import TreeBuilder, imported_project
from ..reading.json_in import JsonReader, as_text
from ..reading.record import Imported, Reader, Record
from ..reading.trees import open_calls
from ..reading.values import items, seconds, shown, table, text, without
from .lines import Session, Spoken

_MESSAGES = ("user", "assistant")
_KINDS = frozenset(
    {
        *("system", "progress", "attachment", "queue-operation", "last-prompt", "ai-title"),
        *("custom-title", "agent-name", "permission-mode", "pr-link", "tag", "mode"),
    }
)
_PLACE = ("cwd", "gitBranch", "version")
_TITLE = 80


def recognise(value: Any) -> int:
    """Whether it is a line of a session."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return 0
    kind = value["type"]
    if kind in _MESSAGES:
        named = "sessionId" in value or ("uuid" in value and "parentUuid" in value)
        return 98 if named and isinstance(value.get("message"), dict) else 0
    if kind == "summary":
        return 95 if {"summary", "leafUuid"} <= value.keys() else 0
    if kind == "file-history-snapshot":
        return 95 if "snapshot" in value else 0
    if kind in _KINDS:
        return 95 if "sessionId" in value or "uuid" in value else 0
    return 91 if {"sessionId", "uuid"} <= value.keys() else 0


def read(record: Record) -> Iterator[Imported]:
    """The sessions that the lines tell of, and their side conversations. Raises FormatError."""
    values = record.value if isinstance(record.value, list) else [record.value]
    lines = record.lines or tuple(range(1, len(values) + 1))
    found = Session(values, lines)
    names = found.conversations()
    if not names:
        raise FormatError(faults=(Fault("no line of the session holds a message."),))
    for name in names:
        conversation = _Conversation(name, found)
        if conversation.builder.steps:
            yield conversation.imported()


READER = Reader(recognise, read, unit="file")


class _Conversation:
    """One conversation of a session: the session's own, or that of a sub-agent."""

    def __init__(self, name: str, session: Session) -> None:
        self.builder = TreeBuilder(f"claude-code.{name}", shared=True)
        self._name = name
        self._session = session
        self._reader = AnthropicReader(self.builder)
        self._ends: dict[int, str] = {}
        """The last step of what each node became."""
        self._attempts: list[Attempt] = []
        self._results: dict[int, str] = {}
        """Behind which step the next result of a reply comes, by the reply's node."""
        self._put_in = 0
        self._head: str | None = None
        for spoken in session.of(name):
            self._add(spoken)

    def imported(self) -> Imported:
        """The trajectory."""
        self._notes()
        title = self._title()
        first = next(iter(self._session.of(self._name)))
        place = {key: first.line.get(key) for key in ("sessionId", *_PLACE)}
        where = self._session.outside(self._name)
        project = imported_project(title, metadata=as_text({"claude-code": without(place)}))
        return Imported(
            project,
            self.builder.steps,
            title,
            key=self._name,
            head=self._head,
            attempts=tuple(self._attempts),
            extra=as_text({"summaries": where}) if where else "",
            notes=tuple(self.builder.notes),
            created_at=seconds(first.line.get("timestamp")),
        )

    def _add(self, spoken: Spoken) -> None:
        parent = self._parent(spoken)
        if spoken.failed:
            self._fail(spoken, parent)
            return
        self.builder.here = parent
        self._reader.chat.calls.opened(open_calls(self.builder, parent))
        self._reader.read_one(spoken.message, f"line {spoken.number}")
        here = self.builder.here
        if here is None:
            return  # a system text, which sessions do not hold
        self._tell(spoken, here, parent)
        self._ends[spoken.node] = here
        if spoken.is_result and spoken.parent is not None:
            self._results[self._reply_of(spoken.parent)] = here
        self._head = here

    def _parent(self, spoken: Spoken) -> str | None:
        """The step that this one follows. Results of one reply follow each other, and what comes
        behind one of them comes behind all.
        """
        if spoken.parent is None:
            return None
        reply = self._reply_of(spoken.parent)
        follows_results = spoken.is_result or reply != spoken.parent
        if follows_results and reply in self._results:
            return self._results[reply]
        return self._ends.get(spoken.parent)

    def _reply_of(self, node: int) -> int:
        """The reply that this node holds results of; else the node itself."""
        spoken = self._session.nodes[node]
        return spoken.parent if spoken.is_result and spoken.parent is not None else node

    def _tell(self, spoken: Spoken, last: str, parent: str | None) -> None:
        """What the line says of its message goes to the steps that it became."""
        line = spoken.line
        at = seconds(line.get("timestamp"))
        kept = without(line, *_SAID)
        author = ""
        if line.get("isMeta") is True or line.get("isCompactSummary") is True:
            author = "Claude Code"
            self._put_in += 1
        step_id: str | None = last
        while step_id is not None and step_id != parent:
            step = self.builder.step(step_id)
            step_id = step.parent_id
            known = table(JsonReader().parse(step.extra)[0]) if step.extra else {}
            extra = as_text({**without(known, "usage"), **kept}) if kept or known else ""
            self.builder.replace(step.id, created_at=at, extra=extra, author=author)

    def _fail(self, spoken: Spoken, parent: str | None) -> None:
        """What the program said in the place of a reply that it did not get."""
        parts = [shown(table(each).get("text")) for each in items(spoken.message.get("content"))]
        words = " ".join(part for part in parts if part) or "the call failed"
        at = seconds(spoken.line.get("timestamp"))
        name = text(spoken.line.get("uuid")) or f"{self._name}.{spoken.number}"
        self._attempts.append(Attempt(name, parent, "target", "server", words, created_at=at))
        if parent is not None:
            self._ends[spoken.node] = parent

    def _title(self) -> str:
        given = self._session.title(self._name)
        if given:
            return given
        said = (s.payload for s in self.builder.steps if isinstance(s.payload, UserMessage))
        first = next((payload_text(each) for each in said if payload_text(each).strip()), "")
        return first.strip().split("\n")[0][:_TITLE] or f"Claude Code {self._name[:8]}"

    def _notes(self) -> None:
        note = self.builder.note
        if self._put_in:
            note(f"{self._put_in} messages were put in by the program and not by the person")
        for number in self._session.compactions(self._name):
            note("the conversation was shortened here: the model saw a summary", line=number)
        for number in self._session.cut_off(self._name):
            note("the message before this one is not in the file", line=number)
        if self._name == self._session.conversations()[0]:
            others = self._session.others
            if others:
                kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(Counter(others).items()))
                note(f"lines that are no part of a conversation: {kinds}")


_SAID = (
    *("message", "type", "parentUuid", "logicalParentUuid", "timestamp", "sessionId"),
    *("isSidechain", "userType", *_PLACE),
)
"""Of a line what is in the steps, or in the project."""
