"""The rollouts last written to, as they stand now: for where nothing was looked through yet, and
where nothing can be kept.
"""

from __future__ import annotations

import msgspec

from ..errors import RollstepError
from ..store.change import Summary
from ..store.library import Library


def newest_rollouts(library: Library, limit: int = 50) -> list[Summary]:
    """The newest first; hidden ones are left out. Raises StoreError."""
    found = library.recent(limit)
    unsure = library.undescribed_parked(limit)
    return [_settled(library, each) if each.id in unsure else each for each in found]


def _settled(library: Library, listed: Summary) -> Summary:
    """One that was parked and has changed since: whether it waits is worked out for it alone."""
    # Most starts need nothing of this.
    from ..rules.parking import is_settled

    try:
        saved, tree = library.load_tree(listed.id)
    except RollstepError:  # said when it is opened
        return listed
    standing = (saved.status, saved.status_note)
    settled = is_settled(standing, tree, saved.head, saved.marks, saved.silences)
    return msgspec.structs.replace(listed, status="ended" if settled else saved.status)
