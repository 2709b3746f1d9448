"""``rollstep edits``: what humans changed in a rollout, why, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import indent

import click
import msgspec
from rollstep.core.errors import InputError
from rollstep.core.rules.ledger import Ledger, LedgerEntry
from rollstep.core.store.change import Saved
from rollstep.tui.ledger_words import (
    followed_words,
    made_words,
    marked,
    standing_words,
    title_words,
)
from rollstep.tui.sanitize import one_line, visible
from rollstep.tui.targets import parse_target

from .progress import counted
from .rollouts import rollouts, step_with_seq


def list_edits(name: str, library: Path | None, *, as_json: bool) -> int:
    """Print the edits of a rollout, or of each one in a bundle; with ``as_json`` one JSON document
    on a line for each. Raises RollstepError.
    """
    target = parse_target(name)
    for saved in rollouts(target, library):
        entries = _entries(saved, target.step)
        if as_json:
            for entry in entries:
                click.echo(_json(entry))
        else:
            _print(saved, list(entries))
    return 0


def _entries(saved: Saved, seq: int | None) -> Iterable[LedgerEntry]:
    ledger = Ledger(saved.tree(), saved.commands)
    if seq is None:
        return ledger.entries()
    entry = ledger.entry(step_with_seq(saved, seq).id)
    if entry is None:
        raise InputError(f"{saved.header.id}#{seq} is no edit, nor a copy of one.")
    return (entry,)


def _json(entry: LedgerEntry) -> str:
    """ASCII, so that nothing in it acts on a terminal and any text can be written."""
    text = json.dumps(msgspec.to_builtins(entry), ensure_ascii=True)
    return text.replace("\x7f", "\\u007f")


def _print(saved: Saved, entries: list[LedgerEntry]) -> None:
    standing = sum(entry.standing == "stands" for entry in entries)
    count = counted(len(entries), "edit") if entries else "no edits"
    told = f"{count}, {standing:,} of them stand" if standing < len(entries) else count
    click.echo(f"{one_line(saved.header.id)}  {one_line(saved.header.title)}: {told}")
    for entry in entries:
        click.echo("\n" + "\n".join(_lines(entry)))


def _lines(entry: LedgerEntry) -> Iterator[str]:
    made = made_words(entry)
    yield f"{one_line(entry.link)}  {one_line(title_words(entry))}" + (
        f"  {one_line(made)}" if made else ""
    )
    if standing := standing_words(entry):
        yield f"  {one_line(standing)}"
    if entry.reason:
        yield f"  reason: {one_line(entry.reason)}"
    yield f"  followed by: {one_line(followed_words(entry.followed))}"
    if entry.original_id is not None and entry.original is None:
        yield "  what it replaced is not in this rollout"
    yield indent(visible(marked(entry.diff)), "    ", lambda line: True)
