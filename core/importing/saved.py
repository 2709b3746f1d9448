"""What was read, as a rollout to be saved."""

from __future__ import annotations

from collections.abc import Iterator

from ..formats.reading.files import Read
from ..formats.reading.record import Imported
from ..model.messages import Stop
from ..model.rollout import Rollout, RolloutHeader
from ..store.change import Saved
from .ids import keyed_id, rollout_id


def rollout_of(
    imported: Imported,
    *,
    source: str,
    number: int,
    format: str,
    digest: str,
    index: int = 0,
    forced: bool = False,
) -> Saved:
    """The rollout that a library keeps of an import. ``number`` and ``digest`` are those of its
    record, ``index`` its place among the trajectories of that record; ``forced`` says that a person
    has named the format.
    """
    if imported.key:
        own_id = keyed_id(format, imported.key)
    else:
        own_id = rollout_id(digest, number, index, format if forced else "")
    header = RolloutHeader(
        own_id,
        imported.title or imported.project.title,
        imported.created_at,
        source=source,
        record=number - 1,
        format=format,
        extra=imported.extra,
    )
    head = imported.head or newest_leaf(imported)
    ended = any(step.id == head and isinstance(step.payload, Stop) for step in imported.steps)
    return Saved(
        header,
        (imported.project,),
        imported.steps,
        attempts=imported.attempts,
        branches=imported.branches,
        marks=imported.marks,
        scores=imported.scores,
        head=head or "",
        status="ended" if ended else "open",
    )


def rollouts_of(
    read: Read, source: str, *, forced: bool = False
) -> Iterator[tuple[Saved, Imported]]:
    """The rollouts of a record that was read, and what each is made from."""
    for index, imported in enumerate(read.imported):
        saved = rollout_of(
            imported,
            source=source,
            number=read.number,
            format=read.format,
            digest=read.digest,
            index=index,
            forced=forced,
        )
        yield saved, imported


def newest_leaf(imported: Imported) -> str | None:
    """The leaf that taking the newest step each time leads to."""
    steps = imported.steps
    if not steps:
        return None
    before = None
    for step in steps:
        if step.parent_id != before:
            break
        before = step.id
    else:  # one path, as most are
        return steps[-1].id
    rollout = Rollout(RolloutHeader("", ""), (imported.project,))
    rollout.add_all(steps)
    return rollout.newest_leaf(None)
