"""``docs/formats.md``, generated from the table of formats.

``python -m rollstep.core.formats.docs`` writes it in a checkout; ``--check`` only says whether it
is up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from ..generated import main
from .report import FEATURES
from .table import FORMATS, Format
from .turn_records.strict import HOLDS_IN_FULL

DOCS_FILE = Path(__file__).parents[2] / "docs" / "formats.md"

_HEAD = """<!-- Generated from core/formats/table.py: python -m rollstep.core.formats.docs -->

# Formats

rollstep keeps a rollout as a tree of steps. Every format here takes a trajectory of it, some take
more; what one cannot hold is said before anything is written, from the same table as this page.

`rollstep export ROLLOUT --format NAME -o PATH` writes ([how](export.md)), `rollstep import FILE`
and `rollstep open FILE` read ([how](logs.md)), `rollstep convert IN OUT` does both, and
`rollstep validate FILE` only looks ([how](import.md)). The format of a file is recognised from what
is in it, record by record; `--format` forces one. How to add a format:
[add-a-format.md](add-a-format.md).
"""

_SIDE_BY_SIDE = 6
"""Formats in one table, so that it fits a screen."""

PERHAPS: dict[str, frozenset[str]] = {
    "turn-records": HOLDS_IN_FULL,
    "openai": frozenset({"other_parts"}),
    "openai-preference": frozenset({"marks", "branches"}),
    "trl": frozenset({"stop", "marks", "train", "other_parts"}),
    "trl-prompt-completion": frozenset({"other_parts"}),
    "trl-preference": frozenset({"marks", "branches", "other_parts"}),
    "sharegpt": frozenset({"marks", "branches"}),
    "anthropic": frozenset({"reasoning"}),
    "atif": frozenset({"branches"}),
}
"""What ``Format.holds_also`` may give, which depends on the options and on what there is."""

_KEPT_HEAD = """
## What each keeps

`x` is kept; `(x)` is kept in some cases, which the report before the export tells apart; a blank
is lost, and the report names the steps. Besides what is ticked, a file that was read as a format
and is written as that format again gives back the fields that rollstep has no place for. What
stands where: [formats in detail](formats-in-detail.md).
"""


def docs_text() -> str:
    """The whole page."""
    writers = [fmt for fmt in FORMATS.values() if fmt.writes]
    lines = [_HEAD, "| format | | file | what it is |", "|---|---|---|---|"]
    lines += [_format_row(fmt) for fmt in FORMATS.values()]
    lines += [_KEPT_HEAD, *_kept_tables(writers)]
    return "\n".join(lines).rstrip() + "\n"


def _format_row(fmt: Format) -> str:
    does = [word for word, yes in (("reads", _reads(fmt)), ("writes", fmt.writes)) if yes]
    return f"| `{fmt.name}` | {', '.join(does)} | `{fmt.suffix}` | {_sentence(fmt)} |"


def _reads(fmt: Format) -> bool:
    # The library and the checker of project files read these three.
    return fmt.reader is not None or fmt.name in ("bundle", "project", "seed")


def _sentence(fmt: Format) -> str:
    names = sorted("rename" if name == "renames" else name for name in fmt.heeds)
    options = ", ".join(f"`--{name.replace('_', '-')}`" for name in names)
    more = [f"heeds {options}"] if options else []
    more += ["equal rows are written once"] if fmt.unique else []
    return "; ".join([fmt.what, *more])


def _kept_tables(writers: list[Format]) -> Iterable[str]:
    for start in range(0, len(writers), _SIDE_BY_SIDE):
        some = writers[start : start + _SIDE_BY_SIDE]
        yield "| | " + " | ".join(f"`{fmt.name}`" for fmt in some) + " |"
        yield "|---|" + "---|" * len(some)
        for feature, words in FEATURES.items():
            ticks = (_tick(fmt, feature) for fmt in some)
            yield f"| {words} | " + " | ".join(ticks) + " |"
        yield ""


def _tick(fmt: Format, feature: str) -> str:
    if feature in fmt.holds:
        return "x"
    return "(x)" if feature in PERHAPS.get(fmt.name, ()) else " "


if __name__ == "__main__":
    sys.exit(main(DOCS_FILE, docs_text(), sys.argv[1:]))
