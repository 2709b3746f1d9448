"""What a human says of a branch or a step, with what they said before. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, UnsetType

from ..model.marks import Mark, Verdict

HIGHEST_RATING = 5


class MarkChange(msgspec.Struct, frozen=True):
    """What changes; the rest of the mark stays. ``toggle_tag`` puts a tag on, or takes it off where
    it is on; ``tag`` puts it on, ``no_tag`` takes it off.
    """

    verdict: Verdict | UnsetType | None = UNSET
    rating: int | UnsetType | None = UNSET
    note: str | UnsetType = UNSET
    train: bool | UnsetType | None = UNSET
    tag: str = ""
    toggle_tag: str = ""
    no_tag: str = ""

    @property
    def words(self) -> str:
        """What is done, for the line that says so."""
        said = []
        if self.verdict is not UNSET:
            said.append(_VERDICTS[self.verdict])
        if self.rating is not UNSET:
            said.append(f"rating {self.rating}" if self.rating else "no rating")
        if self.note is not UNSET:
            said.append("note" if self.note else "no note")
        if self.train is not UNSET:
            said.append(_TRAIN[self.train])
        said += [f"tag {tag}" for tag in (self.tag, self.toggle_tag) if tag]
        said += [f"no tag {self.no_tag}"] if self.no_tag else []
        return ", ".join(said)


_VERDICTS: dict[Verdict | None, str] = {
    "accept": "accepted",
    "reject": "rejected",
    "unsure": "unsure",
    None: "no verdict",
}
_TRAIN = {True: "trained on", False: "not trained on", None: "train mark taken off"}


def mark_of(marks: Iterable[Mark], step_id: str, by: str) -> Mark:
    """The person's mark on this step; an empty one where there is none."""
    found = (mark for mark in marks if (mark.step_id, mark.by) == (step_id, by))
    return next(found, Mark(step_id, by=by))


def changed(mark: Mark, change: MarkChange, at: float) -> Mark:
    """The mark with the change made, given ``at`` this time; the same where nothing changes."""
    fields: dict[str, object] = {}
    for name in ("verdict", "rating", "note", "train"):
        value = getattr(change, name)
        if value is not UNSET:
            fields[name] = value
    tags = list(mark.tags)
    if change.tag and change.tag not in tags:
        tags.append(change.tag)
    if change.no_tag in tags:
        tags.remove(change.no_tag)
    if change.toggle_tag in tags:
        tags.remove(change.toggle_tag)
    elif change.toggle_tag:
        tags.append(change.toggle_tag)
    new = msgspec.structs.replace(mark, tags=tuple(tags), **fields)
    return mark if new == mark and "verdict" not in fields else msgspec.structs.replace(new, at=at)
