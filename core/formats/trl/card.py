"""The dataset card that is written beside TRL rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from .columns import MESSAGE_COLUMNS, OURS, RATING, STOP, VERDICT

COLUMNS = ("messages", "tools", *OURS)
"""The columns of conversations that have no others. One that is declared may be missing from rows,
but none may stand in rows that is not declared."""

_LISTS = frozenset({*MESSAGE_COLUMNS, "tools"})
_TYPES = {STOP: "string", VERDICT: "string", RATING: "int64"}
_MEANS = {
    STOP: "why the conversation ended; empty where it has not",
    VERDICT: "what a person decided: accept, reject, unsure, or empty",
    RATING: "1 to 5, or 0 where nobody rated it",
}


def card(
    title: str = "Conversations",
    *,
    columns: Iterable[str] = COLUMNS,
    files: Mapping[str, str] | None = None,
    rows: Mapping[str, int] | None = None,
    words: Iterable[str] = (),
) -> str:
    """``README.md`` for a folder of rows.

    It declares the columns, without which a key that first comes after some 10 MB breaks loading.
    ``columns`` are all that any row has; those that are neither ours nor messages are declared as
    JSON. ``files`` maps a split to its file, ``rows`` a split to how many it has. ``words`` are
    lines on what was exported. No licence is stated: that is for whoever publishes it.
    """
    names = list(dict.fromkeys(columns))
    lines = ["---", "dataset_info:", "  features:"]
    for name in names:
        lines.append(f"  - name: {_scalar(name)}")
        kind = "list: json" if name in _LISTS else f"dtype: {_TYPES.get(name, 'json')}"
        lines.append(f"    {kind}")
    if files:
        lines += ["configs:", "- config_name: default", "  data_files:"]
        for split, path in files.items():
            lines += [f"  - split: {_scalar(split)}", f"    path: {_scalar(path)}"]
    lines += ["---", "", f"# {title}", "", "Exported by rollstep."]
    if rows:
        counts = ", ".join(f"{split}: {count}" for split, count in rows.items())
        lines += ["", f"Rows: {counts}."]
    said = list(words)
    if said:
        lines += ["", *(f"- {each}" for each in said)]
    ours = [name for name in names if name in _MEANS]
    if ours:
        lines += ["", "Columns:", "", *(f"- `{name}`: {_MEANS[name]}" for name in ours)]
    lines += ["", "No licence is stated here: choose one before you publish this.", ""]
    return "\n".join(lines)


def _scalar(text: str) -> str:
    """A text in YAML: as it is where that is plainly a string, else in quotes."""
    plain = text.replace("_", "").replace(".", "").replace("-", "")
    if plain.isascii() and plain.isalnum() and plain[0].isalpha() and plain.lower() not in _WORDS:
        return text
    return json.dumps(text)


_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
