"""``rollstep list`` and ``rollstep samples``, and which library a command uses."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
from rollstep.core.files import expanded
from rollstep.core.samples import list_samples as all_samples
from rollstep.core.store.change import Summary
from rollstep.core.store.facts import ListedRollout
from rollstep.core.store.library import Library
from rollstep.tui.sanitize import one_line, visible
from rollstep.tui.settings import configuration, data_folder

from .progress import counted
from .slow_query import tell_if_slow

LIBRARY_NAME = "library.sqlite"


def library_path(given: Path | None) -> Path:
    """The library that was named, or that of the configuration, or the user's own."""
    if given is not None:
        return given
    named = configuration().config.library
    return expanded(named) if named else data_folder() / LIBRARY_NAME


def list_rollouts(
    library: Path | None, limit: int, query: str = "", *, as_json: bool = False
) -> int:
    """Print one line for each rollout that the query means, the newest first. Raises QueryError."""
    path = library_path(library)
    if library is None and not path.exists():
        click.echo("There are no rollouts yet. `rollstep demo --keep` makes one.", err=True)
        return 0
    from rollstep.core.listing.hidden import count_hidden
    from rollstep.core.listing.newest import newest_rollouts

    with Library.open(path, create=False) as opened:
        if as_json or query.strip():
            return _listed(opened, limit, query, as_json)
        summaries, hidden = newest_rollouts(opened, limit), count_hidden(opened)
    for summary in summaries:
        click.echo(_line(summary))
    if not summaries:
        words = "holds no rollouts yet"
        if hidden:
            words = f"holds only hidden rollouts ({hidden:,}): rollstep list hidden:yes lists them"
        click.echo(f"The library {visible(str(path))} {words}.", err=True)
    return 0


def _listed(library: Library, limit: int, query: str, as_json: bool) -> int:
    from rollstep.core.listing.rollout_list import list_rollouts as listed
    from rollstep.core.listing.up_to_date import bring_up_to_date

    bring_up_to_date(library, query)
    found = listed(library, query)
    tell_if_slow(query)
    for row in found.rows(0, limit):
        if row is not None:
            click.echo(_json_line(row) if as_json else _line(row.summary))
    if not len(found):
        click.echo("No rollout is meant.", err=True)
    elif len(found) > limit:
        click.echo(f"… and {len(found) - limit:,} more; --limit shows them.", err=True)
    return 0


def _json_line(row: ListedRollout) -> str:
    """All that lists know of a rollout. Escapes: lone surrogates are legal in our texts."""
    import json

    facts = msgspec.to_builtins(row.facts) if row.facts is not None else {}
    facts["scores"] = json.loads(facts.get("scores", "{}"))
    return json.dumps({**facts, **msgspec.to_builtins(row.summary), "hidden": row.hidden})


def list_samples() -> int:
    """Print one line for each sample."""
    for sample in all_samples():
        click.echo(f"{sample.name:<22} {one_line(sample.title)}")
        click.echo(f"{'':<22} {one_line(sample.learn)}")
    return 0


def _line(summary: Summary) -> str:
    facts = ", ".join(
        (
            counted(summary.turns, "turn"),
            counted(summary.steps, "step"),
            counted(summary.edits, "edit"),
        )
    )
    title, source = one_line(summary.title), one_line(summary.source)
    return f"{one_line(summary.id)}  {title}  ({facts}; {one_line(summary.ending)})" + (
        f"  {source}" if source else ""
    )
