"""The README's table of keys, made from the registry.

``python -m rollstep.tui.key_table README.md`` puts it between the file's markers.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .actions import ABOUT, ACTIONS, GROUPS

_BEGIN = "<!-- keys: made by python -m rollstep.tui.key_table -->"
_END = "<!-- /keys -->"


def key_table() -> str:
    """A Markdown table of every action, by group, in the registry's order."""
    rows = ["| key | what it does |", "|---|---|"]
    for group in GROUPS:
        rows.append(f"| **{group}** | *{ABOUT[group]}* |")
        rows += [f"| `{_cell(a.short)}` | {a.help} |" for a in ACTIONS if a.group == group]
    return "\n".join(rows)


def _cell(key: str) -> str:
    """A bar would end the cell, even within code."""
    return key.replace("|", "\\|")


def with_table(text: str) -> str:
    """The text with a fresh table between its markers."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{key_table()}\n\n{_END}{after}"


if __name__ == "__main__":
    readme = Path(sys.argv[1])
    readme.write_text(with_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
