"""``rollstep edits``: what humans changed in a rollout, why, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import indent

import click
import msgspec
from rollstep.core.errors import InputError
from rollstep.core.finding import find_rollout
from rollstep.core.model.history import hidden_steps
from rollstep.core.model.rollout import Rollout
from rollstep.core.rules.ledger import Ledger, LedgerEntry
from rollstep.core.store.change import Saved
from rollstep.core.store.library import Library
from rollstep.tui.ledger_words import (
    followed_words,
    made_words,
    marked,
    standing_words,
    title_words,
)
from rollstep.tui.sanitize import one_line, visible
from rollstep.tui.target import OpenTarget
from rollstep.tui.targets import file_kind, parse_target

from .lists import library_path
from .progress import counted, say


def list_edits(name: str, library: Path | None, *, as_json: bool) -> int:
    """Print the edits of a rollout, or of each one in a bundle; with ``as_json`` one JSON document
    on a line for each. Raises RollstepError.
    """
    target = parse_target(name)
    for saved in _rollouts(target, library):
        entries = _entries(saved, target.step)
        if as_json:
            for entry in entries:
                click.echo(_json(entry))
        else:
            _print(saved, list(entries))
    return 0


def _rollouts(target: OpenTarget, library: Path | None) -> Iterator[Saved]:
    if target.path is None:
        with Library.open(library_path(library), create=False) as opened:
            yield opened.load(find_rollout(opened, target.rollout))
        return
    if file_kind(target.path) != "bundle":
        raise InputError(f"{target.path}: not a rollout. Name one of the library, or a bundle.")
    from rollstep.core.store.bundle_reader import read_bundle

    warnings: list[str] = []
    for saved, _ in read_bundle(target.path, warnings):
        yield saved
    for warning in warnings:
        say(warning)


def _entries(saved: Saved, seq: int | None) -> Iterable[LedgerEntry]:
    rollout = Rollout(saved.header, saved.projects)
    rollout.add_all(saved.steps)
    rollout.hidden |= hidden_steps(saved.commands)
    ledger = Ledger(rollout, saved.commands)
    if seq is None:
        return ledger.entries()
    step = next((step for step in saved.steps if step.seq == seq), None)
    if step is None:
        raise InputError(f"Rollout {saved.header.id} has no step {seq}.")
    entry = ledger.entry(step.id)
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
