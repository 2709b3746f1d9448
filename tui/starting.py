"""What the start screen is given: samples, and the rollouts used last in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollstep.core.samples import list_samples

from .screens.start import RecentRow, SampleRow, StartRequest

if TYPE_CHECKING:
    from rollstep.core.store.change import Summary

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def start_request(
    recent: list[Summary], now: float, *, notice: str = "", path: str = "", throwaway: bool = False
) -> StartRequest:
    """All of it; ``now`` in seconds since the epoch. ``throwaway``: the library is not kept."""
    samples = tuple(
        SampleRow(one.name, one.title, "", one.learn, one.bundle is not None, one.needs_key)
        for one in list_samples()
    )
    rows = tuple(
        RecentRow(
            one.id,
            one.title,
            one.turns,
            one.edits,
            "demo, not kept" if throwaway else one.ending,
            ago(now - one.updated_at),
            one.source,
        )
        for one in recent
    )
    return StartRequest(samples, rows, notice, path)


def ago(seconds: float) -> str:
    """How long ago, in words; nothing for what a wrong clock has put into the future."""
    if seconds < -_UNITS[0][0]:
        return ""
    for size, unit in _UNITS:
        count = int(seconds // size)
        if count > 0:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
