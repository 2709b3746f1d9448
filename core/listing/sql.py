"""A query about rollouts as a condition of SQL over ``rollouts`` and ``facts``.

Numbers and words are compared by SQLite itself; texts in any letter case, and regular expressions,
by functions of ours that it calls. What is said in steps is looked for in the full-text index.
"""

from __future__ import annotations

import json
import math
import sqlite3
from functools import lru_cache
from typing import Any

from ..rules.query.compiling import SEARCHED, search_for
from ..rules.query.nodes import And, Compare, Has, Node, Not, Ref, Value
from ..rules.query.rollout_fields import NO_VERDICT
from ..store.codec import from_bytes, to_bytes
from ..store.facts import HIDDEN, SEPARATOR, STATUS, as_stored
from ..store.search import hides, says, texts_of
from .hidden import HIDDEN_FIELD, speaks_of_hidden

Condition = tuple[str, list[Any]]
"""A condition, and the values for its question marks."""

_TEXTS = {
    "title": "facts.title",
    "goal": "facts.goal",
    "source": "facts.source",
    "note": "facts.notes",
    "why": "facts.why",
    "format": "facts.format",
    "id": "CAST(rollouts.id AS TEXT)",
    "stop": "CAST(rollouts.stop_reason AS TEXT)",
    "status": f"({STATUS})",
    "updated": "strftime('%Y-%m-%dT%H:%M', rollouts.updated_at, 'unixepoch', 'localtime')",
}
_NUMBERS = {
    "turns": "rollouts.turns",
    "steps": "(rollouts.steps - rollouts.hidden)",
    "branches": "facts.branches",
    "edits": "rollouts.edits",
    "flags": "facts.flags",
    "rating": "facts.rating",
    "cost": "facts.cost",
    "tokens": "facts.tokens",
}
_LISTS = {
    "tag": "facts.tags",
    "by": "facts.marked_by",
    "tool": "facts.tools",
    "model": "facts.models",
}
_FLAGS = {"parked": f"({STATUS}) IN ('parked', 'failed')", "outdated": "facts.outdated = 1"}
_VERDICT = f"coalesce(nullif(facts.verdict, ''), '{NO_VERDICT}')"
_SQL_OF = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_AS_WORDS = {"true": "yes", "false": "no"}
_TRIGRAM = 3
_MOST = (1 << 63) - 1
_FLOATS = 10**300


def add_functions(connection: sqlite3.Connection) -> None:
    """The functions that conditions call. They must be there on each connection that is asked."""
    for name, function in (("has_words", _has_words), ("fits", _fits), ("any_fits", _any_fits)):
        connection.create_function(name, 2, function, deterministic=True)
    connection.create_function("step_fits", 2, _step_fits, deterministic=True)
    connection.create_function("says", 2, _says, deterministic=True)
    connection.create_function("hides", 2, hides, deterministic=True)
    connection.create_function("score_of", 2, _score_of, deterministic=True)


def listed(node: Node | None) -> Condition:
    """The condition that a list with this query goes by: as the query says, and without hidden
    rollouts where it does not speak of these.
    """
    if node is None:
        return f"NOT ({HIDDEN})", []
    sql, values = condition(node)
    return (sql if speaks_of_hidden(node) else f"({sql}) AND NOT ({HIDDEN})"), values


def condition(node: Node) -> Condition:
    """The condition that a query is. A value that is not there makes a comparison false, also
    ``!=``, as everywhere in the language.
    """
    if isinstance(node, Compare):
        sql, values = _compare(node)
        return f"coalesce({sql}, 0)", values
    if isinstance(node, Has):
        sql, values = _has(node.ref)
        return f"coalesce({sql}, 0)", values
    if isinstance(node, Not):
        sql, values = condition(node.part)
        return f"NOT ({sql})", values
    word = "AND" if isinstance(node, And) else "OR"
    parts = [condition(part) for part in node.parts]
    return _all_of(word, [sql for sql, _ in parts]), [v for _, values in parts for v in values]


def _all_of(word: str, parts: list[str]) -> str:
    """Joined by halves: SQLite takes no more than a thousand on one side."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return f"({_all_of(word, parts[:middle])} {word} {_all_of(word, parts[middle:])})"


def _compare(node: Compare) -> Condition:
    name, op, value = node.ref.name, node.op, node.value
    if name in _FLAGS:
        wanted = (value is True) == (op == "=")
        return f"({_FLAGS[name]}) = {int(wanted)}", []
    if name in _NUMBERS:
        return f"{_NUMBERS[name]} {_SQL_OF[op]} ?", [_number(value)]
    if name == "score":
        return _score(node)
    if name == "text":
        return _said(op, str(value))
    if name == HIDDEN_FIELD:
        return _hidden(op, str(value))
    if name in _LISTS:
        return _list(_LISTS[name], op, str(value))
    return _text(_VERDICT if name == "verdict" else _TEXTS[name], op, str(value))


def _number(value: Value) -> Value:
    """SQLite's integers have 64 bits; beyond that a float is near enough to anything we count."""
    if isinstance(value, int) and abs(value) > _MOST:
        return float(value) if abs(value) < _FLOATS else math.inf if value > 0 else -math.inf
    return value


def _has(ref: Ref) -> Condition:
    if ref.name in _FLAGS:
        return f"({_FLAGS[ref.name]})", []
    if ref.name in _NUMBERS:
        return f"{_NUMBERS[ref.name]} IS NOT NULL", []
    if ref.name == "score":
        if not ref.member:
            return "facts.score IS NOT NULL", []
        return "score_of(facts.scores, ?) IS NOT NULL", [as_stored(ref.member[0])]
    if ref.name == "verdict":
        return "facts.verdict <> ''", []
    if ref.name == "text":
        return "rollouts.steps > 0", []
    if ref.name == HIDDEN_FIELD:
        return f"({HIDDEN})", []
    return f"{_LISTS.get(ref.name) or _TEXTS[ref.name]} <> ''", []


def _hidden(op: str, value: str) -> Condition:
    """``any`` is both; true and false are understood too, as of a flag."""
    value = _AS_WORDS.get(value, value)
    if value == "any":
        return str(int(op != "!=")), []
    return _text(f"CASE WHEN {HIDDEN} THEN 'yes' ELSE 'no' END", op, value)


def _contains(column: str, value: str) -> Condition:
    """Contained in any letter case. SQLite's own LIKE knows the case of ASCII letters only, but
    looks through a hundred thousand rows in the time that our function takes for a tenth.
    """
    value = as_stored(value)
    if not value.isascii():
        return f"has_words({column}, ?)", [value.casefold()]
    escaped = value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{column} LIKE ? ESCAPE '\\'", [f"%{escaped}%"]


def _text(column: str, op: str, value: str) -> Condition:
    if op == ":":
        return _contains(column, value)
    if op == "~":
        return f"fits({column}, ?)", [to_bytes(value)]
    value = as_stored(value)
    return f"({column} <> '' AND {column} {_SQL_OF[op]} ?)", [value]


def _list(column: str, op: str, value: str) -> Condition:
    if op == ":":
        return _contains(column, value)
    if op == "~":
        return f"any_fits({column}, ?)", [to_bytes(value)]
    value = as_stored(value)
    alone = f"{SEPARATOR}{value}{SEPARATOR}"
    if op == "=":
        return f"instr({column}, ?) > 0", [alone]
    # One of several that is another: it is not the only one.
    return f"({column} <> '' AND {column} <> ?)", [alone]


def _score(node: Compare) -> Condition:
    op, value = node.op, node.value
    column, values = "facts.score", []
    if node.ref.member:
        column, values = "score_of(facts.scores, ?)", [as_stored(node.ref.member[0])]
    if op == ":":
        return f"has_words({column}, ?)", [*values, as_stored(str(value)).casefold()]
    if op == "~":
        return f"fits({column}, ?)", [*values, to_bytes(str(value))]
    if value is None:
        return "0", []
    kinds = "('integer', 'real')" if isinstance(value, int | float) else "('text')"
    typed = f"typeof({column}) IN {kinds}"
    wanted = as_stored(value) if isinstance(value, str) else _number(value)
    return f"({typed} AND {column} {_SQL_OF[op]} ?)", [*values, *values, wanted]


def _said(op: str, value: str) -> Condition:
    """In any of the steps in sight, or in the title."""
    title, titled = _text("facts.title", ":" if op == "=" else op, value)
    if op == "~":
        return f"({title} OR {_some_step('step_fits(steps.body, ?)')})", [*titled, to_bytes(value)]
    read = _some_step("says(steps.body, ?)")
    wanted = value.replace("\0", " ").encode("utf-8", "replace").decode()
    if len(value) < _TRIGRAM or wanted != value:
        found: Condition = (read, [to_bytes(value.lower())])
    else:
        quoted = '"' + value.replace('"', '""') + '"'
        inside = "rollouts.key IN (SELECT rowid >> 32 FROM step_text WHERE step_text MATCH ?)"
        # Steps that came in quickly are not in the index yet; those out of sight stay in it.
        later = "rollouts.indexed < rollouts.steps"
        found = (
            f"({inside} AND (rollouts.hidden = 0 OR {read}) OR {later} AND {read})",
            [quoted, to_bytes(value.lower()), to_bytes(value.lower())],
        )
    condition_of_all = f"({title} OR {found[0]})"
    if op == "!=":
        return f"NOT {condition_of_all}", [*titled, *found[1]]
    return condition_of_all, [*titled, *found[1]]


def _some_step(condition: str) -> str:
    """Of any of the steps that undo and deletes have left in sight."""
    return (
        f"EXISTS (SELECT 1 FROM steps WHERE steps.rollout = rollouts.key AND {condition}"
        " AND (rollouts.hidden = 0 OR NOT EXISTS (SELECT 1 FROM records"
        " WHERE records.rollout = rollouts.key AND records.kind = 'command'"
        " AND hides(records.body, steps.id))))"
    )


def _says(body: bytes, wanted: bytes) -> bool:
    return says(body, from_bytes(wanted))


def _has_words(text: Any, wanted: str) -> bool:
    return wanted in _as_text(text).casefold()


def _fits(text: Any, regex: bytes) -> bool:
    return text is not None and bool(_search(regex)(_as_text(text)[:SEARCHED]))


def _step_fits(body: bytes, regex: bytes) -> bool:
    search = _search(regex)
    return any(search(text[:SEARCHED]) for text in texts_of(body))


def _any_fits(lines: Any, regex: bytes) -> bool:
    search = _search(regex)
    return any(search(word) for word in _as_text(lines).strip(SEPARATOR).split(SEPARATOR))


@lru_cache(maxsize=64)
def _search(regex: bytes) -> Any:
    return search_for(from_bytes(regex))


def _score_of(scores: str | None, name: str) -> float | str | None:
    if not scores:
        return None
    value = json.loads(scores).get(name)
    return value if isinstance(value, int | float | str) else None


def _as_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)
